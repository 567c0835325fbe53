// Whether any rule of a style sheet became another one since it was looked at last. No mutation tells of
// `sheet.insertRule()` or `rule.style.display = …`. Writing all rules out to compare them took 7 ms of 4,000 rules: of
// those that show or hide nothing, it is enough to look whether they still set the same properties.

// What a reading asks of computed styles, and what that is computed from.
const SHOWING_NAMES = [
  'display', 'visibility', 'content-visibility', 'content', 'cursor', 'float', 'position', 'text-transform', 'pointer-events', 'interactivity', 'all', 'counter-reset', 'counter-increment', 'counter-set',
];
const DECORATING_NAMES = ['vertical-align', 'text-decoration-line', 'font-family'];
const MATTERING_NAMES = new Set([...SHOWING_NAMES, ...DECORATING_NAMES]);
// Of those, what only shows or hides: `readRule` does not ask for it.
const PLACING_NAMES = new Set(['display', 'visibility', 'float', 'position']);
const isVariable = (name) => name.startsWith('--');
const DEEPEST_RULE = 20;
const styleOfRule_ = getterOf(CSSStyleRule.prototype, 'style');
const rulesOfRule_ = getterOf(CSSStyleRule.prototype, 'cssRules');
const selectorOfRule_ = getterOf(CSSStyleRule.prototype, 'selectorText');
const lengthOfRules_ = getterOf(CSSRuleList.prototype, 'length');
const lengthOfStyle_ = getterOf(CSSStyleDeclaration.prototype, 'length');
const { item: itemOfStyle_, getPropertyValue: valueOfStyle_, getPropertyPriority: priorityOfStyle_ } = CSSStyleDeclaration.prototype;

/**
 * What a sheet consisted of, in order: declarations, other rules themselves, texts. @typedef {unknown[]} Makeup
 * What a rule declared: the names of all that it set, and what those were set to that matter.
 * @typedef {{rule: CSSRule, style: CSSStyleDeclaration, names: string[], mattering: [string, string, string][], isRead: boolean, inner: CSSRuleList | null, size: number, selector: string | null}} Declared
 *   isRead: it sets what `readRule` asks for
 */

/** Of each rule whose sheet was walked over, as that found it last: who reads the rules next need not ask them again. @type {WeakMap<CSSRule, Declared>} */
const declaredOf = new WeakMap();

/** Whether a rule neither declares anything that matters nor holds other rules. @param {CSSRule} rule */
function declaresNothing(rule) {
  const declared = declaredOf.get(rule);
  return declared !== undefined && declared.mattering.length === 0 && declared.size === 0;
}

/** What a rule declares of what matters, as its own text would have it. @param {CSSRule} rule */
function declaredText(rule) {
  const declared = declaredOf.get(rule);
  return declared ? declared.mattering.map(([name, value]) => `${name}: ${value}`).join('; ') : rule.style.cssText; // of @page
}

/** @type {WeakMap<CSSStyleSheet, {makeup: Makeup, version: number}>} */
const makeups = new WeakMap();
let lastVersion = 0;

/** @type {Map<CSSStyleSheet, number>} for one reading */
let versions = new Map();

/** How many rules sheets have that this reading has asked about. */
let rulesAskedFor = 0;

/** Whether the document's rules are those that they were when they were walked over last. Python holds that against what Chrome counts. */
let areRulesTheSame = false;

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
    rulesAskedFor += makeups.get(sheet)?.makeup.length ?? 0;
  }
  return version;
}

function findVersion(sheet) {
  const known = makeups.get(sheet);
  if (known) {
    let at = 0;
    const { makeup } = known;
    const same = { tell: (item) => item === makeup[at++], tellDeclared: (rule) => declaredStill(makeup[at++], rule) };
    if (walkSheet(sheet, same, 0) && at === makeup.length) return known.version;
  }
  /** @type {Makeup} */
  const makeup = [];
  const tellDeclared = (rule) => {
    const declared = declaredBy(rule);
    makeup.push(declared);
    declaredOf.set(rule, declared);
    return declared;
  };
  if (!walkSheet(sheet, { tell: (item) => makeup.push(item) > 0, tellDeclared }, 0)) return 0;
  const version = ++lastVersion;
  makeups.set(sheet, { makeup, version });
  return version;
}

