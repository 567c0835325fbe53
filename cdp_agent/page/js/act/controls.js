// The control that an element stands for: a label's, or the only one in a wrapper. Its checked state, and the focus.

const focus_ = HTMLElement.prototype.focus;
const focusOfSvg_ = SVGElement.prototype.focus;

/** The element that has the focus, through shadow roots and in-process iframes. @returns {Element | null} */
function focusedElement() {
  let active = activeElement_.call(document);
  for (;;) {
    if (!active) return null;
    const root = rootOfHost(active);
    const inner = root ? activeElementOfRoot_.call(root) : null;
    if (inner) {
      active = inner;
      continue;
    }
    const content = contentDocumentOf(active);
    if (!content || !activeElement_.call(content)) return active;
    active = activeElement_.call(content);
  }
}

/** Focuses the element without scrolling. @returns {boolean} whether the element, or a descendant, has the focus now */
function moveFocus(element) {
  if (hasFocusWithin(element)) return true;
  const focus = namespaceURI_.call(element) === 'http://www.w3.org/2000/svg' ? focusOfSvg_ : focus_;
  try {
    focus.call(element, { preventScroll: true });
  } catch {
    return false; // an element without a focus method, such as one of MathML
  }
  return hasFocusWithin(element);
}

function hasFocusWithin(element) {
  const focused = focusedElement();
  return focused !== null && isInside(focused, element) && hasFocusedFrames(element);
}

/** Whether the document of each iframe around the element has an active element, too. */
function hasFocusedFrames(element) {
  return levelsOf(element).every(({ frame }) => !frame || activeElement_.call(documentOf(frame)) !== null);
}

const FOCUSABLE =
  'a[href],area[href],button,input:not([type="hidden" i]),select,textarea,summary,iframe,[tabindex],' +
  '[contenteditable=""],[contenteditable="true" i]';

/**
 * Focuses an element, or the only focusable one in it.
 * @param {number} id @param {boolean} watched  keys for this element will follow: see watchKeys
 * @returns {{got: boolean, inner: string, moved: string, end: boolean, mac: boolean}} inner: the control that was
 *   focused instead of the element; end: a key must still move the caret to the end; moved: the element got the focus,
 *   but the page moved it on to this
 */
function focusOn(id, watched) {
  const answer = focusElementOrControl(resolveElement(id));
  const focused = focusedElement();
  if (watched && answer.got && focused && !contentDocumentOf(focused)) watchKeys(focused);
  return answer;
}

/** @param {Element | null} element */
function focusElementOrControl(element) {
  const none = { got: false, inner: '', moved: '', end: false, mac: isMac() };
  if (!element) return none;
  const before = focusedElement();
  let took = receivesFocus(element);
  if (took && hasFocusWithin(element)) return { ...none, got: true, end: putUnsetCaretAtEnd(before) };
  const control = took
    ? null
    : tagOf(element) === 'LABEL'
      ? controlOfLabel(element)
      : onlyVisibleMatch(element, FOCUSABLE);
  took ||= Boolean(control && receivesFocus(control));
  if (!took) return none;
  if (control && hasFocusWithin(control))
    return { ...none, got: true, inner: elementPreview(control), end: putUnsetCaretAtEnd(before) };
  return { ...none, got: true, moved: focusedLabel() || 'nothing', end: putUnsetCaretAtEnd(before) };
}

/** Whether the element received the focus, even if the page moved the focus on at once. */
function receivesFocus(element) {
  let took = false;
  const onFocus = () => {
    took = true;
  };
  listen([element], ['focus'], onFocus, true);
  const has = moveFocus(element);
  unlisten(onFocus);
  return has || took;
}

/** The focused element as messages name it; "" if it is only the page's body. */
function focusedLabel() {
  const focused = focusedElement();
  const tag = focused && tagOf(focused);
  return !focused || ((tag === 'BODY' || tag === 'HTML') && !isEditable(focused)) ? '' : elementPreview(focused);
}

/**
 * When a script focuses a field for the first time, the caret is before the text, where neither a click nor Tab would
 * put it: it is moved to the end. A caret from before, or one that the page has placed, stays.
 * @param {Element | null} before  what had the focus before @returns {boolean} whether a key must move the caret
 */
function putUnsetCaretAtEnd(before) {
  const field = focusedElement();
  if (!field || field === before) return false;
  const kind = fieldKind(field);
  if (kind === 'rich') {
    if (isCaretAtStart(field)) selectAllOrMoveToEnd(field, kind, true);
    return false;
  }
  if (kind !== 'typed' || selectionStartOf(field) > 0 || selectionEndOf(field) > 0) return false;
  return !selectAllOrMoveToEnd(field, kind, true);
}

