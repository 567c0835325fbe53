// What a reader sees, as one text: inline runs in one piece, blocks on lines of their own, hidden text left out, the
// content of fields in it (never of secret ones). It is known which node each piece of it came from.

const LINE = '\n'; // where a block begins or ends; within a line white space is one space
const FRAME_MARK = '\x02';

class SeenText {
  constructor() {
    this.pieces = [];
    this.starts = [];
    this.sources = [];
    this.length = 0;
    this.atStart = true; // of a line, or after a space: a space here would be a second one
    this.struck = 0; // elements around that strike out
    this.glyphs = 0; // and that draw icons
  }

  /** @param {string} raw @param {Node} source */
  add(raw, source) {
    if (this.glyphs) return;
    let text = PRIVATE.test(raw) ? raw.replace(PRIVATE_ALL, '') : raw;
    if (MESSY.test(raw) || raw.length > 4096) text = text.replace(UNSEEN, '').replace(SPACES, ' ');
    else if (raw === '\n' || raw === '\t') text = ' ';
    if (this.atStart && text.charCodeAt(0) === 32) text = text.slice(1);
    if (text === '') return;
    this.atStart = text.charCodeAt(text.length - 1) === 32;
    this.push(text, source);
  }

  /** Begins what decorated.js tells of. @param {string} mark @returns {string} what ends it */
  beginDecoration(mark, element) {
    if (mark === GLYPHS_FROM) this.glyphs++;
    else if (mark === STRUCK_FROM) {
      if (this.struck++ === 0) this.push('~~', element);
    } else {
      const next = nextSibling(element);
      const [sign, end] = signsAround(mark, this.pieces.at(-1)?.slice(-1) ?? '', textContent(element), next ? textContent(next).slice(0, 1) : '');
      if (sign) this.push(sign, element);
      return end;
    }
    return mark;
  }

