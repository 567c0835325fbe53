// Texts that come and go, such as "Saved" for two seconds: what a reader who looks only now and then would never see.
// A reader of the journal. Only what was shown in a frame counts.

/**
 * @typedef {{text: string, since: number, place: Node}} Arrived  place: the parent
 * @typedef {{text: string, since: number, until: number, next: string}} Passing  next: what stands in its place then
 */
/** Elements with a text that came, and is shown. @type {Map<Element, Arrived>} */
const arrived = new Map();
/** @type {Passing[]} */
let passed = [];
/** Elements whose text may have come since the last frame. @type {Set<Element>} */
const candidates = new Set();
/** Where texts passed, see `recordIdleChange`. @type {WeakMap<Node, Behaviour>} */
const passedIn = new WeakMap();
/** What looks next, whichever comes first; null if no look is planned. @type {{frame: number, timer: any} | null} */
let plannedLook = null;

const MOST_ARRIVED = 30;
const MOST_PASSED = 8;
const LONGEST_ARRIVED = 160; // characters: more is no passing message
const LATEST_LOOK_MS = 50; // frames come late, or never, for a tab that is not in front, even where it is not hidden
const ANNOUNCING =
  '[role="status" i],[role="alert" i],[role="log" i],[aria-live="polite" i],[aria-live="assertive" i],output';
const ANNOUNCING_CLASS = /(^|[-_])(toast|snack(bar)?|flash|alert|notif(y|ication)?s?|messages?|status)($|[-_])/i;

/** Whether text of the node may have been rendered, unlike that of comments, scripts and styles. */
const mayHaveShownText = (node) => (nodeType(node) === 1 ? !SKIPPED.has(tagOf(node)) : nodeType(node) === 3);

/** The text of a node, with BREAK at the edges of blocks. Much longer texts are not read to their end. */
function rawTextOf(node, depth = 0) {
  if (nodeType(node) === 3) return cut(dataOf(node), 2 * LONGEST_ARRIVED);
  if (!mayHaveShownText(node) || depth > DEEPEST_NAME) return '';
  let text = '';
  for (let child = firstChild(node); child && text.length < 2 * LONGEST_ARRIVED; child = nextSibling(child))
    text += rawTextOf(child, depth + 1);
  return BLOCK_TAGS.has(tagOf(node)) ? BREAK + text + BREAK : text;
}

/** Called for each change of texts, nodes and what shows them. @param {MutationRecord} record @param {Node} target */
function recordPassing(record, target) {
  const element = nodeType(target) === 1 ? target : parentNode(target);
  const behaviour = behaviours.get(target);
  if (behaviour?.endless) {
    if (element) passedIn.set(element, behaviour); // what is shown there passes, too, though nobody looks at each
    return;
  }
  if (type_.call(record) === 'childList')
    for (const node of addedNodes_.call(record)) addCandidate(nodeType(node) === 1 ? node : target);
  else addCandidate(element);
  if (candidates.size || arrived.size) planLook();
}

function planLook() {
  plannedLook ??= {
    frame: requestAnimationFrame(weakly(lookAtPassing)),
    timer: setTimeout(weakly(lookAtPassing), LATEST_LOOK_MS),
  };
}

function addCandidate(node) {
  if (node && nodeType(node) === 1 && candidates.size < MOST_ARRIVED) candidates.add(node);
}

function lookAtPassing() {
  cancelAnimationFrame(plannedLook.frame);
  clearTimeout(plannedLook.timer);
  plannedLook = null;
  const now = performance.now();
  notePassed(now);
  for (const element of candidates) {
    const text = arrived.size < MOST_ARRIVED && !isEditable(element) ? shownTextOf(element) : '';
    const since = arrived.get(element)?.since ?? now;
    if (isMessage(text)) arrived.set(element, { text, since, place: parentNode(element) });
    if (!isComingOrGoing(element)) candidates.delete(element);
  }
  if (candidates.size) planLook();
}