function isCaretAtStart(field) {
  const selection = getSelection_.call(documentOf(field));
  if (!selection || selection.rangeCount === 0) return true;
  const range = selection.getRangeAt(0);
  return range.collapsed && range.startOffset === 0 && !Range.prototype.toString.call(textBefore(field, range));
}

/** @param {Range} range  in the field @returns {Range} from the beginning of the field to the start of `range` */
function textBefore(field, range) {
  const before = documentOf(field).createRange();
  before.selectNodeContents(field);
  before.setEnd(range.startContainer, range.startOffset);
  return before;
}

/** The only visible match in an element, open shadow roots included; null if there are none or several. */
function onlyVisibleMatch(element, selector) {
  const found = selectAllDeep(element, selector).filter((each) => checkVisibility_.call(each, VISIBILITY_OPTIONS));
  const outer = found.filter((each) => !found.some((other) => other !== each && isInside(each, other)));
  return outer.length === 1 ? outer[0] : null;
}

/** All matches below an element in the flat tree: in shadow roots and in slotted nodes, too. @returns {Element[]} */
function selectAllDeep(element, selector) {
  const found = new Set();
  const visited = new Set();
  const visit = (root) => {
    if (visited.has(root)) return;
    visited.add(root);
    for (const each of selectAll(root, selector)) found.add(each);
    for (const each of selectAll(root, '*')) {
      if (rootOfHost(each)) visit(rootOfHost(each));
      else if (tagOf(each) === 'SLOT') assignedNodes_.call(each).forEach(visitAssigned);
    }
  };
  const visitAssigned = (node) => {
    if (nodeType(node) !== 1) return;
    if (matches(node, selector)) found.add(node);
    if (rootOfHost(node)) visit(rootOfHost(node));
    visit(node);
  };
  if (rootOfHost(element)) visit(rootOfHost(element));
  visit(element);
  return [...found];
}

const CHECK_ROLES = new Set([
  'checkbox',
  'radio',
  'switch',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'treeitem',
  'button',
  'tab',
  'row',
  'gridcell',
]);
const CHECK_STATES = ['aria-checked', 'aria-selected', 'aria-pressed'];
const CHECKABLE =
  'input[type="checkbox" i],input[type="radio" i],[role="checkbox" i],[role="radio" i],[role="switch" i],' +
  '[role="menuitemcheckbox" i],[role="menuitemradio" i]';

/**
 * The checked or selected state of an element, or of the only checkable control in it.
 * @param {number} id @returns {{kind: 'checkbox' | 'radio' | 'toggle' | 'option' | 'none', state: 'true' | 'false' |
 *   'mixed', local: number}}
 */
function checkable(id) {
  const element = resolveElement(id);
  const named = element && checkStateOf(element);
  if (named) return { ...named, local: id };
  const control =
    element &&
    (tagOf(element) === 'LABEL'
      ? controlOfLabel(element)
      : selectAllDeep(element, CHECKABLE).length === 1 && selectAllDeep(element, CHECKABLE)[0]);
  const inner = control && checkStateOf(control);
  return inner ? { ...inner, local: internalIdOf(control) } : { kind: 'none', state: 'false', local: id };
}

/** The state as soon as it is the wanted one, or after 20 frames: some pages update it late. */
async function waitForCheckState(id, wanted) {
  for (let frame = 0; frame < 20 && checkable(id).state !== wanted && checkable(id).kind !== 'none'; frame++)
    await nextFrame();
  return checkable(id);
}

/** @param {Element} element @returns {{kind: any, state: any} | null} */
function checkStateOf(element) {
  if (!isConnected_.call(element)) return null;
  forget();
  const tag = tagOf(element);
  if (tag === 'INPUT' && (inputType(element) === 'checkbox' || inputType(element) === 'radio')) {
    return { kind: inputType(element), state: String(checkedOf(element, tag, null)) };
  }
  if (tag === 'OPTION') {
    const list = closest(element, 'select');
    return { kind: list && selectIsMultiple(list) ? 'option' : 'toggle', state: String(isSelectedOption(element)) };
  }
  const role = roleOf(element, tag);
  const states = internalsOf.get(element)?.states;
  if (!CHECK_ROLES.has(role) || controlOfLabel(element)) return null; // a label has no state, its control has
  const value =
    CHECK_STATES.map((name) => attr(element, name)).find((each) => each !== null) ?? states?.checked ?? states?.pressed;
  const kind = role === 'radio' || role === 'menuitemradio' ? 'radio' : 'toggle';
  if (value === undefined && kind === 'toggle' && role !== 'checkbox' && role !== 'switch') return null;
  const state = String(value ?? 'false').toLowerCase();
  return { kind, state: state === 'true' || state === 'mixed' ? state : 'false' };
}
