// Whether any rule of a style sheet became another one since it was looked at last. No mutation tells of
// `sheet.insertRule()` or `rule.style.display = …`. Writing all rules out to compare them took 7 ms of 4,000 rules: of
// those that show or hide nothing, it is enough to look whether they still set the same properties; of those for a class that no
// element has, as most rules of an icon font are, whether they still are for that class.

// What a reading asks of computed styles, and what that is computed from.
const SHOWING_NAMES = new Set([
  'display', 'visibility', 'content-visibility', 'content', 'cursor', 'float', 'position', 'text-transform', 'pointer-events', 'interactivity', 'all', 'counter-reset', 'counter-increment', 'counter-set',
]);
const DECORATING_NAMES = new Set(['vertical-align', 'text-decoration-line', 'font-family']);
// Not variables: where anything that matters depends on one, what came of it is compared (`dependent` in styles.js).
const MATTERING_NAMES = new Set([...SHOWING_NAMES, ...DECORATING_NAMES]);
const DEEPEST_RULE = 20;
// By number, since rules in frames are no instances of our classes.
const { STYLE_RULE: STYLE, IMPORT_RULE: IMPORT, FONT_FACE_RULE: FONT_FACE, KEYFRAMES_RULE: KEYFRAMES } = CSSRule;
const typeOfRule_ = getterOf(CSSRule.prototype, 'type');
const sheetOfRule_ = getterOf(CSSRule.prototype, 'parentStyleSheet');
const styleOfRule_ = getterOf(CSSStyleRule.prototype, 'style');
const rulesOfRule_ = getterOf(CSSStyleRule.prototype, 'cssRules');
const selectorOfRule_ = getterOf(CSSStyleRule.prototype, 'selectorText');
const lengthOfRules_ = getterOf(CSSRuleList.prototype, 'length');
const itemOfRules_ = CSSRuleList.prototype.item;
const lengthOfStyle_ = getterOf(CSSStyleDeclaration.prototype, 'length');
const { item: itemOfStyle_, getPropertyValue: valueOfStyle_, getPropertyPriority: priorityOfStyle_ } = CSSStyleDeclaration.prototype;

/**
 * What a sheet consisted of when it was walked over last. @typedef {{sheet: CSSStyleSheet, disabled: boolean, rules: Known[], count: number, version: number}} Makeup
 *   count: of rules, with those in others; version: 0 where it is imported
 * @typedef {{name: string, value: string, priority: string}} Declaration  one that matters
 * A rule of it. @typedef {object} Known
 * @property {any} rule @property {CSSStyleDeclaration | null} style  of a style rule, and of declarations between nested ones @property {string[]} names  all that it sets
 * @property {Declaration[]} mattering @property {string | null} selector  of a style rule that sets anything that matters, or holds other rules
 * @property {CSSRuleList | null} list  of the rules in it @property {Known[]} rules  those @property {Makeup | null} imported @property {string | undefined} text  what else may become another one
 * @property {boolean} matters  it, or a rule in it, may set what matters
 * @property {string[] | undefined} classes  whatever a style rule selects has one of these, none: or has not; undefined: not asked yet
 */

/** @type {WeakMap<CSSStyleSheet, Makeup>} */
const makeups = new WeakMap();
let lastVersion = 0;

/** @type {Map<CSSStyleSheet, number>} for one reading */
let versions = new Map();

/** How many rules sheets have that this reading has asked about. */
let rulesAskedFor = 0;

/** Whether the document's rules are those that they were when they were walked over last. Python holds that against what Chrome counts. */
let areRulesTheSame = false;

/** The classes that elements of the document have, for one reading; null where it costs more to know that. @type {Set<string> | null} */
let classesThere = null;
let classesOf = { lists: new Set(), classes: new Set() };
const MANY_RULES = 400;
const RULES_FOR_A_CLASS = 0.25; // to look at a rule takes four times as long as at an element's classes

