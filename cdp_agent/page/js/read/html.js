// The visible content of a page as a small XML document, from which page/markdown/markdown.py makes Markdown. It is the
// flat tree without elements that mean nothing to a reader, in well-formed XML with few kinds of elements, so that it
// is short and unambiguous.
//
// "\n" in a text is the edge of a block (white space of the page becomes a space). Elements and attributes:
//   h1…h6 · a h=target r=target below the folder `b` of <doc> · img a=alt s=source
//   ul · ol s=start r=reversed · li v=value · dl dt dd · q (block) · pre l=language · c (code)
//   b i s sup sub · br · hr · table k=data|layout · cap · tr h=1 (in a head) · td/th c=columns r=rows
//   sum o=open, else i=id (summary) · cl i=id (the element in which this stands opens a part that is not shown)
//   f t=kind n=name v=value p=placeholder s=source (a field; a video and the like)
//   x t=kind s=1|0|- n=name (a checkbox or radio button) · opt s=1|0 (an option of a list)
//   sec k=nav|footer|header|aside|main
//   fr n=name u=URL (a frame) · rf i=id n=name (a frame read in another session) · ef n=name u=URL e=error
// With boxes, for page/markdown/main_content.py: g t=tag|article|articleBody (a block without a kind of its own); these
// and sec, lists and tables have w=class, id and role.
// As data, for page/data, every element that may be a field is there, as g t=tag if it has no kind of its own, with
// class, itemprop, datetime, title and data-… as they are, with what ways_on.js adds, and besides:
//   table i=id t=aria-rowcount · tr i=aria-rowindex f=1 (in a foot) · td/th i=aria-colindex · here=1 (asked for)

/**
 * @typedef {object} HtmlSerialization  the state while a page is written @property {string[]} out @property {number}
 *   words  number of texts written so far
 */

// Flags that apply to an element and everything inside it.
const HTML_TEXT_HIDDEN = 1; // text is not visible
const HTML_PRE = 2; // white space is kept
const HTML_TEXT_ONLY = 4; // text without structure, since the nesting is too deep

// Depth of the XML, which Python reads by recursion: of elements with a meaning, and of others, which data has besides.
const HTML_MOST_NESTED = 100;
const HTML_MOST_GROUPS = 150;

let serialization = newSerialization();

function newSerialization() {
  return {
    out: [],
    words: 0,
    nested: 0,
    groups: 0,
    queue: [],
    whiteSpace: new Map(),
    abbreviations: new Set(),
    folder: '',
    asData: false,
    boxes: false,
    here: null,
    isBeside: false,
  };
}

/**
 * The page as XML.
 * @param {{next: [number, number], frame: string, asData?: boolean, boxes?: boolean,
 *   here?: {frame: string, id: number} | null}} options  here: the element that is marked, in whose document frames
 *   beside it are left out
 * @returns {{html: string, url: string, inner: boolean, title: string, first: number, end: number, remote: number[],
 *   internals: number[], roots: number, gone: number[], editors: number[]}}
 */
function readable({ next, frame, asData = false, boxes = false, here = null }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  serialization = newSerialization();
  const marked = here?.frame === frame ? elementOf(here.id) : null;
  const inDocument = marked ? documentOf(marked) : document;
  serialization.folder = folderOf(inDocument);
  serialization.asData = asData;
  serialization.boxes = boxes;
  serialization.here = marked;
  serialization.isBeside = marked !== null;
  const root = documentElement_.call(inDocument);
  if (root) writeInRoot(inDocument, () => writeElement(root, 0, 0));
  const { out } = serialization;
  for (let i = 0; i < serialization.queue.length; i++) {
    const [element, place, flags, at] = serialization.queue[i];
    reading = at;
    serialization.out = [];
    writeElement(element, flags | HTML_TEXT_ONLY, 0);
    out[place] = serialization.out.join('');
  }
  const { remote } = reading;
  const editors = knownCodeEditors();
  const text = `<doc${xmlAttr('b', serialization.folder)}>${out.join('')}</doc>`;
  forget();
  serialization = newSerialization();
  return {
    html: text.toWellFormed(),
    url: documentURL_.call(inDocument),
    inner: inDocument !== document,
    title: documentTitle(),
    first,
    end: nextId,
    remote,
    internals: [],
    ...currentRoots(),
    editors,
  };
}

