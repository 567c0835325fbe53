// What can be clicked although its role does not say so.

const HANDLERS = ['onclick', 'onmousedown', 'onpointerdown', 'ondblclick', 'ontouchstart'];
// Attributes that single an element out. Whatever has none of them needs none of the questions about them.
const MARKED = [
  'role', 'tabindex', 'inert', 'draggable', 'contenteditable', 'title', 'hidden', 'aria-hidden', 'aria-disabled', 'aria-owns', 'aria-label',
  'aria-labelledby', 'aria-labeledby', 'aria-expanded', 'aria-haspopup', 'aria-describedby', ...HANDLERS,
];
// Names that libraries give to what they let a user drag or click.
const TELLING_CLASSES = '[class*="draggable"],[class*="sortable-handle"],[class*="clickable"]';
// Within :is() Chrome matches the same list a third faster.
const MARKED_SELECTOR = `:is(${MARKED.map((name) => `[${name}]`).join(',')},[style*="cursor" i],[style*="content-visibility" i],${TELLING_CLASSES})`;

// How sure it is that an element can be clicked.
const NOT_CLICKABLE = 0;
const PERHAPS = 1; // only if nothing in it is: it may merely listen to what happens inside, or take the focus by script
const CLICKABLE = 2;

/** What an element's own attributes say. @param {Element} element  one that is marked */
function asksForClicks(element) {
  for (const handler of HANDLERS) if (hasAttr(element, handler)) return CLICKABLE;
  if (attr(element, 'draggable')?.toLowerCase() === 'true' || hasAttr(element, 'aria-haspopup') || hasAttr(element, 'aria-expanded')) return CLICKABLE;
  const tabindex = parseInt(attr(element, 'tabindex') ?? '', 10);
  if (tabindex >= 0) return CLICKABLE;
  return tabindex < 0 || matches(element, TELLING_CLASSES) ? PERHAPS : NOT_CLICKABLE;
}

const PAINTED_TAGS = new Set(['DIV', 'SPAN', 'I', 'B', 'EM', 'LI', 'TD', 'A', 'U', 'S', 'INS', 'BDO']);
const SMALLEST_PAINTED = 6; // px
const LARGEST_PAINTED = 320;

/** Whether it is nothing but paint, as icons and colour swatches are: empty, of some size, with a background or a glyph. */
function isOnlyPaint(element, tag) {
  if (!PAINTED_TAGS.has(tag) || firstChild_.call(element) !== null) return false;
  const answer = looksPainted(element);
  reading.notes?.painted.set(element, answer);
  return answer;
}

function looksPainted(element) {
  const style = computedStyleOf(element);
  const isImage = style.backgroundImage !== 'none' || style.content.startsWith('url(');
  if (!isImage && /^(transparent|rgba\(.*, 0\))$/.test(style.backgroundColor) && !generatedText(element, 'before', selectionsFor(element).before)) return false;
  const { width, height } = getBoundingClientRect_.call(element);
  return Math.min(width, height) >= SMALLEST_PAINTED && Math.max(width, height) <= LARGEST_PAINTED;
}

// Long enough to tell one icon from the other.
const LONGEST_HINT = 60;
// What a button has by itself.
const BUTTON_FACE = 'rgb(239, 239, 239)';

/** ` [class=star] [color=#ffd700]`: for what has neither name nor content, what its author called it, and what is seen of it. */
function hintOf(element) {
  reading.notes?.always.add(element); // for its colour
  const text = collapse(attr(element, 'class') ?? '') || attr(element, 'id');
  const hint = text ? ` [class=${/^[\w-]+$/.test(text) ? cut(text, LONGEST_HINT) : bracketed(cut(text, LONGEST_HINT))}]` : '';
  const background = computedStyleOf(element).backgroundColor;
  const colour = background !== BUTTON_FACE && /^rgb\((\d+), (\d+), (\d+)\)$/.exec(background);
  return colour ? `${hint} [color=#${colour.slice(1).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}]` : hint;
}

/** @type {WeakSet<Element>} elements with listeners of their own, as Python was told by Chrome */
const listening = new WeakSet();

/** @type {WeakRef<Element>[]} those of them that are in a document */
let heard = [];

const elementsByTag_ = Document.prototype.getElementsByTagName;

/** What is another text when elements came or went: then there may be listeners that Chrome has not told of. */
function elementsThere() {
  heard = heard.filter((reference) => {
    const element = reference.deref();
    return element !== undefined && isConnected_.call(element);
  });
  return `${elementsByTag_.call(document, '*').length} ${heard.length}`;
}

/** @param {...Node} nodes  that listen for the mouse @returns {boolean} whether that is news about any of them */
function adoptListening(...nodes) {
  let learnt = false;
  for (const node of nodes) {
    if (nodeType(node) !== 1 || LISTEN_ANYWAY.has(tagOf(node))) continue;
    if (!listening.has(node)) heard.push(new WeakRef(node));
    listening.add(node);
    noteNews(node);
    learnt = true;
  }
  return learnt;
}

// What is clickable without, and what listens for all that is in it.
const LISTEN_ANYWAY = new Set(['HTML', 'BODY', 'BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'OPTION', 'IFRAME', 'LABEL', 'FORM']);
// Their listeners mean the items.
const LISTEN_FOR_ITEMS = new Set(['UL', 'OL', 'DL', 'MENU']);

const POINTING = new Set(['pointer', 'grab', 'grabbing', 'move', 'crosshair', 'copy', 'cell', 'zoom-in', 'zoom-out', 'col-resize', 'row-resize',
  'ew-resize', 'ns-resize', 'nesw-resize', 'nwse-resize', 'n-resize', 'e-resize', 's-resize', 'w-resize', 'se-resize', 'sw-resize', 'ne-resize', 'nw-resize', 'all-scroll']);

/** The cursor where a rule or the element itself may set one; undefined: it has its parent's. @param {Concern} concern */
function ownCursor(element, isMarked, concern) {
  if (!mayApply(concern, element) && !(isMarked && attr(element, 'style')?.toLowerCase().includes('cursor'))) return undefined;
  return computedStyleOf(element).cursor;
}

// A pointer over the whole of these is meant for their items.
const PASSES_CLICKS_ON = new Set(['UL', 'OL', 'DL', 'TABLE', 'TBODY', 'THEAD', 'TFOOT', 'BODY', 'HTML', 'MENU', 'svg']);
