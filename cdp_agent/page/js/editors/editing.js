// The exact text of editors, and entering text by paste events. The clipboard itself is not used: the events have their
// own data.

// Editors that keep their text in objects: the focused element only gets the keys, and only a part of the text is in
// the document.
// CodeMirror 5 measures lines outside of its code
const CODE_LINE = '.view-line,.CodeMirror-code .CodeMirror-line,.cm-line,.ace_line';
// Fields in an editor's own panels, for searching and the like, are ordinary fields.
const EDITOR_PANELS = '.find-widget,.monaco-inputbox,.CodeMirror-dialog,.cm-panel,.ace_search';

/** @param {Element} field @returns {Element | null} the code editor to which it belongs */
function codeEditorOf(field) {
  const editor = closestFlat(field, CODE_EDITORS);
  return editor && !closestFlat(field, EDITOR_PANELS) ? editor : null;
}

/** The rendered lines of a code editor, which may be only a part of its text. @returns {string[]} */
function visibleCodeLines(editor) {
  const top = (line) => getBoundingClientRect_.call(line).top;
  return [...selectAll(editor, CODE_LINE)]
    .sort((one, other) => top(one) - top(other))
    .map((line) => normalizeEditorText(textContent(line)));
}

/** Removes zero-width characters and replaces no-break spaces, which editors insert. */
const normalizeEditorText = (text) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/\u00a0/g, ' ');

/** The text of a rich text editor as it is rendered: a line for each paragraph, item, cell and line break. */
function richText(root) {
  const lines = [];
  let line = null; // the text of the current line; null: none has begun
  const end = () => {
    if (line !== null) lines.push(line.replace(/ $/, ''));
    line = null;
  };
  const read = (text, keeps) => {
    if (!keeps) {
      const flat = text.replace(/[ \t\n\r\f]+/g, ' ');
      const shown = (line ?? ' ').endsWith(' ') ? flat.replace(/^ /, '') : flat;
      if (shown) line = (line ?? '') + shown;
      return;
    }
    const [first, ...others] = text.split('\n');
    if (first) line = (line ?? '') + withNoBreakSpaces(first);
    for (const each of others) {
      line ??= '';
      end();
      if (each) line = withNoBreakSpaces(each);
    }
  };
  const visit = (element) => {
    const { display, whiteSpaceCollapse } = computedStyleOf(element);
    if (display === 'none' || TEXTLESS_TAGS.has(tagOf(element)) || isPlaceholder(element)) return;
    const isLine = !display.startsWith('inline') && display !== 'contents' && !display.startsWith('ruby');
    if (isLine) end();
    for (let node = firstChild(element); node; node = nextSibling(node)) {
      if (nodeType(node) === 3) read(dataOf(node), whiteSpaceCollapse !== 'collapse');
      else if (nodeType(node) !== 1) continue;
      else if (tagOf(node) === 'BR') {
        line ??= '';
        end();
      } else visit(node);
    }
    if (isLine) end();
  };
  visit(root);
  end(); // the editor may be inline, with no end of its own
  return normalizeEditorText(lines.join('\n'));
}

/** Protects preserved spaces from being trimmed at the end of a line. */
const withNoBreakSpaces = (text) => text.replace(/ /g, '\u00a0');
const TEXTLESS_TAGS = new Set(['SCRIPT', 'STYLE', 'SELECT', 'TEMPLATE']);

/** Whether it is the placeholder of an empty editor, which cannot be selected. */
function isPlaceholder(element) {
  return (
    hasAttr(element, 'contenteditable') &&
    attr(element, 'contenteditable') === 'false' &&
    computedStyleOf(element).userSelect === 'none'
  );
}

/**
 * Moves the caret to the end of a rich text editor.
 * @param {number} id
 * @returns {Promise<string | null>} the editor's text
 */
