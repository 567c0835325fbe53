// Which elements can be clicked although their role does not say so, and hints for those without a name.

const HANDLERS = ['onclick', 'onmousedown', 'onpointerdown', 'ondblclick', 'ontouchstart'];
// Attributes that make an element notable: all others skip the checks that these attributes need.
const NOTABLE_ATTRIBUTES = [
  'role',
  'tabindex',
  'inert',
  'draggable',
  'contenteditable',
  'title',
  'hidden',
  'aria-hidden',
  'aria-disabled',
  'aria-owns',
  'aria-label',
  'aria-labelledby',
  'aria-labeledby',
  'aria-expanded',
  'aria-haspopup',
  'aria-describedby',
  'aria-description',
  'aria-selected',
  'aria-current',
  'aria-sort',
  'aria-modal',
  ...HANDLERS,
];
// Class names that libraries give to elements that can be dragged or clicked.
const CLICKABLE_CLASSES = '[class*="draggable"],[class*="sortable-handle"],[class*="clickable"]';
// What marks an element as one to drag (dnd-kit: draggable or sortable); a cursor does, too, see ownCursor.
const DRAGGABLE = '[draggable=true i],[class*=draggable],[class*=sortable-handle],[aria-roledescription$=able i]';
/** Whether anything that was read of this document so far may be dragged, or drawn on. */
let hasDraggable = false;
// Editors whose text is not all in the DOM, see code.js.
const CODE_EDITORS = '.monaco-editor,.CodeMirror,.cm-editor,.ace_editor';
// Within :is() Chrome matches the same list a third faster.
const NOTABLE_SELECTOR =
  `:is(${NOTABLE_ATTRIBUTES.map((name) => `[${name}]`).join(',')},[style*="cursor" i],` +
  `[style*="content-visibility" i],${CLICKABLE_CLASSES},${CODE_EDITORS})`;

// How certain it is that an element can be clicked.
const NOT_CLICKABLE = 0;
// only if nothing in it is clickable: it may handle events that bubble up to it, or be focused by script only
const MAYBE_CLICKABLE = 1;
const CLICKABLE = 2;

/** How certain the attributes of an element make it that it can be clicked. @param {Element} element  a notable one */
function clickableByAttributes(element) {
  for (const handler of HANDLERS)
    if (hasAttr(element, handler) && (allListening.has(element) || !areListenersKnown(element))) return CLICKABLE;
  if (
    attr(element, 'draggable')?.toLowerCase() === 'true' ||
    hasAttr(element, 'aria-haspopup') ||
    hasAttr(element, 'aria-expanded')
  )
    return CLICKABLE;
  const tabindex = parseInt(attr(element, 'tabindex') ?? '', 10);
  // fallback content takes the keys for what is painted on the canvas, and the mouse events go elsewhere
  if (tabindex >= 0 || (tabindex < 0 && isCanvasFallback(element))) return CLICKABLE;
  return tabindex < 0 || matches(element, CLICKABLE_CLASSES) ? MAYBE_CLICKABLE : NOT_CLICKABLE;
}

const PAINTED_TAGS = new Set(['DIV', 'SPAN', 'I', 'B', 'EM', 'LI', 'TD', 'A', 'U', 'S', 'INS', 'BDO']);
const SMALLEST_PAINTED = 6; // px
const LARGEST_PAINTED = 320;
const DRAGGED = new Set(['move', 'grab', 'grabbing']);

/**
 * Whether an element is an empty graphic, such as an icon or a colour swatch: without children, of some size, with a
 * background or a glyph.
 */
function isEmptyGraphic(element, tag) {
  if (!PAINTED_TAGS.has(tag) || firstChild_.call(element) !== null) return false;
  return remember(FILLED, element) && remember(GRAPHIC, element);
}

const FILLED = { ask: isFilled, byRulesAlone: true };
const GRAPHIC = { ask: hasSizeOfGraphic };

