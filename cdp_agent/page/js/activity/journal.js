// The journal of changes: one observer of this world, which the page cannot see. It tells each change once to all who
// want to know (the cache of readings, the wait for rest, the effects of an action), and keeps how each node has
// behaved, by which `causeOf` answers who caused a change.

/**
 * @typedef {{since: number, at: number, longest: number, times: number, endless: boolean}} Behaviour how a node has
 *   changed. since: when it began to; at: when it did last, ms; longest: the longest pause in between; times: how often
 *   while nobody acted, since the first action; endless: it kept changing until a wait was cut off
 * @typedef {{by: 'action' | 'page' | 'unknown', why: string}} Cause
 * @typedef {{node: Node, at: number, cause: Cause}} Entry  a change that a reader of the snapshot could notice
 * @typedef {{element: Element, label: string, classes: Set<string>}} Pressed  what was pressed, as it was before
 * @typedef {{roots: Set<Document | ShadowRoot>, touched: WeakSet<Node>, hasContent: boolean, came: Set<Node>, isNew:
 *   boolean, marks: Set<Element> | null, title: string, pressed: Pressed | null, progress: Map<string, number>}}
 *   Watching  roots: the documents and shadow roots; touched: elements whose attributes changed since the action began;
 *   hasContent: the document shows something; came: nodes whose texts may be new; isNew: the watching began with the
 *   document; marks: what was marked as busy at the beginning, and title: what the document was called then; progress:
 *   texts that say how far something is, and since when, ms
 */

/** @type {WeakMap<Node, Behaviour>} */
const behaviours = new WeakMap();
/** When the observation of a document or shadow root began, ms. @type {WeakMap<Node, number>} */
const observedSince = new WeakMap();
/** From `changes()` until `stopWatching()`. @type {Watching | null} */
let watching = null;
/**
 * count, last: how many changes that a reader could notice there were while the page was watched, and when the last;
 * entries: the latest of these; causes: how many had which; texts, others: how many text nodes and other nodes were
 * added; acted: there was an action.
 */
const journal = {
  count: 0,
  last: 0,
  entries: /** @type {Entry[]} */ ([]),
  causes: { action: 0, page: 0, unknown: 0 },
  texts: 0,
  others: 0,
  acted: false,
};
/**
 * Who else wants to know, set when their files are loaded. inputAt: when the input of the action whose effects are
 * recorded arrived, Infinity before that, null without such an action. holdsOnlyEnteredText: whether a field or editor
 * contains nothing but what we entered, null as long as nothing was.
 */
const hooks = {
  inputAt: /** @type {() => number | null} */ (() => null),
  record: /** @type {(record: MutationRecord, target: any) => void} */ (() => {}),
  changed: () => {},
  ended: () => {},
  holdsOnlyEnteredText: /** @type {((element: Element) => boolean) | null} */ (null),
};

const target_ = getterOf(MutationRecord.prototype, 'target');
const type_ = getterOf(MutationRecord.prototype, 'type');
const oldValue_ = getterOf(MutationRecord.prototype, 'oldValue');
const addedNodes_ = getterOf(MutationRecord.prototype, 'addedNodes');
const removedNodes_ = getterOf(MutationRecord.prototype, 'removedNodes');
const attributeName_ = getterOf(MutationRecord.prototype, 'attributeName');

// Attributes by which pages show and hide messages.
const SHOWING_ATTRIBUTES = ['class', 'style', 'hidden', 'open', 'popover'];
// What is observed while nobody acts, what else the cache of readings needs, and what an action does.
const TEXTS = { subtree: true, childList: true, characterData: true, attributeFilter: SHOWING_ATTRIBUTES };
const READ = { subtree: true, childList: true, characterDataOldValue: true, attributes: true };
const ALL = { ...READ, attributeOldValue: true };
const CLOCK_CHANGES = 2; // with that many changes while nobody acts a node is a clock
const TICK_MS = 1100; // most clocks change within that time
const SLOWEST_TICK_MS = 90_000; // changes with longer pauses have nothing to do with each other
const LATE_MS = 300; // a tick may be late by that much; what changed so shortly before a wait was cut off goes on
const SAME_MS = 50; // changes within that time are one
const PROMPT_MS = 20; // what changes so soon after the input is its effect
const MOST_ENTRIES = 400;