// Attributes that matter here for any element.
const WITH_MEANING = ':is([role],[style],[hidden],[aria-hidden])';

const CLOSED_CONTROLS = '[aria-controls]:is([aria-expanded="false"],[aria-selected="false"])';

/** Whether an element controls a part of the page that is not shown. */
const hidesPanel = (element) =>
  byIds(element, 'aria-controls').some((panel) => visibilityOf(panel) === NOT_RENDERED && hasText(textContent(panel)));

/** Writes the content of a document or shadow root, to which style sheets of its own apply. */
function writeInRoot(root, write) {
  const outer = reading;
  reading = {
    ...outer,
    ...textFacts(root),
    notable: new Set(selectAll(root, WITH_MEANING)),
    moved: movedIn(root),
    folder: folderOf(root),
    closed: new Set(serialization.asData ? [] : [...selectAll(root, CLOSED_CONTROLS)].filter(hidesPanel)),
  };
  write();
  reading = outer;
}

const XML_UNFIT =
  /[<>&"\x00-\x08\x0b-\x1f\x7f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ue000-\uf8ff]/;
const XML_UNFIT_ALL = new RegExp(XML_UNFIT, 'g');
const XML_ENTITIES = {
  __proto__: null,
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\u2028': ' ',
  '\u2029': ' ',
};
const xmlSafe = (text) => (XML_UNFIT.test(text) ? text.replace(XML_UNFIT_ALL, (c) => XML_ENTITIES[c] ?? '') : text);
const UNEVEN_SPACES = /[\t\n\r\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]| {2}/;
const xmlLine = (text) => xmlSafe(UNEVEN_SPACES.test(text) ? text.replace(SPACES, ' ') : text);
const xmlAttr = (name, value) => (value ? ` ${name}="${xmlLine(value.trim())}"` : '');

function writeText(text) {
  spendText(text);
  serialization.out.push(text);
  if (hasText(text)) serialization.words++;
}

const BROKEN_LINE = /\S\s*\n\s*\S/;
const whiteSpaceOf = (element) => {
  let kind = serialization.whiteSpace.get(element);
  if (kind === undefined) serialization.whiteSpace.set(element, (kind = computedStyleOf(element).whiteSpaceCollapse));
  return kind;
};

/** Writes a text node. @param {Element | null} parent  its white-space property decides whether line breaks are kept */
function writeTextNode(node, parent, flags) {
  if (flags & HTML_TEXT_HIDDEN) return;
  const text = dataOf(node);
  if (flags & HTML_PRE) writeText(xmlSafe(text));
  else if (parent && BROKEN_LINE.test(text) && LINES_KEPT.test(whiteSpaceOf(parent))) {
    writeText(text.split('\n').map(xmlLine).join('<br/>'));
  } else writeText(xmlLine(text));
}

function writeContents(element, tag, flags, depth) {
  const selected = reading.selections;
  const replacement = replacementOf(element, tag, selected);
  if (replacement) {
    if (replacement.alternative && !(flags & HTML_TEXT_HIDDEN)) writeText(xmlLine(replacement.alternative));
    return;
  }
  if (!(flags & HTML_TEXT_HIDDEN)) writeGenerated(element, tag, 'before', selected);
  const isClosed = reading.closed.has(element) && !(flags & (HTML_TEXT_HIDDEN | HTML_TEXT_ONLY | HTML_PRE));
  if (isClosed) writeText('▸ ');
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  const seen = nodesAsSeen(element);
  if (shadow && seen) writeInRoot(shadow, () => writeEach(seen, flags, depth));
  else if (shadow) writeInRoot(shadow, () => writeNodes(firstChild(shadow), null, flags, depth));
  else if (tag === 'SLOT' && assignedNodes_.call(element).length) writeAssigned(element, seen, flags, depth);
  else if (tag === 'DETAILS' && !isOpen(element)) {
    const summary = closestChild(element, 'SUMMARY');
    if (summary) writeElement(summary, flags, depth + 1);
  } else if (seen) writeEach(seen, flags, depth);
  else writeNodes(firstChild(element), element, flags, depth);
  if (!(flags & HTML_TEXT_HIDDEN)) writeGenerated(element, tag, 'after', selected);
  if (isClosed) serialization.out.push(`<cl i="${idOf(element)}"/>`);
}

function writeGenerated(element, tag, which, selected) {
  if (tag !== 'Q' && !mayApply(selected[which], element)) return;
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

function writeAssigned(slot, seen, flags, depth) {
  const assigned = assignedNodes_.call(slot);
  writeInRoot(rootOf(assigned[0]), () => writeEach(seen ?? assigned, flags, depth));
}

/** @param {Node[]} nodes */
function writeEach(nodes, flags, depth) {
  for (const node of nodes) {
    if (nodeType(node) === 1) writeElement(node, flags, depth + 1);
    else if (nodeType(node) === 3) writeTextNode(node, parentNode(node), flags);
  }
}

function writeElement(element, flags, depth) {
  spendTime();
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return;
  if (depth > DEEPEST) {
    serialization.queue.push([element, serialization.out.push('') - 1, flags, reading]);
    return;
  }
  const visibility = tag === 'AREA' ? VISIBLE : visibilityOf(element);
  const isNotable = reading.notable.has(element);
  if (visibility === NOT_RENDERED || (isNotable && isTextRedundant(element))) return;
  if (visibility === SELF_INVISIBLE) {
    writeTransparent(element, tag, flags | HTML_TEXT_HIDDEN, depth);
    return;
  }
  const code = reading.hasCode ? codeKind(element) : undefined;
  if (code) {
    writePreformatted(codeOf(element, code).text);
    for (const each of aroundCode(element, code)) writeElement(each, flags, depth + 1);
    return;
  }
  const { decorated, unpainted } = reading.selections;
  if ((isNotable || mayApply(unpainted, element)) && computedStyleOf(element).contentVisibility === 'hidden') return;
  flags &= ~HTML_TEXT_HIDDEN;
  const mark = decorationOf(element, tag, decorated, isNotable);
  if (mark === ICON_FONT_START && tag !== 'BUTTON' && tag !== 'A') return;
  const role = isNotable ? attr(element, 'role') : null;
  const write = (role && HTML_WRITERS_BY_ROLE[role.trim().toLowerCase()]) || HTML_WRITERS_BY_TAG[tag];
  if (write && !(flags & HTML_TEXT_ONLY)) write(element, tag, flags, depth);
  else if (mark && mark !== ICON_FONT_START && !(flags & (HTML_TEXT_ONLY | HTML_PRE)))
    writeDecorated(element, tag, mark, flags, depth);
  else writeTransparent(element, tag, flags, depth);
}

const HTML_MARKS = { __proto__: null, [SUPERSCRIPT_START]: 'sup', [SUBSCRIPT_START]: 'sub', [STRUCK_START]: 's' };

/**
 * Writes text that style sheets raise, lower or strike out like that of <sup>, <sub> and <s>; the edges of a block
 * stand outside of that tag.
 */
function writeDecorated(element, tag, mark, flags, depth) {
  const edge = computedStyleOf(element).display === 'inline' ? '' : '\n';
  serialization.out.push(edge);
  writeTag(HTML_MARKS[mark], '', element, tag, flags, depth);
  serialization.out.push(edge);
}

/** Writes text with its line breaks and spaces. */
function writePreformatted(text) {
  if (!hasText(text)) return;
  serialization.out.push('<pre>');
  writeText(xmlSafe(text));
  serialization.out.push('</pre>');
}

/** Writes only the contents of an element; the contents of a block are separated from the text around. */
function writeTransparent(element, tag, flags, depth) {
  const around = edgeOf(tag, computedStyleOf(element));
  const edge = around === BREAK ? '\n' : around;
  if (edge) serialization.out.push(edge);
  writeGroup(element, tag, flags, depth, edge === '\n');
  if (edge) serialization.out.push(edge);
}

/**
 * Writes the contents of an element, in an element that has no meaning of its own: as data, or a box of the page.
 * @param {boolean} isBlock  whether its contents are separated from the text around
 */
function writeGroup(element, tag, flags, depth, isBlock) {
  const { asData, boxes, groups } = serialization;
  const isBox = boxes && isBlock && !(flags & HTML_PRE);
  if (!(asData || isBox) || flags & HTML_TEXT_ONLY || groups >= HTML_MOST_GROUPS) {
    writeContents(element, tag, flags, depth);
    return;
  }
  serialization.groups++;
  serialization.nested--;
  writeTag('g', ` t="${isBox ? kindOfBox(element, tag) : tag.toLowerCase()}"`, element, tag, flags, depth);
  serialization.nested++;
  serialization.groups--;
}

const DATA_ATTRIBUTE = /^(?:class|itemprop|datetime|title|data-[a-z][\w.-]*)$/;
const LONGEST_DATA_ATTRIBUTE = 500;

/** What tells fields of records apart, and is data itself. */
const dataAttributes = (element) =>
  attributeNames_
    .call(element)
    .filter((name) => DATA_ATTRIBUTE.test(name))
    .map((name) => xmlAttr(name, cut(attr(element, name), LONGEST_DATA_ATTRIBUTE)))
    .join('');

const hereAttribute = (element) => (element === serialization.here ? ' here="1"' : '');

/** A tag, or what the page declares the element to be. */
function kindOfBox(element, tag) {
  if (tag === 'ARTICLE' || attr(element, 'role') === 'article') return 'article';
  return /\barticleBody\b/.test(attr(element, 'itemprop') ?? '') ? 'articleBody' : tag.toLowerCase();
}

const NAMED_BOXES = new Set(['g', 'sec', 'ul', 'ol', 'dl', 'table']);
const LONGEST_BOX_NAME = 160;

/**
 * What tells the main content from what is around it: what the page calls its boxes. The id of a section is its title,
 * "navigation" in a manual of such.
 */
function attributesOfBox(element, tag) {
  const name = attr(element, 'class') ?? '';
  const isSection = tag === 'SECTION' || /(?:^|\s)section(?:\s|$)/.test(name);
  const names = [name, isSection ? '' : attr(element, 'id'), attr(element, 'role')].filter(Boolean);
  return xmlAttr('w', cut(names.join(' '), LONGEST_BOX_NAME));
}

/** Writes an XML element with the contents of an element of the page. */
function writeTag(name, attributes, element, tag, flags, depth) {
  if (serialization.nested >= HTML_MOST_NESTED) {
    serialization.out.push('\n');
    writeContents(element, tag, flags, depth);
    serialization.out.push('\n');
    return;
  }
  let more = hereAttribute(element);
  if (serialization.asData) more += dataAttributes(element) + wayAttributes(element, tag);
  else if (serialization.boxes && NAMED_BOXES.has(name)) more += attributesOfBox(element, tag);
  serialization.out.push(`<${name}${attributes}${more}>`);
  serialization.nested++;
  if (element === serialization.here) serialization.isBeside = false;
  writeContents(element, tag, flags, depth);
  if (element === serialization.here) serialization.isBeside = true;
  serialization.nested--;
  serialization.out.push(`</${name}>`);
}