/**
 * Tells all that a sheet consists of, for as long as the answer is true.
 * @param {CSSStyleSheet} sheet @param {{tell: (item: unknown) => boolean, tellDeclared: (rule: CSSRule) => Declared | null}} listener
 * @returns {boolean} false: another origin's, nested too deep, or no longer listened to
 */
function walkSheet(sheet, listener, depth) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return false;
  }
  return listener.tell(sheet) && listener.tell(sheet.disabled) && walkRules(rules, listener, depth);
}

function walkRules(rules, listener, depth) {
  if (depth > DEEPEST_RULE) return false;
  const length = lengthOfRules_.call(rules);
  if (!listener.tell(length)) return false;
  for (let i = 0; i < length; i++) if (!walkRule(rules[i], listener, depth)) return false;
  return true;
}

function walkRule(rule, listener, depth) {
  if (rule instanceof CSSStyleRule) {
    const declared = listener.tellDeclared(rule);
    return declared !== null && (declared.size === 0 || walkRules(declared.inner, listener, depth + 1));
  }
  const { tell } = listener;
  if (!tell(rule)) return false;
  if (rule instanceof CSSKeyframesRule || rule instanceof CSSFontFaceRule) return true; // running animations are asked themselves
  if (rule instanceof CSSImportRule) return tell(rule.media.mediaText) && (rule.styleSheet ? walkSheet(rule.styleSheet, listener, depth + 1) : tell(null));
  if (rule.cssRules) return tell(rule.conditionText) && walkRules(rule.cssRules, listener, depth + 1);
  return rule instanceof CSSNestedDeclarations ? listener.tellDeclared(rule) !== null : tell(rule.cssText);
}

/** @param {any} rule  a style rule, or declarations between nested ones @returns {Declared} */
function declaredBy(rule) {
  const isStyleRule = rule instanceof CSSStyleRule;
  const style = isStyleRule ? styleOfRule_.call(rule) : rule.style;
  const inner = isStyleRule ? rulesOfRule_.call(rule) : null;
  const length = lengthOfStyle_.call(style);
  /** @type {string[]} */
  const names = [];
  /** @type {[string, string, string][]} */
  const mattering = [];
  let isRead = false;
  for (let i = 0; i < length; i++) {
    const name = itemOfStyle_.call(style, i);
    names.push(name);
    const isNamed = MATTERING_NAMES.has(name);
    if (isNamed || isVariable(name)) mattering.push([name, valueOfStyle_.call(style, name), priorityOfStyle_.call(style, name)]);
    isRead ||= isNamed && !PLACING_NAMES.has(name);
  }
  const size = inner ? lengthOfRules_.call(inner) : 0;
  // Rules in it have its selector in theirs.
  return { rule, style, names, mattering, isRead, inner, size, selector: inner && (mattering.length || size) ? selectorOfRule_.call(rule) : null };
}

/** @param {any} was  what a sheet consisted of there @returns {Declared | null} that, if the rule declares it still */
function declaredStill(was, rule) {
  if (was?.rule !== rule) return null;
  const { style, names, inner, selector } = was;
  if (lengthOfStyle_.call(style) !== names.length) return null;
  if (inner && lengthOfRules_.call(inner) !== was.size) return null;
  for (let i = 0; i < names.length; i++) if (itemOfStyle_.call(style, i) !== names[i]) return null;
  for (const [name, value, priority] of was.mattering) {
    if (valueOfStyle_.call(style, name) !== value || priorityOfStyle_.call(style, name) !== priority) return null;
  }
  return selector === null || selectorOfRule_.call(rule) === selector ? was : null;
}
