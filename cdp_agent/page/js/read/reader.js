// The visible text of a page, with the content of fields that are not secret: inline text joined, a line for each
// block. The source node of each piece of text is recorded.

const LINE = '\n'; // the edge of a block; other white space is collapsed to one space
const FRAME_MARK = '\x02';

class VisibleText {
  /** @param {Stretch} stretch */
  constructor(stretch) {
    this.stretch = stretch;
    this.pieces = [];
    this.starts = [];
    this.sources = [];
    this.length = 0;
    this.atStart = true; // of a line, or after a space: another space would be one too many
    this.struckDepth = 0; // number of elements around that strike out text
    this.iconFontDepth = 0; // number of elements around that use an icon font
  }

  /** Adds text, with its white space collapsed. @param {string} raw @param {Node} source */
  add(raw, source) {
    if (this.iconFontDepth) return;
    let text = PRIVATE_USE.test(raw) ? raw.replace(ALL_PRIVATE_USE, '') : raw;
    if (MESSY.test(raw) || raw.length > 4096) text = text.replace(INVISIBLE_CHARACTERS, '').replace(SPACES, ' ');
    else if (raw === '\n' || raw === '\t') text = ' ';
    if (this.atStart && text.charCodeAt(0) === 32) text = text.slice(1);
    if (text === '') return;
    this.atStart = text.charCodeAt(text.length - 1) === 32;
    this.push(text, source);
  }

  /**
   * Begins decorated text, see decorated.js.
   * @param {string} mark
   * @returns {string} to be passed to `endDecoration`, "" for nothing
   */
  beginDecoration(mark, element) {
    if (mark === ICON_FONT_START) this.iconFontDepth++;
    else if (mark === STRUCK_START) {
      if (this.struckDepth++ === 0) this.push('~~', element);
    } else {
      const next = nextSibling(element);
      const [sign, end] = scriptSigns(
        mark,
        this.pieces.at(-1)?.slice(-1) ?? '',
        textContent(element),
        next ? textContent(next).slice(0, 1) : '',
      );
      if (sign) this.push(sign, element);
      return end;
    }
    return mark;
  }

  endDecoration(end, element) {
    if (end === ICON_FONT_START) this.iconFontDepth--;
    else if (end !== STRUCK_START) this.push(end, element);
    else if (--this.struckDepth === 0) this.push('~~', element);
  }

  space(source) {
    if (!this.atStart) this.push(' ', source);
    this.atStart = true;
  }

  line(source) {
    if (this.length && this.pieces[this.pieces.length - 1] !== LINE) this.push(LINE, source);
    this.atStart = true;
  }

  push(text, source) {
    this.pieces.push(text);
    this.starts.push(this.length);
    this.sources.push(source);
    this.length += text.length;
  }

  /**
   * The source node of the piece that contains the character at `offset`, and the offset of that piece.
   * @returns {[Node, number]}
   */
  sourceAt(offset) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return [this.sources[low], this.starts[low]];
  }
}

const SPACE_EDGE = Symbol('space');
const LINE_EDGE = Symbol('line');
const GENERATED = Symbol('generated');
const DECORATION = Symbol('decoration');

/**
 * The part of an element's contents between two elements in it. A path is such an element with its ancestors.
 * @typedef {{after: Element | null, afterPath: Set<Node>, before: Element | null, beforePath: Set<Node>}} Stretch
 */
/** @type {Stretch} */
const WHOLE = { after: null, afterPath: new Set(), before: null, beforePath: new Set() };

/**
 * Reads the visible text of an element, by default of the document. Pages may nest deeper than the call stack allows,
 * hence the list `pending`.
 * @param {Element} element @param {{leavesOut?: ((element: Element) => boolean) | null, stretch?: Stretch}} options
 *   leavesOut: elements that are left out; stretch: the part to be read
 */
function readVisibleText(element = documentElement_.call(document), { leavesOut = null, stretch = WHOLE } = {}) {
  const text = new VisibleText(stretch);
  reading = newReading();
  /** @type {any[][]} */
  const pending = [];
  if (element) {
    reading = { ...reading, ...textFacts(rootOf(element)) };
    pending.push([element]);
  }
  while (pending.length) {
    const [what, node, generated] = pending.pop();
    if (what === SPACE_EDGE) text.space(node);
    else if (what === LINE_EDGE) text.line(node);
    else if (what === GENERATED) text.add(generated, node);
    else if (what === DECORATION) text.endDecoration(generated, node);
    else if (what === null) reading = node;
    else if (nodeType_.call(what) === 3) text.add(dataOf(what), what);
    else if (!leavesOut?.(what)) readElement(what, text, pending);
  }
  return text;
}

/** As of the reading that selected these. @type {WeakMap<Node, {selections: object, hasCode: boolean}>} */
const factsOfTexts = new WeakMap();

/**
 * What the text in a document or shadow root depends on beside its elements.
 * @param {Node} root
 */
function textFacts(root) {
  let selection = selections.get(root);
  if (!selection) selections.set(root, (selection = selectedIn(root)));
  let facts = factsOfTexts.get(root);
  if (facts?.selections !== selection)
    factsOfTexts.set(root, (facts = { selections: selection, hasCode: selectsAny(root, CODE_EDITORS) }));
  return facts;
}

