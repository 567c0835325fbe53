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
  }

  /** @param {string} raw @param {Node} source */
  add(raw, source) {
    let text = raw;
    if (MESSY.test(raw) || raw.length > 4096) text = raw.replace(UNSEEN, '').replace(SPACES, ' ');
    else if (raw === '\n' || raw === '\t') text = ' ';
    if (this.atStart && text.charCodeAt(0) === 32) text = text.slice(1);
    if (text === '') return;
    this.atStart = text.charCodeAt(text.length - 1) === 32;
    this.push(text, source);
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

/** Reads the document with all that is in it. Pages nest deeper than a stack allows, hence the list of what is due. */
function readSeen() {
  const text = new SeenText();
  reading = newReading(false);
  const due = [];
  enterRoot(document, due);
  while (due.length) {
    const [what, node, generated] = due.pop();
    if (what === SPACE_EDGE) text.space(node);
    else if (what === LINE_EDGE) text.line(node);
    else if (what === GENERATED) text.add(generated, node);
    else if (what === null) reading = node;
    else if (nodeType_.call(what) === 3) text.add(data_.call(what), what);
    else seeElement(what, text, due);
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
  if (visibility === GONE) return;
  const seen = visibility === VISIBLE;
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') {
    if (seen) seeField(element, tag, text);
    return;
  }
  const edge = seenEdge(element, tag);
  if (edge === LINE_EDGE) text.line(element);
  else if (edge === SPACE_EDGE) text.space(element);
  if (edge) due.push([edge, element]);
  if (tag === 'IFRAME' || tag === 'FRAME') {
    if (seen) seeFrame(element, tag, text, due);
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
  const shadow = mayHost(tag) ? shadowOf(element, tag) : null;
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
  const display = computedStyleOf(element).display;
  if (display === 'inline' || display === 'contents') return null;
  return display.startsWith('inline') || display.startsWith('ruby') ? SPACE_EDGE : LINE_EDGE;
}

function seeField(element, tag, text) {
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
  const inner = frameDocument(element, tag);
  if (inner) {
    enterRoot(inner, due);
    return;
  }
  const id = idOf(element);
  reading.remote.push(id);
  text.push(FRAME_MARK + id + FRAME_MARK, element);
}
