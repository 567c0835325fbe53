// Code editors: Monaco, CodeMirror 5 and 6, Ace. They render only the lines in view, in boxes of their own. Therefore
// their text is read from the editor's object where possible (codeOfEditor in code_object.js, in the page's own world);
// else the rendered lines are read, and a state shows that there are more.

/** @typedef {{editor: string, input: string, lines: string, line: string, scroller: string, parts: string}} CodeKind */
/**
 * @type {CodeKind[]}  input: the element that gets the keys; parts: elements for rendering the text and around it,
 *   which get no lines of their own
 */
const CODE_KINDS = [
  {
    editor: '.monaco-editor',
    input: '.native-edit-context,textarea.inputarea',
    lines: '.view-lines',
    line: '.view-line',
    scroller: '.overflow-guard',
    parts:
      '.margin,.view-lines,.view-overlays,.view-rulers,.cursors-layer,.minimap,.decorationsOverviewRuler,.scrollbar,' +
      '.scroll-decoration,.ime-text-area,.blockDecorations-container',
  },
  {
    editor: '.CodeMirror',
    input: ':scope > div > textarea,.CodeMirror-code[contenteditable]',
    lines: '.CodeMirror-code',
    line: '.CodeMirror-line',
    scroller: '.CodeMirror-scroll',
    parts:
      '.CodeMirror-scroll,.CodeMirror-vscrollbar,.CodeMirror-hscrollbar,.CodeMirror-scrollbar-filler,' +
      '.CodeMirror-gutter-filler',
  },
  {
    editor: '.cm-editor',
    input: '.cm-content',
    lines: '.cm-content',
    line: '.cm-line',
    scroller: '.cm-scroller',
    parts: '.cm-gutters,.cm-content,.cm-announced,.cm-layer',
  },
  {
    editor: '.ace_editor',
    input: 'textarea.ace_text-input',
    lines: '.ace_text-layer',
    line: '.ace_line',
    scroller: '.ace_scroller',
    parts: '.ace_gutter,.ace_scroller,.ace_scrollbar,:scope > div:empty',
  },
];

/**
 * @type {WeakMap<Element, {text: string, from: [number, number], to: [number, number]} | null>} the text and selection
 *   from the page's own world
 */
const codeContents = new WeakMap();
/** @type {Set<Element>} the code editors found so far, as long as they are in a document */
const codeEditors = new Set();

/** @returns {CodeKind | undefined} */
function codeKind(element) {
  if (!matches(element, CODE_EDITORS)) return undefined;
  const kind = CODE_KINDS.find(({ editor }) => matches(element, editor));
  return selectAll(element, kind.lines).length ? kind : undefined;
}

/** The element that gets the keys, which is therefore the one to fill. @param {CodeKind} kind */
const inputOfCode = (editor, kind) => selectAll(editor, kind.input)[0] ?? editor;

/** The code editors whose text Python has to ask for. @returns {number[]} */
function knownCodeEditors() {
  for (const editor of codeEditors) if (!isConnected_.call(editor)) codeEditors.delete(editor);
  return [...codeEditors].map(idOf);
}

/**
 * Stores what the page's own world returned for code editors.
 * @param {[number, string | null][]} answers  JSON of what codeOfEditor returns
 */
function adoptCode(answers) {
  for (const [id, answer] of answers) {
    const editor = elementOf(id);
    if (!editor) continue;
    codeContents.set(editor, answer === null ? null : JSON.parse(answer));
    invalidateElement(editor);
  }
}

/** @param {CodeKind} kind */
function visitCodeEditor(editor, kind, parent, flags, depth) {
  const input = inputOfCode(editor, kind);
  const tag = tagOf(input);
  const line = fieldLine(input, tag, 'textbox', flags);
  line.states = line.states.replace(CARET_STATES, '');
  if (attr(input, 'contenteditable') === 'false' && !line.states.includes('[readonly]')) line.states += ' [readonly]';
  const { text, states } = codeOf(editor, kind);
  line.value = text;
  line.states += states;
  const held = codeContents.get(editor);
  if (held && line.states.includes(' [focused]')) line.states += codeCaret(held);
  const placeholder = text ? null : selectAll(editor, '.cm-placeholder,.CodeMirror-placeholder,.ace_placeholder')[0];
  if (placeholder) line.states += ` [placeholder=${quote(cut(collapse(textContent(placeholder)), 200))}]`;
  parent.kids.push(BREAK, line);
  for (const each of aroundCode(editor, kind)) visitElement(each, parent, flags, depth + 1);
  parent.kids.push(BREAK);
}

