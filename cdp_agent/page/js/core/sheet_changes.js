// Whether any rule of a style sheet has changed since the last reading. `sheet.insertRule()` and `rule.style.display =
// …` cause no mutation records. Comparing the text of all rules took 7 ms for 4,000 rules. For rules without relevant
// properties it is enough to check that they still set the same properties; for rules whose class no element has (most
// rules of a library), that their selector is still the same. What those declare is read once an element has the class.

// The properties whose computed values a reading uses, and those from which these are computed.
const RENDERING_NAMES = new Set([
  'display',
  'visibility',
  'content-visibility',
  'content',
  'cursor',
  'float',
  'position',
  'text-transform',
  'pointer-events',
  'interactivity',
  'all',
  'counter-reset',
  'counter-increment',
  'counter-set',
]);
const DECORATING_NAMES = new Set(['vertical-align', 'text-decoration-line', 'font-family']);
const REORDERING_NAMES = new Set(['order', 'flex-direction', 'grid-row-start', 'grid-column-start']);
// What a rule with `:hover` may show a menu by, see hover.js.
const REVEALING_NAMES = new Set(
  'display visibility opacity height max-height grid-template-rows transform scale clip-path left'.split(' '),
);
// Custom properties are left out: where a relevant value depends on one, its computed value is compared (`dependent` in
// styles.js).
const RELEVANT_NAMES = new Set([...RENDERING_NAMES, ...DECORATING_NAMES, ...REORDERING_NAMES]);
const DEEPEST_RULE = 20;
// Compared by number, since rules of frames are not instances of this world's classes.
const { STYLE_RULE: STYLE, IMPORT_RULE: IMPORT, FONT_FACE_RULE: FONT_FACE, KEYFRAMES_RULE: KEYFRAMES } = CSSRule;
const typeOfRule_ = getterOf(CSSRule.prototype, 'type');
const sheetOfRule_ = getterOf(CSSRule.prototype, 'parentStyleSheet');
const styleOfRule_ = getterOf(CSSStyleRule.prototype, 'style');
const rulesOfRule_ = getterOf(CSSStyleRule.prototype, 'cssRules');
const selectorOfRule_ = getterOf(CSSStyleRule.prototype, 'selectorText');
const lengthOfRules_ = getterOf(CSSRuleList.prototype, 'length');
const itemOfRules_ = CSSRuleList.prototype.item;
const lengthOfStyle_ = getterOf(CSSStyleDeclaration.prototype, 'length');
const {
  item: itemOfStyle_,
  getPropertyValue: valueOfStyle_,
  getPropertyPriority: priorityOfStyle_,
} = CSSStyleDeclaration.prototype;

/**
 * The contents of a sheet at the last reading. @typedef {{sheet: CSSStyleSheet, disabled: boolean, rules: RuleRecord[],
 * count: number, version: number, edition: number}} SheetRecord
 *   count: of all rules, those nested in unread ones not included; version: 0 for an imported sheet; edition: another
 *   number whenever the version is, or rules were read late
 * @typedef {{name: string, value: string, priority: string | null}} Declaration  of a relevant property; priority: null
 *   where places are asked for in any case
 * A rule of a sheet. @typedef {object} RuleRecord
 * @property {any} rule @property {CSSStyleDeclaration | null} style  of a style rule, or of declarations between nested
 *   rules @property {string[]} names  of all properties it sets
 * @property {Declaration[]} relevantDeclarations @property {string | null} selector  of a relevant style rule
 * @property {CSSRuleList | null} list  of its nested rules @property {RuleRecord[]} rules  their records @property
 *   {SheetRecord | null} imported @property {string | undefined} text  whatever else may change in the rule
 * @property {boolean} reveals  it may show something while the mouse is over something else
 * @property {boolean} isRelevant  it may set a relevant property, or contains rules
 * @property {boolean} isUnread  nothing but the selector was read, since it selected no element
 * @property {string[] | undefined} classes  any element that a style rule selects has one of these classes; empty: it
 *   need not have any; undefined: not computed yet
 */

/** @type {WeakMap<CSSStyleSheet, SheetRecord>} */
const sheetRecords = new WeakMap();
let lastVersion = 0;

/** Versions of sheets, cached for one reading. @type {Map<CSSStyleSheet, number>} */
let versions = new Map();

