// What a reader sees, as a small document of its own: the visible flat tree without what says nothing. page/markdown/markdown.py
// makes Markdown of it. Well-formed XML of few elements, so that it is short on the wire and means one thing only.
//
// "\n" in a text is where a block begins or ends (white space of the page is a space). Elements and attributes:
//   h1…h6 · a h=target · img a=alt s=source · ul · ol s=start r=reversed · li v=value · dl dt dd · q (block) · pre l=language · c (code)
//   b i s sup sub · br · hr · table k=data|layout · cap · tr h=1 (in a head) · td/th c=columns r=rows · sum o=open (summary)
//   f t=kind n=name v=value p=placeholder (a field) · x t=kind s=1|0|- n=name (a box to check) · opt s=1|0 (an option of a list)
//   sec k=nav|footer|header|aside|main · fr n=name u=address (a frame) · rf i=id n=name (its content is in another session) · ef n=name u=address e=why not

/** @typedef {object} Page  the state of one serialisation @property {string[]} out @property {number} words  texts written so far */

// What holds for everything below an element.
const HTML_SILENT = 1; // text is not painted
const HTML_PRE = 2; // white space is kept
const HTML_PLAIN = 4; // only text: so deep that no reader could use the structure

const HTML_MOST_NESTED = 100; // elements of ours; Python follows them by recursion

let writing = newWriting();

function newWriting() {
  return { out: [], words: 0, nested: 0, queue: [], whiteSpace: new Map() };
}

/**
 * @param {{next: [number, number]}} options
 * @returns {{html: string, url: string, title: string, first: number, end: number, remote: number[], internals: number[], roots: number, gone: number[], editors: number[]}}
 */
function readable({ next }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  writing = newWriting();
  const root = documentElement_.call(document);
  if (root) writeIn(document, () => writeElement(root, 0, 0));
  const { out } = writing;
  for (let i = 0; i < writing.queue.length; i++) {
    const [element, place, flags, at] = writing.queue[i];
    reading = at;
    writing.out = [];
    writeElement(element, flags | HTML_PLAIN, 0);
    out[place] = writing.out.join('');
  }
  const { remote } = reading;
  const editors = knownCodeEditors();
  const text = `<doc>${out.join('')}</doc>`;
  forget();
  writing = newWriting();
  return { html: text.toWellFormed(), url: documentURL_.call(document), title: documentTitle(), first, end: nextId, remote, internals: [], ...rootsNow(), editors };
}

/** Enters a document or shadow root, whose style sheets are its own. */
function writeIn(root, write) {
  const outer = reading;
  let selection = selections.get(root);
  if (!selection) selections.set(root, (selection = selectedIn(root)));
  reading = { ...outer, selections: selection, hasCode: selectAll(root, CODE_EDITORS).length > 0 };
  write();
  reading = outer;
}