/** @param {number} rules  as many are to be looked at */
function findClassesThere(rules) {
  // A page without a doctype may write its classes in any case.
  if (rules < MANY_RULES || rules < RULES_FOR_A_CLASS * elementsByTag_.call(document, '*').length || compatMode_.call(document) !== 'CSS1Compat') return;
  const found = selectAll(document, '[class]');
  const lists = new Set();
  for (let i = 0; i < found.length; i++) lists.add(attr(found[i], 'class'));
  if (lists.size !== classesOf.lists.size || [...lists].some((list) => !classesOf.lists.has(list))) {
    classesOf = { lists, classes: new Set([...lists].flatMap((list) => list.split(/\s+/))) };
  }
  classesThere = classesOf.classes;
}

/** From now on, until `forget`, no sheet of the document is walked over that was before. */
function takeRulesForTheSame() {
  const root = documentElement_.call(document);
  if (!root) return;
  getBoundingClientRect_.call(root); // a change of rules is counted when Chrome looks at what comes of it
  areRulesTheSame = true;
}

/**
 * A number that is another one when any rule of the sheet has become another one; 0: it cannot be read.
 * @param {CSSStyleSheet} sheet @param {boolean} [isElsewhere]  in another document than the world's own
 */
function versionOf(sheet, isElsewhere = false) {
  let version = versions.get(sheet);
  if (version === undefined) {
    const known = areRulesTheSame && !isElsewhere ? makeups.get(sheet) : undefined;
    versions.set(sheet, (version = known ? known.version : findVersion(sheet)));
    rulesAskedFor += makeups.get(sheet)?.count ?? 0;
  }
  return version;
}

function findVersion(sheet) {
  const known = makeups.get(sheet);
  if (known && isSheetStill(known, isOfDocument(sheet) ? classesThere : null)) return known.version;
  const makeup = makeupOf(sheet, 0);
  if (!makeup) return 0;
  makeup.version = ++lastVersion;
  makeups.set(sheet, makeup);
  return makeup.version;
}

const isOfDocument = (sheet) => sheet.ownerNode !== null && rootOf(sheet.ownerNode) === document;

/** The rules of a sheet that has a version. @param {CSSStyleSheet} sheet */
const rulesKnownOf = (sheet) => makeups.get(sheet).rules;

/** How many rules the sheets had when they were walked over last. */
const rulesKnown = (sheets) => sheets.reduce((sum, sheet) => sum + (makeups.get(sheet)?.count ?? 0), 0);

/** @param {CSSStyleSheet} sheet @returns {CSSRuleList | null} null: it is another origin's */
function rulesOfSheet(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return null;
  }
}

/** @param {CSSStyleSheet} sheet @returns {Makeup | null} null: another origin's, or nested too deep */
function makeupOf(sheet, depth) {
  const list = rulesOfSheet(sheet);
  const rules = list && knownRules(list, depth);
  if (!rules) return null;
  return { sheet, disabled: sheet.disabled, rules, count: countKnown(rules), version: 0 };
}

const countKnown = (rules) => rules.reduce((sum, { rules: inner, imported }) => sum + countKnown(inner) + (imported?.count ?? 0), rules.length);

/** @param {CSSRuleList} list @returns {Known[] | null} */
function knownRules(list, depth) {
  if (depth > DEEPEST_RULE) return null;
  const length = lengthOfRules_.call(list);
  const rules = [];
  for (let i = 0; i < length; i++) {
    const known = knownRule(itemOfRules_.call(list, i), depth);
    if (!known) return null;
    rules.push(known);
  }
  return rules;
}

const NO_NAMES = [];
const NO_RULES = [];

/** @param {any} rule @returns {Known | null} */
function knownRule(rule, depth) {
  /** @type {Known} */
  const known = { rule, style: null, names: NO_NAMES, mattering: NO_NAMES, selector: null, list: null, rules: NO_RULES, imported: null, text: undefined, matters: false, classes: undefined };
  const type = typeOfRule_.call(rule);
  if (type === STYLE) {
    known.style = styleOfRule_.call(rule);
    known.list = rulesOfRule_.call(rule);
    readDeclarations(known);
  } else if (type === KEYFRAMES || type === FONT_FACE) return known; // running animations are asked themselves
  else if (type === IMPORT) {
    known.text = rule.media.mediaText;
    known.imported = rule.styleSheet && makeupOf(rule.styleSheet, depth + 1);
    if (rule.styleSheet && !known.imported) return null;
  } else if (rule.cssRules) [known.text, known.list] = [rule.conditionText, rule.cssRules];
  else if (rule.style && rule.selectorText === undefined) {
    known.style = rule.style; // declarations between nested rules
    readDeclarations(known);
  } else known.text = rule.cssText;
  if (known.list && lengthOfRules_.call(known.list) > 0) {
    const rules = knownRules(known.list, depth + 1);
    if (!rules) return null;
    known.rules = rules;
  }
  known.matters = known.mattering.length > 0 || known.imported !== null || known.rules.length > 0;
  if (known.matters && type === STYLE) known.selector = selectorOfRule_.call(rule); // rules in it have its selector in theirs
  return known;
}