/** Whether an empty element has a background or a glyph of its own. */
function isFilled(element) {
  const style = computedStyleOf(element);
  const isPainted =
    !/^(transparent|rgba\(.*, 0\))$/.test(style.backgroundColor) ||
    style.backgroundImage !== 'none' ||
    style.content.startsWith('url(');
  const sign = isPainted ? '' : generatedText(element, 'before', selectionsFor(element).before);
  // In a table cell, a glyph is the text of the cell, such as a "+" for an added line.
  if (!isPainted && (sign === '' || tagOf(element) === 'TD' || isSeparatorText(sign.trim()))) return false;
  // it inherits the cursor from the element that is dragged
  return !DRAGGED.has(style.cursor) && !hasColourOfRow(element, style);
}

function hasSizeOfGraphic(element) {
  const { width, height } = getBoundingClientRect_.call(element);
  return (
    Math.min(width, height) >= SMALLEST_PAINTED &&
    Math.max(width, height) <= LARGEST_PAINTED &&
    !isCheckboxVisual(element)
  );
}

/** Whether it is an empty cell with the same background as the other cells of its row. */
function hasColourOfRow(cell, style) {
  if (tagOf(cell) !== 'TD') return false;
  for (let other = firstElementChild_.call(parentNode(cell)); other !== null; other = nextElementSibling_.call(other)) {
    if (firstChild_.call(other) !== null) return computedStyleOf(other).backgroundColor === style.backgroundColor;
  }
  return false;
}

const CHECKBOX_VISUAL = { ask: isCheckboxVisual };

/**
 * Whether it is the empty element that draws a checkbox or radio button: the native input, a sibling perhaps in
 * wrappers, lies over it.
 */
function isCheckboxVisual(element) {
  const parent = parentNode(element);
  if (firstChild_.call(element) !== null || parent === null || nodeType(parent) !== 1) return false;
  for (let other = firstElementChild_.call(parent); other !== null; other = nextElementSibling_.call(other)) {
    let box = other;
    for (let i = 0; i < MOST_WRAPPERS && tagOf(box) !== 'INPUT'; i++) box = firstElementChild_.call(box) ?? box;
    if (tagOf(box) !== 'INPUT' || !CHECKABLE_INPUTS.has(inputType(box)) || visibilityOf(box) !== VISIBLE) continue;
    const { left, right, top, bottom } = getBoundingClientRect_.call(element);
    const over = getBoundingClientRect_.call(box);
    if (
      over.left <= (left + right) / 2 &&
      (left + right) / 2 <= over.right &&
      over.top <= (top + bottom) / 2 &&
      (top + bottom) / 2 <= over.bottom
    )
      return true;
  }
  return false;
}

// Long enough to tell one icon from another.
const LONGEST_HINT = 60;
// The default background of a button.
const BUTTON_FACE = 'rgb(239, 239, 239)';

/**
 * ` [class=star] [color=#ffd700]`: a hint for an element with neither name nor content, by what its author called it
 * and by its colour.
 */
const hintOf = (element) => remember(HINT, element);
const HINT = { ask: findHint };

function findHint(element) {
  const tip = tipHint(element);
  if (FIELD_TAGS.has(tagOf(element)) || isEditingHost(element)) return tip + fieldHint(element);
  const own = ownHint(element);
  let hint = own
    ? own + (testIdOf(element) ? '' : wrapperHint(element, testIdHint))
    : iconHint(element) || wrapperHint(element, ownHint);
  // a tooltip says more than many classes
  if (tip ? hint.includes('…') : !hint) hint = tip ? '' : hintState('class', ownClasses(element).join(' '));
  const background = computedStyleOf(element).backgroundColor;
  const colour = background !== BUTTON_FACE && /^rgb\((\d+), (\d+), (\d+)\)$/.exec(background);
  return colour
    ? `${tip}${hint} [color=#${colour
        .slice(1)
        .map((part) => Number(part).toString(16).padStart(2, '0'))
        .join('')}]`
    : tip + hint;
}

// Attributes in which libraries keep the text of a scripted tooltip.
const TOOLTIP_ATTRIBUTES = [
  'tooltip',
  'tooltip-content',
  'tooltip-text',
  'tip',
  'tips',
  'hint',
  'title',
  'original-title',
  'bs-title',
  'bs-original-title',
  'tippy-content',
].map((name) => `data-${name}`);

const tipHint = (element) => ownTip(element) || wrapperHint(element, tipOfWrapper);

