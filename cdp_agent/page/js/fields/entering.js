// What the page heard of a text while it was entered: listeners of this world, which the page cannot see, from the
// preparation of the field until the result. A page that had the whole text has it, and must not get it again.

/**
 * expected: the text that is there if the page lets an insertion be; whole: the field held the whole text when the page
 * got an `input` event; inParts: and a part of it at an earlier one; stood: and when it was read after that; count: how
 * many characters have come; byKey: the last one came by a key; held: the text that the page has got so far; late: it
 * kept a delimiter from the field, whose text it had not taken yet; pieces: the texts that it took out of the field;
 * pieceAt: when the last one; hasDropped: it took one out, and nothing else changed; grouped: see Terms;
 * wasEmpty: nothing has come into it so far
 * @typedef {{field: WeakRef<Element>, wanted: string, began: number, expected: string, inputs: number, whole: boolean,
 *   inParts: boolean, stood: boolean, count: number, byKey: boolean, held: string, late: boolean, pieces: string[],
 *   pieceAt: number, hasDropped: boolean, grouped: boolean | null, wasEmpty: boolean}} Entering
 * whole: the page had the text, and nothing else happened; taken: and something did; accepted: it took it in pieces, as
 * fields for tags do, or closed the field; partly: it took pieces, and dropped others
 * @typedef {'' | 'whole' | 'taken' | 'accepted' | 'partly'} Taken
 * @type {Entering | null}
 */
let entering = null;

const ENTERING_EVENTS = ['keydown', 'beforeinput', 'input', 'keyup'];
/** What parts one tag from the next. */
const DELIMITERS = /[,;\n]/;

/** @param {Element} field @param {string} wanted  what it holds if the page lets it stand */
function watchEntering(field, wanted) {
  stopWatchingEntering();
  const view = defaultView_.call(documentOf(field));
  const now = performance.now();
  entering = {
    field: new WeakRef(field),
    wanted,
    began: now,
    expected: '',
    inputs: 0,
    whole: false,
    inParts: false,
    stood: false,
    count: 0,
    byKey: false,
    held: '',
    late: false,
    pieces: [],
    pieceAt: now,
    hasDropped: false,
    grouped: null,
    wasEmpty: isFieldOfText(field) && heldText(field) === '',
  };
  listen([view], ENTERING_EVENTS, onEntering, true);
}

/** Whether Chrome draws what it holds as one text node, which nobody sees. */
const isFieldOfText = (field) => tagOf(field) === 'INPUT' || tagOf(field) === 'TEXTAREA';

/** The text node of a field that was empty is one that was added. @param {Element} field @param {string} now */
function noteTextAdded(field, now) {
  if (entering?.field.deref() !== field || !entering.wasEmpty || now === '') return;
  entering.wasEmpty = false;
  journal.texts++;
}

function stopWatchingEntering() {
  unlisten(onEntering);
}

/** @param {any} event */
function onEntering(event) {
  const field = entering.field.deref();
  if (!field || !isTrusted_(event)) return;
  if (event.type === 'keydown') {
    entering.byKey = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    if (entering.byKey) noteCharacters(field, 1);
  } else if (event.type === 'beforeinput') {
    if (!entering.byKey) noteCharacters(field, event.data?.length ?? 0);
    entering.byKey = false;
    entering.expected = textAfter(field, event);
    entering.held = entering.expected;
  } else if (event.type === 'input') noteInput(field);
  else if (DELIMITERS.test(event.key)) {
    const held = heldText(field);
    entering.late ||= held !== '' && held === entering.held && !held.endsWith(event.key);
  }
}

/** @param {Element} field */
function noteInput(field) {
  entering.inputs++;
  if (!isWhole(field, heldText(field)) && !isWhole(field, entering.expected)) return;
  entering.whole = true;
  entering.inParts ||= entering.inputs > 1;
}

/**
 * Notes what the page has made of what came before, when more comes. @param {Element} field @param {number} count
 */
function noteCharacters(field, count) {
  if (tagOf(field) === 'INPUT' && !rows.has(field)) {
    const held = heldText(field);
    if (held === '' && entering.held !== '') notePiece(field, entering.held);
    entering.held = held;
    entering.grouped = groupedBy(held, entering.wanted.slice(0, entering.count), entering.grouped);
  }
  entering.count += count;
}

/** Notes a text that the page has taken out of the field, or dropped. @param {Element} field @param {string} text */
function notePiece(field, text) {
  if (hasChangedBeside(field, entering.pieceAt)) entering.pieces.push(text);
  else entering.hasDropped = true;
  entering.pieceAt = performance.now();
}

/**
 * What a field shows for the first digits of a number tells what its marks part: as long as there is nothing to group,
 * a mark is that of decimals.
 * @param {string} held @param {string} first  the digits so far @param {boolean | null} grouped  as it was known before
 */
function groupedBy(held, first, grouped) {
  if (!held || !/^[1-9]\d{0,2}$/.test(first)) return grouped;
  const shown = amountIn(plain(held), { type: '', locale: 'en', grouped: false }, true);
  return (grouped ?? true) && shown?.value === `${first}.`;
}

/** Whether a mark between thousands was seen not to part decimals, see Terms. @param {Element} field */
const hasGroupedUnits = (field) => (entering?.field.deref() === field ? entering.grouped : null);

/** @param {Element} field @param {string} held */
function isWhole(field, held) {
  const { wanted } = entering;
  if (held.length < wanted.trimEnd().length) return false;
  return isMeant(matchOf(field, fieldKind(field), held, wanted));
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
 * Whether a page that changed the field had the whole text before. A page that takes no such text may also empty a
 * field that holds it; but then it does so at each part of the text, and nothing else changes.
 * @param {Element} field @returns {Taken}
 */
function takenFrom(field) {
  if (entering?.field.deref() !== field) return '';
  if (isTakenInPieces(field)) return 'accepted';
  if (entering.hasDropped && entering.pieces.length) return 'partly';
  if (!entering.whole) return '';
  if (isDisabled(field) || isReadOnly(field)) return 'accepted';
  const isAtOnce = entering.inParts && !entering.stood; // later it may have refused it
  return isAtOnce || !hasFocusWithin(field) || hasChangedBeside(field, entering.began) ? 'taken' : 'whole';
}

/** Whether the page took the text from delimiter to delimiter, but for what the field holds. @param {Element} field */
function isTakenInPieces(field) {
  const { pieces, wanted, held, pieceAt } = entering;
  const now = tagOf(field) === 'INPUT' ? heldText(field) : held;
  const isLastTaken = now === '' && held !== '' && hasChangedBeside(field, pieceAt);
  const taken = isLastTaken ? [...pieces, held] : pieces;
  const partsOfAll = (texts) => texts.flatMap((text) => text.split(DELIMITERS).map(plain)).filter(Boolean);
  const [parts, wantedParts] = [partsOfAll([...taken, now]), partsOfAll([wanted])];
  const isAll = parts.length === wantedParts.length && parts.every((part, at) => part === wantedParts[at]);
  return taken.length > 0 && wantedParts.length > 1 && isAll;
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

/** Whether anything outside of a field has changed since the act began. @param {number} id */
function isAnythingNewBeside(id) {
  const field = resolveElement(id);
  return !field || hasChangedBeside(field, 0);
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
