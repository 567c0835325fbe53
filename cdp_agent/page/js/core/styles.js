// How style rules make elements depend on changes elsewhere in the document: by selectors of siblings or descendants
// (`a + b`, `:first-child`, `:has()`), and by states that cause no mutation records (`:hover`, `:checked`). Only rules
// that affect what is rendered as text count; sizes are read anew each time. A value with `var()`, `if()` or other
// functions may change with anything: for those, computed values are compared.

/**
 * @typedef {{dependencies: StyleDependencies, key: string, structural: Map<string, Element[]>, dynamic: Map<string,
 *   Element[]>, dependent: Map<string, Map<Element, string>>}} Styles
 * key: which rules there are, and which sheets and media queries apply;
 * structural, dynamic: the elements that each selector or state matches; dependent: by pseudo-element ("" for none),
 * the computed values of elements that depend on more
 * @typedef {{structural: Set<string>, dynamic: Set<string>, medias: Set<string>, dependent: Map<string, Set<string>>,
 *   readable: boolean, renderingSelectors: Set<string>, inContainerQuery: boolean, usesEmpty: boolean}}
 *   StyleDependencies  renderingSelectors: of rules that set what is rendered; inContainerQuery: the rules being
 *   collected apply by the size of a container, whose changes cannot be observed; usesEmpty: some selector has `:empty`
 */

