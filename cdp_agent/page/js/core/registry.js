// The ids of elements. An id is assigned once and never reused; an element keeps its id for as long as it lives. The
// maps between ids and elements are weak. The last few thousand elements removed from the page are held strongly for a
// while, so that they can still be described: an element that was rendered anew is recognized by that description
// (identity.js).

/** @type {WeakMap<Element, number>} */
const idsOfElements = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const elementsOfIds = new Map();
let nextId = 1;
let lastAssignedId = 0;
/** The lowest id that Python may not have claimed; 0 when it has claimed all. */
let firstUnclaimed = 0;

const GONE_HELD = 2000;
const CHECKED_AT_ONCE = 50; // per reading, and two more for each new id, so that every element is checked in time
/** Elements with ids that were in the page when checked last. @type {Map<number, Element>} */
const presentElements = new Map();
/** Elements found to be removed from the page, in the order of finding. @type {Map<number, Element>} */
const removedElements = new Map();
let sweep = presentElements.entries();
let lastIdAtSweep = 0;

/**
 * Checks whether some of the present elements were removed from the page, and releases the ones removed longest ago.
 */
function releaseRemoved() {
  for (let i = CHECKED_AT_ONCE + 2 * (lastAssignedId - lastIdAtSweep); i > 0; i--) {
    const { value, done } = sweep.next();
    if (done) {
      sweep = presentElements.entries();
      break;
    }
    const [id, element] = value;
    if (isInShownDocument(element)) continue;
    presentElements.delete(id);
    removedElements.set(id, element);
  }
  lastIdAtSweep = lastAssignedId;
  for (const id of removedElements.keys()) {
    if (removedElements.size <= GONE_HELD) break;
    removedElements.delete(id);
  }
}

/** @param {Element} element @returns {number} its id, a new one if it has none */
function idOf(element) {
  let id = idsOfElements.get(element);
  if (id === undefined) {
    id = lastAssignedId = nextId++;
    firstUnclaimed ||= id;
    register(id, element);
  }
  return id;
}

/** @param {number} id @param {Element} element */
function register(id, element) {
  idsOfElements.set(element, id);
  elementsOfIds.set(id, new WeakRef(element));
  presentElements.set(id, element);
}

/** @param {number} id @returns {Element | null} the element while it is connected to a document, else null */
function elementOf(id) {
  const element = elementsOfIds.get(id)?.deref();
  if (!element) {
    elementsOfIds.delete(id);
    return null;
  }
  return isConnected_.call(element) ? element : null;
}

/**
 * @param {[number, number]} free  the lowest id that is free in the whole tab (no lower one may be assigned), and the
 *   lowest one that Python has not claimed, perhaps because a response was lost
 * @returns {number} the lowest id that Python must claim
 */
function reserveIds([free, unclaimed]) {
  releaseRemoved();
  if (free > nextId) nextId = free;
  if (firstUnclaimed < unclaimed) firstUnclaimed = lastAssignedId >= unclaimed ? unclaimed : 0;
  return firstUnclaimed || nextId;
}

/** The elements with these ids, null for each that is no longer connected. @param {number[]} ids */
function elementsOf(ids) {
  return ids.map(elementOf);
}
