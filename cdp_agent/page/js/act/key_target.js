// What gets the keys of a text that is typed. Some pages open a field at the first key, after a while (the cells of
// grids), or move on from field to field (codes): keys that come before the field has the focus would be lost.

/**
 * What had the focus before a key. takesText: and enters the key itself; held: the text in it, null if unknown; fields:
 * how many fields the page showed, if it takes none itself
 * @typedef {{element: WeakRef<Element> | null, takesText: boolean, held: string | null, fields: number}} BeforeKey
 * @type {BeforeKey}
 */
let beforeKey = { element: null, takesText: false, held: null, fields: 0 };

/**
 * @typedef {{label: string, takes_text: boolean, remote: boolean, full: boolean, moved: boolean, in_vain: boolean}}
 *   KeyTarget  what has the focus. label: "" if nothing has; remote: an iframe of another process; full: a field that
 *   takes no more characters; moved: something else had it before the key; in_vain: the wait for that was
 * @param {boolean} in_vain @returns {KeyTarget}
 */
function keyTarget(in_vain = false) {
  const element = focusedElement();
  const moved = element !== (beforeKey.element?.deref() ?? null);
  const takes = takesText(element);
  const held = heldByKeys(element);
  if (takes) recordTypedInto(element);
  beforeKey = {
    element: element && new WeakRef(element),
    takesText: takes,
    held,
    fields: takes ? 0 : visibleFields(),
  };
  return {
    label: focusedLabel(),
    takes_text: takes,
    remote: element !== null && tagOf(element) === 'IFRAME' && !contentDocumentOf(element),
    full: isFull(element, held),
    moved,
    in_vain,
  };
}

const MORE_IF_OPENING_MS = 700;

/**
 * Waits until the page has taken a key, and what gets the next one has the focus.
 * @param {'entered' | 'left' | 'handled'} how  entered: the key is a character, which is entered where the focus is or
 *   opens a field; left: it ends the editing in a field that such a key opened; handled: nothing is known of it
 * @param {number} wait_ms  how long at most for the focus to move, longer if a field opens meanwhile
 * @returns {Promise<KeyTarget>}
 */
async function keyTaken(how, wait_ms) {
  const before = beforeKey;
  const element = before.element?.deref() ?? null;
  const began = performance.now();
  /** @type {{focused: Element | null, held: string | null}} */
  let last = { focused: null, held: null };
  await nextFrame();
  while (how !== 'handled' && !(how === 'entered' && hasEntered(before, element))) {
    const focused = focusedElement();
    const held = heldByKeys(focused);
    const hasMoved = focused !== element && focusedLabel() !== '';
    const arrived = hasMoved && (how === 'left' || takesText(focused));
    if (arrived && focused === last.focused && held === last.held) break; // for two frames
    last = { focused: arrived ? focused : null, held };
    const isOpening = !before.takesText && !arrived && visibleFields() > before.fields;
    if (performance.now() - began > wait_ms + (isOpening ? MORE_IF_OPENING_MS : 0)) return keyTarget(true);
    await nextFrame();
  }
  return keyTarget();
}

/** Whether the field that had the focus has it still, and has taken the key. @param {BeforeKey} before */
function hasEntered(before, element) {
  if (!before.takesText || focusedElement() !== element) return false;
  const held = heldByKeys(element);
  return (held === null || held !== before.held) && !isFull(element, held);
}

/** Whether an element that has the focus enters keys as text. @param {Element | null} element */
function takesText(element) {
  if (!element || fieldKind(element) === 'other' || isDisabled(element) || isReadOnly(element)) return false;
  // Grids have tiny fields that only receive keys. Those of terminals and code editors lead to where these are entered.
  return isLargeEnoughToSee(element) || !closestFlat(element, GRIDS);
}

const GRIDS = '[role="grid" i],[role="treegrid" i],[role="gridcell" i],table';

/** The text in a field that each key changes; else null. @param {Element | null} element */
function heldByKeys(element) {
  if (!element || !isLargeEnoughToSee(element)) return null;
  const tag = tagOf(element);
  if (tag === 'TEXTAREA') return wholeAreaValue(element);
  const isText = tag === 'INPUT' && TYPED_INPUT_TYPES.has(inputType(element));
  return isText && inputType(element) !== 'number' ? wholeInputValue(element) : null; // "-" is no number yet, and ""
}

/** @param {Element | null} element @param {string | null} held */
const isFull = (element, held) => Boolean(held) && maxLengthOf(element) === held.length;

const visibleFields = () => [...selectAll(document, EDITABLE)].filter(isLargeEnoughToSee).length;
