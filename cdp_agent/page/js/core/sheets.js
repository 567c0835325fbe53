// Which elements style sheets may give generated content, a cursor and the like. Reading the pseudo-elements and cursor
// of every element costs more than all the rest, so the rules are read once, and computed styles only for elements that
// a rule selects. If a sheet cannot be read (it is cross-origin), the computed styles of all elements are read.

const styleSheetsOfDocument_ = getterOf(Document.prototype, 'styleSheets');
const styleSheetsOfRoot_ = getterOf(ShadowRoot.prototype, 'styleSheets');
const adoptedOfDocument_ = getterOf(Document.prototype, 'adoptedStyleSheets');
const adoptedOfRoot_ = getterOf(ShadowRoot.prototype, 'adoptedStyleSheets');

/**
 * @typedef {{classes: Set<string>, selectors: string[]}} SelectorSet  selects the elements of one concern
 * @typedef {{before: SelectorSet, after: SelectorSet, cursor: SelectorSet, pointed: SelectorSet, counters: SelectorSet,
 *   unpainted: SelectorSet, decorated: SelectorSet, replaced: SelectorSet, reordered: SelectorSet, clipping:
 *   SelectorSet, unseen: SelectorSet, transformsCase: boolean, floats: boolean, drawsBackdrops: boolean,
 *   pointerBlocking: Set<string>, readable: boolean, edition: number, reveals: Reveal[]}} SheetFacts
 *   pointed: elements with `cursor: pointer` on hover only; pointerBlocking: the selectors of rules that set
 *   `pointer-events: none` or the like; reordered: elements that may stand elsewhere than in the document; clipping,
 *   unseen: see subjects.js; floats: something may be out of the flow; drawsBackdrops: generated content may be fixed
 */
const CONCERNS = [
  'before',
  'after',
  'cursor',
  'pointed',
  'counters',
  'unpainted',
  'decorated',
  'replaced',
  'reordered',
  'clipping',
  'unseen',
];
/**
 * @typedef {'before' | 'after' | 'cursor' | 'pointed' | 'counters' | 'unpainted' | 'decorated' | 'replaced' |
 *   'reordered' | 'clipping' | 'unseen'} ConcernName
 */

/** @type {WeakMap<CSSStyleSheet, SheetFacts>} */
let factsOfSheets = new WeakMap();

/** Drops all cached facts, so that all rules are read again. */
function forgetFacts() {
  selectedInDocument = null;
  factsOfSheets = new WeakMap();
  mergedFacts.clear();
}

const newSelectorSet = () => ({ classes: new Set(), selectors: [] });
/** @template T @param {(concern: string) => T} make @returns {Record<ConcernName, T>} */
const perConcern = (make) =>
  /** @type {any} */ (Object.fromEntries(CONCERNS.map((concern) => [concern, make(concern)])));

const UNREADABLE = {
  ...perConcern(newSelectorSet),
  transformsCase: true,
  floats: true,
  drawsBackdrops: true,
  pointerBlocking: new Set(['*']),
  readable: false,
  edition: 0,
  reveals: [],
};

/**
 * @param {CSSStyleSheet} sheet
 * @param {boolean} isInOtherDocument  in another document than the world's own
 * @returns {SheetFacts}
 */
function factsOf(sheet, isInOtherDocument) {
  if (versionOf(sheet, isInOtherDocument) === 0) return UNREADABLE;
  const { edition, rules } = recordOf(sheet);
  const known = factsOfSheets.get(sheet);
  if (known?.edition === edition) return known;
  const facts = {
    ...perConcern(newSelectorSet),
    transformsCase: false,
    floats: false,
    drawsBackdrops: false,
    pointerBlocking: new Set(),
    readable: true,
    edition,
    reveals: [],
  };
  readRules(rules, '', facts);
  factsOfSheets.set(sheet, facts);
  return facts;
}