const observer = observerFor(process);

/** @param {Document | ShadowRoot} root */
function observe(root) {
  if (!observedSince.has(root)) observedSince.set(root, performance.now());
  observer.observe(root, watching ? ALL : currentCache && root === document ? READ : TEXTS);
}

/** Takes in what has changed so far. */
const catchUp = () => process(observer.takeRecords());

/** How many changes a reader could notice so far, without looking for new documents and shadow roots. */
function changesSoFar() {
  catchUp();
  return journal.count;
}

/** @param {MutationRecord[]} records */
function process(records) {
  if (!records.length) return;
  const now = performance.now();
  for (const record of records) {
    const target = target_.call(record);
    const type = type_.call(record);
    if (type === 'childList') countAdded(addedNodes_.call(record));
    if (currentCache && rootOf(target) === document) markChange(currentCache, record, target, type);
    if (watching) processWatched(record, target, type, now);
    else if (type !== 'attributes' || behaviours.get(target)?.endless) recordIdleChange(target, now);
    if (type !== 'attributes' || SHOWING_ATTRIBUTES.includes(attributeName_.call(record)))
      recordPassing(record, target);
  }
  if (currentCache) limitStale(currentCache);
  if (journal.entries.length > MOST_ENTRIES) journal.entries = journal.entries.slice(-MOST_ENTRIES / 2);
}

function processWatched(record, target, type, now) {
  const isText = type !== 'attributes';
  const inputAt = hooks.inputAt();
  hooks.record(record, target);
  if (!isText) watching.touched.add(target);
  else if (inputAt > now) recordIdleChange(target, now);
  const cause = causeOf(target, isText, now, inputAt);
  if (cause === RESTLESS) {
    journal.causes.page++;
    const behaviour = behaviours.get(target);
    // right after the input it is no sign that the node goes on
    if (!isPrompt(now, inputAt)) behaviour.at = now;
    if (behaviour.endless) return;
  } else if (isText && cause.by === 'unknown' && !(inputAt > now)) recordLateChange(target, now);
  if (!isVisibleChange(record, target, isText)) return;
  if (isText) for (const node of addedNodes_.call(record)) watchTree(node);
  if (cause !== RESTLESS || isPrompt(now, inputAt)) noteTexts(record, target, type);
  noteChange(target, cause, now);
}

/** Keeps in mind whose texts came with a change: one that shows or hides much brings no new ones. */
function noteTexts(record, target, type) {
  if (type === 'childList') for (const node of addedNodes_.call(record)) noteCame(node);
  else if (type === 'characterData' || selectAll(target, '*').length < SMALL_BOX) noteCame(target);
}

const SMALL_BOX = 50; // elements

function noteChange(node, cause, at) {
  const latest = journal.entries.at(-1);
  if (latest?.node === node && latest.cause === cause) latest.at = at;
  else journal.entries.push({ node, at, cause });
  if (cause !== RESTLESS) journal.causes[cause.by]++;
  journal.last = at;
  journal.count++;
  hooks.changed();
}

/** @type {Cause} */
const RESTLESS = { by: 'page', why: 'it changed by itself before' };
/** @type {Cause} */
const PROMPT = { by: 'action', why: 'right after the input' };
/** @type {Cause} */
const AT_REST_BEFORE = { by: 'action', why: 'nothing had changed there before the input' };
/** @type {Cause} */
const BEFORE_INPUT = { by: 'unknown', why: 'before the input' };
/** @type {Cause} */
const ATTRIBUTE = { by: 'unknown', why: 'an attribute, which the mouse alone may change' };
/** @type {Cause} */
const EMPTIED = { by: 'unknown', why: 'no text is there any more' };
/** @type {Cause} */
const CHANGED_BEFORE = { by: 'unknown', why: 'it changed shortly before the input, too' };
/** @type {Cause} */
const OBSERVED_TOO_BRIEFLY = { by: 'unknown', why: 'the document is too new to know whether it changes by itself' };
/** @type {Cause} */
const NEW_TREE = { by: 'unknown', why: 'a new document or shadow root' };

