// What changes in a page while nobody acts, from its first reading on; and whether any of that may have hidden a shadow root.

/** What changed while nobody acted: when last, and how often since the first action. @type {WeakMap<Node, {at: number, times: number}>} */
const byItself = new WeakMap();
const OFTEN = 2; // times changed by itself: a clock
const TICK_MS = 1100; // a clock has changed within that time

const idly = new MutationObserver(takeIdly);
/** Since when a document or shadow root is observed, ms. @type {WeakMap<Node, number>} */
const observedSince = new WeakMap();

/** @type {{acting: boolean, acted: boolean, texts: number, others: number}} acting: somebody does; acted: so did somebody before; texts: text nodes that came; others: times that anything else did */
const idle = { acting: false, acted: false, texts: 0, others: 0 };

/** @param {Document | ShadowRoot} root */
function observeIdly(root) {
  if (!observedSince.has(root)) observedSince.set(root, performance.now());
  idly.observe(root, { subtree: true, childList: true, characterData: true });
}

/** Somebody acts from now on, or does no longer. @param {boolean} acting */
function setActing(acting) {
  takeIdly(idly.takeRecords());
  idle.acting = acting;
  idle.acted ||= acting;
}

/** @param {MutationRecord[]} records */
function takeIdly(records) {
  const now = performance.now();
  for (const record of records) {
    if (!idle.acting) noteByItself(target_.call(record), now);
    if (type_.call(record) === 'childList') countAdded(addedNodes_.call(record));
  }
}

function countAdded(nodes) {
  for (let i = 0; i < nodes.length; i++) {
    if (nodeType_.call(nodes[i]) === 3) idle.texts++;
    else idle.others++;
  }
}

/** Nobody acts, and it changes. @param {Node} target @param {number} now */
function noteByItself(target, now) {
  const known = byItself.get(target);
  // Before the first action it may be loading still: that alone makes no clock.
  if (!known) byItself.set(target, { at: now, times: 1 });
  else if (now - known.at > 50) byItself.set(target, { at: now, times: idle.acted ? known.times + 1 : 1 });
}

/** It changed so late after an action that it may be that, or go on by itself. @param {Node} target @param {number} now */
const noteLate = (target, now) => byItself.set(target, { at: now, times: byItself.get(target)?.times ?? 0 });

/** Whether something was seen to stay as it was for as long as no clock does, until an action began. @param {Node} target @param {number} actedAt */
function wasStill(target, actedAt) {
  const since = observedSince.get(rootOf(target)) ?? Infinity;
  const known = byItself.get(target);
  return actedAt - since > TICK_MS && (!known || (known.times === 0 && actedAt - known.at > TICK_MS));
}

/** How many text nodes came so far, and how often anything else: from then on, Chrome's count of nodes says more than that. */
function cameSoFar() {
  takeIdly(idly.takeRecords());
  observeIdly(document);
  return [idle.texts, idle.others];
}