/**
 * The tooltip of a wrapper: a disabled button gets no mouse events, so libraries put its tooltip on an element around
 * it.
 */
const tipOfWrapper = (wrapper) =>
  roleOf(wrapper) ? '' : hintState('tip', attr(wrapper, 'aria-label') ?? attr(wrapper, 'title')) || ownTip(wrapper);

function ownTip(element) {
  for (const name of TOOLTIP_ATTRIBUTES)
    if (hasAttr(element, name) && /\p{L}{2}/u.test(attr(element, name)) && attr(element, name) !== 'true')
      return hintState('tip', attr(element, name));
  return '';
}

/** A hint for a field. Not by its classes, which are the same for all fields. */
function fieldHint(element) {
  return (
    testIdHint(element) || wordHint('name', element) || wordHint('id', element) || wrapperHint(element, testIdHint)
  );
}

function wordHint(kind, element) {
  const word = attr(element, kind) ?? '';
  return isReadable(word) && !GENERATED_ID.test(word) ? hintState(kind, word) : '';
}

const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];

/** The element's test id, by the usual attributes. @returns {string | null} */
function testIdOf(element) {
  for (const name of TEST_IDS) if (hasAttr(element, name)) return attr(element, name);
  return null;
}

/** A hint by the element's test id, its readable classes or its id. */
function ownHint(element) {
  return testIdHint(element) || hintState('class', readableClasses(element)) || hintState('id', readableId(element));
}

const testIdHint = (element) => hintState('testid', testIdOf(element));

const MOST_WRAPPERS = 3;

/**
 * A hint by a wrapper that contains nothing but the element, such as the cell of a grid.
 * @param {(element: Element) => string} hintFor
 */
function wrapperHint(element, hintFor) {
  let hint = '';
  for (let i = 0; i < MOST_WRAPPERS && !hint; i++) {
    const wrapper = parentNode(element);
    if (
      wrapper === null ||
      nodeType(wrapper) !== 1 ||
      firstChild_.call(wrapper) !== element ||
      nextSibling(element) !== null
    )
      break;
    hint = hintFor(wrapper);
    element = wrapper;
  }
  return hint;
}

const MOST_ICONS = 5;

/** A hint by the icon in an element: the SVG symbol that it uses, its test id, or the class of its glyph. */
function iconHint(element) {
  const inside = selectAll(element, '*');
  for (let i = 0; i < inside.length && i < MOST_ICONS; i++) {
    const used =
      tagOf(inside[i]) === 'use' ? /#(.+)/.exec(attr(inside[i], 'href') ?? attr(inside[i], 'xlink:href') ?? '') : null;
    const hint = used
      ? hintState('icon', used[1])
      : hintState('icon', attr(inside[i], 'data-icon') ?? testIdOf(inside[i]) ?? readableClasses(inside[i]));
    if (hint) return hint;
  }
  return '';
}

function hintState(kind, text) {
  const hint = cut(collapse(text ?? ''), LONGEST_HINT);
  return hint && ` [${kind}=${/^[\w-]+$/.test(hint) ? hint : quote(hint)}]`;
}

const readableClasses = (element) =>
  ownClasses(element)
    .filter(isReadable)
    .map((name) => name.replace(HASH_AT_END, ''))
    .join(' ');

/**
 * The classes of an element without those for hover and focus, and without utility classes (one for each CSS property),
 * which say how it looks and not what it is.
 */
function ownClasses(element) {
  const names = (attr(element, 'class') ?? '').split(/\s+/).filter((name) => name && !HOVER_CLASS.test(name));
  const prefix = names.length >= FEWEST_UTILITIES ? sharedPrefix(names) : '';
  const others = names.filter(
    (name) => !UTILITY_CLASS.test(name.startsWith(prefix) ? name.slice(prefix.length) : name),
  );
  return names.length >= FEWEST_UTILITIES && others.length * 3 <= names.length ? others : names;
}

/** The prefix of most of these names, which libraries may give to utility classes: `tw-` of `tw-flex tw-p-1`. */
function sharedPrefix(names) {
  const prefix = /^[a-z]+-/.exec(names[0])?.[0] ?? '';
  return names.filter((name) => name.startsWith(prefix) || name.includes(':')).length * 3 >= names.length * 2
    ? prefix
    : '';
}

