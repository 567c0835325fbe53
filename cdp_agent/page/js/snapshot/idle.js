// What changes in a page while no action is running, from the first reading on; and how many nodes were added, which shows
// whether a closed shadow root may have been added too.

/** Nodes that changed while no action was running: when last, and how often since the first action. @type {WeakMap<Node, {at: number, times: number}>} */
const idleChanges = new WeakMap();
const CLOCK_CHANGES = 2; // with that many idle changes a node is a clock
const TICK_MS = 1100; // a clock changes within that time

const idleObserver = observerFor(recordIdleMutations);
/** When the observation of a document or shadow root began, ms. @type {WeakMap<Node, number>} */
const observedSince = new WeakMap();

/** @type {{acting: boolean, acted: boolean, texts: number, others: number}} acting: an action is running; acted: there was an action; texts: added text nodes; others: other added nodes */
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

/** Records a change while no action is running. @param {Node} target @param {number} now */
function recordIdleChange(target, now) {
  const known = idleChanges.get(target);
  // Before the first action the page may still be loading, so such a change does not count as a clock's.
  if (!known) idleChanges.set(target, { at: now, times: 1 });
  else if (now - known.at > 50) idleChanges.set(target, { at: now, times: idle.acted ? known.times + 1 : 1 });
}

/** Records a change so long after an action that it may be unrelated, and may go on. @param {Node} target @param {number} now */
const recordLateChange = (target, now) => idleChanges.set(target, { at: now, times: idleChanges.get(target)?.times ?? 0 });

/** Whether a node was observed unchanged for longer than a clock's tick before an action began. @param {Node} target @param {number} actedAt */
function wasStable(target, actedAt) {
  const since = observedSince.get(rootOf(target)) ?? Infinity;
  const known = idleChanges.get(target);
  return actedAt - since > TICK_MS && (!known || (known.times === 0 && actedAt - known.at > TICK_MS));
}

/** How many text nodes and other nodes were added so far, and how often memory was freed. Observes the document from the first call on, so that changes of Chrome's count of nodes can be explained. @returns {AddedCounts} */
function countAddedSoFar() {
  recordIdleMutations(idleObserver.takeRecords());
  observeIdleChanges(document);
  return { texts: idle.texts, others: idle.others, freed: timesMemoryWasFreed() };
}

/** An object that nothing else refers to. Chrome frees it when it frees nodes and listeners: an object of the DOM with a property of ours outlives the more frequent collections of young objects. */
const unreferencedObject = () => new WeakRef(Object.assign(new DOMPoint(), { ours: true }));
let unreferenced = unreferencedObject();
let timesFreed = 0;

/** How often nodes and listeners may have been freed, as far as calls have noticed. Chrome's counts drop then, and may be what they were although others came. */
function timesMemoryWasFreed() {
  if (unreferenced.deref() === undefined) {
    timesFreed++;
    unreferenced = unreferencedObject();
  }
  return timesFreed;
}