/**
 * Adds the content of a document or shadow root to `pending`.
 * @param {Document | ShadowRoot} root  its style sheets decide about generated text
 * @param {Stretch} stretch
 */
function pushRoot(root, pending, stretch) {
  pending.push([null, reading]);
  reading = { ...reading, ...textFacts(root) };
  pushNodes(childrenIn(root), pending, true, stretch);
}

function childrenIn(parent) {
  const nodes = [];
  for (let node = firstChild_.call(parent); node; node = nextSibling_.call(node)) nodes.push(node);
  return nodes;
}

/** @param {Node[]} siblings @param {Stretch} stretch */
function pushNodes(siblings, pending, withText, stretch) {
  const { after, afterPath, before, beforePath } = stretch;
  let nodes = [];
  for (const node of siblings) {
    if (node === before) break;
    if (afterPath.has(node)) nodes = [];
    const type = nodeType_.call(node);
    if (node !== after && (type === 1 || (type === 3 && withText))) nodes.push([node]);
    if (beforePath.has(node)) break;
  }
  for (let i = nodes.length - 1; i >= 0; i--) pending.push(nodes[i]);
}

function readElement(element, text, pending) {
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return;
  if (tag === 'BR') {
    text.line(element);
    return;
  }
  const visibility = visibilityOf(element);
  if (visibility === NOT_RENDERED || isTextRedundant(element)) return;
  const visible = visibility === VISIBLE;
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') {
    if (visible) readField(element, tag, text);
    return;
  }
  const code = visible && reading.hasCode ? codeKind(element) : undefined;
  if (code) {
    readCodeEditor(element, code, text, pending);
    return;
  }
  const edge = separatorAround(element, tag);
  if (edge === LINE_EDGE) text.line(element);
  else if (edge === SPACE_EDGE) text.space(element);
  if (edge) pending.push([edge, element]);
  const mark = visible ? decorationOf(element, tag, reading.selections.decorated) : '';
  if (mark) {
    const end = text.beginDecoration(mark, element);
    if (end) pending.push([DECORATION, element, end]);
  }
  if (isFrame(element, tag)) {
    if (visible) readFrame(element, tag, text, pending);
    return;
  }
  if (tag === 'OBJECT' && !showsFallback(element)) return;
  const replacement = replacementOf(element, tag, reading.selections);
  if (replacement) {
    if (visible && replacement.alternative) text.add(replacement.alternative, element);
    return;
  }
  if (visible) {
    const after = generatedText(element, 'after', reading.selections.after);
    if (after && !text.stretch.beforePath.has(element)) pending.push([GENERATED, element, after]);
    const before = generatedText(element, 'before', reading.selections.before);
    if (before && !text.stretch.afterPath.has(element)) text.add(before, element);
  }
  readContents(element, tag, pending, visible, text.stretch);
}

function readContents(element, tag, pending, visible, stretch) {
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  if (shadow) {
    pushRoot(shadow, pending, stretch);
    return;
  }
  if (tag === 'DETAILS' && !isOpen(element)) {
    const summary = closestChild(element, 'SUMMARY');
    if (summary) pending.push([summary]);
    return;
  }
  const assigned = tag === 'SLOT' ? assignedNodes_.call(element) : [];
  pushNodes(assigned.length ? assigned : childrenIn(element), pending, visible, stretch);
}

/** How an element is separated from the text around it: by a new line, a space or nothing. */
function separatorAround(element, tag) {
  if (BLOCK_TAGS.has(tag) && !INLINE_TAGS.has(tag)) return LINE_EDGE;
  const edge = edgeOf(tag, computedStyleOf(element));
  if (edge === '') return isPositionedTspan(element) ? SPACE_EDGE : null;
  return edge === BREAK ? LINE_EDGE : SPACE_EDGE;
}

/**
 * Reads all lines of a code editor, also those that it does not render. Their source is the element that takes its
 * keyboard input.
 * @param {CodeKind} kind
 */
function readCodeEditor(editor, kind, text, pending) {
  readLines(codeOf(editor, kind).text, inputOfCode(editor, kind), text);
  const around = aroundCode(editor, kind);
  for (let i = around.length - 1; i >= 0; i--) pending.push([around[i]]);
}

function readLines(lines, element, text) {
  for (const line of lines.split('\n')) {
    text.line(element);
    text.add(line, element);
  }
  text.line(element);
}

function readField(element, tag, text) {
  if (tag === 'TEXTAREA' && !isSecret(element) && areaValue(element).includes('\n')) {
    readLines(areaValue(element), element, text);
    return;
  }
  text.space(element);
  const type = tag === 'INPUT' ? inputType(element) : '';
  if (tag === 'SELECT' && isListSelect(element)) {
    for (const option of selectOptions(element)) {
      text.line(element);
      text.add(optionLabel(option), option);
    }
  } else if (type === 'submit' || type === 'button' || type === 'reset') text.add(nameOf(element, 'button'), element);
  else text.add(valueOf(element, tag, '') || (isSecret(element) ? '' : placeholderOf(element)), element);
  text.space(element);
}

function readFrame(element, tag, text, pending) {
  const inner = frameDocument(element);
  if (inner) {
    pushRoot(inner, pending, WHOLE);
    return;
  }
  const id = idOf(element);
  reading.remote.push(id);
  text.push(FRAME_MARK + id + FRAME_MARK, element);
}