const HOVER_CLASS = /(?:^|[-_])(?:hover|focus)(?:ed|-visible|-within)?$/i;
const FEWEST_UTILITIES = 4;
// Utility classes of Tailwind and similar libraries: `px-2`, `text-sm`, `hover:bg-muted`, `w-[20px]`.
const UTILITY_CLASS = new RegExp(
  '[:[\\]!/]|^-?(?:[mp][trblxyse]?|[wh]|(?:min|max)-[wh]|size|gap|space|inset|top|left|right|bottom|start|end|z|' +
    'order|grid|col|row|basis|grow|shrink|opacity|' +
    'leading|tracking|text|font|bg|border|rounded|shadow|ring|outline|fill|stroke|flex|inline|block|hidden|items|' +
    'justify|content|self|place|' +
    'overflow|cursor|select|pointer-events|transition|duration|ease|delay|animate|transform|translate|rotate|scale|' +
    'origin|object|align|box|fade|slide|zoom|' +
    'whitespace|break|truncate|underline|uppercase|lowercase|capitalize|italic|antialiased|sr|not|divide|from|via|' +
    'to|relative|absolute|' +
    'fixed|sticky|static|visible|invisible|container|group|peer|aspect|line-clamp|list|table|float|clear|isolate|' +
    'appearance|resize|touch|' +
    'will-change|accent|caret|scroll|snap|backdrop|blur|drop-shadow|no)(?:-|$)',
);

// Class names made by build tools: `css-9o949r`, `sc-bdVaJa`, `jss12`, `Button_root__3xK9s`, `hNkXzp`.
const GENERATED_CLASS =
  /^_?(?:css|sc|jss|emotion|svelte|styled|tss|e|r|x|ng)-?(?=[\w-]*\d)[a-z\d]+(?:-\d+)?$|^sc-\w+$|^ng-|^_ng|^data-v-/i;
const HASH_AT_END = /(?:__|--|_|-)(?=[A-Za-z\d+-]*\d)(?=[A-Za-z\d+-]*[A-Za-z])(?=[A-Za-z\d+-]{5,8}$)[A-Za-z\d+-]+$/;

const isReadable = (name) => /[a-z]{2}/i.test(name) && !GENERATED_CLASS.test(name) && !isScrambled(name);

// Ids made by React (`:r1:`, `«r1»`, `_r_1_`) and others: they mean nothing and change with each rendering.
const GENERATED_ID = /:r[\da-z]*:|«r[\da-z]*»|_r_[\da-z]{1,4}_|\d{6,}|[\da-f]{8}-[\da-f]{4}-/i;

const readableId = (element) => {
  const id = attr(element, 'id');
  return id && !GENERATED_ID.test(id) ? id : '';
};

