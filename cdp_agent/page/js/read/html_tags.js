// What html.js writes for the elements and roles that mean something to a reader.

/** @typedef {(element: Element, tag: string, flags: number, depth: number, style?: CSSStyleDeclaration) => void} HtmlWriter */

/** @returns {HtmlWriter} writes one of our elements, with attributes that `attributes` finds */
const htmlAs = (name, attributes) => (element, tag, flags, depth) =>
  writeTag(name, attributes ? attributes(element, tag) : '', element, tag, flags, depth);

const headingLevel = (element) => Math.min(Math.max(parseInt(attr(element, 'aria-level') ?? '2', 10) || 2, 1), 6);
const countAttr = (element, name, short) => (/^\d{1,5}$/.test(attr(element, name) ?? '') ? ` ${short}="${attr(element, name)}"` : '');
const numberAttr = (element, name, short) => (/^-?\d{1,9}$/.test(attr(element, name) ?? '') ? ` ${short}="${attr(element, name)}"` : '');
const spans = (element) => countAttr(element, 'colspan', 'c') + countAttr(element, 'rowspan', 'r');

/** @type {HtmlWriter} */
function writeLink(element, tag, flags, depth, style) {
  const target = absoluteTarget(element, tag);
  const { words } = writing;
  // A link that is a block stands apart from what is around it.
  const edge = style.display === 'inline' || style.display === 'contents' ? '' : style.display.startsWith('inline') ? ' ' : '\n';
  writing.out.push(edge);
  if (target) writeTag('a', xmlAttr('h', target), element, tag, flags, depth);
  else writeContents(element, tag, flags, depth);
  if (writing.words === words) nameLast(element, target ? '</a>' : '');
  writing.out.push(edge);
}

/** Puts the name of an element that shows no text where its text would be. @param {string} end  the tag that closes it */
function nameLast(element, end) {
  const name = nameOf(element);
  if (!name) return;
  const { out } = writing;
  const inside = end && out[out.length - 1] === end;
  if (inside) out.pop();
  writeText(xmlLine(name));
  if (inside) out.push(end);
}

function absoluteTarget(element, tag) {
  const raw = attr(element, 'href') ?? attr(element, 'xlink:href');
  if (raw === null || /^\s*(javascript:|data:|#?$)/i.test(raw)) return '';
  const full = tag === 'A' ? linkHref(element) : tag === 'AREA' ? areaHref(element) : raw;
  return full.replace(/\s/g, '%20');
}

/** @type {HtmlWriter} */
function writeButton(element, tag, flags, depth) {
  const { words } = writing;
  writing.out.push(' ');
  writeContents(element, tag, flags, depth);
  if (writing.words === words) nameLast(element, '');
  writing.out.push(' ');
}

const imageSource = reader(HTMLImageElement, 'src');
const imageCurrentSource = reader(HTMLImageElement, 'currentSrc');
const LEAST_IMAGE = 48; // px: smaller ones without alternative text are decoration

/** @type {HtmlWriter} */
function writeImage(element, tag, flags) {
  if (flags & HTML_SILENT) return;
  let alt = replacementOf(element, tag, reading.selections)?.alternative ?? attr(element, 'alt');
  if (alt === null || !alt.trim()) {
    alt = attr(element, 'aria-label') ?? '';
    const box = getBoundingClientRect_.call(element);
    if (!alt && (attr(element, 'alt') !== null || roleOf(element, tag) === 'none' || box.width < LEAST_IMAGE || box.height < LEAST_IMAGE)) {
      writeText(' '); // it parts the words on its two sides
      return;
    }
  }
  const source = tag === 'IMG' ? imageCurrentSource(element) || imageSource(element) : '';
  writePicture(alt, /^(data|blob):/i.test(source) ? '' : source);
}

function writePicture(alt, source) {
  writing.out.push(`<img${xmlAttr('a', alt)}${xmlAttr('s', source)}/>`);
  if (hasText(alt)) writing.words++;
}

/** @type {HtmlWriter} role=img on anything: its name is what is to be seen */
function writeNamedPicture(element, tag, flags, depth) {
  if (tag === 'IMG') writeImage(element, tag, flags, depth);
  else if (tag === 'svg') writeDrawing(element, tag, flags, depth);
  else {
    const name = nameOf(element);
    if (name) writePicture(name, '');
    else writeContents(element, tag, flags, depth);
  }
}

/** @type {HtmlWriter} an SVG: its title, and what is written in it */
function writeDrawing(element) {
  const name = nameOf(element, 'img');
  if (hasText(name)) writePicture(name, '');
  else writeText(' ');
  writeDrawnText(element);
}

function writeDrawnText(element) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    const tag = tagName_.call(child);
    if (SKIPPED.has(tag) || visibilityOf(child) === NOT_RENDERED) continue;
    if (tag !== 'text' && tag !== 'foreignObject') writeDrawnText(child);
    else if (visibilityOf(child) === VISIBLE) {
      const words = tag === 'text' ? nameOf(child) : textContent(child);
      if (hasText(words)) writeText(` ${xmlLine(words)} `);
    }
  }
}

