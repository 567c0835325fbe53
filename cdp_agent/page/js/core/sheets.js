// Which elements style sheets may give generated content or a pointer. Asking every element for its pseudo-elements and
// cursor costs more than all else together, so the rules are read once, and elements are asked only where a rule selects.
// A sheet that cannot be read (another origin's) makes us ask everywhere.

const styleSheetsOfDocument_ = getterOf(Document.prototype, 'styleSheets');
const styleSheetsOfRoot_ = getterOf(ShadowRoot.prototype, 'styleSheets');
const adoptedOfDocument_ = getterOf(Document.prototype, 'adoptedStyleSheets');
const adoptedOfRoot_ = getterOf(ShadowRoot.prototype, 'adoptedStyleSheets');

/**
 * @typedef {{classes: Set<string>, selectors: string[]}} Wanted  elements that one concern selects
 * @typedef {{before: Wanted, after: Wanted, cursor: Wanted, pointed: Wanted, counters: Wanted, unpainted: Wanted, decorated: Wanted, replaced: Wanted, cased: boolean, shielding: Set<string>, readable: boolean, version: number}} SheetFacts
 *   pointed: what has the pointer for a cursor once the mouse is over it; shielding: the selectors of rules that keep the mouse from elements
 */
const CONCERNS = ['before', 'after', 'cursor', 'pointed', 'counters', 'unpainted', 'decorated', 'replaced'];
/** @typedef {'before' | 'after' | 'cursor' | 'pointed' | 'counters' | 'unpainted' | 'decorated' | 'replaced'} ConcernName */

/** @type {WeakMap<CSSStyleSheet, SheetFacts>} */
let factsOfSheets = new WeakMap();

/** The next who asks reads all rules again. */
function forgetFacts() {
  factsOfDocument = null;
  factsOfSheets = new WeakMap();
  mergedFacts.clear();
}

const wanted = () => ({ classes: new Set(), selectors: [] });
/** @template T @param {(concern: string) => T} make @returns {Record<ConcernName, T>} */
const perConcern = (make) => /** @type {any} */ (Object.fromEntries(CONCERNS.map((concern) => [concern, make(concern)])));

const UNREADABLE = { ...perConcern(wanted), cased: true, shielding: new Set(['*']), readable: false, version: 0 };

/** @param {CSSStyleSheet} sheet @param {boolean} isElsewhere  in another document than the world's own @returns {SheetFacts} */
function factsOf(sheet, isElsewhere) {
  const version = versionOf(sheet, isElsewhere);
  if (version === 0) return UNREADABLE;
  const known = factsOfSheets.get(sheet);
  if (known?.version === version) return known;
  const facts = { ...perConcern(wanted), cased: false, shielding: new Set(), readable: true, version };
  readRules(rulesKnownOf(sheet), '', facts);
  factsOfSheets.set(sheet, facts);
  return facts;
}

/** @param {Known[]} rules @param {string} parent  the selector that `&` stands for */
function readRules(rules, parent, facts) {
  for (const { matters, mattering, selector, style, rules: inner, imported } of rules) {
    if (!matters) continue;
    const whole = selector === null ? parent : parent ? nested(parent, selector) : selector;
    if (style !== null && whole) for (const { name, value } of mattering) readDeclaration(name, value, whole, facts);
    readRules(inner, whole, facts);
    if (imported !== null) readRules(imported.rules, parent, facts);
  }
}

function nested(parent, selector) {
  return splitList(selector)
    .map((part) => (part.includes('&') ? part.replaceAll('&', `:is(${parent})`) : `:is(${parent}) ${part}`))
    .join(',');
}

