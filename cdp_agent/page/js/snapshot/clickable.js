// What can be clicked although its role does not say so.

const HANDLERS = ['onclick', 'onmousedown', 'onpointerdown', 'ondblclick', 'ontouchstart'];
// Attributes that single an element out. Whatever has none of them needs none of the questions about them.
const MARKED = [
  'role', 'tabindex', 'inert', 'draggable', 'contenteditable', 'title', 'hidden', 'aria-hidden', 'aria-disabled', 'aria-owns', 'aria-label',
  'aria-labelledby', 'aria-labeledby', 'aria-expanded', 'aria-haspopup', 'aria-describedby', 'aria-description', 'aria-selected', 'aria-current', 'aria-sort',
  'aria-modal', ...HANDLERS,
];
// Names that libraries give to what they let a user drag or click.
const TELLING_CLASSES = '[class*="draggable"],[class*="sortable-handle"],[class*="clickable"]';
// Editors that keep their text to themselves, see code.js.
const CODE_EDITORS = '.monaco-editor,.CodeMirror,.cm-editor,.ace_editor';
// Within :is() Chrome matches the same list a third faster.
const MARKED_SELECTOR = `:is(${MARKED.map((name) => `[${name}]`).join(',')},[style*="cursor" i],[style*="content-visibility" i],${TELLING_CLASSES},${CODE_EDITORS})`;

// How sure it is that an element can be clicked.
const NOT_CLICKABLE = 0;
const PERHAPS = 1; // only if nothing in it is: it may merely listen to what happens inside, or take the focus by script
const CLICKABLE = 2;

/** What an element's own attributes say. @param {Element} element  one that is marked */
function asksForClicks(element) {
  for (const handler of HANDLERS) if (hasAttr(element, handler) && (handled.has(element) || !isToldOf(element))) return CLICKABLE;
  if (attr(element, 'draggable')?.toLowerCase() === 'true' || hasAttr(element, 'aria-haspopup') || hasAttr(element, 'aria-expanded')) return CLICKABLE;
  const tabindex = parseInt(attr(element, 'tabindex') ?? '', 10);
  if (tabindex >= 0 || (tabindex < 0 && isInCanvas(element))) return CLICKABLE; // what is painted there takes keys, and the mouse elsewhere
  return tabindex < 0 || matches(element, TELLING_CLASSES) ? PERHAPS : NOT_CLICKABLE;
}

const PAINTED_TAGS = new Set(['DIV', 'SPAN', 'I', 'B', 'EM', 'LI', 'TD', 'A', 'U', 'S', 'INS', 'BDO']);
const SMALLEST_PAINTED = 6; // px
const LARGEST_PAINTED = 320;
const DRAGGED = new Set(['move', 'grab', 'grabbing']);

/** Whether it is nothing but paint, as icons and colour swatches are: empty, of some size, with a background or a glyph. */
function isOnlyPaint(element, tag) {
  if (!PAINTED_TAGS.has(tag) || firstChild_.call(element) !== null) return false;
  const answer = looksPainted(element);
  reading.notes?.painted.set(element, answer);
  return answer;
}

function looksPainted(element) {
  const style = computedStyleOf(element);
  if (DRAGGED.has(style.cursor)) return false; // it has that from what it is dragged with
  const isImage = style.backgroundImage !== 'none' || style.content.startsWith('url(');
  const isFilled = isImage || !/^(transparent|rgba\(.*, 0\))$/.test(style.backgroundColor);
  const sign = isFilled ? '' : generatedText(element, 'before', selectionsFor(element).before);
  // In a cell it is what that says: that a line was added, say.
  if (!isFilled && (sign === '' || tagOf(element) === 'TD' || onlyParts(sign.trim()))) return false;
  const { width, height } = getBoundingClientRect_.call(element);
  return Math.min(width, height) >= SMALLEST_PAINTED && Math.max(width, height) <= LARGEST_PAINTED && !isFaceOfControl(element) && !hasColourOfRow(element, style);
}

/** Whether it is an empty cell of a row that has that background throughout. */
function hasColourOfRow(cell, style) {
  if (tagOf(cell) !== 'TD') return false;
  for (let other = firstElementChild_.call(parentNode(cell)); other !== null; other = nextElementSibling_.call(other)) {
    if (firstChild_.call(other) !== null) return computedStyleOf(other).backgroundColor === style.backgroundColor;
  }
  return false;
}