/**
 * Who caused a change that came now.
 * @param {Node} node @param {boolean} isText  a text or nodes, not an attribute
 * @param {number} now @param {number | null} inputAt @returns {Cause}
 */
function causeOf(node, isText, now, inputAt) {
  const behaviour = behaviours.get(node);
  if (behaviour && isRestless(behaviour, Math.min(now, inputAt ?? now))) return RESTLESS;
  if (inputAt === null || inputAt > now) return BEFORE_INPUT;
  if (!isText) return ATTRIBUTE;
  if (behaviour && !isAtRest(behaviour, inputAt)) return CHANGED_BEFORE;
  if (!containsText(node)) return EMPTIED;
  if (isPrompt(now, inputAt)) return PROMPT;
  return inputAt - (observedSince.get(rootOf(node)) ?? Infinity) > TICK_MS ? AT_REST_BEFORE : OBSERVED_TOO_BRIEFLY;
}

/** @param {number | null} inputAt */
const isPrompt = (now, inputAt) => inputAt !== null && now >= inputAt && now - inputAt < PROMPT_MS;

/** @returns {boolean} */
function containsText(node) {
  if (nodeType(node) === 3) return hasText(dataOf(node));
  for (let child = firstChild(node); child; child = nextSibling(child)) if (containsText(child)) return true;
  return false;
}

/**
 * Whether what was restless has come to rest: it is quiet for as long as it was restless, or for twice its longest
 * pause.
 * @param {Behaviour} behaviour @param {number} now
 */
function isAtRest({ since, at, longest }, now) {
  return now - at > Math.max(TICK_MS, Math.min(at - since, 2 * longest) + LATE_MS);
}

/** Whether the node changes by itself: a clock, or what has kept a wait from ending. @param {Behaviour} behaviour */
const isRestless = (behaviour, now) => isOwn(behaviour) && !isAtRest(behaviour, now);

/** @param {Behaviour} behaviour */
const isOwn = ({ endless, times }) => endless || times >= CLOCK_CHANGES;

/** Whether waits ignore the node. @param {Node} node */
function isEndless(node) {
  const behaviour = behaviours.get(node);
  return behaviour !== undefined && behaviour.endless && !isAtRest(behaviour, performance.now());
}

/**
 * Keeps in mind a change that may be unrelated to an action, and may go on.
 * @param {Node} node @param {number} now
 */
function recordLateChange(node, now) {
  const behaviour = behaviours.get(node);
  if (behaviour) behaviour.at = now;
  else behaviours.set(node, { since: now, at: now, longest: 0, times: 0, endless: false });
}

/** Keeps in mind a change while nobody acts. @param {Node} node @param {number} now @param {typeof behaviours} [of] */
function recordIdleChange(node, now, of = behaviours) {
  const behaviour = of.get(node);
  const pause = behaviour ? now - behaviour.at : Infinity;
  if (pause <= SAME_MS) return;
  // Before the first action the page may still be loading, so such a change does not count as a clock's.
  const counts = behaviour?.endless || journal.acted;
  const isOver = behaviour && isOwn(behaviour) && isAtRest(behaviour, now);
  if (counts && pause <= SLOWEST_TICK_MS && !isOver) {
    behaviour.at = now;
    behaviour.longest = Math.max(behaviour.longest, pause);
    behaviour.times++;
  } else of.set(node, { since: now, at: now, longest: 0, times: 1, endless: false });
}

/** Ends the watching. @param {boolean} gaveUp  the latest changes never stop: waits ignore these nodes in future */
function stopWatching(gaveUp) {
  if (!watching) return;
  catchUp();
  const now = performance.now();
  if (gaveUp) for (const { node, at } of journal.entries) if (now - at < LATE_MS) recordEndless(node, at);
  const { roots } = watching;
  hooks.ended();
  hooks.changed();
  watching = null;
  journal.entries = [];
  for (const root of roots) observe(root);
}