const RENDERING_DECLARATION = new RegExp(`(?:^|;\\s*)(?:${[...RENDERING_NAMES].join('|')})\\s*:\\s*([^;]*)`, 'gi');
const RENDERING_KEYS = new Set([
  'cssFloat',
  ...[...RENDERING_NAMES].map((name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())),
]);
const DEPENDS_ON_MORE =
  /\b(?:var|if|env|inherit|sibling-index|sibling-count|random|random-item|first-valid)\(|--[\w-]+\(/i;
// Elements whose style attribute may hold such a value.
const DEPENDENT_STYLE =
  ':is([style*="var(" i],[style*="if(" i],[style*="env(" i],[style*="inherit(" i],[style*="sibling-" i],' +
  '[style*="random" i],[style*="--"][style*="("])';
const STRUCTURAL = /^(?:empty|has|only-child|only-of-type|(?:first|last)-(?:child|of-type)|nth-[a-z-]+)$/;
const LOCAL_PSEUDOS = new Set(
  (
    'is where not root link any-link -webkit-any-link visited lang host host-context scope matches -webkit-any ' +
    'before after first-line first-letter'
  ).split(' '),
);
const MOST_STRUCTURAL = 100;
const MOST_DYNAMIC = 30;
const MOST_DEPENDENT = 500; // elements

/** @type {{editions: string, dependencies: StyleDependencies} | null} of these editions of the sheets */
let lastDependencies = null;

/** The number of rules when their dependencies could not be determined: no new attempt is made while it is the same. */
let unreadableRuleCount = -1;

const currentSheets = () => [...styleSheetsOfDocument_.call(document), ...adoptedOfDocument_.call(document)];

/** The number of top-level rules that have to be checked for changes; Infinity where changes cannot be determined. */
function countRules() {
  let count = 0;
  try {
    for (const sheet of currentSheets()) count += sheet.cssRules.length;
  } catch {
    return Infinity;
  }
  return count === unreadableRuleCount ? Infinity : count;
}

let sheetsBefore = '';

/** Whether the rules are the same as at the last call. */
function areSheetsUnchanged() {
  const before = sheetsBefore;
  sheetsBefore = currentSheets()
    .map((sheet) => versionOf(sheet))
    .join();
  return sheetsBefore === before;
}

/**
 * @param {Set<Element>} styled  elements with a dependent style attribute
 * @returns {Styles | null} null where that cannot be determined
 */
function readStyles(styled) {
  const sheets = currentSheets();
  const versions = sheets.map((sheet) => versionOf(sheet));
  if (versions.includes(0)) return null;
  const editions = sheets.map((sheet) => recordOf(sheet).edition).join();
  if (lastDependencies?.editions !== editions) lastDependencies = { editions, dependencies: dependenciesOf(sheets) };
  const { dependencies } = lastDependencies;
  if (!dependencies.readable) {
    unreadableRuleCount = countRules();
    return null;
  }
  const key = [
    ...versions,
    ...sheets.map((sheet) => `${sheet.disabled} ${mediaMatch(sheet.media.mediaText)}`),
    ...[...dependencies.medias].map(mediaMatch),
  ].join();
  const dynamic = new Map([...dependencies.dynamic].map((name) => [name, [...selectAll(document, `:${name}`)]]));
  const dependent = dependentNow(dependencies, styled);
  return (
    dependent && {
      dependencies,
      key,
      structural: new Map([...dependencies.structural].map((selector) => [selector, null])),
      dynamic,
      dependent,
    }
  );
}

/**
 * The last styles, where Chrome has computed no style since: changed states have had no effect yet, and are compared
 * with these once a style is computed. @param {Styles} styles @returns {Styles}
 */
const reuseStyles = (styles) => ({
  ...styles,
  structural: new Map([...styles.dependencies.structural].map((selector) => [selector, null])),
});

/** The computed values of elements that depend on more; null where these are too many. */
function dependentNow(dependencies, styled) {
  const dependent = new Map();
  let left = MOST_DEPENDENT;
  for (const [pseudo, selectors] of dependencies.dependent) {
    const elements = new Set(selectors.size ? selectAll(document, [...selectors].join()) : []);
    if (pseudo === '') for (const element of styled) if (isConnected_.call(element)) elements.add(element);
    left -= elements.size;
    if (left < 0) return null;
    dependent.set(pseudo, new Map([...elements].map((element) => [element, comparedStyleOf(element, pseudo)])));
  }
  return dependent;
}

const LOOKED_AT_NAMES = [
  'display',
  'visibility',
  'content-visibility',
  'cursor',
  'text-transform',
  'content',
  'float',
  'position',
  'pointer-events',
  'interactivity',
  ...DECORATING_NAMES,
];

function comparedStyleOf(element, pseudo) {
  const style = computedStyleOf(element, pseudo);
  return LOOKED_AT_NAMES.map((name) => style.getPropertyValue(name)).join(' ');
}

/** Whether an element's style attribute sets what is rendered by a value that depends on more. */
const hasDependentStyle = (element) =>
  matches(element, DEPENDENT_STYLE) &&
  [...attr(element, 'style').matchAll(RENDERING_DECLARATION)].some(([, value]) => DEPENDS_ON_MORE.test(value));

const mediaMatch = (text) => text === '' || window.matchMedia(text).matches;

/** @returns {StyleDependencies} */
function dependenciesOf(sheets) {
  const dependencies = {
    structural: new Set(),
    dynamic: new Set(),
    medias: new Set(),
    dependent: new Map([
      ['', new Set()],
      ['::before', new Set()],
      ['::after', new Set()],
    ]),
    readable: true,
    renderingSelectors: new Set(),
    inContainerQuery: false,
    usesEmpty: false,
  };
  for (const sheet of sheets) collectRules(recordOf(sheet).rules, '', dependencies);
  for (const selector of dependencies.renderingSelectors)
    for (const part of splitList(selector)) addSelectorDependencies(part, dependencies);
  if (dependencies.structural.size > MOST_STRUCTURAL || dependencies.dynamic.size > MOST_DYNAMIC)
    dependencies.readable = false;
  return dependencies;
}

/** @param {RuleRecord[]} rules @param {string} parent @param {StyleDependencies} dependencies */
function collectRules(rules, parent, dependencies) {
  for (const { rule, isRelevant, relevantDeclarations, style, selector, rules: inner, imported } of rules) {
    if (!isRelevant || !dependencies.readable) continue;
    const whole = selector === null ? parent : parent ? nested(parent, selector) : selector;
    if (style !== null) {
      if (whole) collectDeclarations(whole, relevantDeclarations, dependencies);
      collectRules(inner, whole, dependencies);
    } else if (imported !== null) {
      dependencies.medias.add(rule.media.mediaText);
      collectRules(imported.rules, parent, dependencies);
    } else collectRulesIn(rule, inner, parent, dependencies);
  }
}

/** @param {CSSRule} rule  a grouping rule @param {RuleRecord[]} rules  the rules in it */
function collectRulesIn(rule, rules, parent, dependencies) {
  if (rule instanceof CSSMediaRule) dependencies.medias.add(rule.media.mediaText);
  if (rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule) {
    collectRules(rules, parent, dependencies);
    return;
  }
  const isContained = dependencies.inContainerQuery || rule instanceof CSSContainerRule;
  const inner = { ...dependencies, renderingSelectors: new Set(), inContainerQuery: isContained };
  collectRules(rules, parent, inner);
  // Changes of scopes and starting styles cannot be observed, and their selectors do not say what they select.
  if (!inner.readable || (inner.renderingSelectors.size && !(rule instanceof CSSContainerRule)))
    dependencies.readable = false;
  for (const selector of inner.renderingSelectors) dependencies.renderingSelectors.add(selector);
}

/** @param {Declaration[]} declarations */
function collectDeclarations(selector, declarations, dependencies) {
  let [affectsRendering, depends] = [false, false];
  for (const { name, value } of declarations) {
    const isRendering = RENDERING_NAMES.has(name);
    affectsRendering ||=
      isRendering ||
      (REORDERING_NAMES.has(name) && reorders(value)) ||
      (DECORATING_NAMES.has(name) && DECORATING_STYLE.test(`${name}: ${value}`));
    depends ||= isRendering && DEPENDS_ON_MORE.test(value);
  }
  if (affectsRendering) dependencies.renderingSelectors.add(selector);
  if (depends || (affectsRendering && dependencies.inContainerQuery))
    for (const part of splitList(selector)) addDependent(part, dependencies);
}

/** @param {string} selector  a single one, not a list @param {StyleDependencies} dependencies */
function addDependent(selector, dependencies) {
  const pseudo = /::?(before|after)(?![\w-])/i.exec(selector)?.[1].toLowerCase();
  const subject = subjectOf(selector);
  if (isValid(subject)) dependencies.dependent.get(pseudo ? `::${pseudo}` : '').add(subject);
  else dependencies.readable = false;
}

/** The selector without its pseudo-elements: of the elements themselves. */
function subjectOf(selector) {
  const subject = selector
    .replace(/::?(?:before|after|first-line|first-letter)(?![\w-])|::[\w-]+(?:\([^)]*\))?/gi, '')
    .trim();
  return subject === '' || /[>+~\s]$/.test(subject) ? `${subject}*` : subject;
}

/** @param {string} selector  a single one, not a list @param {StyleDependencies} dependencies */
function addSelectorDependencies(selector, dependencies) {
  const bare = selector
    .replace(/\\./g, 'x')
    .replace(/"[^"]*"|'[^']*'/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/::[\w-]+/g, '');
  let isStructural = /[+~]/.test(bare);
  for (const [, name, parenthesis] of bare.toLowerCase().matchAll(/:([\w-]+)(\()?/g)) {
    if (STRUCTURAL.test(name)) isStructural = true;
    else if (name === 'defined') dependencies.dynamic.add('not(:defined)');
    else if (LOCAL_PSEUDOS.has(name)) continue;
    else if (parenthesis || !isValid(`:${name}`)) dependencies.readable = false;
    else dependencies.dynamic.add(name);
  }
  if (!isStructural) return;
  const subject = subjectOf(selector);
  dependencies.usesEmpty ||= /:empty/i.test(bare);
  if (isValid(subject)) dependencies.structural.add(subject);
  else dependencies.readable = false;
}

/** Reports each element that entered or left a state. @returns {boolean} whether any did */
function compareDynamic(before, now, report) {
  let any = false;
  for (const [name, elements] of now.dynamic) {
    any = differences(before.dynamic.get(name) ?? [], elements, report) || any;
  }
  return any;
}

/** Reports each element whose dependent computed values have changed. */
function compareDependent(before, now, report) {
  for (const [pseudo, looks] of now.dependent) {
    const was = before.dependent.get(pseudo);
    for (const [element, look] of looks) if (was.get(element) !== look) report(element);
    for (const element of was.keys()) if (!looks.has(element) && isConnected_.call(element)) report(element);
  }
}

/** Reports each element that structural selectors have begun or ceased to match. */
function compareStructural(before, now, report) {
  for (const selector of now.structural.keys()) {
    const elements = [...selectAll(document, selector)];
    now.structural.set(selector, elements);
    differences(before.structural.get(selector) ?? [], elements, report);
  }
}

function differences(before, now, report) {
  if (sameItems(before, now)) return false;
  const was = new Set(before);
  const is = new Set(now);
  for (const element of before) if (!is.has(element) && isConnected_.call(element)) report(element);
  for (const element of now) if (!was.has(element)) report(element);
  return true;
}

/** Whether a running or filling animation, or a transition, affects what is rendered as text. */
function hasRenderingAnimations() {
  for (const animation of document.getAnimations()) {
    if (animation instanceof CSSTransition) {
      if (
        /^(?:display|visibility|content-visibility|content|cursor|float|position|--.*)$/.test(
          animation.transitionProperty,
        )
      )
        return true;
      continue;
    }
    const frames = animation.effect?.getKeyframes?.() ?? [];
    if (frames.some((frame) => Object.keys(frame).some((name) => RENDERING_KEYS.has(name) || name.startsWith('--'))))
      return true;
  }
  return false;
}