/** @param {RuleRecord[]} rules @param {string} parent  the selector that `&` refers to */
function readRules(rules, parent, facts) {
  for (const { isRelevant, relevantDeclarations, selector, style, rules: inner, imported, reveals } of rules) {
    if (!isRelevant) continue;
    const whole = selector === null ? parent : parent ? nested(parent, selector) : selector;
    if (reveals) for (const part of splitList(whole)) readReveal(part, facts.reveals);
    if (style !== null && whole)
      for (const { name, value } of relevantDeclarations) readDeclaration(name, value, whole, facts);
    readRules(inner, whole, facts);
    if (imported !== null) readRules(imported.rules, parent, facts);
  }
}

function nested(parent, selector) {
  return splitList(selector)
    .map((part) => (part.includes('&') ? part.replaceAll('&', `:is(${parent})`) : `:is(${parent}) ${part}`))
    .join(',');
}

/**
 * @param {string} name  of a property that a rule sets
 * @param {string} selector  of the rule
 * @param {SheetFacts} facts
 */
function readDeclaration(name, value, selector, facts) {
  if (value === '') return; // a longhand whose shorthand was set with var(): its value is not known yet
  if (mayHide(name, value)) addSubjects(facts[concernOf(name)], selector);
  const isOfElements = !selector.includes('::');
  switch (name) {
    case 'all':
      for (const each of ['content', 'cursor', 'text-transform', 'counter-reset'])
        readDeclaration(each, value, selector, facts);
      return;
    case 'content':
      if (!EMPTY_CONTENT.has(value)) readContent(value, selector, facts);
      return;
    case 'cursor':
      if (value !== 'default' && value !== 'auto' && value !== 'text' && isOfElements) addEach(facts.cursor, selector);
      if (value === 'pointer') for (const part of splitList(selector)) readPointed(part, facts);
      return;
    case 'content-visibility':
      if (value === 'hidden') addEach(facts.unpainted, selector);
      return;
    case 'position':
      facts.floats ||= !IN_FLOW.has(value);
      facts.drawsBackdrops ||= value === 'fixed' && !isOfElements;
      return;
    case 'text-transform':
      if (value !== 'none') facts.transformsCase = true;
      return;
    case 'pointer-events':
    case 'interactivity':
      if (value === 'none' || value === 'inert')
        for (const part of splitList(selector)) if (!part.includes('::')) facts.pointerBlocking.add(part.trim() || '*');
      return;
    case 'vertical-align':
    case 'text-decoration-line':
    case 'font-family':
      if (decorates(name, value) && isOfElements) addEach(facts.decorated, selector);
      return;
    case 'order':
    case 'flex-direction':
    case 'grid-row-start':
    case 'grid-column-start':
      if (reorders(value) && isOfElements) addEach(facts.reordered, selector);
      return;
    case 'counter-reset':
    case 'counter-increment':
    case 'counter-set':
      for (const part of splitList(selector)) add(facts.counters, part.replace(/::?(before|after)(?![\w-]).*/i, ''));
  }
}