/** The number of rules in all sheets that this reading has used. */
let rulesRead = 0;

/**
 * Whether the document's rules are known to be those of the last reading. Python verifies that by Chrome's counters.
 */
let areRulesUnchanged = false;

/**
 * The classes that elements of the document have, cached for one reading; null where collecting them would cost more
 * than it saves; undefined: not looked up yet.
 * @type {Set<string> | null | undefined}
 */
let classesInUse;
let classesOf = { lists: new Set(), classes: new Set() };
const MANY_RULES = 400;
const RULES_FOR_A_CLASS = 0.25; // checking a rule takes four times as long as reading the classes of an element

/** The classes in use, null where collecting them does not pay. */
function findClassesInUse() {
  const rules = currentSheets().reduce((sum, sheet) => sum + countOf(sheet), 0);
  // In quirks mode, class names match in any case.
  if (
    rules < MANY_RULES ||
    rules < RULES_FOR_A_CLASS * elementsByTag_.call(document, '*').length ||
    compatMode_.call(document) !== 'CSS1Compat'
  )
    return null;
  const found = selectAll(document, '[class]');
  const lists = new Set();
  for (let i = 0; i < found.length; i++) lists.add(attr(found[i], 'class'));
  if (lists.size !== classesOf.lists.size || [...lists].some((list) => !classesOf.lists.has(list))) {
    classesOf = { lists, classes: new Set([...lists].flatMap((list) => list.split(/\s+/))) };
  }
  return classesOf.classes;
}

/** How many rules a sheet had at the last reading, or, if it was not read yet, has at its top level. */
const countOf = (sheet) => sheetRecords.get(sheet)?.count ?? rulesOfSheet(sheet)?.length ?? 0;

/** From now until `forget`, recorded sheets of the document are not checked again. */
function assumeRulesUnchanged() {
  const root = documentElement_.call(document);
  if (!root) return;
  getBoundingClientRect_.call(root); // Chrome counts a change of rules only once it computes styles
  areRulesUnchanged = true;
}

/**
 * A number that changes whenever any rule of the sheet does; 0: the sheet cannot be read.
 * @param {CSSStyleSheet} sheet @param {boolean} [isInOtherDocument]  in another document than the world's own
 */
function versionOf(sheet, isInOtherDocument = false) {
  let version = versions.get(sheet);
  if (version === undefined) {
    const known = areRulesUnchanged && !isInOtherDocument ? sheetRecords.get(sheet) : undefined;
    versions.set(sheet, (version = known ? known.version : findVersion(sheet)));
    rulesRead += sheetRecords.get(sheet)?.count ?? 0;
  }
  return version;
}

function findVersion(sheet) {
  const known = sheetRecords.get(sheet);
  if (classesInUse === undefined) classesInUse = findClassesInUse();
  const classes = isOfDocument(sheet) ? classesInUse : null;
  ruleWasReadLate = false;
  if (known && isSheetUnchanged(known, classes)) {
    if (ruleWasReadLate) known.edition = ++lastVersion;
    return known.version;
  }
  const sheetRecord = recordSheet(sheet, 0, classes);
  if (!sheetRecord) return 0;
  sheetRecord.version = sheetRecord.edition = ++lastVersion;
  sheetRecords.set(sheet, sheetRecord);
  return sheetRecord.version;
}

const isOfDocument = (sheet) => sheet.ownerNode !== null && rootOf(sheet.ownerNode) === document;

/** The record of a sheet with a version other than 0. @param {CSSStyleSheet} sheet */
const recordOf = (sheet) => sheetRecords.get(sheet);

/** @param {CSSStyleSheet} sheet @returns {CSSRuleList | null} null: it is cross-origin */
function rulesOfSheet(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return null;
  }
}

/**
 * @param {CSSStyleSheet} sheet @param {Set<string> | null} classes  the classes in use; null: not known
 * @returns {SheetRecord | null} null: it is cross-origin, or nested too deep
 */
function recordSheet(sheet, depth, classes) {
  const list = rulesOfSheet(sheet);
  const rules = list && recordRules(list, depth, classes);
  if (!rules) return null;
  return { sheet, disabled: sheet.disabled, rules, count: countRecords(rules), version: 0, edition: 0 };
}

