// Which number stands for which element. Numbers are given once and never again; an element keeps its number for as long
// as it lives. The maps of numbers are weak. Elements that have left the page are held for a while, the last few thousand, so that
// they can still be asked who they were: what was rendered anew is known by it (identity.js).

/** @type {WeakMap<Element, number>} */
const idsOfElements = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const elementsOfIds = new Map();
let nextId = 1;
let lastGiven = 0;
/** The first number that Python may not have claimed; 0: it has claimed all. */
let firstUnclaimed = 0;

const GONE_HELD = 2000;
const LOOKED_AT_ONCE = 50; // with each reading, and two for each number given: so all come round
/** Elements with numbers, as far as is known in the page. @type {Map<number, Element>} */
const there = new Map();
/** What has left it, in the order of being missed. @type {Map<number, Element>} */
const left = new Map();
let round = there.entries();
let givenBefore = 0;

/** Looks whether some of what is held has left the page, and lets go of what did so long ago. */
function letGo() {
  for (let i = LOOKED_AT_ONCE + 2 * (lastGiven - givenBefore); i > 0; i--) {
    const { value, done } = round.next();
    if (done) {
      round = there.entries();
      break;
    }
    const [id, element] = value;
    if (isInShownDocument(element)) continue;
    there.delete(id);
    left.set(id, element);
  }
  givenBefore = lastGiven;
  for (const id of left.keys()) {
    if (left.size <= GONE_HELD) break;
    left.delete(id);
  }
}

/** @param {Element} element @returns {number} its number: a new one when it has none */
function idOf(element) {
  let id = idsOfElements.get(element);
  if (id === undefined) {
    id = lastGiven = nextId++;
    firstUnclaimed ||= id;
    register(id, element);
  }
  return id;
}

/** @param {number} id @param {Element} element */
function register(id, element) {
  idsOfElements.set(element, id);
  elementsOfIds.set(id, new WeakRef(element));
  there.set(id, element);
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
  letGo();
  if (free > nextId) nextId = free;
  if (firstUnclaimed < unclaimed) firstUnclaimed = lastGiven >= unclaimed ? unclaimed : 0;
  return firstUnclaimed || nextId;
}

/** The elements of several numbers, null for those that are gone. @param {number[]} ids */
function elementsOf(ids) {
  return ids.map(elementOf);
}
