// What is rendered, and how. One call of checkVisibility settles most elements; computed styles are read for the rest.

const VISIBLE = 2; // rendered and seen
const UNSEEN_SELF = 1; // not painted itself (visibility, display: contents with nothing of its own): children may be
const GONE = 0; // not rendered, with all that is in it

const SEEN_OPTIONS = { visibilityProperty: true };

/** @param {Element} element  whose flat-tree parent is rendered @returns {0 | 1 | 2} */
function visibilityOf(element) {
  if (checkVisibility_.call(element, SEEN_OPTIONS)) return isHiddenGroup(element) ? GONE : VISIBLE;
  const style = computedStyleOf(element);
  const display = style.display;
  if (display === 'none' || display === '') return GONE;
  if (display === 'contents') return style.visibility === 'visible' ? VISIBLE : UNSEEN_SELF;
  if (style.visibility !== 'visible') return style.opacity === '0' ? GONE : UNSEEN_SELF; // at no opacity, what is visible in it is not seen either
  // It has a display, but no box: what a canvas says to those who do not see it, or inside closed <details> or content-visibility: hidden.
  return isInCanvas(element) ? VISIBLE : GONE;
}

/** Whether it stands in a canvas, in place of what is painted there: read by screen readers, and reached by the keyboard. */
const isInCanvas = (element) => closest(element, 'canvas:not(:scope)') !== null;

/** Whether an attribute or a style shuts an element off from the mouse and the keyboard. */
const isInert = (element) => computedStyleOf(element).interactivity === 'inert';

/** Whether an <object> stands for what it holds, since what it was to show cannot be shown. */
function showsFallback(object) {
  const inside = documentOf(object).createRange();
  inside.selectNodeContents(object);
  return inside.getClientRects().length > 0;
}

/** Of the groups of a drawing, Chrome says that they are visible also where they are not displayed. */
const isHiddenGroup = (element) => tagName_.call(element) === 'g' && computedStyleOf(element).display === 'none';

/** Whether the element itself, wherever it is, is hidden from everybody or from assistive technology. */
function isHidden(element) {
  if (closestFlat(element, '[aria-hidden="true" i]')) return true;
  if (checkVisibility_.call(element, SEEN_OPTIONS)) return false;
  const style = computedStyleOf(element);
  if (style.visibility !== 'visible' || (style.display !== 'contents' && (style.display === 'none' || !isInCanvas(element)))) return true;
  const parent = flatParent(element);
  return parent !== null && isHidden(parent);
}

const INLINE_TAGS = new Set(
  ('A ABBR B BDI BDO CITE CODE DATA DEL DFN EM FONT I INS KBD LABEL MARK OUTPUT Q S SAMP SMALL SPAN STRIKE STRONG SUB SUP ' +
    'TIME TT U VAR WBR NOBR BIG ACRONYM').split(' '),
);
const BLOCK_TAGS = new Set(
  ('ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY BUTTON CAPTION CENTER DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 ' +
    'H3 H4 H5 H6 HEADER HGROUP HR HTML LEGEND LI MAIN MENU METER NAV OL OPTGROUP OPTION P PRE PROGRESS SEARCH SECTION ' +
    'SELECT SUMMARY TABLE TBODY TD TEXTAREA TFOOT TH THEAD TR UL INPUT').split(' '),
);

/**
 * How an element stands apart from the text around: "" not at all, " " a box in it, BREAK a block. What is inline by its tag and
 * taken out of the flow, as badges and words for screen readers are, belongs to the words that it was written beside.
 * @param {CSSStyleDeclaration} style
 */
function edgeOf(tag, style) {
  const { display } = style;
  if (display === 'inline' || display === 'contents') return '';
  if (display.startsWith('inline') || display.startsWith('ruby')) return ' ';
  return INLINE_TAGS.has(tag) && (style.position === 'absolute' || style.position === 'fixed') ? ' ' : BREAK;
}

/** What is a block by its tag is taken for one: they are the bulk. */
const edgeAround = (element, tag) => (INLINE_TAGS.has(tag) || !BLOCK_TAGS.has(tag) ? edgeOf(tag, computedStyleOf(element)) : BREAK);

/**
 * Whether the element stands in the line of text around it. Tags that are blocks by themselves and not styled otherwise
 * are the bulk, so the computed style is asked only where it decides something: for what is inline by tag, and unknown.
 */
function isInline(element) {
  return computedStyleOf(element).display === 'inline' && !isPlaced(element);
}

/** Whether it is a piece of an SVG's text that begins somewhere else, such as on the next line. */
const isPlaced = (element) => tagName_.call(element) === 'tspan' && (hasAttr(element, 'x') || hasAttr(element, 'y') || hasAttr(element, 'dy'));
