// The focus, and the caret or selection as the line of an editor shows it.

const contains_ = Node.prototype.contains;
const getSelection_ = Document.prototype.getSelection;
const getSelectionOfRoot_ = ShadowRoot.prototype.getSelection;

const hasFocus_ = Document.prototype.hasFocus;

/**
 * The focused element of a document or shadow root; null if the focus is inside of its own shadow root, which reports
 * it. A body is focused when nothing else is: it counts only if it is an editor with a caret, in a document that has
 * the focus.
 */
function focusedIn(root) {
  const focused = (nodeType(root) === 9 ? activeElement_ : activeElementOfRoot_).call(root);
  const inner = focused && rootOfHost(focused);
  if (inner && activeElementOfRoot_.call(inner)) return null;
  if (!focused || tagOf(focused) !== 'BODY') return focused;
  return isEditable(focused) &&
    matches(focused, ':focus') &&
    hasFocus_.call(root) &&
    getSelection_.call(root)?.rangeCount
    ? focused
    : null;
}

/**
 * The active descendant of the focused element: where keys go in a list, grid or menu whose field or box keeps the
 * focus.
 * @param {Document | ShadowRoot} root
 */
function activeIn(root) {
  let focused = (nodeType(root) === 9 ? activeElement_ : activeElementOfRoot_).call(root);
  for (let inner = focused; inner; inner = rootOfHost(focused) && activeElementOfRoot_.call(rootOfHost(focused)))
    focused = inner;
  return focused && activeDescendantElement_.call(focused);
}

/**
 * The caret or the selection, if an editor in a document or shadow root has the focus.
 * @param {Document | ShadowRoot} root @param {Element | null} focused
 */
function selectedInEditor(root, focused) {
  if (!focused || !isEditable(focused)) return null;
  const selection = (nodeType(root) === 9 ? getSelection_ : getSelectionOfRoot_).call(root);
  if (!selection?.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const { startContainer: start, startOffset: startAt, endContainer: end, endOffset: endAt, collapsed } = range;
  if (!contains_.call(focused, start) || !contains_.call(focused, end)) return null;
  const all = !collapsed && isAllSelected(focused, range);
  return all
    ? { host: focused, all, start: null, startAt: 0, end: null, endAt: 0, isCaret: false }
    : { host: focused, all, start, startAt, end, endAt, isCaret: collapsed };
}

const rangeText_ = Range.prototype.toString;

/** Whether the whole text of an editor is selected. */
function isAllSelected(host, range) {
  const around = documentOf(host).createRange();
  around.selectNodeContents(host);
  around.setEnd(range.startContainer, range.startOffset);
  if (hasText(rangeText_.call(around))) return false;
  around.selectNodeContents(host);
  around.setStart(range.endContainer, range.endOffset);
  return !hasText(rangeText_.call(around));
}

/** The elements whose lines show the caret or the selection. @returns {Element[]} */
function caretElements() {
  const selected = selectedInEditor(document, focusedIn(document));
  return selected
    ? [selected.host, selected.start, selected.end]
        .filter(Boolean)
        .map((node) => (nodeType(node) === 1 ? node : parentNode(node)))
    : [];
}

function selectionMarkAt({ start, startAt, end, endAt, isCaret }, node, offset) {
  if (isCaret) return start === node && startAt === offset ? CARET : '';
  return (
    (start === node && startAt === offset ? SELECTION_START : '') +
    (end === node && endAt === offset ? SELECTION_END : '')
  );
}

function textWithSelection(node, selected, keepsSpaces) {
  const data = dataOf(node);
  if (!selected || (selected.start !== node && selected.end !== node)) return markSpaces(data, keepsSpaces);
  const offsets = [
    ...new Set([selected.start === node ? selected.startAt : 0, selected.end === node ? selected.endAt : data.length]),
  ];
  let text = '';
  let from = 0;
  for (const offset of offsets) {
    text += markSpaces(data.slice(from, offset), keepsSpaces) + selectionMarkAt(selected, node, offset);
    from = offset;
  }
  return text + markSpaces(data.slice(from), keepsSpaces);
}

const LONGEST_SELECTION = 60;
const CARET_WORDS = 24;

/** ` [caret]` at the end of the text, else ` [caret=start]`, ` [caret-after="…"]` or ` [selection="…"]`. */
function caretState(kids) {
  const withoutMarkers = (text) =>
    text.replace(/\x12./g, '').replaceAll(PRESERVED_SPACE, ' ').replaceAll(LINE_BREAK, ' ').replace(CONTROLS, '');
  const whole = kids.map((kid) => (typeof kid === 'string' ? kid : ` ${kid.name} `)).join('');
  const caret = whole.indexOf(CARET);
  if (caret >= 0) {
    const before = withoutMarkers(whole.slice(0, caret));
    if (!withoutMarkers(whole.slice(caret)).trim()) return ' [caret]';
    return before.trim() ? ` [caret-after=${quote(before.slice(-CARET_WORDS))}]` : ' [caret=start]';
  }
  const start = whole.indexOf(SELECTION_START);
  const end = whole.indexOf(SELECTION_END);
  if (start < 0 && end < 0) return '';
  const text = cut(withoutMarkers(whole.slice(start < 0 ? 0 : start, end < 0 ? whole.length : end)), LONGEST_SELECTION);
  return ` [selection=${quote((start < 0 ? '…' : '') + text + (end < 0 ? '…' : ''))}]`;
}