  endDecoration(end, element) {
    if (end === GLYPHS_FROM) this.glyphs--;
    else if (end !== STRUCK_FROM) this.push(end, element);
    else if (--this.struck === 0) this.push('~~', element);
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

  /** The node that the character at `offset` came from, and the offset of its piece. @returns {[Node, number]} */
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

/** What a person or a program has put into fields and editors of this document by us. @type {WeakMap<Element, string>} */
const enteredInto = new WeakMap();
let wasEntered = false;

function noteEntered(element, text) {
  enteredInto.set(element, text);
  wasEntered = true;
}

/** Whether it holds what was entered, and nothing of the page's own. */
const holdsWhatWasEntered = (element) => enteredInto.has(element) && enteredInto.get(element) === fieldText(element, fieldKind(element));

/**
 * Reads an element with all that is in it; without one the document. Pages nest deeper than a stack allows, hence the list of what is due.
 * @param {Element} element @param {{entered: boolean}} options  entered: also fields and editors that hold what we entered
 */
function readSeen(element = documentElement_.call(document), { entered } = { entered: true }) {
  const text = new SeenText();
  reading = newReading();
  /** @type {any[][]} */
  const due = [];
  if (element) {
    reading = { ...reading, ...rootFacts(rootOf(element)) };
    due.push([element]);
  }
  while (due.length) {
    const [what, node, generated] = due.pop();
    if (what === SPACE_EDGE) text.space(node);
    else if (what === LINE_EDGE) text.line(node);
    else if (what === GENERATED) text.add(generated, node);
    else if (what === DECORATION) text.endDecoration(generated, node);
    else if (what === null) reading = node;
    else if (nodeType_.call(what) === 3) text.add(dataOf(what), what);
    else if (entered || !holdsWhatWasEntered(what)) seeElement(what, text, due);
  }
  return text;
}

/** @param {Document | ShadowRoot} root  whose sheets decide what is generated in it */
function enterRoot(root, due) {
  due.push([null, reading]);
  reading = { ...reading, ...rootFacts(root) };
  dueNodes(firstChild_.call(root), due, true);
}

function dueNodes(first, due, withText) {
  const nodes = [];
  for (let node = first; node; node = nextSibling_.call(node)) {
    const type = nodeType_.call(node);
    if (type === 1 || (type === 3 && withText)) nodes.push([node]);
  }
  for (let i = nodes.length - 1; i >= 0; i--) due.push(nodes[i]);
}

function seeElement(element, text, due) {
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return;
  if (tag === 'BR') {
    text.line(element);
    return;
  }
  const visibility = visibilityOf(element);
  if (visibility === GONE || isSaidElsewhere(element)) return;
  const seen = visibility === VISIBLE;
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') {
    if (seen) seeField(element, tag, text);
    return;
  }
  const code = seen && reading.marked.has(element) ? codeKind(element) : undefined;
  if (code) {
    seeCode(element, code, text, due);
    return;
  }
  const edge = seenEdge(element, tag);
  if (edge === LINE_EDGE) text.line(element);
  else if (edge === SPACE_EDGE) text.space(element);
  if (edge) due.push([edge, element]);
  const mark = seen ? decorationOf(element, tag, reading.selections.decorated) : '';
  if (mark) {
    const end = text.beginDecoration(mark, element);
    if (end) due.push([DECORATION, element, end]);
  }
  if (isFrame(element, tag)) {
    if (seen) seeFrame(element, tag, text, due);
    return;
  }
  if (tag === 'OBJECT' && !showsFallback(element)) return;
  const replacement = replacementOf(element, tag, reading.selections);
  if (replacement) {
    if (seen && replacement.alternative) text.add(replacement.alternative, element);
    return;
  }
  if (seen) {
    const after = generatedText(element, 'after', reading.selections.after);
    if (after) due.push([GENERATED, element, after]);
    const before = generatedText(element, 'before', reading.selections.before);
    if (before) text.add(before, element);
  }
  seeContents(element, tag, due, seen);
}

function seeContents(element, tag, due, seen) {
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  if (shadow) {
    enterRoot(shadow, due);
    return;
  }
  if (tag === 'DETAILS' && !isOpen(element)) {
    const summary = closestChild(element, 'SUMMARY');
    if (summary) due.push([summary]);
    return;
  }
  const assigned = tag === 'SLOT' ? assignedNodes_.call(element) : [];
  for (let i = assigned.length - 1; i >= 0; i--) if (nodeType_.call(assigned[i]) === 1 || seen) due.push([assigned[i]]);
  if (!assigned.length) dueNodes(firstChild_.call(element), due, seen);
}

/** How an element parts what it holds from what is around it. */
function seenEdge(element, tag) {
  if (BLOCK_TAGS.has(tag) && !INLINE_TAGS.has(tag)) return LINE_EDGE;
  const edge = edgeOf(tag, computedStyleOf(element));
  if (edge === '') return isPlaced(element) ? SPACE_EDGE : null;
  return edge === BREAK ? LINE_EDGE : SPACE_EDGE;
}

/** What a code editor holds, line by line, as said by what takes its keys. @param {CodeKind} kind */
function seeCode(editor, kind, text, due) {
  seeLines(codeOf(editor, kind).text, inputOfCode(editor, kind), text);
  const around = aroundCode(editor, kind);
  for (let i = around.length - 1; i >= 0; i--) due.push([around[i]]);
}

function seeLines(lines, element, text) {
  for (const line of lines.split('\n')) {
    text.line(element);
    text.add(line, element);
  }
  text.line(element);
}

function seeField(element, tag, text) {
  if (tag === 'TEXTAREA' && !isSecret(element) && areaValue(element).includes('\n')) {
    seeLines(areaValue(element), element, text);
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

function seeFrame(element, tag, text, due) {
  const inner = frameDocument(element);
  if (inner) {
    enterRoot(inner, due);
    return;
  }
  const id = idOf(element);
  reading.remote.push(id);
  text.push(FRAME_MARK + id + FRAME_MARK, element);
}