async function moveCaretToEnd(id) {
  await nextFrame(); // after undo, some editors render in a later frame
  const field = resolveElement(id);
  if (!field || !isConnected_.call(field)) return null;
  selectAllOrMoveToEnd(field, 'rich', true);
  await afterSelectionChange();
  return fieldText(field, 'rich');
}

/** Whether keys would still go to the field. @param {number} id @returns {boolean} */
function hasKeyboardFocus(id) {
  const field = resolveElement(id);
  return field !== null && isConnected_.call(field) && hasFocusWithin(field);
}

/**
 * Whether a rich text editor has taken line ends as characters: what looks like several lines is a single paragraph.
 * @param {number} id @returns {boolean}
 */
function hasLiteralLineBreaks(id) {
  const field = resolveElement(id);
  if (!field || field.editContext || attr(field, 'contenteditable') === 'plaintext-only') return false;
  const isBare = (node) =>
    dataOf(node).includes('\n') &&
    computedStyleOf(parentNode(node)).whiteSpaceCollapse !== 'collapse' &&
    !closest(parentNode(node), 'pre,code');
  return textNodesIn(field).some(isBare);
}

function textNodesIn(element) {
  const found = [];
  for (let node = firstChild(element); node; node = nextSibling(node)) {
    if (nodeType(node) === 3) found.push(node);
    else if (nodeType(node) === 1) found.push(...textNodesIn(node));
  }
  return found;
}

/** Whether consecutive or leading spaces would be collapsed. */
const collapsesSpaces = (field) => computedStyleOf(field).whiteSpaceCollapse === 'collapse';

/**
 * The selected text as a copy would get it, since editors write it into the `copy` event. null: the page did not handle
 * the event.
 * @param {number} id  of a field of a code editor in which all is selected @returns {Promise<{text: string | null}>}
 */
async function copySelection(id) {
  const field = resolveElement(id);
  const { event, data } = clipboardEvent('copy');
  const focused = focusedElement();
  if (!field || !focused || !codeEditorOf(focused)) return { text: null };
  dispatchEvent_.call(focused, event);
  if (!defaultPrevented_.call(event)) return { text: tagOf(focused) === 'TEXTAREA' ? selectedInArea(focused) : null };
  const text = data.getData('text/plain').replace(/\r\n?/g, '\n');
  if (text !== '\n') return { text };
  // With an empty selection, some editors copy the current line and its line end. Old lines are rendered until the next
  // frame.
  if (!isCodeEmpty(codeEditorOf(focused))) await nextFrame();
  return { text: isCodeEmpty(codeEditorOf(focused)) ? '' : text };
}

/** The text that the browser itself would copy: some editors put the selection into the field that gets the keys. */
function selectedInArea(area) {
  const text = areaValue(area).slice(selectionStartOfArea(area), selectionEndOfArea(area));
  return text || isCodeEmpty(codeEditorOf(area)) ? text : null;
}

const isCodeEmpty = (editor) => visibleCodeLines(editor).length < 2 && visibleCodeLines(editor).join('') === '';
const defaultPrevented_ = getterOf(Event.prototype, 'defaultPrevented');

/**
 * Dispatches a `paste` event with the text to the focused element. @param {number} id  of the field @param {string}
 * text
 * @returns {Promise<boolean>} whether the page handled it
 */
async function pasteInto(id, text) {
  const field = resolveElement(id);
  const focused = focusedElement();
  if (!field || !focused) return false;
  const before = fieldText(field, fieldKind(field));
  const { event, data } = clipboardEvent('paste');
  data.setData('text/plain', text);
  dispatchEvent_.call(focused, event);
  // Some editors handle it later, without preventing the default.
  for (let frame = 0; frame < 6 && !defaultPrevented_.call(event); frame++) {
    if (fieldText(field, fieldKind(field)) !== before) return true;
    await nextFrame();
  }
  return defaultPrevented_.call(event);
}

function clipboardEvent(type) {
  const data = new DataTransfer();
  return {
    data,
    event: new ClipboardEvent(type, { clipboardData: data, bubbles: true, cancelable: true, composed: true }),
  };
}