/** Whether it is empty, and what is seen of a box to tick beside it, which lies over it, perhaps in wrappers. */
function isFaceOfControl(element) {
  const parent = parentNode(element);
  if (firstChild_.call(element) !== null || parent === null || nodeType(parent) !== 1) return false;
  for (let other = firstElementChild_.call(parent); other !== null; other = nextElementSibling_.call(other)) {
    let box = other;
    for (let i = 0; i < MOST_WRAPPERS && tagOf(box) !== 'INPUT'; i++) box = firstElementChild_.call(box) ?? box;
    if (tagOf(box) !== 'INPUT' || !TICKED.has(inputType(box)) || visibilityOf(box) !== VISIBLE) continue;
    const { left, right, top, bottom } = getBoundingClientRect_.call(element);
    const over = getBoundingClientRect_.call(box);
    if (over.left <= (left + right) / 2 && (left + right) / 2 <= over.right && over.top <= (top + bottom) / 2 && (top + bottom) / 2 <= over.bottom) return true;
  }
  return false;
}

// Long enough to tell one icon from the other.
const LONGEST_HINT = 60;
// What a button has by itself.
const BUTTON_FACE = 'rgb(239, 239, 239)';

/** ` [class=star] [color=#ffd700]`: for what has neither name nor content, what its author called it, and what is seen of it. */
function hintOf(element) {
  const hint = lookedUpHint(element);
  reading.notes?.hinted.set(element, hint);
  return hint;
}

function lookedUpHint(element) {
  const tip = tipHint(element);
  if (FIELD_TAGS.has(tagOf(element)) || isEditingHost(element)) return tip + fieldHint(element);
  const own = ownHint(element);
  let hint = own ? own + (testIdOf(element) ? '' : wrapperHint(element, testIdHint)) : iconHint(element) || wrapperHint(element, ownHint);
  if (tip ? hint.includes('…') : !hint) hint = tip ? '' : hintState('class', ownClasses(element).join(' ')); // a tooltip says more than many classes
  const background = computedStyleOf(element).backgroundColor;
  const colour = background !== BUTTON_FACE && /^rgb\((\d+), (\d+), (\d+)\)$/.exec(background);
  return colour ? `${tip}${hint} [color=#${colour.slice(1).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}]` : tip + hint;
}

// Where libraries keep the words of a tooltip that a script shows.
const TIPS = ['tooltip', 'tooltip-content', 'tooltip-text', 'tip', 'tips', 'hint', 'title', 'original-title', 'bs-title', 'bs-original-title', 'tippy-content'].map((name) => `data-${name}`);

const tipHint = (element) => ownTip(element) || wrapperHint(element, tipOfWrapper);

/** A disabled button takes no mouse: what has its tooltip stands around it. */
const tipOfWrapper = (wrapper) => (roleOf(wrapper) ? '' : hintState('tip', attr(wrapper, 'aria-label') ?? attr(wrapper, 'title')) || ownTip(wrapper));

function ownTip(element) {
  for (const name of TIPS) if (hasAttr(element, name) && /\p{L}{2}/u.test(attr(element, name)) && attr(element, name) !== 'true') return hintState('tip', attr(element, name));
  return '';
}

/** Not by its classes, which are those of all fields. */
function fieldHint(element) {
  return testIdHint(element) || wordHint('name', element) || wordHint('id', element) || wrapperHint(element, testIdHint);
}

function wordHint(kind, element) {
  const word = attr(element, kind) ?? '';
  return isReadable(word) && !GENERATED_ID.test(word) ? hintState(kind, word) : '';
}

const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

/** @returns {string | null} */
function testIdOf(element) {
  for (const name of TEST_IDS) if (hasAttr(element, name)) return attr(element, name);
  return null;
}

/** What it is called for tests, by a class that can be read, or by its id. */
function ownHint(element) {
  return testIdHint(element) || hintState('class', readableClasses(element)) || hintState('id', readableId(element));
}

const testIdHint = (element) => hintState('testid', testIdOf(element));

const MOST_WRAPPERS = 3;

/** What its author called that which holds it and nothing else, such as the cell of a grid. @param {(element: Element) => string} hintFor */
function wrapperHint(element, hintFor) {
  let hint = '';
  for (let i = 0; i < MOST_WRAPPERS && !hint; i++) {
    const wrapper = parentNode(element);
    if (wrapper === null || nodeType(wrapper) !== 1 || firstChild_.call(wrapper) !== element || nextSibling(element) !== null) break;
    hint = hintFor(wrapper);
    element = wrapper;
  }
  return hint;
}