/** Has waits ignore a node that kept changing, until it is at rest. @param {Node} node @param {number} at */
function recordEndless(node, at) {
  behaviours.set(node, { since: 0, at, longest: LATE_MS, times: behaviours.get(node)?.times ?? 0, endless: true });
  observer.observe(node, { attributes: true });
}

/** Begins to watch the page, or looks for documents and shadow roots that are new. */
function watch() {
  catchUp();
  if (watching) {
    for (const root of [...watching.roots]) watchFrames(root);
    const elements = selectAll(document, '*');
    if (elements.length < SMALL) watchRoots(elements);
    return;
  }
  watching = {
    roots: new Set(),
    touched: new WeakSet(),
    hasContent: false,
    came: new Set(),
    isNew: false,
    marks: null,
    title: '',
    pressed: null,
    progress: new Map(),
  };
  journal.acted = true;
  watchTree(document);
  journal.count = 0;
  journal.last = performance.now();
}

// Attributes of the geometry and paint of images and drawings: no text changes with them.
const GEOMETRY_ATTRIBUTES = new Set(
  (
    'd x y x1 y1 x2 y2 cx cy r rx ry dx dy width height points transform fill stroke stroke-dashoffset ' +
    'stroke-dasharray stroke-width viewBox offset opacity srcset sizes'
  ).split(' '),
);
const DISPLAY_DECLARATIONS = /(?:^|;)\s*(?:display|visibility|content-visibility|content)\s*:[^;]*/gi;

function isVisibleChange(record, target, isText) {
  if (isText) return true;
  const name = attributeName_.call(record);
  if (GEOMETRY_ATTRIBUTES.has(name)) return false;
  const before = oldValue_.call(record);
  const after = attr(target, name);
  if (name !== 'style') return before !== after;
  return (before?.match(DISPLAY_DECLARATIONS) ?? []).join() !== (after?.match(DISPLAY_DECLARATIONS) ?? []).join();
}

/** Watches a document or shadow root, or an added node: the shadow roots in it and the documents of its frames. */
function watchTree(node) {
  const type = nodeType(node);
  if (type === 9 || type === 11) {
    if (watching.roots.has(node)) return;
    watching.roots.add(node);
    observe(node);
  } else if (type !== 1) return;
  else if (rootOfHost(node)) watchTree(rootOfHost(node));
  if (type === 1 && !firstElementChild_.call(node)) {
    watchFrame(node);
    return;
  }
  const elements = selectAll(node, '*');
  for (let i = 0; i < elements.length; i++) {
    const root = rootOfHost(elements[i]);
    if (root) watchTree(root);
  }
  watchFrames(node);
}

const SMALL = 5000; // elements: up to this many are searched for new shadow roots each time

/**
 * Watches shadow roots attached to existing elements, which no observer reports.
 * @param {NodeListOf<Element>} elements
 */
function watchRoots(elements) {
  for (let i = 0; i < elements.length; i++) {
    const inner = rootOfHost(elements[i]);
    if (inner) watchNew(inner);
  }
}

function watchFrames(root) {
  const frames = selectAll(root, 'iframe, frame, object, embed');
  for (let i = 0; i < frames.length; i++) watchFrame(frames[i]);
}

function watchFrame(element) {
  const inner = contentDocumentOf(element);
  if (inner) watchNew(inner);
}

/** @param {Document | ShadowRoot} root */
function watchNew(root) {
  if (watching.roots.has(root)) return;
  watchTree(root);
  noteChange(root, NEW_TREE, performance.now());
}

/** @typedef {{texts: number, others: number, freed: number}} AddedCounts */

/**
 * How many text nodes and other nodes were added so far, and how often memory was freed. Observes the document from the
 * first call on, so that changes of Chrome's count of nodes can be explained.
 * @returns {AddedCounts}
 */
function countAddedSoFar() {
  catchUp();
  observe(document);
  return { texts: journal.texts, others: journal.others, freed: timesMemoryWasFreed() };
}

function countAdded(nodes) {
  for (let i = 0; i < nodes.length; i++) {
    if (nodeType_.call(nodes[i]) === 3) journal.texts++;
    else journal.others++;
  }
}
