// Which number stands for which element. Numbers are given once and never again; an element keeps its number for as long
// as it lives. The map is weak, so that we keep no element alive.

/** @type {WeakMap<Element, number>} */
const idsOfElements = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const elementsOfIds = new Map();
let nextId = 1;
let lastGiven = 0;
/** The first number that Python may not have claimed; 0: it has claimed all. */
let firstUnclaimed = 0;

/** @param {Element} element @returns {number} its number: a new one when it has none */
function idOf(element) {
  let id = idsOfElements.get(element);
  if (id === undefined) {
    id = lastGiven = nextId++;
    firstUnclaimed ||= id;
    idsOfElements.set(element, id);
    elementsOfIds.set(id, new WeakRef(element));
  }
  return id;
}

/** @param {number} id @returns {Element | null} the element while it is in a document, else null */
function elementOf(id) {
  const element = elementsOfIds.get(id)?.deref();
  if (!element) {
    elementsOfIds.delete(id);
    return null;
  }
  return isConnected_.call(element) ? element : null;
}

/**
 * @param {[number, number]} free  numbers from the first on are free in the whole tab: give no lower one; those from the
 *   second on were not claimed in Python, perhaps since an answer got lost
 * @returns {number} the first number that is to be claimed
 */
function reserveIds([free, unclaimed]) {
  if (free > nextId) nextId = free;
  if (firstUnclaimed < unclaimed) firstUnclaimed = lastGiven >= unclaimed ? unclaimed : 0;
  return firstUnclaimed || nextId;
}

/** The elements of several numbers, null for those that are gone. @param {number[]} ids */
function elementsOf(ids) {
  return ids.map(elementOf);
}
