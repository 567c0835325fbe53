// Whether real input reaches this document at all, and what would be lost if the page were loaded anew.

const pointerLockElement_ = getterOf(Document.prototype, 'pointerLockElement');
const exitPointerLock_ = Document.prototype.exitPointerLock;
const MOST_ENTERED = 8;

/** The documents of this world: its own, and those of frames in it. @returns {Document[]} */
function ownDocuments() {
  const documents = [document];
  for (const each of documents) {
    // grows meanwhile
    const frames = selectAll(each, 'iframe, frame');
    for (let i = 0; i < frames.length; i++) {
      const inner = contentDocumentOf(frames[i]);
      if (inner) documents.push(inner);
    }
  }
  return documents;
}

/**
 * How many key events these documents have had; -1 where a key has no place to go to that could be seen.
 * @returns {number}
 */
function keyEventCount() {
  if (!documentElement_.call(document) || selectsAny(document, ':is(embed, object):focus')) return -1;
  let count = 0;
  for (const each of ownDocuments()) {
    const counts = defaultView_.call(each)?.performance.eventCounts;
    count += (counts?.get('keydown') ?? 0) + (counts?.get('keyup') ?? 0);
  }
  return count;
}

/** Ends a lock of the mouse, if asked to. @param {boolean} end @returns {boolean} whether a page had locked it */
function pointerLock(end) {
  const locking = ownDocuments().filter((each) => pointerLockElement_.call(each));
  if (end) for (const each of locking) exitPointerLock_.call(each);
  return locking.length > 0;
}

/** The names of the fields that hold something else than the page came with. @returns {string[]} */
function enteredFields() {
  const names = [];
  for (const each of ownDocuments()) {
    for (const field of selectAll(each, 'input, textarea, select'))
      if (isEntered(field)) names.push(roleAndNameOf(field).name || tagOf(field).toLowerCase());
  }
  return names.slice(0, MOST_ENTERED);
}

/** The fields and editors of this world that we have typed into. @type {WeakRef<Element>[]} */
let typedInto = [];

/** @param {Element} field */
function recordTypedInto(field) {
  if (!typedInto.some((each) => each.deref() === field))
    typedInto = [...typedInto.filter((each) => each.deref()), new WeakRef(field)];
}

/** The fields that would be lost with the page: changed ones, and those that we have typed into. @returns {string[]} */
function unsentFields() {
  const fields = new Set(typedInto.map((each) => each.deref()).filter((each) => each && holdsTyped(each)));
  for (const each of ownDocuments())
    for (const field of selectAllDeep(documentElement_.call(each), 'input, textarea, select'))
      if (isEntered(field)) fields.add(field);
  return [...fields].slice(0, MOST_ENTERED).map(elementPreview);
}

/** @param {Element} field */
const holdsTyped = (field) =>
  isConnected_.call(field) && fieldKind(field) !== 'other' && fieldText(field, fieldKind(field)).trim() !== '';

/** @param {any} field */
function isEntered(field) {
  if (tagOf(field) === 'SELECT')
    return [...field.options].some((each) => each.selected !== each.defaultSelected) && field.selectedIndex > 0;
  if (tagOf(field) === 'INPUT' && ['checkbox', 'radio'].includes(inputType(field)))
    return field.checked !== field.defaultChecked;
  return (
    !['hidden', 'submit', 'button', 'reset', 'image'].includes(tagOf(field) === 'INPUT' ? inputType(field) : '') &&
    field.value !== field.defaultValue
  );
}