/** @param {string} name  of a property that a rule sets @param {string} selector  of the rule @param {SheetFacts} facts */
function readDeclaration(name, value, selector, facts) {
  if (value === '') return; // what a whole group of properties is set to is not known yet
  const isOfElements = !selector.includes('::');
  switch (name) {
    case 'all':
      for (const each of ['content', 'cursor', 'text-transform', 'counter-reset']) readDeclaration(each, value, selector, facts);
      return;
    case 'content':
      if (!SILENT_CONTENT.has(value)) readContent(value, selector, facts);
      return;
    case 'cursor':
      if (value !== 'default' && value !== 'auto' && value !== 'text' && isOfElements) addEach(facts.cursor, selector);
      if (value === 'pointer') for (const part of splitList(selector)) readPointed(part, facts);
      return;
    case 'content-visibility':
      if (value === 'hidden') addEach(facts.unpainted, selector);
      return;
    case 'text-transform':
      if (value !== 'none') facts.cased = true;
      return;
    case 'pointer-events': case 'interactivity':
      if (value === 'none' || value === 'inert') for (const part of splitList(selector)) if (!part.includes('::')) facts.shielding.add(part.trim() || '*');
      return;
    case 'vertical-align': case 'text-decoration-line': case 'font-family':
      if (decorates(name, value) && isOfElements) addEach(facts.decorated, selector);
      return;
    case 'counter-reset': case 'counter-increment': case 'counter-set':
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

/** Only where the class alone decides it: no computed style could tell. */
function readPointed(selector, facts) {
  const match = /^\s*\.([\w-]+):hover\s*$/.exec(selector);
  if (match) facts.pointed.classes.add(match[1]);
}

function addEach(target, selector) {
  for (const part of splitList(selector)) add(target, part);
}

/** Whether a rule may make text say something else than its letters, see decorated.js. */
function decorates(name, value) {
  if (name === 'vertical-align') return value === 'super' || value === 'sub';
  return name === 'font-family' ? ICON_FONT.test(value) : value.includes('line-through');
}

const SILENT_CONTENT = new Set(['none', 'normal', '""', "''", '" "', 'initial', 'unset', 'revert']);

// A class in the last compound of a selector, where nothing makes that hard to read.
const LAST_CLASS = /(?:^|[\s>+~])[^\s>+~()[\]\\]*\.([\w-]+)(?=[.#:]|$)[^\s>+~()[\]\\]*$/;

function add(target, selector) {
  selector = selector.trim();
  // Whatever has that class may be selected: cheaper to look up than to match, and asking one too many does no harm.
  const match = LAST_CLASS.exec(selector);
  if (match) {
    target.classes.add(match[1]);
    return;
  }
  if (selector === '' || /[>+~\s]$/.test(selector)) selector += '*';
  target.selectors.push(selector);
}

/** Splits a selector list at its own commas, not those inside brackets or quotes. */
function splitList(selector) {
  if (!selector.includes(',')) return [selector];
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
 * What the sheets of one document or shadow root select in it now, for each concern.
 * @returns {Record<ConcernName, Concern> & {cased: boolean, shielded: boolean, replacing: boolean}}
 *   cased, shielded: whether any sheet or style attribute may write text in other letters, or keep the mouse from an element;
 *   replacing: the same of a picture in place of what is in an element
 * @typedef {{selection: SelectedElements, bit: number}} Concern
 * @typedef {{every: number, elements: {get: (element: Element) => number}, classes: Map<string, number>, byClass: Map<string, number>,
 *   last: Element | null, lastBits: number}} SelectedElements  bits say for which concerns
 */
function selectedIn(root) {
  const isDocument = nodeType(root) === 9;
  const { every, classes, byClass, lists, cased, shielding, replacing } = factsIn(root, isDocument);
  /** @type {SelectedElements} */
  const selection = { every, elements: new Map(), classes, byClass, last: null, lastBits: 0 };
  const isAskedAlone = root === sparseRoot || (asksFew && isDocument);
  if (isAskedAlone) selection.elements = new AskedAlone(root, lists);
  else selection.elements = selectElements(root, lists);
  const around = isDocument ? NOTHING_SELECTED : selectionsFor(host_.call(root));
  const select = root === sparseRoot ? selectByAttributes : (selector) => selectAll(root, selector);
  const styles = [...select(STYLED)].map((element) => attr(element, 'style').toLowerCase());
  const has = (property) => styles.some((style) => style.includes(property));
  return {
    ...perConcern((concern) => ({ selection, bit: 1 << CONCERNS.indexOf(concern) })),
    cased: cased || around.cased || has('text-transform'), shielded: around.shielded || has('pointer-events') || has('interactivity') || (isAskedAlone ? shielding.length > 0 : shielding.some((list) => selectsAny(root, list))),
    replacing: replacing || has('content'),
  };
}

/** What the document's sheets said together when they were asked last. @type {ReturnType<typeof merged> | null} */
let factsOfDocument = null;

function factsIn(root, isDocument) {
  if (root === document && areRulesTheSame && factsOfDocument) return factsOfDocument;
  const sheets = [...(isDocument ? styleSheetsOfDocument_ : styleSheetsOfRoot_).call(root)];
  sheets.push(...(isDocument ? adoptedOfDocument_ : adoptedOfRoot_).call(root));
  if (root === document && classesThere === null) findClassesThere(rulesKnown(sheets));
  const facts = merged(sheets.map((sheet) => factsOf(sheet, documentOf(root) !== document)));
  if (root === document) factsOfDocument = facts;
  return facts;
}

const STYLED = ['text-transform', 'pointer-events', 'interactivity', 'content'].map((property) => `[style*="${property}" i]`).join();
const ALL_CONCERNS = (1 << CONCERNS.length) - 1;

/** @param {Node} root @param {[number, string][]} lists  bits, and what selects elements with them @returns {Map<Element, number>} */
function selectElements(root, lists) {
  const elements = new Map();
  for (const [bit, list] of lists) {
    const found = selectAll(root, list);
    for (let i = 0; i < found.length; i++) elements.set(found[i], elements.get(found[i]) | bit);
  }
  return elements;
}

/** Whether only some elements are asked about, wherever they are. */
let asksFew = false;

const ALONE = 1 / 8; // of all elements
const SCOPE = /(?<![\\"']):scope(?![\w-])/gi; // in a style sheet the root of the document; to matches() the element itself

/** The same, asked of each element alone for as long as these are few. */
class AskedAlone {
  /** @param {Document} root @param {[number, string][]} lists */
  constructor(root, lists) {
    this.root = root;
    this.lists = lists;
    this.left = elementsByTag_.call(root, '*').length * ALONE;
    /** @type {[number, string][] | null} */
    this.alone = null;
    /** @type {Map<Element, number> | null} */
    this.all = null;
  }

  /** @param {Element} element @returns {number} */
  get(element) {
    if (this.all === null && this.left-- < 0) this.all = selectElements(this.root, this.lists);
    if (this.all) return this.all.get(element) ?? 0;
    this.alone ??= this.lists.map(([bit, list]) => [bit, list.replace(SCOPE, ':root')]);
    let bits = 0;
    for (const [bit, list] of this.alone) if (matches(element, list)) bits |= bit;
    return bits;
  }
}

/** @type {Map<string, object>} what sheets say together: many shadow roots have the same ones */
const mergedFacts = new Map();
const MOST_MERGED = 200;

/** @param {SheetFacts[]} sheets @returns {{every: number, cased: boolean, shielding: string[], replacing: boolean, classes: Map<string, number>, byClass: Map<string, number>, lists: [number, string][]}} */
function merged(sheets) {
  const key = sheets.map((facts) => facts.version).join();
  let known = mergedFacts.get(key);
  if (known) return known;
  const every = sheets.every((facts) => facts.readable) ? 0 : ALL_CONCERNS & ~(1 << CONCERNS.indexOf('pointed'));
  known = { every, cased: sheets.some((facts) => facts.cased), shielding: validLists(new Set(sheets.flatMap((facts) => [...facts.shielding]))), replacing: sheets.some(mayReplace), classes: new Map(), byClass: new Map(), lists: [] };
  CONCERNS.forEach((concern, i) => {
    const selectors = new Set();
    for (const facts of sheets) {
      for (const name of facts[concern].classes) known.classes.set(name, known.classes.get(name) | (1 << i));
      for (const selector of facts[concern].selectors) selectors.add(selector);
    }
    if (every === 0) for (const list of validLists(selectors)) known.lists.push([1 << i, list]);
  });
  if (mergedFacts.size > MOST_MERGED) mergedFacts.clear();
  mergedFacts.set(key, known);
  return known;
}

const mayReplace = ({ readable, replaced }) => !readable || replaced.classes.size + replaced.selectors.length > 0;

/** All of them in one where that can be: a bad selector voids its whole list. @param {Set<string>} selectors */
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

/** @param {SelectedElements} selection @returns {number} the bits of all concerns */
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
    selection: { every: 0, elements: new Map(), classes: new Map(), byClass: new Map(), last: null, lastBits: 0 }, bit: 0,
  })),
  cased: false,
  shielded: false,
  replacing: false,
};