const XML_UNFIT = /[<>&"\x00-\x08\x0b-\x1f\x7f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ue000-\uf8ff]/;
const XML_UNFIT_ALL = new RegExp(XML_UNFIT, 'g');
const XML_ENTITIES = { __proto__: null, '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', '\u2028': ' ', '\u2029': ' ' };
const xmlSafe = (text) => (XML_UNFIT.test(text) ? text.replace(XML_UNFIT_ALL, (c) => XML_ENTITIES[c] ?? '') : text);
const UNEVEN_SPACES = /[\t\n\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]| {2}/;
const xmlLine = (text) => xmlSafe(UNEVEN_SPACES.test(text) ? text.replace(SPACES, ' ') : text);
const xmlAttr = (name, value) => (value ? ` ${name}="${xmlLine(value.trim())}"` : '');

function writeText(text) {
  spendText(text);
  writing.out.push(text);
  if (says(text)) writing.words++;
}

const BROKEN_LINE = /\S\s*\n\s*\S/;
const whiteSpaceOf = (element) => {
  let kind = writing.whiteSpace.get(element);
  if (kind === undefined) writing.whiteSpace.set(element, (kind = computedStyleOf(element).whiteSpaceCollapse));
  return kind;
};

/** A text node. @param {Element | null} parent  whose style says what line breaks in it mean */
function writeTextNode(node, parent, flags) {
  if (flags & HTML_SILENT) return;
  const text = dataOf(node);
  if (flags & HTML_PRE) writeText(xmlSafe(text));
  else if (parent && BROKEN_LINE.test(text) && whiteSpaceOf(parent).match(/preserve|break-spaces/)) {
    writeText(text.split('\n').map(xmlLine).join('<br/>'));
  } else writeText(xmlLine(text));
}

function writeContents(element, tag, flags, depth) {
  const selected = reading.selections;
  const replacement = replacementOf(element, tag, selected);
  if (replacement) {
    if (replacement.alternative && !(flags & HTML_SILENT)) writeText(xmlLine(replacement.alternative));
    return;
  }
  if (!(flags & HTML_SILENT)) writeGenerated(element, 'before', selected);
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  if (shadow) writeIn(shadow, () => writeNodes(firstChild(shadow), null, flags, depth));
  else if (tag === 'SLOT' && assignedNodes_.call(element).length) writeAssigned(element, flags, depth);
  else if (tag === 'DETAILS' && !isOpen(element)) {
    const summary = closestChild(element, 'SUMMARY');
    if (summary) writeElement(summary, flags, depth + 1);
  } else writeNodes(firstChild(element), element, flags, depth);
  if (!(flags & HTML_SILENT)) writeGenerated(element, 'after', selected);
}

function writeGenerated(element, which, selected) {
  const text = generatedText(element, which, selected[which]);
  if (text) writeText(xmlLine(text));
}

function writeNodes(first, parent, flags, depth) {
  for (let node = first; node; node = nextSibling_.call(node)) {
    const type = nodeType_.call(node);
    if (type === 3) writeTextNode(node, parent, flags);
    else if (type === 1) writeElement(node, flags, depth + 1);
  }
}

function writeAssigned(slot, flags, depth) {
  const assigned = assignedNodes_.call(slot);
  writeIn(rootOf(assigned[0]), () => {
    for (const node of assigned) {
      if (nodeType(node) === 1) writeElement(node, flags, depth + 1);
      else if (nodeType(node) === 3) writeTextNode(node, parentNode(node), flags);
    }
  });
}

function writeElement(element, flags, depth) {
  spendTime();
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return;
  if (depth > DEEPEST) {
    writing.queue.push([element, writing.out.push('') - 1, flags, reading]);
    return;
  }
  const visibility = tag === 'AREA' ? VISIBLE : visibilityOf(element);
  if (visibility === GONE || isSaidElsewhere(element)) return;
  if (visibility === UNSEEN_SELF) {
    writeTransparent(element, tag, flags | HTML_SILENT, depth, computedStyleOf(element));
    return;
  }
  const code = reading.hasCode ? codeKind(element) : undefined;
  if (code) {
    writeLines(codeOf(element, code).text);
    for (const each of aroundCode(element, code)) writeElement(each, flags, depth + 1);
    return;
  }
  const special = HTML_SPECIAL[tag];
  const style = computedStyleOf(element);
  if (style.contentVisibility === 'hidden') return;
  flags &= ~HTML_SILENT;
  const mark = decorationOf(element, tag, reading.selections.decorated);
  if (mark === GLYPHS_FROM && tag !== 'BUTTON' && tag !== 'A') return;
  const role = attr(element, 'role');
  const write = (role && HTML_ROLES[role.trim().toLowerCase()]) || special;
  if (write && !(flags & HTML_PLAIN)) write(element, tag, flags, depth, style);
  else if (mark && mark !== GLYPHS_FROM && !(flags & (HTML_PLAIN | HTML_PRE))) writeDecorated(element, tag, mark, flags, depth, style);
  else writeTransparent(element, tag, flags, depth, style);
}

const HTML_MARKS = { __proto__: null, [RAISED]: 'sup', [LOWERED]: 'sub', [STRUCK_FROM]: 's' };

/** What style sheets raise or strike out is marked as what tags do; a block around the mark. */
function writeDecorated(element, tag, mark, flags, depth, style) {
  const edge = style.display === 'inline' ? '' : '\n';
  writing.out.push(edge);
  writeTag(HTML_MARKS[mark], '', element, tag, flags, depth);
  writing.out.push(edge);
}

/** A text whose lines and spaces count. */
function writeLines(text) {
  if (!says(text)) return;
  writing.out.push('<pre>');
  writeText(xmlSafe(text));
  writing.out.push('</pre>');
}

/** Contents go into the text around; a block stands apart. */
function writeTransparent(element, tag, flags, depth, style) {
  const edge = { '': '', ' ': ' ', [BREAK]: '\n' }[edgeOf(tag, style)];
  if (edge) writing.out.push(edge);
  writeContents(element, tag, flags, depth);
  if (edge) writing.out.push(edge);
}

/** An element of ours with the contents of one of the page's. */
function writeTag(name, attributes, element, tag, flags, depth) {
  if (writing.nested >= HTML_MOST_NESTED) {
    writing.out.push('\n');
    writeContents(element, tag, flags, depth);
    writing.out.push('\n');
    return;
  }
  writing.out.push(`<${name}${attributes}>`);
  writing.nested++;
  writeContents(element, tag, flags, depth);
  writing.nested--;
  writing.out.push(`</${name}>`);
}