const MOST_ICONS = 5;

/** What the icon in it is called: the symbol that a drawing uses, its name for tests, or the class of a glyph. */
function iconHint(element) {
  const inside = selectAll(element, '*');
  for (let i = 0; i < inside.length && i < MOST_ICONS; i++) {
    const used = tagOf(inside[i]) === 'use' ? /#(.+)/.exec(attr(inside[i], 'href') ?? attr(inside[i], 'xlink:href') ?? '') : null;
    const hint = used ? hintState('icon', used[1]) : hintState('icon', attr(inside[i], 'data-icon') ?? testIdOf(inside[i]) ?? readableClasses(inside[i]));
    if (hint) return hint;
  }
  return '';
}

function hintState(kind, text) {
  const hint = cut(collapse(text ?? ''), LONGEST_HINT);
  return hint && ` [${kind}=${/^[\w-]+$/.test(hint) ? hint : quotedForState(hint)}]`;
}

const readableClasses = (element) => ownClasses(element).filter(isReadable).map((name) => name.replace(HASH_AT_END, '')).join(' ');

/** Its classes, without those of the mouse, and of style sheets that have one for each property: they say how it looks, not what it is. */
function ownClasses(element) {
  const names = (attr(element, 'class') ?? '').split(/\s+/).filter((name) => name && !POINTED_AT.test(name));
  const others = names.filter((name) => !UTILITY_CLASS.test(name));
  return names.length >= FEWEST_UTILITIES && others.length * 3 <= names.length ? others : names;
}

const POINTED_AT = /(?:^|[-_])(?:hover|focus)(?:ed|-visible|-within)?$/i;
const FEWEST_UTILITIES = 4;
// As Tailwind and its like write them: `px-2`, `text-sm`, `hover:bg-muted`, `w-[20px]`.
const UTILITY_CLASS = new RegExp(
  '[:[\\]!/]|^-?(?:[mp][trblxyse]?|[wh]|(?:min|max)-[wh]|size|gap|space|inset|top|left|right|bottom|start|end|z|order|grid|col|row|basis|grow|shrink|opacity|' +
    'leading|tracking|text|font|bg|border|rounded|shadow|ring|outline|fill|stroke|flex|inline|block|hidden|items|justify|content|self|place|' +
    'overflow|cursor|select|pointer-events|transition|duration|ease|delay|animate|transform|translate|rotate|scale|origin|object|align|' +
    'whitespace|break|truncate|underline|uppercase|lowercase|capitalize|italic|antialiased|sr|not|divide|from|via|to|relative|absolute|' +
    'fixed|sticky|static|visible|invisible|container|group|peer|aspect|line-clamp|list|table|float|clear|isolate|appearance|resize|touch|' +
    'will-change|accent|caret|scroll|snap|backdrop|blur|drop-shadow|no)(?:-|$)',
);

// What build tools make of a class: `css-9o949r`, `sc-bdVaJa`, `jss12`, `Button_root__3xK9s`, `hNkXzp`.
const GENERATED_CLASS = /^_?(?:css|sc|jss|emotion|svelte|styled|tss|e|r|x|ng)-?(?=[\w-]*\d)[a-z\d]+(?:-\d+)?$|^sc-\w+$|^ng-|^_ng|^data-v-/i;
const HASH_AT_END = /(?:__|--|_|-)(?=[A-Za-z\d+-]*\d)(?=[A-Za-z\d+-]*[A-Za-z])(?=[A-Za-z\d+-]{5,8}$)[A-Za-z\d+-]+$/;

const isReadable = (name) => /[a-z]{2}/i.test(name) && !GENERATED_CLASS.test(name) && !isScrambled(name);

// What React (`:r1:`, `«r1»`, `_r_1_`) and others make of an id: it tells nothing, and is another one after the next rendering.
const GENERATED_ID = /:r[\da-z]*:|«r[\da-z]*»|_r_[\da-z]{1,4}_|\d{6,}|[\da-f]{8}-[\da-f]{4}-/i;

const readableId = (element) => {
  const id = attr(element, 'id');
  return id && !GENERATED_ID.test(id) ? id : '';
};