function readContent(value, selector, facts) {
  for (const part of splitList(selector)) {
    const match = /::?(before|after)(?![\w-])/i.exec(part);
    if (match) add(facts[match[1].toLowerCase()], part.slice(0, match.index));
    else if (!part.includes('::') && !/^["']/.test(value)) add(facts.replaced, part);
  }
}

/**
 * Records only selectors of a single class on hover: the computed style tells nothing until the mouse is over the
 * element.
 */
function readPointed(selector, facts) {
  const match = /^\s*\.([\w-]+):hover\s*$/.exec(selector);
  if (match) facts.pointed.classes.add(match[1]);
}

function addEach(target, selector) {
  for (const part of splitList(selector)) add(target, part);
}

/**
 * Whether a declaration may change the meaning of a text (superscript, strikethrough, icon fonts), see decorated.js.
 */
function decorates(name, value) {
  if (name === 'vertical-align') return value === 'super' || value === 'sub';
  return name === 'font-family' ? ICON_FONT.test(value) : value.includes('line-through');
}

/** Whether such a value may lay out elements in another order than that of the document. */
const reorders = (value) => !/^(?:|0|row|column|auto|span .*)$/.test(value);

const IN_FLOW = new Set(['static', 'relative', 'sticky', 'initial', 'unset', 'revert']);
const EMPTY_CONTENT = new Set(['none', 'normal', '""', "''", '" "', 'initial', 'unset', 'revert']);

// A class in the last compound of a selector, where it is simple to find.
const LAST_CLASS = /(?:^|[\s>+~])[^\s>+~()[\]\\]*\.([\w-]+)(?=[.#:]|$)[^\s>+~()[\]\\]*$/;

function add(target, selector) {
  selector = selector.trim();
  // Whatever has that class may be selected: looking it up is cheaper than matching, and a false positive does no harm.
  const match = LAST_CLASS.exec(selector);
  if (match) {
    target.classes.add(match[1]);
    return;
  }
  if (selector === '' || /[>+~\s]$/.test(selector)) selector += '*';
  target.selectors.push(selector);
}

const GROUPING = /[(["']/;

/** Splits a selector list at its top-level commas, not those inside brackets or quotes. */
function splitList(selector) {
  if (!selector.includes(',')) return [selector];
  if (!GROUPING.test(selector)) return selector.split(',');
  const parts = [];
  let depth = 0;
  let start = 0;
  let quoted = '';
  for (let i = 0; i < selector.length; i++) {
    const c = selector[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === quoted) quoted = '';
    } else if (c === '"' || c === "'") quoted = c;
    else if (c === '(' || c === '[') depth++;
    else if (c === ')' || c === ']') depth--;
    else if (c === ',' && depth === 0) {
      parts.push(selector.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(selector.slice(start));
  return parts;
}

/**
 * The elements that the sheets of a document or shadow root select, for each concern.
 * @returns {Record<ConcernName, Concern> & {transformsCase: boolean, floats: boolean, drawsBackdrops: boolean,
 *   reveals: Reveal[], blocksPointer: boolean, replacesContent: boolean}}
 *   transformsCase, blocksPointer, replacesContent: whether any sheet or style attribute may set `text-transform`, keep
 *   the mouse from an element, or put a picture in place of an element's contents
 * @typedef {{selection: SelectedElements, bit: number}} Concern
 * @typedef {{every: number, elements: {get: (element: Element) => number}, classes: Map<string, number>, byClass:
 *   Map<string, number>, last: Element | null, lastBits: number, moves: boolean}} SelectedElements  numbers are sets of
 *   concerns, one bit for each; moves: some rule is of the concern `reordered`
 */
function selectedIn(root) {
  if (root === document && areRulesUnchanged && selectedInDocument) return selectedInDocument;
  const isDocument = nodeType(root) === 9;
  const {
    every,
    classes,
    byClass,
    lists,
    moves,
    transformsCase,
    floats,
    drawsBackdrops,
    reveals,
    pointerBlocking,
    replacesContent,
  } = factsIn(root, isDocument);
  /** @type {SelectedElements} */
  const selection = { every, elements: new Map(), classes, byClass, last: null, lastBits: 0, moves };
  const isLazy = root === sparseRoot || (readsFewElements && isDocument);
  if (isLazy) selection.elements = new LazySelection(root, lists, concernsOfStyle);
  else selection.elements = withStyled(root, selectElements(root, lists));
  const around = isDocument ? NOTHING_SELECTED : selectionsFor(host_.call(root));
  const select = root === sparseRoot ? selectByAttributes : (selector) => selectAll(root, selector);
  const styles = [...select(STYLED)].map((element) => attr(element, 'style').toLowerCase());
  const has = (property) => styles.some((style) => style.includes(property));
  const selected = {
    ...perConcern((concern) => ({ selection, bit: 1 << CONCERNS.indexOf(concern) })),
    transformsCase: transformsCase || around.transformsCase || has('text-transform'),
    floats,
    drawsBackdrops,
    reveals,
    blocksPointer:
      around.blocksPointer ||
      has('pointer-events') ||
      has('interactivity') ||
      (isLazy ? pointerBlocking.length > 0 : pointerBlocking.some((list) => selectsAny(root, list))),
    replacesContent: replacesContent || has('content'),
  };
  if (root === document) selectedInDocument = selected;
  return selected;
}

/**
 * What the last reading selected in the document: the same while its rules are, and no mutation record reports elements
 * or attributes.
 * @type {ReturnType<typeof selectedIn> | null}
 */
let selectedInDocument = null;

function factsIn(root, isDocument) {
  const sheets = [...(isDocument ? styleSheetsOfDocument_ : styleSheetsOfRoot_).call(root)];
  sheets.push(...(isDocument ? adoptedOfDocument_ : adoptedOfRoot_).call(root));
  return mergeFacts(sheets.map((sheet) => factsOf(sheet, documentOf(root) !== document)));
}

const STYLED = ['text-transform', 'pointer-events', 'interactivity', 'content']
  .map((property) => `[style*="${property}" i]`)
  .join();
const ALL_CONCERNS = (1 << CONCERNS.length) - 1;
// Where a sheet cannot be read, these are not asked of every element, see mayBeUnseen.
const ONLY_WHERE_READ = ['pointed', 'clipping', 'unseen'].reduce(
  (bits, concern) => bits | (1 << CONCERNS.indexOf(concern)),
  0,
);

/**
 * @param {Node} root
 * @param {[number, string][]} lists  bits of concerns, each with a selector list
 * @returns {Map<Element, number>}
 */
function selectElements(root, lists) {
  const elements = new Map();
  for (const [bit, list] of lists) {
    const found = selectAll(root, list);
    for (let i = 0; i < found.length; i++) elements.set(found[i], elements.get(found[i]) | bit);
  }
  return elements;
}

/** Whether only a few elements are read, anywhere in the document. */
let readsFewElements = false;

const LAZY_SHARE = 1 / 8; // of all elements
// in a style sheet the root of the document; in matches() the element itself
const SCOPE = /(?<![\\"']):scope(?![\w-])/gi;

/** The same as `selectElements`, but matches each element on request, for as long as these are few. */
class LazySelection {
  /** @param {Document} root @param {[number, string][]} lists @param {(style: string) => number} [ofStyle] */
  constructor(root, lists, ofStyle) {
    this.root = root;
    this.lists = lists;
    this.ofStyle = ofStyle;
    this.most = elementsByTag_.call(root, '*').length * LAZY_SHARE;
    /** @type {[number, string][]} */
    this.alone = lists.map(([bit, list]) => [bit, list.replace(SCOPE, ':root')]);
    this.any = this.alone.map(([, list]) => list).join();
    /** @type {Map<Element, number>} */
    this.elements = new Map();
    this.isWhole = false;
  }

  /** @param {Element} element @returns {number} */
  get(element) {
    let bits = this.elements.get(element);
    if (bits !== undefined || this.isWhole) return bits;
    if (this.elements.size < this.most) {
      this.elements.set(element, (bits = this.match(element)));
      return bits;
    }
    this.isWhole = true;
    this.elements = selectElements(this.root, this.lists);
    if (this.ofStyle) withStyled(this.root, this.elements);
    return this.elements.get(element);
  }

  /** @param {Element} element @returns {number} */
  match(element) {
    const style = this.ofStyle ? attr(element, 'style') : null;
    let bits = style === null ? 0 : this.ofStyle(style);
    if (this.any && matches(element, this.any))
      for (const [bit, list] of this.alone) if (matches(element, list)) bits |= bit;
    return bits;
  }
}

/** @type {Map<string, object>} merged facts by the editions of the sheets: many shadow roots have the same sheets */
const mergedFacts = new Map();
const MOST_MERGED = 200;

/**
 * @param {SheetFacts[]} sheets
 * @returns {{every: number, moves: boolean, transformsCase: boolean, floats: boolean, drawsBackdrops: boolean,
 *   reveals: Reveal[], pointerBlocking: string[], replacesContent: boolean, classes: Map<string, number>,
 *   byClass: Map<string, number>, lists: [number, string][]}}
 */
function mergeFacts(sheets) {
  const key = sheets.map((facts) => facts.edition).join();
  let known = mergedFacts.get(key);
  if (known) return known;
  const every = sheets.every((facts) => facts.readable) ? 0 : ALL_CONCERNS & ~ONLY_WHERE_READ;
  known = {
    every,
    moves: every !== 0 || sheets.some(({ reordered }) => reordered.classes.size + reordered.selectors.length > 0),
    transformsCase: sheets.some((facts) => facts.transformsCase),
    floats: sheets.some((facts) => facts.floats),
    drawsBackdrops: sheets.some((facts) => facts.drawsBackdrops),
    reveals: sheets.flatMap((facts) => facts.reveals),
    pointerBlocking: validLists(new Set(sheets.flatMap((facts) => [...facts.pointerBlocking]))),
    replacesContent: sheets.some(mayReplace),
    classes: new Map(),
    byClass: new Map(),
    lists: [],
  };
  CONCERNS.forEach((concern, i) => {
    const selectors = new Set();
    for (const facts of sheets) {
      for (const name of facts[concern].classes) known.classes.set(name, known.classes.get(name) | (1 << i));
      for (const selector of facts[concern].selectors) selectors.add(selector);
    }
    if (every === 0 && selectors.size) for (const list of validLists(selectors)) known.lists.push([1 << i, list]);
  });
  if (mergedFacts.size > MOST_MERGED) mergedFacts.clear();
  mergedFacts.set(key, known);
  return known;
}

const mayReplace = ({ readable, replaced }) => !readable || replaced.classes.size + replaced.selectors.length > 0;

/**
 * A single selector list if that is valid, since one invalid selector invalidates the whole list; else each valid
 * selector.
 * @param {Set<string>} selectors
 */
function validLists(selectors) {
  const whole = [...selectors].join(',');
  return isValid(whole) ? [whole] : [...selectors].filter(isValid);
}

function isValid(selector) {
  try {
    DocumentFragment.prototype.querySelector.call(NO_CONTENT, selector);
    return true;
  } catch {
    return false;
  }
}

const NO_CONTENT = Reflect.construct(DocumentFragment, []);

/** Whether a rule of this concern may select the element. @param {Concern} concern */
const mayApply = (concern, element) => (concernsOf(concern.selection, element) & concern.bit) !== 0;

/** @param {SelectedElements} selection @returns {number} the bits of all concerns of the element */
function concernsOf(selection, element) {
  if (selection.last === element) return selection.lastBits;
  let bits = selection.every | selection.elements.get(element);
  if (selection.classes.size && bits !== ALL_CONCERNS) {
    const names = attr(element, 'class');
    if (names !== null) bits |= selection.byClass.get(names) ?? readClasses(selection, names);
  }
  selection.last = element;
  selection.lastBits = bits;
  return bits;
}

function readClasses(selection, names) {
  let bits = 0;
  for (const name of names.split(/\s+/)) bits |= selection.classes.get(name);
  selection.byClass.set(names, bits);
  return bits;
}

/** @type {ReturnType<typeof selectedIn>} */
const NOTHING_SELECTED = {
  ...perConcern(() => ({
    selection: {
      every: 0,
      elements: new Map(),
      classes: new Map(),
      byClass: new Map(),
      last: null,
      lastBits: 0,
      moves: false,
    },
    bit: 0,
  })),
  transformsCase: false,
  floats: false,
  drawsBackdrops: false,
  reveals: [],
  blocksPointer: false,
  replacesContent: false,
};
