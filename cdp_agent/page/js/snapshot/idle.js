// What changes in a page while no action is running, from the first reading on; and how many nodes were added, which
// shows whether a closed shadow root may have been added too.

/**
 * What changes by itself. since: when that began; at: when last, ms; longest: the longest pause in between; times: how
 * often while no action was running, since the first action; ignored: it kept changing until a wait was cut off
 * @typedef {{since: number, at: number, longest: number, times: number, ignored: boolean}} Restlessness
 * @type {WeakMap<Node, Restlessness>}
 */
const restless = new WeakMap();
const CLOCK_CHANGES = 2; // with that many idle changes a node is a clock
const TICK_MS = 1100; // most clocks change within that time
const SLOWEST_TICK_MS = 90_000; // changes with longer pauses have nothing to do with each other
const LATE_MS = 300; // a tick may be late by that much

const idleObserver = observerFor(recordIdleMutations);
/** When the observation of a document or shadow root began, ms. @type {WeakMap<Node, number>} */
const observedSince = new WeakMap();

/**
 * @type {{acting: boolean, acted: boolean, texts: number, others: number}} acting: an action is running; acted: there
 *   was an action; texts: added text nodes; others: other added nodes
 */
const idle = { acting: false, acted: false, texts: 0, others: 0 };

/** @typedef {{texts: number, others: number, freed: number}} AddedCounts */

/** @param {Document | ShadowRoot} root */
function observeIdleChanges(root) {
  if (!observedSince.has(root)) observedSince.set(root, performance.now());
  idleObserver.observe(root, { subtree: true, childList: true, characterData: true });
}

/** Begins or ends an action. @param {boolean} acting */
function setActing(acting) {
  recordIdleMutations(idleObserver.takeRecords());
  idle.acting = acting;
  idle.acted ||= acting;
}

/** @param {MutationRecord[]} records */
function recordIdleMutations(records) {
  const now = performance.now();
  for (const record of records) {
    if (!idle.acting) recordIdleChange(target_.call(record), now);
    if (type_.call(record) === 'childList') countAdded(addedNodes_.call(record));
  }
}

function countAdded(nodes) {
  for (let i = 0; i < nodes.length; i++) {
    if (nodeType_.call(nodes[i]) === 3) idle.texts++;
    else idle.others++;
  }
}

/**
 * Whether what was restless has come to rest: it is quiet for as long as it was restless, or for twice its longest
 * pause.
 * @param {Restlessness} restlessness @param {number} now
 */
function isAtRest({ since, at, longest }, now) {
  return now - at > Math.max(TICK_MS, Math.min(at - since, 2 * longest) + LATE_MS);
}

/** @param {Restlessness} known */
const isOwn = (known) => known.ignored || known.times >= CLOCK_CHANGES;

/**
 * The restlessness of a clock, or of a node that is ignored, unless it is at rest now.
 * @param {Node} node @param {number} now @returns {Restlessness | null}
 */
function ownRestlessness(node, now) {
  const known = restless.get(node);
  return known && isOwn(known) && !isAtRest(known, now) ? known : null;
}

/** Whether waits ignore the node. @param {Node} node */
const isIgnored = (node) => ownRestlessness(node, performance.now())?.ignored ?? false;

/**
 * Has waits ignore a node that kept changing, until it is at rest.
 * @param {Node} node @param {number} at  when it changed last @param {number} longest  its longest pause
 */
function ignore(node, at, longest) {
  restless.set(node, { since: 0, at, longest, times: restless.get(node)?.times ?? 0, ignored: true });
  idleObserver.observe(node, { attributes: true });
}

/** Records a change while no action is running. @param {Node} target @param {number} now */
function recordIdleChange(target, now) {
  const known = restless.get(target);
  const pause = known ? now - known.at : Infinity;
  if (pause <= 50) return;
  // Before the first action the page may still be loading, so such a change does not count as a clock's.
  const counts = known?.ignored || idle.acted;
  const goesOn = known && counts && pause <= SLOWEST_TICK_MS && !(isOwn(known) && isAtRest(known, now));
  if (goesOn) Object.assign(known, { at: now, longest: Math.max(known.longest, pause), times: known.times + 1 });
  else restless.set(target, { since: now, at: now, longest: 0, times: 1, ignored: false });
}

/**
 * Records a change so long after an action that it may be unrelated, and may go on.
 * @param {Node} target
 * @param {number} now
 */
function recordLateChange(target, now) {
  const known = restless.get(target);
  if (known) known.at = now;
  else restless.set(target, { since: now, at: now, longest: 0, times: 0, ignored: false });
}

/**
 * Whether a node was observed at rest for longer than a clock's tick before an action began.
 * @param {Node} target
 * @param {number} actedAt
 */
function wasStable(target, actedAt) {
  const since = observedSince.get(rootOf(target)) ?? Infinity;
  const known = restless.get(target);
  return actedAt - since > TICK_MS && (!known || isAtRest(known, actedAt));
}

/**
 * How many text nodes and other nodes were added so far, and how often memory was freed. Observes the document from the
 * first call on, so that changes of Chrome's count of nodes can be explained.
 * @returns {AddedCounts}
 */
function countAddedSoFar() {
  recordIdleMutations(idleObserver.takeRecords());
  observeIdleChanges(document);
  return { texts: idle.texts, others: idle.others, freed: timesMemoryWasFreed() };
}

/**
 * An object that nothing else refers to. Chrome frees it when it frees nodes and listeners: an object of the DOM with a
 * property of ours outlives the more frequent collections of young objects.
 */
const unreferencedObject = () => new WeakRef(Object.assign(new DOMPoint(), { ours: true }));
let unreferenced = unreferencedObject();
let timesFreed = 0;

/**
 * How often nodes and listeners may have been freed, as far as calls have noticed. Chrome's counts drop then, and may
 * be what they were although others came.
 */
function timesMemoryWasFreed() {
  if (unreferenced.deref() === undefined) {
    timesFreed++;
    unreferenced = unreferencedObject();
  }
  return timesFreed;
}
