// How html.js writes the elements and roles that have a meaning of their own.

/**
 * @typedef {(element: Element, tag: string, flags: number, depth: number) => void} HtmlWriter
 */

/** @returns {HtmlWriter} writes an XML element with the attributes that `attributes` returns */
const writerOfTag = (name, attributes) => (element, tag, flags, depth) =>
  writeTag(name, attributes ? attributes(element, tag) : '', element, tag, flags, depth);

const headingLevel = (element) => Math.min(Math.max(parseInt(attr(element, 'aria-level') ?? '2', 10) || 2, 1), 6);
const attrLike = (element, name, short, pattern) => {
  const value = attr(element, name);
  return value !== null && pattern.test(value) ? ` ${short}="${value}"` : '';
};
const countAttr = (element, name, short) => attrLike(element, name, short, /^\d{1,5}$/);
const numberAttr = (element, name, short) => attrLike(element, name, short, /^-?\d{1,9}$/);
const cellAttributes = (element) =>
  countAttr(element, 'colspan', 'c') + countAttr(element, 'rowspan', 'r') + indexAttr(element, 'aria-colindex');
/** Where a grid that draws only a part of itself says to be. */
const indexAttr = (element, name) => (serialization.asData ? numberAttr(element, name, 'i') : '');

/** @type {HtmlWriter} */
function writeLink(element, tag, flags, depth) {
  const target = targetAttribute(element, tag);
  const { words } = serialization;
  // A link that is a block is separated from the text around.
  const { display } = computedStyleOf(element);
  const edge = display === 'inline' || display === 'contents' ? '' : display.startsWith('inline') ? ' ' : '\n';
  serialization.out.push(edge);
  if (target) writeTag('a', target, element, tag, flags, depth);
  else if (serialization.asData) writeTag('g', ' t="a"', element, tag, flags, depth);
  else writeContents(element, tag, flags, depth);
  if (serialization.words === words) writeNameAsText(element, target ? '</a>' : '');
  serialization.out.push(edge);
}

/**
 * Writes the name of an element that shows no text, inside its tag.
 * @param {string} end  its end tag, "" if it has none
 */
function writeNameAsText(element, end) {
  const name = nameOf(element);
  if (!name) return;
  const { out } = serialization;
  const inside = end && out[out.length - 1] === end;
  if (inside) out.pop();
  writeText(xmlLine(name));
  if (inside) out.push(end);
}