/** Panels, dialogs and suggestions in an editor. @param {CodeKind} kind @returns {Element[]} */
function aroundCode(element, kind, input = inputOfCode(element, kind)) {
  const found = [];
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    if (child === input || matches(child, kind.parts)) continue;
    if (contains_.call(child, input) || selectAll(child, kind.parts).length)
      found.push(...aroundCode(child, kind, input));
    else found.push(child);
  }
  return found;
}

/** The text of an editor, or that of its rendered lines. @returns {{text: string, states: string}} */
function codeOf(editor, kind) {
  codeEditors.add(editor);
  const held = codeContents.get(editor);
  if (held) return { text: cleanPreformatted(held.text), states: '' };
  const lines = renderedLines(editor, kind);
  if (!lines.length || isFullyRendered(editor, kind))
    return { text: lines.map(({ text }) => text).join('\n'), states: '' };
  const first = lines[0].number;
  const which = first ? `lines ${first}-${lines.at(-1).number || first + lines.length - 1}` : `${lines.length} lines`;
  return {
    text: lines.map(({ text }) => text).join('\n'),
    states: ` [drawn="${which}, there are more: scroll in it to read them"]`,
  };
}

/** The rendered lines from top to bottom, wrapped ones joined. @returns {{text: string, number: number}[]} */
function renderedLines(editor, kind) {
  const boxes = [...selectAll(editor, `${kind.lines} ${kind.line}`)].map((box) => ({
    box,
    top: getBoundingClientRect_.call(box).top,
  }));
  if (kind.editor === '.monaco-editor') boxes.sort((one, other) => one.top - other.top);
  const numbers = kind.editor === '.monaco-editor' ? numbersOfLines(editor) : null;
  const lines = [];
  for (const { box, top } of boxes) {
    const text = cleanPreformatted(textContent(box)).replaceAll('\u00a0', ' ');
    const number = numbers?.get(Math.round(top)) ?? 0;
    if (numbers?.size && !number && lines.length) lines.at(-1).text += text;
    else lines.push({ text, number });
  }
  return lines;
}

/** Monaco's line numbers by their vertical position: only the first part of a wrapped line has one. */
function numbersOfLines(editor) {
  const numbers = new Map();
  for (const number of selectAll(editor, '.margin-view-overlays .line-numbers')) {
    numbers.set(Math.round(getBoundingClientRect_.call(number).top), parseInt(textContent(number), 10) || 0);
  }
  return numbers;
}

/** Whether all lines are rendered: none is scrolled away above, and there is room below the last one. */
function isFullyRendered(editor, kind) {
  const scroller = selectAll(editor, kind.scroller)[0];
  const boxes = [...selectAll(editor, `${kind.lines} ${kind.line}`)].map((box) => getBoundingClientRect_.call(box));
  if (!scroller || !boxes.length || selectAll(editor, '.cm-gap').length) return false;
  const around = getBoundingClientRect_.call(scroller);
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  return (
    top >= around.top - 1 &&
    bottom <= around.bottom + 1 &&
    (boxes.length === 1 || around.bottom - bottom >= boxes[0].height)
  );
}

/** ` [caret=3:14]`: line and column, counted from one; or the selection. */
function codeCaret({ text, from, to }) {
  if (from[0] === to[0] && from[1] === to[1]) return ` [caret=${from[0] + 1}:${from[1] + 1}]`;
  const lines = text.split('\n').slice(from[0], to[0] + 1);
  if (lines.length) lines[lines.length - 1] = lines.at(-1).slice(0, to[1]);
  if (lines.length) lines[0] = lines[0].slice(from[1]);
  const selected = lines.join('\n');
  return selected === text ? ' [selection=all]' : ` [selection=${quote(cut(collapse(selected), LONGEST_SELECTION))}]`;
}
