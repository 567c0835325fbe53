// Texts that come and go while nobody acts, such as "Saved" for two seconds: what a reader who looks only when it acts
// would never see. A reader of the journal. Only what was shown in a frame counts.

/** @typedef {{text: string, since: number}} Arrived @typedef {{text: string, since: number, until: number}} Passed */
/** Elements with a text that came, and is shown. @type {Map<Element, Arrived>} */
let arrived = new Map();
/** @type {Passed[]} */
let passed = [];
/** Elements whose text may have come since the last frame. @type {Set<Element>} */
let candidates = new Set();
let isLookPlanned = false;

const MOST_ARRIVED = 30;
const MOST_PASSED = 8;
const LONGEST_ARRIVED = 160; // characters: more is no passing message

/** Whether text of the node may have been rendered, unlike that of comments, scripts and styles. */
const mayHaveShownText = (node) => (nodeType(node) === 1 ? !SKIPPED.has(tagOf(node)) : nodeType(node) === 3);

/**
 * The text of a node, with BREAK at the edges of blocks. These are known by tag, since a removed node has no style.
 * @param {number} longest  characters of each part; much longer texts are not read to their end
 */
function rawTextOf(node, longest, depth = 0) {
  if (nodeType(node) === 3) return cut(dataOf(node), longest);
  if (!mayHaveShownText(node) || depth > DEEPEST_NAME) return '';
  let text = '';
  for (let child = firstChild(node); child && text.length < 2 * longest; child = nextSibling(child))
    text += rawTextOf(child, longest, depth + 1);
  return BLOCK_TAGS.has(tagOf(node)) ? BREAK + text + BREAK : text;
}

/** Called for each change of texts and nodes while nobody acts. @param {MutationRecord} record @param {Node} target */
function recordPassing(record, target, now) {
  const behaviour = behaviours.get(target);
  if (behaviour && isRestless(behaviour, now)) return;
  if (type_.call(record) === 'childList')
    for (const node of addedNodes_.call(record)) addCandidate(nodeType(node) === 1 ? node : target);
  else addCandidate(nodeType(target) === 1 ? target : parentNode(target));
  if (isLookPlanned || !(candidates.size || arrived.size)) return;
  isLookPlanned = true;
  requestAnimationFrame(weakly(lookAtPassing));
}

function addCandidate(node) {
  if (node && nodeType(node) === 1 && candidates.size < MOST_ARRIVED) candidates.add(node);
}

function lookAtPassing() {
  isLookPlanned = false;
  const now = performance.now();
  for (const [element, { text, since }] of arrived) {
    if (passingTextOf(element) === text) continue;
    arrived.delete(element);
    passed.push({ text, since, until: now });
  }
  passed = passed.slice(-MOST_PASSED);
  for (const element of candidates) {
    const text = arrived.size < MOST_ARRIVED ? passingTextOf(element) : '';
    if (text) arrived.set(element, { text, since: now });
  }
  candidates.clear();
}

/** Whether it is visible, even if it has no size: content may be added to it later. */
const isRendered = (element) => checkVisibility_.call(element, VISIBILITY_OPTIONS);

/** The text that an element shows, if it may be a message: short, and in words; else "". @param {Element} element */
function passingTextOf(element) {
  if (!isConnected_.call(element) || !isRendered(element)) return '';
  const blocks = rawTextOf(element, LONGEST_ARRIVED).split(BREAK).map(collapse).filter(Boolean);
  const text = [...new Set(blocks)].join(' | ');
  return text.length <= LONGEST_ARRIVED && /\p{L}{2}/u.test(text) ? text : '';
}

/**
 * The texts that came and went since the last call, which are forgotten with it.
 * @returns {{text: string, ago_ms: number, for_ms: number}[]} ago_ms: how long ago it went; for_ms: how long it was
 *   shown
 */
function takePassed() {
  if (!arrived.size && !passed.length) return [];
  candidates.clear();
  lookAtPassing();
  const now = performance.now();
  const texts = passed.map(({ text, since, until }) => ({ text, ago_ms: now - until, for_ms: until - since }));
  [arrived, passed] = [new Map(), []];
  return texts;
}