/** Whether small and capital letters or digits change too often for words. */
const isScrambled = (name) => /^[A-Za-z\d]{5,8}$/.test(name) && (name.match(/[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/g) ?? []).length >= 2;

/** @type {WeakSet<Element>} elements with listeners of their own, as Python was told by Chrome */
const listening = new WeakSet();

/** @type {WeakSet<Element>} the same with those of which listeners say nothing */
const handled = new WeakSet();

/** @type {WeakRef<Element>[]} those that came to listen and are in a document */
let heard = [];

const elementsByTag_ = Document.prototype.getElementsByTagName;

/** Whether any of them is a part of a drawing: else no icon has to be looked through. */
let partsListen = false;

/** What is another text when elements came or went: then there may be listeners that Chrome has not told of. */
function elementsThere() {
  heard = heard.filter((reference) => {
    const element = reference.deref();
    return element !== undefined && isConnected_.call(element);
  });
  return `${elementsByTag_.call(document, '*').length} ${heard.length}`;
}

/** @type {WeakSet<Node>} the documents and shadow roots of which Chrome has told who listens in them */
const toldRoots = new WeakSet();

/** Whether it is known if an element listens: its attribute alone says little, since scripts and policies undo it. */
const isToldOf = (element) => toldRoots.has(rootOf(element));

/**
 * @param {number[]} roots  by number, of which it is told for the first time @param {number} more  how many nodes have come to
 *   listen for the mouse @param {...any} nodes  those, and then the ones that have ceased to
 * @returns {{news: boolean, elements: string, at_first: number}}  news: lines may be others; elements: see elementsThere
 */
function adoptListening(roots, more, ...nodes) {
  let learnt = false;
  nodes.forEach((node, i) => {
    if (nodeType(node) !== 1) return;
    const listens = i < more;
    handled[listens ? 'add' : 'delete'](node);
    const isNews = !LISTEN_ANYWAY.has(tagOf(node));
    if (isNews) listening[listens ? 'add' : 'delete'](node);
    if (isNews && listens) heard.push(new WeakRef(node));
    partsListen ||= isNews && namespaceURI_.call(node) === SVG;
    if (!isNews && !hasHandler(node)) return;
    noteNews(node);
    learnt = true;
  });
  for (const number of roots) learnt = noteToldRoot(rootsOfNumbers.get(number)?.deref()) || learnt;
  return { news: learnt, elements: elementsThere(), at_first: elementsAtFirst };
}

/** When this world was made: Chrome is asked after that who listens. */
const elementsAtFirst = elementsByTag_.call(document, '*').length;

const hasHandler = (element) => matches(element, HANDLERS_SELECTOR);
const HANDLERS_SELECTOR = HANDLERS.map((name) => `[${name}]`).join(',');

/** From now on a handler in an attribute counts only if it listens. */
function noteToldRoot(root) {
  if (!root || toldRoots.has(root)) return false;
  toldRoots.add(root);
  const idle = [...selectAll(root, HANDLERS_SELECTOR)].filter((element) => !listening.has(element));
  idle.forEach(noteNews);
  return idle.length > 0;
}

// What is clickable without, and what listens for all that is in it.
const LISTEN_ANYWAY = new Set(['HTML', 'BODY', 'BUTTON', 'INPUT', 'SELECT', 'TEXTAREA', 'OPTION', 'IFRAME', 'LABEL', 'FORM']);
// Their listeners mean the items.
const LISTEN_FOR_ITEMS = new Set(['UL', 'OL', 'DL', 'MENU']);

const POINTING = new Set(['pointer', 'grab', 'grabbing', 'move', 'crosshair', 'copy', 'cell', 'zoom-in', 'zoom-out', 'col-resize', 'row-resize',
  'ew-resize', 'ns-resize', 'nesw-resize', 'nwse-resize', 'n-resize', 'e-resize', 's-resize', 'w-resize', 'se-resize', 'sw-resize', 'ne-resize', 'nw-resize', 'all-scroll']);

/** The cursor where a rule or the element itself may set one, be it only once the mouse is over it; undefined: it has its parent's. */
function ownCursor(element, isMarked, { cursor, pointed }) {
  if (!mayApply(cursor, element) && !(isMarked && attr(element, 'style')?.toLowerCase().includes('cursor'))) return undefined;
  const { cursor: own, display } = computedStyleOf(element);
  return own === 'auto' && display !== 'inline' && mayApply(pointed, element) ? 'pointer' : own; // in a line it would cut the sentence
}

// A pointer over the whole of these is meant for their items.
const PASSES_CLICKS_ON = new Set(['UL', 'OL', 'DL', 'TABLE', 'TBODY', 'THEAD', 'TFOOT', 'BODY', 'HTML', 'MENU', 'svg']);