const countRecords = (rules) =>
  rules.reduce((sum, { rules: inner, imported }) => sum + countRecords(inner) + (imported?.count ?? 0), rules.length);

/** @param {CSSRuleList} list @param {Set<string> | null} classes @returns {RuleRecord[] | null} */
function recordRules(list, depth, classes) {
  if (depth > DEEPEST_RULE) return null;
  const length = lengthOfRules_.call(list);
  const rules = [];
  for (let i = 0; i < length; i++) {
    const known = recordRule(itemOfRules_.call(list, i), depth, classes);
    if (!known) return null;
    rules.push(known);
  }
  return rules;
}

const NO_NAMES = [];
const NO_RULES = [];

/** @param {any} rule @param {Set<string> | null} classes @returns {RuleRecord | null} */
function recordRule(rule, depth, classes) {
  /** @type {RuleRecord} */
  const known = {
    rule,
    style: null,
    names: NO_NAMES,
    relevantDeclarations: NO_NAMES,
    selector: null,
    list: null,
    rules: NO_RULES,
    imported: null,
    text: undefined,
    reveals: false,
    isRelevant: false,
    isUnread: false,
    classes: undefined,
  };
  const type = typeOfRule_.call(rule);
  if (type === STYLE && classes !== null) {
    known.selector = selectorOfRule_.call(rule);
    if ((known.isUnread = selectsNone(known, classes))) return known;
  }
  return readRule(known, depth, classes) ? known : null;
}

/**
 * Reads all of a rule but its selector into its record.
 * @param {RuleRecord} known @param {Set<string> | null} classes @returns {boolean} false: it is nested too deep
 */
function readRule(known, depth, classes) {
  const { rule } = known;
  const type = typeOfRule_.call(rule);
  known.isUnread = false;
  if (type === STYLE) {
    known.style = styleOfRule_.call(rule);
    known.list = rulesOfRule_.call(rule);
    readDeclarations(known);
  } else if (type === KEYFRAMES || type === FONT_FACE)
    return true; // running animations are queried directly
  else if (type === IMPORT) {
    known.text = rule.media.mediaText;
    known.imported = rule.styleSheet && recordSheet(rule.styleSheet, depth + 1, classes);
    if (rule.styleSheet && !known.imported) return false;
  } else if (rule.cssRules) [known.text, known.list] = [rule.conditionText, rule.cssRules];
  else if (rule.style && rule.selectorText === undefined) {
    known.style = rule.style; // declarations between nested rules
    readDeclarations(known);
  } else known.text = rule.cssText;
  if (known.list && lengthOfRules_.call(known.list) > 0) {
    const rules = recordRules(known.list, depth + 1, classes);
    if (!rules) return false;
    known.rules = rules;
  }
  known.reveals &&= (type !== STYLE || REVEALS.test(selectorOfRule_.call(rule))) && !hides(known.style);
  known.isRelevant =
    known.reveals ||
    known.relevantDeclarations.some(isSignificant) ||
    known.imported !== null ||
    known.rules.length > 0;
  // nested rules refer to it by `&`
  known.selector = known.isRelevant && type === STYLE ? selectorOfRule_.call(rule) : null;
  return true;
}

/** Whether a rule was read that had not been before, and is relevant. */
let ruleWasReadLate = false;

/** Reads an unread rule, since an element has its class now. @param {RuleRecord} known @returns as readRule */
function readLate(known, classes) {
  const isRead = readRule(known, 0, classes);
  ruleWasReadLate ||= known.isRelevant;
  return isRead;
}

/** Whether a rule hides what it is about. @param {CSSStyleDeclaration} style */
const hides = (style) =>
  valueOfStyle_.call(style, 'display') === 'none' ||
  valueOfStyle_.call(style, 'visibility') === 'hidden' ||
  valueOfStyle_.call(style, 'opacity') === '0';

/** Whether a declaration may matter: those of order do not with most values. @param {Declaration} declaration */
const isSignificant = ({ name, value }) => !REORDERING_NAMES.has(name) || reorders(value);

