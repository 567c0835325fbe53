// What rules of style sheets may do to elements other than those that change and what is in them: the selectors that look at
// neighbours or at what is below (`a + b`, `:first-child`, `:has()`), and the states of elements that no mutation tells
// (`:hover`, `:checked`). Only rules that show, hide or say something matter; sizes are looked at anew each time. Where what they set
// depends on more (`var()`, `if()`, functions), that may change by anything: there, what came of it is compared.

/**
 * @typedef {{risks: Risks, key: string, structural: Map<string, Element[]>, dynamic: Map<string, Element[]>, dependent: Map<string, Map<Element, string>>}} Styles
 * risks: the same object for as long as the sheets are the same; key: which of them and of their media apply; structural, dynamic:
 * selectors and states with what they select now; dependent: for the element, ::before and ::after, what was computed of those where it depends
 * @typedef {{structural: Set<string>, dynamic: Set<string>, medias: Set<string>, dependent: Map<string, Set<string>>, readable: boolean,
 *   showing: Set<string>, contained: boolean, emptiness: boolean}} Risks  emptiness: some look whether elements are empty; showing: selectors of rules that show, hide or say something; contained: those that are being
 *   collected hold by the sizes of containers, of which nobody tells
 */

const SHOWING = new RegExp(`(?:^|;\\s*)(?:${[...SHOWING_NAMES].join('|')})\\s*:\\s*([^;]*)`, 'gi');
const SHOWING_PROPERTIES = new Set(['cssFloat', ...[...SHOWING_NAMES].map((name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()))]);
const DEPENDS_ON_MORE = /\b(?:var|if|env|inherit|sibling-index|sibling-count|random|random-item|first-valid)\(|--[\w-]+\(/i;
// Of elements' own styles, those of which it may be so.
const DEPENDENT_STYLE = ':is([style*="var(" i],[style*="if(" i],[style*="env(" i],[style*="inherit(" i],[style*="sibling-" i],[style*="random" i],[style*="--"][style*="("])';
const STRUCTURAL = /^(?:empty|has|only-child|only-of-type|(?:first|last)-(?:child|of-type)|nth-[a-z-]+)$/;
const CONFINED = new Set('is where not root link any-link -webkit-any-link visited lang host host-context scope matches -webkit-any before after first-line first-letter'.split(' '));
const MOST_STRUCTURAL = 100;
const MOST_DYNAMIC = 30;
const MOST_DEPENDENT = 500; // elements

/** @type {{sheets: string, risks: Risks} | null} of the sheets as they were last */
let lastRisks = null;

/** How many rules there were when nothing could be known: while they are as many, it is not tried again. */
let countInVain = -1;

const sheetsNow = () => [...styleSheetsOfDocument_.call(document), ...adoptedOfDocument_.call(document)];

/** How many rules have to be looked at to know what changed, those in others not counted; Infinity where it cannot be known. */
function countRules() {
  let count = 0;
  try {
    for (const sheet of sheetsNow()) count += sheet.cssRules.length;
  } catch {
    return Infinity;
  }
  return count === countInVain ? Infinity : count;
}

let sheetsBefore = '';

/** Whether the rules are those that they were when this was asked last. */
function haveSheetsStayed() {
  const before = sheetsBefore;
  sheetsBefore = sheetsNow().map((sheet) => versionOf(sheet)).join();
  return sheetsBefore === before;
}

/** @param {Set<Element>} styled  elements whose own style depends on more @returns {Styles | null} null where it cannot be known */
function stylesNow(styled) {
  const sheets = sheetsNow();
  if (!areRulesTheSame) findClassesThere(rulesKnown(sheets));
  const found = sheets.map((sheet) => versionOf(sheet));
  if (found.includes(0)) return null;
  if (lastRisks?.sheets !== found.join()) lastRisks = { sheets: found.join(), risks: risksOf(sheets) };
  const { risks } = lastRisks;
  if (!risks.readable) {
    countInVain = countRules();
    return null;
  }
  const key = [...sheets.map((sheet) => `${sheet.disabled} ${mediaMatch(sheet.media.mediaText)}`), ...[...risks.medias].map(mediaMatch)].join();
  const dynamic = new Map([...risks.dynamic].map((name) => [name, [...selectAll(document, `:${name}`)]]));
  const dependent = dependentNow(risks, styled);
  return dependent && { risks, key, structural: new Map([...risks.structural].map((selector) => [selector, null])), dynamic, dependent };
}

/**
 * The same where no style was computed anew: states that came or went meanwhile have changed nothing yet, and are compared with these the
 * next time that any is. @param {Styles} styles @returns {Styles}
 */
const stylesStill = (styles) => ({ ...styles, structural: new Map([...styles.risks.structural].map((selector) => [selector, null])) });

/** What was computed where it depends on more; null where that is too much to look at. */
function dependentNow(risks, styled) {
  const dependent = new Map();
  let left = MOST_DEPENDENT;
  for (const [pseudo, selectors] of risks.dependent) {
    const elements = new Set(selectors.size ? selectAll(document, [...selectors].join()) : []);
    if (pseudo === '') for (const element of styled) if (isConnected_.call(element)) elements.add(element);
    left -= elements.size;
    if (left < 0) return null;
    dependent.set(pseudo, new Map([...elements].map((element) => [element, looksOf(element, pseudo)])));
  }
  return dependent;
}

const LOOKED_AT_NAMES = ['display', 'visibility', 'content-visibility', 'cursor', 'text-transform', 'content', 'float', 'position', 'pointer-events', 'interactivity', ...DECORATING_NAMES];

function looksOf(element, pseudo) {
  const style = computedStyleOf(element, pseudo);
  return LOOKED_AT_NAMES.map((name) => style.getPropertyValue(name)).join(' ');
}

/** Whether an element's own style shows or hides it by what it is not by itself. */
const dependsByItself = (element) => matches(element, DEPENDENT_STYLE) && [...attr(element, 'style').matchAll(SHOWING)].some(([, value]) => DEPENDS_ON_MORE.test(value));

const mediaMatch = (text) => text === '' || window.matchMedia(text).matches;

/** @returns {Risks} */
function risksOf(sheets) {
  const risks = {
    structural: new Set(), dynamic: new Set(), medias: new Set(), dependent: new Map([['', new Set()], ['::before', new Set()], ['::after', new Set()]]),
    readable: true, showing: new Set(), contained: false, emptiness: false,
  };
  for (const sheet of sheets) collectRules(rulesKnownOf(sheet), '', risks);
  for (const selector of risks.showing) for (const part of splitList(selector)) addRisk(part, risks);
  if (risks.structural.size > MOST_STRUCTURAL || risks.dynamic.size > MOST_DYNAMIC) risks.readable = false;
  return risks;
}

/** @param {Known[]} rules @param {string} parent @param {Risks} risks */
function collectRules(rules, parent, risks) {
  for (const { rule, matters, mattering, style, selector, rules: inner, imported } of rules) {
    if (!matters || !risks.readable) continue;
    const whole = selector === null ? parent : parent ? nested(parent, selector) : selector;
    if (style !== null) {
      if (whole) collectDeclarations(whole, mattering, risks);
      collectRules(inner, whole, risks);
    } else if (imported !== null) {
      risks.medias.add(rule.media.mediaText);
      collectRules(imported.rules, parent, risks);
    } else collectRulesIn(rule, inner, parent, risks);
  }
}

/** @param {CSSRule} rule  one that groups others, by a condition or a name @param {Known[]} rules  those */
function collectRulesIn(rule, rules, parent, risks) {
  if (rule instanceof CSSMediaRule) risks.medias.add(rule.media.mediaText);
  if (rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule) {
    collectRules(rules, parent, risks);
    return;
  }
  const isContained = risks.contained || rule instanceof CSSContainerRule;
  const inner = { ...risks, showing: new Set(), contained: isContained };
  collectRules(rules, parent, inner);
  // Of scopes and starting styles nobody tells, and what they select is not what their selectors say.
  if (!inner.readable || (inner.showing.size && !(rule instanceof CSSContainerRule))) risks.readable = false;
  for (const selector of inner.showing) risks.showing.add(selector);
}

/** @param {Declaration[]} declarations */
function collectDeclarations(selector, declarations, risks) {
  let [shows, depends] = [false, false];
  for (const { name, value } of declarations) {
    const isShowing = SHOWING_NAMES.has(name);
    shows ||= isShowing || (DECORATING_NAMES.has(name) && DECORATING_STYLE.test(`${name}: ${value}`));
    depends ||= isShowing && DEPENDS_ON_MORE.test(value);
  }
  if (shows) risks.showing.add(selector);
  if (depends || (shows && risks.contained)) for (const part of splitList(selector)) addDependent(part, risks);
}

/** @param {string} selector  one, not a list @param {Risks} risks */
function addDependent(selector, risks) {
  const pseudo = /::?(before|after)(?![\w-])/i.exec(selector)?.[1].toLowerCase();
  const subject = subjectOf(selector);
  if (isValid(subject)) risks.dependent.get(pseudo ? `::${pseudo}` : '').add(subject);
  else risks.readable = false;
}

/** A selector of the elements themselves that one with pseudo-elements is about. */
function subjectOf(selector) {
  const subject = selector.replace(/::?(?:before|after|first-line|first-letter)(?![\w-])|::[\w-]+(?:\([^)]*\))?/gi, '').trim();
  return subject === '' || /[>+~\s]$/.test(subject) ? `${subject}*` : subject;
}

/** @param {string} selector  one, not a list @param {Risks} risks */
function addRisk(selector, risks) {
  const bare = selector.replace(/\\./g, 'x').replace(/"[^"]*"|'[^']*'/g, '').replace(/\[[^\]]*\]/g, '').replace(/::[\w-]+/g, '');
  let isStructural = /[+~]/.test(bare);
  for (const [, name, parenthesis] of bare.toLowerCase().matchAll(/:([\w-]+)(\()?/g)) {
    if (STRUCTURAL.test(name)) isStructural = true;
    else if (name === 'defined') risks.dynamic.add('not(:defined)');
    else if (CONFINED.has(name)) continue;
    else if (parenthesis || !isValid(`:${name}`)) risks.readable = false;
    else risks.dynamic.add(name);
  }
  if (!isStructural) return;
  const subject = subjectOf(selector);
  risks.emptiness ||= /:empty/i.test(bare);
  if (isValid(subject)) risks.structural.add(subject);
  else risks.readable = false;
}

/** Tells each element that a state came to or left. @returns {boolean} whether there was any */
function compareDynamic(before, now, tell) {
  let any = false;
  for (const [name, elements] of now.dynamic) {
    any = differences(before.dynamic.get(name) ?? [], elements, tell) || any;
  }
  return any;
}

/** Tells each element of which another style was computed, where that depends on more. */
function compareDependent(before, now, tell) {
  for (const [pseudo, looks] of now.dependent) {
    const was = before.dependent.get(pseudo);
    for (const [element, look] of looks) if (was.get(element) !== look) tell(element);
    for (const element of was.keys()) if (!looks.has(element) && isConnected_.call(element)) tell(element);
  }
}

/** The same of selectors that look at neighbours. */
function compareStructural(before, now, tell) {
  for (const selector of now.structural.keys()) {
    const elements = [...selectAll(document, selector)];
    now.structural.set(selector, elements);
    differences(before.structural.get(selector) ?? [], elements, tell);
  }
}

function differences(before, now, tell) {
  if (sameItems(before, now)) return false;
  const was = new Set(before);
  const is = new Set(now);
  for (const element of before) if (!is.has(element) && isConnected_.call(element)) tell(element);
  for (const element of now) if (!was.has(element)) tell(element);
  return true;
}

/** Whether an animation or transition is under way, or stays, that shows or hides something. */
function showingAnimations() {
  for (const animation of document.getAnimations()) {
    if (animation instanceof CSSTransition) {
      if (/^(?:display|visibility|content-visibility|content|cursor|float|position|--.*)$/.test(animation.transitionProperty)) return true;
      continue;
    }
    const frames = animation.effect?.getKeyframes?.() ?? [];
    if (frames.some((frame) => Object.keys(frame).some((name) => SHOWING_PROPERTIES.has(name) || name.startsWith('--')))) return true;
  }
  return false;
}
