// All known roles, and the implicit roles of HTML and SVG elements.
// https://www.w3.org/TR/wai-aria-1.3/#role_definitions  https://www.w3.org/TR/html-aam-1.0/#html-element-role-mappings

const roleSet = (text) => new Set(text.split(' '));

const ROLES = new Set(
  (
    'alert alertdialog application article banner blockquote button caption cell checkbox code columnheader ' +
    'combobox comment ' +
    'complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid ' +
    'gridcell ' +
    'group heading image img insertion link list listbox listitem log main mark marquee math menu menubar menuitem ' +
    'menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio ' +
    'radiogroup ' +
    'region row rowgroup rowheader scrollbar search searchbox sectionfooter sectionheader separator slider ' +
    'spinbutton status ' +
    'strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar ' +
    'tooltip tree ' +
    'treegrid treeitem graphics-document graphics-object graphics-symbol ' +
    DPUB_ROLES()
  ).split(' '),
);

/** https://www.w3.org/TR/dpub-aria-1.1/ */
function DPUB_ROLES() {
  const names =
    'abstract acknowledgments afterword appendix backlink biblioentry bibliography biblioref chapter colophon ' +
    'conclusion cover ' +
    'credit credits dedication endnote endnotes epigraph epilogue errata example footnote foreword glossary ' +
    'glossref index ' +
    'introduction noteref notice pagebreak pagefooter pageheader pagelist part preface prologue pullquote qna ' +
    'subtitle tip toc';
  return names
    .split(' ')
    .map((name) => `doc-${name}`)
    .join(' ');
}

/** @type {Record<string, string | ((element: Element) => string)>} "" for generic */
const IMPLICIT_ROLES = {
  __proto__: null,
  A: (element) => (hasAttr(element, 'href') ? 'link' : ''),
  a: (element) => (hasAttr(element, 'href') || hasAttr(element, 'xlink:href') ? 'link' : ''),
  ADDRESS: 'group',
  AREA: (element) => (hasAttr(element, 'href') ? 'link' : ''),
  ARTICLE: 'article',
  ASIDE: roleOfAside,
  BLOCKQUOTE: 'blockquote',
  BUTTON: 'button',
  CAPTION: 'caption',
  CODE: 'code',
  DATALIST: 'listbox',
  DD: 'definition',
  DEL: 'deletion',
  DETAILS: 'group',
  DFN: 'term',
  DIALOG: 'dialog',
  DT: 'term',
  EM: 'emphasis',
  FIELDSET: 'group',
  FIGURE: 'figure',
  FOOTER: (element) => (isInSectioningOrMain(element) ? '' : 'contentinfo'),
  FORM: (element) => (hasAriaName(element) ? 'form' : ''),
  FRAME: 'iframe',
  IFRAME: 'iframe',
  H1: 'heading',
  H2: 'heading',
  H3: 'heading',
  H4: 'heading',
  H5: 'heading',
  H6: 'heading',
  HEADER: (element) => (isInSectioningOrMain(element) ? '' : 'banner'),
  HGROUP: 'group',
  HR: 'separator',
  HTML: 'document',
  IMG: roleOfImage,
  INPUT: roleOfInput,
  INS: 'insertion',
  LABEL: roleOfLabel,
  LI: roleOfItem,
  MAIN: 'main',
  MARK: 'mark',
  MATH: 'math',
  math: 'math',
  MENU: 'list',
  METER: 'meter',
  NAV: 'navigation',
  OL: 'list',
  OPTGROUP: 'group',
  OPTION: 'option',
  OUTPUT: 'status',
  P: 'paragraph',
  PROGRESS: 'progressbar',
  S: 'deletion',
  SEARCH: 'search',
  SECTION: (element) => (hasAnyName(element) ? 'region' : ''),
  SELECT: (element) => (isListSelect(element) ? 'listbox' : 'combobox'),
  STRONG: 'strong',
  SUB: 'subscript',
  SUP: 'superscript',
  svg: 'img',
  image: 'img',
  g: roleOfGroup,
  TABLE: 'table',
  TBODY: 'rowgroup',
  TD: roleOfCell,
  TEXTAREA: 'textbox',
  TFOOT: 'rowgroup',
  TH: roleOfHeaderCell,
  THEAD: 'rowgroup',
  TIME: 'time',
  TR: 'row',
  UL: 'list',
  circle: roleOfShape,
  ellipse: roleOfShape,
  line: roleOfShape,
  path: roleOfShape,
  polygon: roleOfShape,
  polyline: roleOfShape,
  rect: roleOfShape,
  use: roleOfShape,
};

// Elements to which role=none (or presentation) of their parent also applies.
const PRESENTATIONAL_PARENTS = {
  __proto__: null,
  DD: ['DL', 'DIV'],
  DT: ['DL', 'DIV'],
  DIV: ['DL'],
  LI: ['OL', 'UL', 'MENU'],
  TBODY: ['TABLE'],
  THEAD: ['TABLE'],
  TFOOT: ['TABLE'],
  TR: ['TBODY', 'THEAD', 'TFOOT', 'TABLE'],
  TD: ['TR'],
  TH: ['TR'],
  CAPTION: ['TABLE'],
};

const INPUT_ROLES = {
  __proto__: null,
  button: 'button',
  checkbox: 'checkbox',
  file: 'button',
  hidden: '',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  submit: 'button',
};

const NAMED_BY_CONTENT = new Set(
  (
    'button cell checkbox columnheader comment gridcell heading link menuitem menuitemcheckbox menuitemradio option ' +
    'radio row rowheader switch ' +
    'tab tooltip treeitem doc-subtitle'
  ).split(' '),
);

// Interactive roles: an element with one of them gets a ref.
const INTERACTIVE = new Set(
  (
    'button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar ' +
    'searchbox slider spinbutton ' +
    'switch tab textbox treeitem'
  ).split(' '),
);