/** Whether case and digits change too often in a name for it to consist of words. */
const isScrambled = (name) =>
  /^[A-Za-z\d]{5,8}$/.test(name) && (name.match(/[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/g) ?? []).length >= 2;

/** @type {WeakSet<Element>} elements with mouse listeners of their own that matter, as Chrome lists them */
const listening = new WeakSet();

/** @type {WeakSet<Element>} all elements with mouse listeners, those whose listeners do not matter included */
const allListening = new WeakSet();

/** @type {WeakRef<Element>[]} elements that were added to `listening` and are still in a document */
let listeningRefs = [];

const elementsByTag_ = Document.prototype.getElementsByTagName;

/** Whether any listening element is a part of an SVG: otherwise the parts of icons need not be checked. */
let svgPartsListen = false;

/**
 * A text that changes when elements were added or removed, or memory was freed: then there may be listeners that Chrome
 * has not listed yet.
 */
function elementsFingerprint() {
  listeningRefs = listeningRefs.filter((reference) => {
    const element = reference.deref();
    return element !== undefined && isConnected_.call(element);
  });
  return `${elementsByTag_.call(document, '*').length} ${listeningRefs.length} ${timesMemoryWasFreed()}`;
}

/** @type {WeakSet<Node>} the documents and shadow roots whose listeners Chrome has listed */
const rootsWithKnownListeners = new WeakSet();

/**
 * Whether it is known if an element has listeners. A handler attribute alone proves little, since scripts and content
 * security policies disable it.
 */
const areListenersKnown = (element) => rootsWithKnownListeners.has(rootOf(element));

/**
 * Updates which elements listen for the mouse.
 * @param {number[]} roots  the numbers of roots whose listeners are listed for the first time @param {number} more  how
 *   many of the nodes have listeners now @param {...any} nodes  those, followed by the nodes that no longer have any
 * @returns {{news: boolean, elements: string, at_first: number}}  news: lines may have changed; elements: see
 *   elementsFingerprint
 */
function adoptListening(roots, more, ...nodes) {
  let isChanged = false;
  nodes.forEach((node, i) => {
    if (nodeType(node) !== 1) return;
    const listens = i < more;
    allListening[listens ? 'add' : 'delete'](node);
    const isMeaningful = !LISTENERS_IGNORED.has(tagOf(node));
    if (isMeaningful) listening[listens ? 'add' : 'delete'](node);
    if (isMeaningful && listens) listeningRefs.push(new WeakRef(node));
    svgPartsListen ||= isMeaningful && namespaceURI_.call(node) === SVG;
    if (!isMeaningful && !hasHandler(node)) return;
    invalidateElement(node);
    isChanged = true;
  });
  for (const number of roots) isChanged = recordListenersKnown(rootsOfNumbers.get(number)?.deref()) || isChanged;
  return { news: isChanged, elements: elementsFingerprint(), at_first: elementsAtFirst };
}

/** The number of elements when this world was made: Chrome lists the listeners only after that. */
const elementsAtFirst = elementsByTag_.call(document, '*').length;

const hasHandler = (element) => matches(element, HANDLERS_SELECTOR);
const HANDLERS_SELECTOR = HANDLERS.map((name) => `[${name}]`).join(',');

/** From now on a handler attribute in this root counts only if its element has a listener. */
function recordListenersKnown(root) {
  if (!root || rootsWithKnownListeners.has(root)) return false;
  rootsWithKnownListeners.add(root);
  const idle = [...selectAll(root, HANDLERS_SELECTOR)].filter((element) => !listening.has(element));
  idle.forEach(invalidateElement);
  return idle.length > 0;
}

// Listeners on these do not matter: the element can be clicked without one, or it listens for everything in it.
const LISTENERS_IGNORED = new Set([
  'HTML',
  'BODY',
  'BUTTON',
  'INPUT',
  'SELECT',
  'TEXTAREA',
  'OPTION',
  'IFRAME',
  'LABEL',
  'FORM',
]);
// Listeners on lists are for their items.
const LISTEN_FOR_ITEMS = new Set(['UL', 'OL', 'DL', 'MENU']);

const CLICK_CURSORS = new Set([
  'pointer',
  'grab',
  'grabbing',
  'move',
  'crosshair',
  'copy',
  'cell',
  'zoom-in',
  'zoom-out',
  'col-resize',
  'row-resize',
  'ew-resize',
  'ns-resize',
  'nesw-resize',
  'nwse-resize',
  'n-resize',
  'e-resize',
  's-resize',
  'w-resize',
  'se-resize',
  'sw-resize',
  'ne-resize',
  'nw-resize',
  'all-scroll',
]);

/**
 * The cursor of an element where a rule or its style attribute may set one, if only on hover; undefined: it inherits
 * its parent's.
 */
function ownCursor(element, isNotable, { cursor, pointed }) {
  if (!mayApply(cursor, element) && !(isNotable && attr(element, 'style')?.toLowerCase().includes('cursor')))
    return undefined;
  const { cursor: own, display } = computedStyleOf(element);
  hasDraggable ||= DRAGGED.has(own);
  // a line of its own for an inline element would split the sentence
  return own === 'auto' && display !== 'inline' && mayApply(pointed, element) ? 'pointer' : own;
}

// A pointer cursor on one of these is for its items.
const CLICKED_BY_ITEM = new Set(['UL', 'OL', 'DL', 'TABLE', 'TBODY', 'THEAD', 'TFOOT', 'BODY', 'HTML', 'MENU', 'svg']);