/** Whether it is on its way to be seen, or not to be: no change of the page tells when it is there. */
const isComingOrGoing = (element) =>
  elementAnimations_.call(element).some(({ playState, effect }) => playState === 'running' && isFinite_(effect));

const elementAnimations_ = Element.prototype.getAnimations;
const isFinite_ = (effect) => effect?.getComputedTiming().iterations !== Infinity;

/** Notes which of the texts that came are not shown any more. */
function notePassed(now) {
  for (const [element, { text, since, place }] of arrived) {
    const present = shownTextOf(element);
    if (present === text) continue;
    if (withoutNumbers(present).includes(withoutNumbers(text))) {
      arrived.set(element, { text: present, since, place }); // a counter, or a text that grows
      continue;
    }
    arrived.delete(element);
    const isAlive = isConnected_.call(element);
    const around = !isAlive && isConnected_.call(place) ? shownTextOf(place) : '';
    if (around.includes(text) || isTicker(isAlive ? element : place, now)) continue;
    passed.push({ text, since, until: now, next: present || textAddedIn(place) });
  }
  passed = passed.slice(-MOST_PASSED);
}

const withoutNumbers = (text) => text.replace(/\d+/g, '0');

/** What came in a place since the last frame. */
function textAddedIn(place) {
  for (const element of candidates) if (element === place || parentNode(element) === place) return shownTextOf(element);
  return '';
}

/** Whether texts pass in a place all the time, and it is none for announcements. Notes that one passes now. */
function isTicker(place, now) {
  const behaviour = passedIn.get(place);
  const isTicking = behaviour !== undefined && isRestless(behaviour, now);
  if (!watching) recordIdleChange(place, now, passedIn);
  else if (isTicking) behaviour.at = now;
  return isTicking && !isForAnnouncements(place);
}

function isForAnnouncements(place) {
  for (let node = place; node && nodeType(node) === 1; node = flatParent(node)) {
    const names = `${attr(node, 'class') ?? ''} ${attr(node, 'id') ?? ''}`.split(/\s+/);
    if (matches(node, ANNOUNCING) || names.some((name) => ANNOUNCING_CLASS.test(name))) return true;
  }
  return false;
}

/** Whether it is visible, even if it has no size: content may be added to it later. */
const isRendered = (element) => checkVisibility_.call(element, VISIBILITY_OPTIONS);

/** The text that a node shows, with its blocks apart, cut where it is no message any more. @param {any} element */
function shownTextOf(element) {
  if (nodeType(element) !== 1 || !isConnected_.call(element) || !isSeen(element)) return '';
  const blocks = rawTextOf(element).split(BREAK).map(collapse).filter(Boolean);
  return [...new Set(blocks)].join(' | ');
}

/** Whether a text may be one: short, and in words. */
const isMessage = (text) => text.length <= LONGEST_ARRIVED && /\p{L}{2}/u.test(text);

/** By how many seconds the clock of our caller is ahead of this world's, at least: none of its calls took no time. */
let callerAhead = -Infinity;

/**
 * The texts that came and went since the last call, which are forgotten with it.
 * @param {number} sent  when the call was sent, by the clock of our caller, in seconds
 * @returns {{text: string, came_at: number, went_at: number, next: string, busy: boolean}[]} came_at, went_at: by that
 *   clock, rather too early than too late; next: what stood in its place then; busy: it says that something goes on
 */
function takePassed(sent) {
  callerAhead = Math.max(callerAhead, sent - performance.now() / 1000);
  catchUp();
  if (!arrived.size && !passed.length) return [];
  const now = performance.now();
  notePassed(now);
  const texts = passed.map(({ text, since, until, next }) => ({
    text,
    came_at: callerAhead + since / 1000,
    went_at: callerAhead + until / 1000,
    next,
    busy: saysUnderWay(text),
  }));
  passed = [];
  return texts;
}

/** Forgets what came since then. @param {number} since  ms */
function forgetPassing(since) {
  passed = passed.filter((passing) => passing.since < since);
  for (const [element, arrival] of arrived) if (arrival.since >= since) arrived.delete(element);
}
