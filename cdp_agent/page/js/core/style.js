// What is rendered, and how. One call of checkVisibility decides for most elements; computed styles are read for the
// rest.

const VISIBLE = 2; // rendered and visible
// not painted itself (visibility: hidden, or display: contents without visible text), but its children may be
const SELF_INVISIBLE = 1;
const NOT_RENDERED = 0; // not rendered, nor is anything in it

const VISIBILITY_OPTIONS = { visibilityProperty: true };

/** @param {Element} element  one whose flat-tree parent is rendered @returns {0 | 1 | 2} */
function visibilityOf(element) {
  if (checkVisibility_.call(element, VISIBILITY_OPTIONS)) return isHiddenGroup(element) ? NOT_RENDERED : VISIBLE;
  const style = computedStyleOf(element);
  const display = style.display;
  if (display === 'none' || display === '') return NOT_RENDERED;
  if (display === 'contents') return style.visibility === 'visible' ? VISIBLE : SELF_INVISIBLE;
  // at opacity 0 its visible descendants are not seen either
  if (style.visibility !== 'visible') return style.opacity === '0' ? NOT_RENDERED : SELF_INVISIBLE;
  // It has a display value but no box: it is canvas fallback content, or inside closed <details> or content-visibility:
  // hidden.
  return isCanvasFallback(element) ? VISIBLE : NOT_RENDERED;
}

/** Whether an element is fallback content of a canvas, which screen readers read and the keyboard reaches. */
const isCanvasFallback = (element) => closest(element, 'canvas:not(:scope)') !== null;

/** Whether an attribute or a style makes an element inert. */
const isInert = (element) => computedStyleOf(element).interactivity === 'inert';

/** Whether an <object> shows its fallback content, since its own resource cannot be shown. */
function showsFallback(object) {
  const inside = documentOf(object).createRange();
  inside.selectNodeContents(object);
  return inside.getClientRects().length > 0;
}

/** Whether an SVG group is not displayed: checkVisibility returns true for it nevertheless. */
const isHiddenGroup = (element) => tagName_.call(element) === 'g' && computedStyleOf(element).display === 'none';

/** Whether an element, wherever it is, is hidden from everyone or from assistive technology. */
function isHidden(element) {
  if (closestFlat(element, '[aria-hidden="true" i]')) return true;
  if (checkVisibility_.call(element, VISIBILITY_OPTIONS)) return false;
  const style = computedStyleOf(element);
  if (
    style.visibility !== 'visible' ||
    (style.display !== 'contents' && (style.display === 'none' || !isCanvasFallback(element)))
  )
    return true;
  const parent = flatParent(element);
  return parent !== null && isHidden(parent);
}

const INLINE_TAGS = new Set(
  (
    'A ABBR B BDI BDO CITE CODE DATA DEL DFN EM FONT I INS KBD LABEL MARK OUTPUT Q S SAMP SMALL SPAN STRIKE STRONG ' +
    'SUB SUP ' +
    'TIME TT U VAR WBR NOBR BIG ACRONYM'
  ).split(' '),
);
const BLOCK_TAGS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BUTTON CAPTION CENTER DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION ' +
    'FIGURE FOOTER FORM H1 H2 ' +
    'H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU METER NAV OL OPTGROUP OPTION P PRE PROGRESS SEARCH ' +
    'SECTION ' +
    'SELECT SUMMARY TABLE TBODY TD TEXTAREA TFOOT TH THEAD TR UL INPUT'
  ).split(' '),
);

/**
 * How an element is separated from the text around it: "" not at all, " " as an inline box, BREAK as a block. An
 * element that is inline by its tag and positioned, as badges and visually hidden text are, belongs to the text beside
 * it in the source.
 * @param {CSSStyleDeclaration} style
 */
function edgeOf(tag, style) {
  const { display } = style;
  if (display === 'inline' || display === 'contents') return '';
  if (display.startsWith('inline') || display.startsWith('ruby')) return ' ';
  return INLINE_TAGS.has(tag) && (style.position === 'absolute' || style.position === 'fixed') ? ' ' : BREAK;
}

/** The same without reading the computed style of elements that are blocks by their tag: most elements are. */
const edgeAround = (element, tag) =>
  INLINE_TAGS.has(tag) || !BLOCK_TAGS.has(tag) ? edgeOf(tag, computedStyleOf(element)) : BREAK;

/** Whether the element is inline in the text around it by its computed style. */
function isInline(element) {
  return computedStyleOf(element).display === 'inline' && !isPositionedTspan(element);
}

/** Whether it is a <tspan> with a position of its own, such as the next line of an SVG text. */
const isPositionedTspan = (element) =>
  tagName_.call(element) === 'tspan' && (hasAttr(element, 'x') || hasAttr(element, 'y') || hasAttr(element, 'dy'));
