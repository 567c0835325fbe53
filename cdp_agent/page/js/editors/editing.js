// Editors: what they hold, to the letter, and giving them text as a paste does. No clipboard is touched: the events bring
// their own.

// Editors that keep their text to themselves: what is focused is only where the keys go, and only a part is in the page.
const CODE_LINE = '.view-line,.CodeMirror-code .CodeMirror-line,.cm-line,.ace_line'; // CodeMirror 5 measures lines beside its code
// Their own fields, for searching and the like, are fields as any other.
const EDITOR_PANELS = '.find-widget,.monaco-inputbox,.CodeMirror-dialog,.cm-panel,.ace_search';

/** @param {Element} field @returns {Element | null} the code editor that it belongs to */
function codeEditorOf(field) {
  const editor = closestFlat(field, CODE_EDITORS);
  return editor && !closestFlat(field, EDITOR_PANELS) ? editor : null;
}

/** What a code editor draws, which may be a part of what it holds. @returns {string[]} */
function visibleCodeLines(editor) {
  const top = (line) => getBoundingClientRect_.call(line).top;
  return [...selectAll(editor, CODE_LINE)].sort((one, other) => top(one) - top(other)).map((line) => normalizeEditorText(textContent(line)));
}

/** Editors put in characters of no width, and spaces that do not break. */
const normalizeEditorText = (text) => text.replace(/\r\n?/g, '\n').replace(/[\u200b\ufeff]/g, '').replace(/\u00a0/g, ' ');

/** The text of a rich text editor as it is read on the screen: a line for each paragraph, item, cell and line break. */
function richText(root) {
  const lines = [];
  let line = null; // what has been read of a line that has begun
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
  end(); // it may stand in a line itself
  return normalizeEditorText(lines.join('\n'));
}

/** So that the spaces that are kept are not taken for those that fall away at a line's end. */
const withNoBreakSpaces = (text) => text.replace(/ /g, '\u00a0');
const TEXTLESS_TAGS = new Set(['SCRIPT', 'STYLE', 'SELECT', 'TEMPLATE']);

/** Text that an editor shows while it is empty: nobody can select it. */
function isPlaceholder(element) {
  return hasAttr(element, 'contenteditable') && attr(element, 'contenteditable') === 'false' && computedStyleOf(element).userSelect === 'none';
}

/** Puts the caret to the end of a rich text editor. @param {number} id @returns {Promise<string | null>} what it holds */
async function moveCaretToEnd(id) {
  await nextFrame(); // some draw in their own time what was undone
  const field = resolveElement(id);
  if (!field || !isConnected_.call(field)) return null;
  selectAllOrMoveToEnd(field, 'rich', true);
  await afterSelectionChange();
  return fieldText(field, 'rich');
}

/** Whether keys would still go there. @param {number} id @returns {boolean} */
function hasKeyboardFocus(id) {
  const field = resolveElement(id);
  return field !== null && isConnected_.call(field) && hasFocusWithin(field);
}

/**
 * Whether a rich text editor took the ends of lines for letters: what looks like lines is one paragraph, in one text.
 * @param {number} id @returns {boolean}
 */
function hasBareBreaks(id) {
  const field = resolveElement(id);
  if (!field || field.editContext || attr(field, 'contenteditable') === 'plaintext-only') return false;
  const isBare = (node) => dataOf(node).includes('\n') && computedStyleOf(parentNode(node)).whiteSpaceCollapse !== 'collapse' && !closest(parentNode(node), 'pre,code');
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

/** Whether spaces that follow each other, or begin a line, would be drawn as one or none. */
const collapsesSpaces = (field) => computedStyleOf(field).whiteSpaceCollapse === 'collapse';

/**
 * What is selected, as whoever copies it would get it: an editor puts it into the event. null: the page did not answer.
 * @param {number} id  of a field of a code editor, in which all is selected @returns {Promise<{text: string | null}>}
 */
async function copiedFrom(id) {
  const field = resolveElement(id);
  const { event, data } = clipboardEvent('copy');
  const focused = focusedElement();
  if (!field || !focused || !codeEditorOf(focused)) return { text: null };
  dispatchEvent_.call(focused, event);
  if (!defaultPrevented_.call(event)) return { text: tagOf(focused) === 'TEXTAREA' ? selectedInArea(focused) : null };
  const text = data.getData('text/plain').replace(/\r\n?/g, '\n');
  if (text !== '\n') return { text };
  // Of nothing selected some copy the line, with its end. What was there before is drawn until the next frame.
  if (!isCodeEmpty(codeEditorOf(focused))) await nextFrame();
  return { text: isCodeEmpty(codeEditorOf(focused)) ? '' : text };
}

/** What the browser would copy: some editors put what is selected into the field that takes the keys. */
function selectedInArea(area) {
  const text = areaValue(area).slice(selectionStartOfArea(area), selectionEndOfArea(area));
  return text || isCodeEmpty(codeEditorOf(area)) ? text : null;
}

const isCodeEmpty = (editor) => visibleCodeLines(editor).length < 2 && visibleCodeLines(editor).join('') === '';
const defaultPrevented_ = getterOf(Event.prototype, 'defaultPrevented');

/**
 * Gives what has the focus a text as if it was pasted. @param {number} id  of the field @param {string} text
 * @returns {Promise<boolean>} whether the page did something about it
 */
async function pasteInto(id, text) {
  const field = resolveElement(id);
  const focused = focusedElement();
  if (!field || !focused) return false;
  const before = fieldText(field, fieldKind(field));
  const { event, data } = clipboardEvent('paste');
  data.setData('text/plain', text);
  dispatchEvent_.call(focused, event);
  // Some take it in their own time, and say nothing.
  for (let frame = 0; frame < 6 && !defaultPrevented_.call(event); frame++) {
    if (fieldText(field, fieldKind(field)) !== before) return true;
    await nextFrame();
  }
  return defaultPrevented_.call(event);
}

function clipboardEvent(type) {
  const data = new DataTransfer();
  return { data, event: new ClipboardEvent(type, { clipboardData: data, bubbles: true, cancelable: true, composed: true }) };
}