/** @param {Known} known */
function readDeclarations(known) {
  const { style } = known;
  const length = lengthOfStyle_.call(style);
  /** @type {string[]} */
  const names = [];
  /** @type {Declaration[]} */
  const mattering = [];
  for (let i = 0; i < length; i++) {
    const name = itemOfStyle_.call(style, i);
    names.push(name);
    if (MATTERING_NAMES.has(name)) mattering.push({ name, value: valueOfStyle_.call(style, name), priority: priorityOfStyle_.call(style, name) });
  }
  if (length) known.names = names;
  if (mattering.length) known.mattering = mattering;
}

/** @param {Makeup} makeup @param {Set<string> | null} classes  no element has others, null: it may */
function isSheetStill({ sheet, disabled, rules }, classes) {
  const list = rulesOfSheet(sheet);
  return list !== null && sheet.disabled === disabled && areRulesStill(sheet, list, rules, classes);
}

/** @param {CSSStyleSheet} sheet @param {CSSRuleList} list @param {Known[]} rules @param {Set<string> | null} classes */
function areRulesStill(sheet, list, rules, classes) {
  const { length } = rules;
  if (lengthOfRules_.call(list) !== length) return false;
  for (let i = 0; i < length; i++) {
    const known = rules[i];
    // A rule that was taken out belongs to no sheet, and none comes back or moves: as many of them, all there still, are the same.
    if (sheetOfRule_.call(known.rule) !== sheet) return false;
    if (classes !== null && known.selector !== null && selectsNone(known, classes)) {
      if (selectorOfRule_.call(known.rule) !== known.selector) return false;
    } else if (known.style !== null ? !isDeclaredStill(known) : !isOtherStill(known, classes)) return false;
    if (known.list !== null && (known.rules.length ? !areRulesStill(sheet, known.list, known.rules, classes) : lengthOfRules_.call(known.list) > 0)) return false;
  }
  return true;
}

/** Whether a style rule selects nothing, whatever it declares. @param {Known} known @param {Set<string>} classes */
function selectsNone(known, classes) {
  known.classes ??= neededClasses(known.selector);
  for (let i = 0; i < known.classes.length; i++) if (classes.has(known.classes[i])) return false;
  return known.classes.length > 0;
}

/** @param {string} selector @returns {string[]} whatever it selects has one of these; none: or it has not */
function neededClasses(selector) {
  const found = splitList(selector).map((part) => LAST_CLASS.exec(part)?.[1]);
  return found.includes(undefined) ? NO_NAMES : found;
}

/** @param {Known} known  one that declares something itself */
function isDeclaredStill({ rule, style, names, mattering, selector }) {
  const { length } = names;
  if (lengthOfStyle_.call(style) !== length) return false;
  for (let i = 0; i < length; i++) if (itemOfStyle_.call(style, i) !== names[i]) return false;
  for (let i = 0; i < mattering.length; i++) {
    const { name, value, priority } = mattering[i];
    if (valueOfStyle_.call(style, name) !== value || priorityOfStyle_.call(style, name) !== priority) return false;
  }
  return selector === null || selectorOfRule_.call(rule) === selector;
}

/** @param {Known} known @param {Set<string> | null} classes */
function isOtherStill({ rule, list, text, imported }, classes) {
  if (typeOfRule_.call(rule) === IMPORT) {
    return rule.media.mediaText === text && (rule.styleSheet ?? null) === (imported?.sheet ?? null) && (imported === null || isSheetStill(imported, classes));
  }
  return text === undefined || (list !== null ? rule.conditionText : rule.cssText) === text;
}