const LANGUAGE_CLASS = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?|sourceCode)[-\s]\s*([\w+#.-]+)/i;
const NOT_LANGUAGES = new Set(['default', 'notranslate', 'none', 'source', 'text', 'plaintext', 'wrapper', 'block', 'linenos', 'linenotable']);

/** @type {HtmlWriter} */
function writeCodeBlock(element, tag, flags, depth) {
  writeTag('pre', xmlAttr('l', languageOf(element)), element, tag, flags | HTML_PRE, depth);
}

/** The language that a block of code says it is in: on itself, the code in it, or the boxes closely around it. */
function languageOf(pre) {
  const places = [pre, closestChild(pre, 'CODE')];
  for (let box = parentNode(pre), i = 0; box && nodeType(box) === 1 && i < 2; box = parentNode(box), i++) places.push(box);
  for (const place of places) {
    if (!place) continue;
    const said = attr(place, 'data-lang') ?? attr(place, 'data-language') ?? LANGUAGE_CLASS.exec(attr(place, 'class') ?? '')?.[1];
    if (said && /^[\w+#.-]{1,20}$/.test(said) && !NOT_LANGUAGES.has(said.toLowerCase())) return said.toLowerCase();
  }
  return '';
}

/** @type {HtmlWriter} code within a line; within a block of code it is that block's */
function writeCode(element, tag, flags, depth, style) {
  if (flags & HTML_PRE) writeTransparent(element, tag, flags, depth, style);
  else writeTag('c', '', element, tag, flags, depth);
}

/** @type {(name: string) => HtmlWriter} a mark on text, which a block of code has not */
const htmlMark = (name) => (element, tag, flags, depth, style) => {
  if (flags & HTML_PRE || !['inline', 'inline-block', 'contents'].includes(style.display)) writeTransparent(element, tag, flags, depth, style);
  else writeTag(name, '', element, tag, flags, depth);
};

/** @type {HtmlWriter} */
function writeTable(element, tag, flags, depth) {
  const role = attr(element, 'role')?.trim().toLowerCase();
  let kind = '';
  if (role === 'presentation' || role === 'none') kind = 'layout';
  else if (role) kind = 'data';
  else if (attr(element, 'border') === '0' && attr(element, 'cellpadding') !== null && selectAll(element, 'th, caption').length === 0) kind = 'layout';
  writeTag('table', xmlAttr('k', kind), element, tag, flags, depth);
}

const inTableHead = (element) => (tagOf(flatParent(element) ?? element) === 'THEAD' ? ' h="1"' : '');

/** @type {(kind: string) => HtmlWriter} */
const htmlSection = (kind) => (element, tag, flags, depth) => {
  // The header and footer of an article are part of it.
  if ((tag === 'HEADER' || tag === 'FOOTER') && attr(element, 'role') === null && isScoped(element)) {
    writing.out.push('\n');
    writeContents(element, tag, flags, depth);
    writing.out.push('\n');
  } else writeTag('sec', ` k="${kind}"`, element, tag, flags, depth);
};

/** @type {HtmlWriter} */
function writeMath(element) {
  const text = mathText(element);
  if (text) writeText(xmlLine(text));
}

/** @type {HtmlWriter} */
function writeFrame(element, tag, flags, depth) {
  if (clientWidth_.call(element) < 2 || clientHeight_.call(element) < 2) return; // nothing can be seen in it
  const name = nameOf(element, 'iframe');
  const inner = frameDocument(element);
  if (!inner) {
    const id = idOf(element);
    reading.remote.push(id);
    writing.out.push(`<rf i="${id}"${xmlAttr('n', name)}/>`);
    return;
  }
  const root = documentElement_.call(inner);
  const place = xmlAttr('n', name) + xmlAttr('u', documentURL_.call(inner));
  if (!root || writing.nested >= HTML_MOST_NESTED) {
    writing.out.push(`<ef${place} e="${root ? 'it is nested too deep' : 'its document is empty'}"/>`);
    return;
  }
  writing.out.push(`<fr${place}>`);
  writing.nested++;
  writeIn(inner, () => writeElement(root, flags & HTML_PLAIN, depth + 1));
  writing.nested--;
  writing.out.push('</fr>');
}

/** @type {HtmlWriter} a video or sound, of which only the name can be told; a plug-in may show a document */
function writeMedia(element, tag, flags, depth) {
  if (isFrame(element, tag)) {
    writeFrame(element, tag, flags, depth);
    return;
  }
  const name = flatten(attr(element, 'aria-label') ?? attr(element, 'title') ?? '');
  if (name) writing.out.push(`<f t="${tag.toLowerCase()}"${xmlAttr('n', name)}/>`);
}

/** @type {HtmlWriter} */
function writeObject(element, tag, flags, depth, style) {
  if (showsFallback(element)) writeTransparent(element, tag, flags, depth, style);
  else writeMedia(element, tag, flags, depth, style);
}

/** @type {HtmlWriter} a canvas: its name, and what it holds for those who do not see it */
function writeCanvas(element, tag, flags, depth, style) {
  writeMedia(element, tag, flags, depth);
  writeTransparent(element, tag, flags, depth, style);
}

/** @type {Record<string, HtmlWriter>} */
const HTML_SPECIAL = {
  __proto__: null,
  A: writeLink, AREA: writeLink, a: writeLink, BUTTON: writeButton, IMG: writeImage, svg: writeDrawing, math: writeMath,
  B: htmlMark('b'), STRONG: htmlMark('b'), I: htmlMark('i'), EM: htmlMark('i'), DEL: htmlMark('s'), S: htmlMark('s'), STRIKE: htmlMark('s'),
  SUP: htmlMark('sup'), SUB: htmlMark('sub'), CODE: writeCode, KBD: writeCode, SAMP: writeCode, TT: writeCode, PRE: writeCodeBlock, LISTING: writeCodeBlock,
  BR: (element, tag, flags) => writing.out.push(flags & HTML_PRE ? '\n' : '<br/>'), HR: () => writing.out.push('<hr/>'),
  UL: htmlAs('ul'), MENU: htmlAs('ul'), OL: htmlAs('ol', (ol) => numberAttr(ol, 'start', 's') + (hasAttr(ol, 'reversed') ? ' r="1"' : '')),
  LI: htmlAs('li', (li) => numberAttr(li, 'value', 'v')), DL: htmlAs('dl'), DT: htmlAs('dt'), DD: htmlAs('dd'), BLOCKQUOTE: htmlAs('q'),
  TABLE: writeTable, CAPTION: htmlAs('cap'), TR: htmlAs('tr', inTableHead), TD: htmlAs('td', spans), TH: htmlAs('th', spans),
  SUMMARY: (element, tag, flags, depth) => {
    if (isSummaryOfDetails(element)) writeTag('sum', isOpen(parentNode(element)) ? ' o="1"' : '', element, tag, flags, depth);
    else writeContents(element, tag, flags, depth);
  },
  Q: (element, tag, flags, depth) => {
    writing.out.push('“');
    writeContents(element, tag, flags, depth);
    writing.out.push('”');
  },
  RT: (element, tag, flags, depth) => {
    writing.out.push('(');
    writeContents(element, tag, flags, depth);
    writing.out.push(')');
  },
  NAV: htmlSection('nav'), FOOTER: htmlSection('footer'), HEADER: htmlSection('header'), ASIDE: htmlSection('aside'), MAIN: htmlSection('main'),
  IFRAME: writeFrame, FRAME: writeFrame, INPUT: writeField, TEXTAREA: writeField, SELECT: writeSelect, PROGRESS: writeGauge, METER: writeGauge,
  VIDEO: writeMedia, AUDIO: writeMedia, CANVAS: writeCanvas, OBJECT: writeObject, EMBED: writeMedia,
};
for (const level of [1, 2, 3, 4, 5, 6]) {
  HTML_SPECIAL[`H${level}`] = (element, tag, flags, depth) => {
    const own = attr(element, 'role') === 'heading' && hasAttr(element, 'aria-level') ? headingLevel(element) : level;
    writeTag(`h${own}`, '', element, tag, flags, depth);
  };
}

/** @type {Record<string, HtmlWriter>} for what is no such element by its tag */
const HTML_ROLES = {
  __proto__: null,
  heading: (element, tag, flags, depth) => writeTag(`h${/^H[1-6]$/.test(tag) && !hasAttr(element, 'aria-level') ? tag[1] : headingLevel(element)}`, '', element, tag, flags, depth),
  list: htmlAs('ul'), listitem: htmlAs('li'), table: writeTable, grid: writeTable, treegrid: writeTable,
  row: htmlAs('tr', inTableHead), cell: htmlAs('td', spans), gridcell: htmlAs('td', spans), columnheader: htmlAs('th', spans), rowheader: htmlAs('th', spans),
  separator: (element, tag, flags, depth, style) => (hasText(textContent(element)) ? writeTransparent(element, tag, flags, depth, style) : writing.out.push('<hr/>')),
  img: writeNamedPicture, image: writeNamedPicture,
  navigation: htmlSection('nav'), contentinfo: htmlSection('footer'), banner: htmlSection('header'), complementary: htmlSection('aside'), main: htmlSection('main'),
  checkbox: writeBox, switch: writeBox, radio: writeBox, menuitemcheckbox: writeBox, menuitemradio: writeBox,
  slider: writeGauge, spinbutton: writeGauge, progressbar: writeGauge, meter: writeGauge,
};
for (const none of ['none', 'presentation']) {
  HTML_ROLES[none] = (element, tag, flags, depth, style) => {
    if (tag === 'TABLE') writeTable(element, tag, flags, depth);
    else if (['UL', 'OL', 'LI', 'IMG', 'HR', 'DL', 'DT', 'DD'].includes(tag)) writeTransparent(element, tag, flags, depth, style);
    else (HTML_SPECIAL[tag] ?? writeTransparent)(element, tag, flags, depth, style);
  };
}
