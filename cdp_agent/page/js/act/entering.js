// What the page heard of a text while it was entered: listeners of this world, which the page cannot see, from the
// preparation of the field until the result. A page that had the whole text has it, and must not get it again.

/**
 * expected: the text that is there if the page lets an insertion be; whole: the field held the whole text when the page
 * got an `input` event; inParts: and a part of it at an earlier one
 * @typedef {{field: WeakRef<Element>, wanted: string, began: number, expected: string, inputs: number,
 *   whole: boolean, inParts: boolean}} Entering
 * @type {Entering | null}
 */
let entering = null;

const ENTERING_EVENTS = ['beforeinput', 'input'];

/** @param {Element} field @param {string} wanted  what it holds if the page lets it stand */
function watchEntering(field, wanted) {
  stopWatchingEntering();
  const view = defaultView_.call(documentOf(field));
  const began = performance.now();
  entering = { field: new WeakRef(field), wanted, began, expected: '', inputs: 0, whole: false, inParts: false };
  listen([view], ENTERING_EVENTS, onEntering, true);
}

function stopWatchingEntering() {
  unlisten(onEntering);
}

/** @param {InputEvent} event */
function onEntering(event) {
  const field = entering.field.deref();
  if (!field || !isTrusted_(event)) return;
  if (event.type === 'beforeinput') {
    entering.expected = textAfter(field, event);
    return;
  }
  entering.inputs++;
  if (!isWhole(field, heldText(field)) && !isWhole(field, entering.expected)) return;
  entering.whole = true;
  entering.inParts ||= entering.inputs > 1;
}

/** @param {Element} field @param {string} held */
function isWhole(field, held) {
  const { wanted } = entering;
  if (held.length < wanted.trimEnd().length) return false;
  return ['same', 'alike'].includes(matchOf(field, fieldKind(field), held, wanted));
}

/**
 * The text after an insertion that begins: listeners that the page had before ours may have emptied the field when we
 * hear of its end. @param {Element} field @param {InputEvent} event
 */
function textAfter(field, event) {
  if (tagOf(field) !== 'INPUT' || rows.has(field) || event.data === null) return '';
  const held = inputValue(field);
  const [start, end] = [selectionStart(field), selectionEnd(field)].map((at) => at ?? held.length);
  return held.slice(0, start) + event.data + held.slice(end);
}

/**
 * Whether a page that emptied the field had the whole text before. A page that takes no such text may also empty a
 * field that holds it; but then it does so at each part of the text, and nothing else changes.
 * @param {Element} field @returns {'' | 'whole' | 'taken'} whole: it had the text; taken: and did not just refuse it
 */
function takenFrom(field) {
  if (entering?.field.deref() !== field || !entering.whole) return '';
  const isTaken = entering.inParts || !hasFocusWithin(field) || hasChangedBeside(field, entering.began);
  return isTaken ? 'taken' : 'whole';
}

/** Whether anything in the page outside of the field has changed since. @param {Element} field @param {number} since */
function hasChangedBeside(field, since) {
  catchUp();
  const isBeside = (node) => {
    if (!isConnected_.call(node)) return false;
    let place = node;
    while (place && nodeType(place) !== 1) place = nodeType(place) === 11 ? host_.call(place) : parentNode(place);
    return place === null || !isInside(place, field); // null: a document, which is new in a frame
  };
  return journal.entries.some(({ node, at }) => at >= since && isBeside(node));
}

/**
 * The fields of one character each that a text goes into, by the first.
 * @type {WeakMap<Element, WeakRef<Element>[]>}
 */
const rows = new WeakMap();

/** The text that a field holds, or its row. @param {Element} field */
function heldText(field) {
  const row = rows.get(field)?.map((box) => box.deref());
  return row ? row.map((box) => (box ? inputValue(box) : '')).join('') : fieldText(field, fieldKind(field));
}

/** Has a box of a row take the next key, in place of what it holds. @param {number} id @returns {boolean} if it will */
function focusBox(id) {
  const box = resolveElement(id);
  if (!box || !isConnected_.call(box) || isDisabled(box) || (!hasFocusWithin(box) && !moveFocus(box))) return false;
  selectInput_.call(box);
  return true;
}
