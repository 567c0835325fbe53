// Whether any rule of the document's style sheets became another one since they were looked at last. No mutation tells of
// `sheet.insertRule()` or `rule.style.display = …`. Writing all rules out to compare them took 7 ms of 4,000 rules: of
// those that show or hide nothing, it is enough to look whether they still set the same properties.

// What a reading asks of computed styles, and what that is computed from.
const SHOWING_NAMES = [
  'display', 'visibility', 'content-visibility', 'content', 'cursor', 'float', 'position', 'all', 'counter-reset', 'counter-increment', 'counter-set',
];
const SETS_SHOWING = new Set(SHOWING_NAMES);
const isVariable = (name) => name.startsWith('--');
const DEEPEST_RULE = 20;
const styleOfRule_ = getterOf(CSSStyleRule.prototype, 'style');
const lengthOfStyle_ = getterOf(CSSStyleDeclaration.prototype, 'length');
const { item: itemOfStyle_, getPropertyValue: valueOfStyle_, getPropertyPriority: priorityOfStyle_ } = CSSStyleDeclaration.prototype;

/** What a sheet consisted of, in order: sheets and rules themselves, names of properties, texts. @typedef {unknown[]} Makeup */

/** @param {CSSStyleSheet[]} sheets @returns {Makeup | null} null where they cannot be read */
function makeupOf(sheets) {
  /** @type {Makeup} */
  const makeup = [];
  return walkSheets(sheets, (item) => makeup.push(item) > 0) ? makeup : null;
}

/** Whether they still are what they were. @param {CSSStyleSheet[]} sheets @param {Makeup} makeup */
function isMadeOf(sheets, makeup) {
  let at = 0;
  return walkSheets(sheets, (item) => item === makeup[at++]) && at === makeup.length;
}

/**
 * Tells all that sheets consist of, for as long as `tell` answers true.
 * @param {CSSStyleSheet[]} sheets @param {(item: unknown) => boolean} tell @returns {boolean} false: another origin's, nested too deep, or no longer listened to
 */
function walkSheets(sheets, tell) {
  for (const sheet of sheets) if (!walkSheet(sheet, tell, 0)) return false;
  return true;
}

function walkSheet(sheet, tell, depth) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return false;
  }
  return tell(sheet) && walkRules(rules, tell, depth);
}

function walkRules(rules, tell, depth) {
  if (depth > DEEPEST_RULE) return false;
  const { length } = rules;
  if (!tell(length)) return false;
  for (let i = 0; i < length; i++) if (!walkRule(rules[i], tell, depth)) return false;
  return true;
}

function walkRule(rule, tell, depth) {
  if (!tell(rule)) return false;
  if (rule instanceof CSSStyleRule) return walkStyle(rule, styleOfRule_.call(rule), tell) && walkRules(rule.cssRules, tell, depth + 1);
  if (rule instanceof CSSKeyframesRule || rule instanceof CSSFontFaceRule) return true; // running animations are asked themselves
  if (rule instanceof CSSImportRule) return tell(rule.media.mediaText) && (rule.styleSheet ? walkSheet(rule.styleSheet, tell, depth + 1) : tell(null));
  if (rule.cssRules) return tell(rule.conditionText) && walkRules(rule.cssRules, tell, depth + 1);
  if (rule.style) return walkStyle(rule, rule.style, tell); // CSSNestedDeclarations
  return tell(rule.cssText);
}

function walkStyle(rule, style, tell) {
  const length = lengthOfStyle_.call(style);
  let matters = false;
  for (let i = 0; i < length; i++) {
    const name = itemOfStyle_.call(style, i);
    if (!tell(name)) return false;
    if (!SETS_SHOWING.has(name) && !isVariable(name)) continue;
    matters = true;
    if (!tell(valueOfStyle_.call(style, name)) || !tell(priorityOfStyle_.call(style, name))) return false;
  }
  return !matters || tell(rule.selectorText);
}