// Relative addresses of files, which Chrome would take longer to make absolute.
const BELOW_FOLDER = /^(?:[\w~-][\w.~-]*\/)*[\w~-][\w.~-]*(?:#[\w.~:/-]*)?$/;
const FOLDER = /^https?:\/\/[^?#]*\//;
/** @param {Document | ShadowRoot} root  @returns {string} the folder that its relative addresses are below, or "" */
const folderOf = (root) => FOLDER.exec(baseURI_.call(root))?.[0] ?? '';

/** @returns {string} the attribute for the target of a link, "" if it leads nowhere */
function targetAttribute(element, tag) {
  const raw = attr(element, 'href') ?? attr(element, 'xlink:href');
  if (raw === null || /^\s*(javascript:|data:|#?$)/i.test(raw)) return '';
  if (tag === 'A' && reading.folder && BELOW_FOLDER.test(raw))
    return reading.folder === serialization.folder ? ` r="${raw}"` : xmlAttr('h', reading.folder + raw);
  const full = tag === 'A' ? linkHref(element) : tag === 'AREA' ? areaHref(element) : raw;
  return xmlAttr('h', full.replace(/\s/g, '%20'));
}

/** @type {HtmlWriter} */
function writeButton(element, tag, flags, depth) {
  const { words } = serialization;
  serialization.out.push(' ');
  writeGroup(element, tag, flags, depth, false);
  if (serialization.words === words) writeNameAsText(element, '');
  serialization.out.push(' ');
}

const LANGUAGE_CLASS = /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:?|sourceCode)[-\s]\s*([\w+#.-]+)/i;
const NOT_LANGUAGES = new Set([
  'default',
  'notranslate',
  'none',
  'source',
  'text',
  'plaintext',
  'wrapper',
  'block',
  'linenos',
  'linenotable',
]);

/** @type {HtmlWriter} */
function writeCodeBlock(element, tag, flags, depth) {
  writeTag('pre', xmlAttr('l', languageOf(element)), element, tag, flags | HTML_PRE, depth);
}

/**
 * The language of a block of code, by an attribute or class of the element, the <code> in it, or the two nearest
 * ancestors.
 */
function languageOf(pre) {
  const places = [pre, closestChild(pre, 'CODE')];
  for (let box = parentNode(pre), i = 0; box && nodeType(box) === 1 && i < 2; box = parentNode(box), i++)
    places.push(box);
  for (const place of places) {
    if (!place) continue;
    const language =
      attr(place, 'data-lang') ?? attr(place, 'data-language') ?? LANGUAGE_CLASS.exec(attr(place, 'class') ?? '')?.[1];
    if (language && /^[\w+#.-]{1,20}$/.test(language) && !NOT_LANGUAGES.has(language.toLowerCase()))
      return language.toLowerCase();
  }
  return '';
}

/** @type {HtmlWriter} inline code; inside a block of code it is part of the block */
function writeCode(element, tag, flags, depth) {
  if (flags & HTML_PRE) writeTransparent(element, tag, flags, depth);
  else writeTag('c', '', element, tag, flags, depth);
}

/**
 * @type {(name: string) => HtmlWriter} text formatting; left out inside a block of code and for elements that are not
 *   inline
 */
const writerOfInlineTag = (name) => (element, tag, flags, depth) => {
  if (flags & HTML_PRE || !['inline', 'inline-block', 'contents'].includes(computedStyleOf(element).display))
    writeTransparent(element, tag, flags, depth);
  else writeTag(name, '', element, tag, flags, depth);
};

/**
 * @type {(name: string, tells: (value: string, text: string) => boolean) => HtmlWriter} text, with an attribute in
 *   parentheses after it where that tells something
 */
const writerWithMore = (name, tells) => (element, tag, flags, depth) => {
  writeTransparent(element, tag, flags, depth);
  const value = collapse(attr(element, name) ?? '');
  if (serialization.asData || flags & (HTML_PRE | HTML_TEXT_ONLY) || !value) return;
  if (tells(value, collapse(textContent(element)))) writeText(xmlLine(` (${value})`));
};

/** Whether a year, day or time of a datetime is not in the text. */
function saysMoreThan(datetime, text) {
  const date = /^(\d{4})-\d\d(?:-(\d\d))?/.exec(datetime);
  const numbers = date ? date.slice(1).filter(Boolean) : (datetime.match(/\d+/g) ?? []);
  const told = new Set((text.match(/\d+/g) ?? []).map(Number));
  return text !== '' && numbers.some((each) => !told.has(Number(each)));
}

function isNewAbbreviation(meaning, text) {
  const { abbreviations } = serialization;
  if (abbreviations.has(text + meaning) || text.toLowerCase() === meaning.toLowerCase()) return false;
  abbreviations.add(text + meaning);
  return true;
}

/** @type {HtmlWriter} */
function writeTable(element, tag, flags, depth) {
  const role = attr(element, 'role')?.trim().toLowerCase();
  let kind = '';
  if (role === 'presentation' || role === 'none') kind = 'layout';
  else if (role) kind = 'data';
  else if (
    attr(element, 'border') === '0' &&
    attr(element, 'cellpadding') !== null &&
    selectAll(element, 'th, caption').length === 0
  )
    kind = 'layout';
  const ofGrid = serialization.asData ? ` i="${idOf(element)}"${numberAttr(element, 'aria-rowcount', 't')}` : '';
  writeTag('table', xmlAttr('k', kind) + ofGrid, element, tag, flags, depth);
}

function rowAttributes(element) {
  const around = tagOf(flatParent(element) ?? element);
  const place = around === 'THEAD' ? ' h="1"' : around === 'TFOOT' && serialization.asData ? ' f="1"' : '';
  return place + indexAttr(element, 'aria-rowindex');
}

/** @type {(kind: string) => HtmlWriter} */
const writerOfSection = (kind) => (element, tag, flags, depth) => {
  // The header and footer of an article or a section are part of it.
  if ((tag === 'HEADER' || tag === 'FOOTER') && attr(element, 'role') === null && isInSectioningOrMain(element))
    writeTransparent(element, tag, flags, depth);
  else writeTag('sec', ` k="${kind}"`, element, tag, flags, depth);
};

/** @type {HtmlWriter} */
function writeMath(element) {
  const text = mathText(element);
  if (text) writeText(xmlLine(text));
}

/** @type {HtmlWriter} */
function writeFrame(element, tag, flags, depth) {
  if (serialization.isBeside && element !== serialization.here) return;
  if (clientWidth_.call(element) < 2 || clientHeight_.call(element) < 2) return; // nothing in it is visible
  const name = nameOf(element, 'iframe');
  const inner = frameDocument(element);
  if (!inner) {
    const id = idOf(element);
    reading.remote.push(id);
    serialization.out.push(`<rf i="${id}"${xmlAttr('n', name)}${hereAttribute(element)}/>`);
    return;
  }
  const root = documentElement_.call(inner);
  const place = xmlAttr('n', name) + xmlAttr('u', documentURL_.call(inner)) + hereAttribute(element);
  if (!root || serialization.nested >= HTML_MOST_NESTED) {
    serialization.out.push(`<ef${place} e="${root ? 'it is nested too deep' : 'its document is empty'}"/>`);
    return;
  }
  serialization.out.push(`<fr${place}>`);
  serialization.nested++;
  writeInRoot(inner, () => writeElement(root, flags & HTML_TEXT_ONLY, depth + 1));
  serialization.nested--;
  serialization.out.push('</fr>');
}

/** @type {Record<string, HtmlWriter>} */
const HTML_WRITERS_BY_TAG = {
  __proto__: null,
  A: writeLink,
  AREA: writeLink,
  a: writeLink,
  BUTTON: writeButton,
  IMG: writeImage,
  svg: writeSvg,
  math: writeMath,
  B: writerOfInlineTag('b'),
  STRONG: writerOfInlineTag('b'),
  I: writerOfInlineTag('i'),
  EM: writerOfInlineTag('i'),
  DEL: writerOfInlineTag('s'),
  S: writerOfInlineTag('s'),
  STRIKE: writerOfInlineTag('s'),
  SUP: writerOfInlineTag('sup'),
  SUB: writerOfInlineTag('sub'),
  CODE: writeCode,
  KBD: writeCode,
  SAMP: writeCode,
  TT: writeCode,
  PRE: writeCodeBlock,
  LISTING: writeCodeBlock,
  BR: (element, tag, flags) => serialization.out.push(flags & HTML_PRE ? '\n' : '<br/>'),
  HR: () => serialization.out.push('<hr/>'),
  UL: writerOfTag('ul'),
  MENU: writerOfTag('ul'),
  OL: writerOfTag('ol', (ol) => numberAttr(ol, 'start', 's') + (hasAttr(ol, 'reversed') ? ' r="1"' : '')),
  LI: writerOfTag('li', (li) => numberAttr(li, 'value', 'v')),
  DL: writerOfTag('dl'),
  DT: writerOfTag('dt'),
  DD: writerOfTag('dd'),
  BLOCKQUOTE: writerOfTag('q'),
  TABLE: writeTable,
  CAPTION: writerOfTag('cap'),
  TR: writerOfTag('tr', rowAttributes),
  TD: writerOfTag('td', cellAttributes),
  TH: writerOfTag('th', cellAttributes),
  SUMMARY: (element, tag, flags, depth) => {
    const state = () => (isOpen(parentNode(element)) ? ' o="1"' : ` i="${idOf(element)}"`);
    if (isSummaryOfDetails(element)) writeTag('sum', state(), element, tag, flags, depth);
    else writeContents(element, tag, flags, depth);
  },
  TIME: writerWithMore('datetime', saysMoreThan),
  ABBR: writerWithMore('title', isNewAbbreviation),
  ACRONYM: writerWithMore('title', isNewAbbreviation),
  RT: (element, tag, flags, depth) => {
    serialization.out.push('(');
    writeContents(element, tag, flags, depth);
    serialization.out.push(')');
  },
  NAV: writerOfSection('nav'),
  FOOTER: writerOfSection('footer'),
  HEADER: writerOfSection('header'),
  ASIDE: writerOfSection('aside'),
  MAIN: writerOfSection('main'),
  IFRAME: writeFrame,
  FRAME: writeFrame,
  INPUT: writeField,
  TEXTAREA: writeField,
  SELECT: writeSelect,
  PROGRESS: writeRange,
  METER: writeRange,
  VIDEO: writeMedia,
  AUDIO: writeMedia,
  CANVAS: writeCanvas,
  OBJECT: writeObject,
  EMBED: writeMedia,
};
for (const level of [1, 2, 3, 4, 5, 6]) {
  HTML_WRITERS_BY_TAG[`H${level}`] = (element, tag, flags, depth) => {
    const own = attr(element, 'role') === 'heading' && hasAttr(element, 'aria-level') ? headingLevel(element) : level;
    writeTag(`h${own}`, '', element, tag, flags, depth);
  };
}

/** @type {Record<string, HtmlWriter>} for elements that have such a role by their role attribute */
const HTML_WRITERS_BY_ROLE = {
  __proto__: null,
  heading: (element, tag, flags, depth) =>
    writeTag(
      `h${/^H[1-6]$/.test(tag) && !hasAttr(element, 'aria-level') ? tag[1] : headingLevel(element)}`,
      '',
      element,
      tag,
      flags,
      depth,
    ),
  list: writerOfTag('ul'),
  listitem: writerOfTag('li'),
  table: writeTable,
  grid: writeTable,
  treegrid: writeTable,
  row: writerOfTag('tr', rowAttributes),
  cell: writerOfTag('td', cellAttributes),
  gridcell: writerOfTag('td', cellAttributes),
  columnheader: writerOfTag('th', cellAttributes),
  rowheader: writerOfTag('th', cellAttributes),
  separator: (element, tag, flags, depth) =>
    hasText(textContent(element)) ? writeTransparent(element, tag, flags, depth) : serialization.out.push('<hr/>'),
  img: writeRoleImage,
  image: writeRoleImage,
  navigation: writerOfSection('nav'),
  contentinfo: writerOfSection('footer'),
  banner: writerOfSection('header'),
  complementary: writerOfSection('aside'),
  main: writerOfSection('main'),
  checkbox: writeCheckable,
  switch: writeCheckable,
  radio: writeCheckable,
  menuitemcheckbox: writeCheckable,
  menuitemradio: writeCheckable,
  slider: writeRange,
  spinbutton: writeRange,
  progressbar: writeRange,
  meter: writeRange,
};
for (const none of ['none', 'presentation']) {
  HTML_WRITERS_BY_ROLE[none] = (element, tag, flags, depth) => {
    if (tag === 'TABLE') writeTable(element, tag, flags, depth);
    else if (['UL', 'OL', 'LI', 'IMG', 'HR', 'DL', 'DT', 'DD'].includes(tag))
      writeTransparent(element, tag, flags, depth);
    else (HTML_WRITERS_BY_TAG[tag] ?? writeTransparent)(element, tag, flags, depth);
  };
}