/** Records the declarations of a rule. @param {RuleRecord} known */
function readDeclarations(known) {
  const { style } = known;
  const length = lengthOfStyle_.call(style);
  /** @type {string[]} */
  const names = [];
  /** @type {Declaration[]} */
  const relevantDeclarations = [];
  for (let i = 0; i < length; i++) {
    const name = itemOfStyle_.call(style, i);
    names.push(name);
    known.reveals ||= REVEALING_NAMES.has(name);
    if (RELEVANT_NAMES.has(name))
      relevantDeclarations.push({
        name,
        value: valueOfStyle_.call(style, name),
        priority: REORDERING_NAMES.has(name) ? null : priorityOfStyle_.call(style, name),
      });
    else if (name in HIDING_VALUES) {
      const value = valueOfStyle_.call(style, name);
      if (mayHide(name, value)) relevantDeclarations.push({ name, value, priority: null });
    }
  }
  if (length) known.names = names;
  if (relevantDeclarations.length) known.relevantDeclarations = relevantDeclarations;
}

/** @param {SheetRecord} sheetRecord @param {Set<string> | null} classes  the classes in use; null: not known */
function isSheetUnchanged({ sheet, disabled, rules }, classes) {
  const list = rulesOfSheet(sheet);
  return list !== null && sheet.disabled === disabled && areRulesInUnchanged(sheet, list, rules, classes);
}

/**
 * @param {CSSStyleSheet} sheet
 * @param {CSSRuleList} list
 * @param {RuleRecord[]} rules
 * @param {Set<string> | null} classes
 */
function areRulesInUnchanged(sheet, list, rules, classes) {
  const { length } = rules;
  if (lengthOfRules_.call(list) !== length) return false;
  for (let i = 0; i < length; i++) {
    const known = rules[i];
    // A removed rule belongs to no sheet, and rules are never moved or added again: if all are still in the sheet and
    // their number is the same, they are the same rules.
    if (sheetOfRule_.call(known.rule) !== sheet) return false;
    if (classes !== null && known.selector !== null && selectsNone(known, classes)) {
      if (selectorOfRule_.call(known.rule) !== known.selector) return false;
    } else if (known.isUnread) {
      if (selectorOfRule_.call(known.rule) !== known.selector || !readLate(known, classes)) return false;
    } else if (known.style !== null ? !isDeclarationUnchanged(known) : !isOtherRuleUnchanged(known, classes))
      return false;
    if (
      known.list !== null &&
      (known.rules.length
        ? !areRulesInUnchanged(sheet, known.list, known.rules, classes)
        : lengthOfRules_.call(known.list) > 0)
    )
      return false;
  }
  return true;
}

/**
 * Whether a style rule selects no element, whatever it declares.
 * @param {RuleRecord} known
 * @param {Set<string>} classes
 */
function selectsNone(known, classes) {
  known.classes ??= neededClasses(known.selector);
  for (let i = 0; i < known.classes.length; i++) if (classes.has(known.classes[i])) return false;
  return known.classes.length > 0;
}

/**
 * @param {string} selector
 * @returns {string[]} any element that it selects has one of these classes; empty: it need not have any
 */
function neededClasses(selector) {
  const classes = [];
  for (const part of splitList(selector)) {
    const match = LAST_CLASS.exec(part);
    if (match === null) return NO_NAMES;
    classes.push(match[1]);
  }
  return classes;
}

/** @param {RuleRecord} known  one with declarations of its own */
function isDeclarationUnchanged({ rule, style, names, relevantDeclarations, selector }) {
  const { length } = names;
  if (lengthOfStyle_.call(style) !== length) return false;
  for (let i = 0; i < length; i++) if (itemOfStyle_.call(style, i) !== names[i]) return false;
  for (let i = 0; i < relevantDeclarations.length; i++) {
    const { name, value, priority } = relevantDeclarations[i];
    if (valueOfStyle_.call(style, name) !== value) return false;
    if (priority !== null && priorityOfStyle_.call(style, name) !== priority) return false;
  }
  return selector === null || selectorOfRule_.call(rule) === selector;
}

/** Whether a rule without declarations is unchanged. @param {RuleRecord} known @param {Set<string> | null} classes */
function isOtherRuleUnchanged({ rule, list, text, imported }, classes) {
  if (typeOfRule_.call(rule) === IMPORT) {
    return (
      rule.media.mediaText === text &&
      (rule.styleSheet ?? null) === (imported?.sheet ?? null) &&
      (imported === null || isSheetUnchanged(imported, classes))
    );
  }
  return text === undefined || (list !== null ? rule.conditionText : rule.cssText) === text;
}
