// What rules of style sheets may do to elements other than those that change and what is in them: the selectors that look at
// neighbours or at what is below (`a + b`, `:first-child`, `:has()`), and the states of elements that no mutation tells
// (`:hover`, `:checked`). Only rules that show, hide or say something matter; sizes are looked at anew each time.

/**
 * @typedef {{risks: Risks, key: string, structural: Map<string, Element[]>, dynamic: Map<string, Element[]>}} Styles
 * risks: the same object for as long as the sheets are the same; key: which of them and of their media apply; structural, dynamic:
 * selectors and states with what they select now
 * @typedef {{structural: Set<string>, dynamic: Set<string>, medias: Set<string>, readable: boolean, usesVariables: boolean,
 *   rules: {selector: string, shows: boolean, variables: boolean}[]}} Risks
 */

const SHOWING = new RegExp(`(?:^|;\\s*)(?:${SHOWING_NAMES.join('|')})\\s*:\\s*([^;]*)`, 'gi');
const SHOWING_PROPERTIES = new Set(['cssFloat', ...SHOWING_NAMES.map((name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()))]);
const SETS_VARIABLES = /(?:^|;\s*)--/;
const DEPENDS_ON_MORE = /\b(?:if|env|sibling-index|sibling-count|random|random-item|first-valid)\(/i;
const STRUCTURAL = /^(?:empty|has|only-child|only-of-type|(?:first|last)-(?:child|of-type)|nth-[a-z-]+)$/;
const CONFINED = new Set('is where not root link any-link -webkit-any-link visited lang host host-context scope matches -webkit-any before after first-line first-letter'.split(' '));
const MOST_STRUCTURAL = 100;
const MOST_DYNAMIC = 30;

/** @type {{makeup: Makeup, risks: Risks} | null} of the sheets as they were last */
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

/** @returns {Styles | null} null where it cannot be known */
function stylesNow() {
  const sheets = sheetsNow();
  if (!lastRisks || !isMadeOf(sheets, lastRisks.makeup)) {
    const makeup = makeupOf(sheets);
    lastRisks = makeup && { makeup, risks: risksOf(sheets) };
    if (!lastRisks) return null;
  }
  const { risks } = lastRisks;
  if (!risks.readable) {
    countInVain = countRules();
    return null;
  }
  const key = [...sheets.map((sheet) => `${sheet.disabled} ${mediaMatch(sheet.media.mediaText)}`), ...[...risks.medias].map(mediaMatch)].join();
  const dynamic = new Map([...risks.dynamic].map((name) => [name, [...selectAll(document, `:${name}`)]]));
  return { risks, key, structural: new Map([...risks.structural].map((selector) => [selector, null])), dynamic };
}

const mediaMatch = (text) => text === '' || window.matchMedia(text).matches;

/** @returns {Risks} */
function risksOf(sheets) {
  const risks = { structural: new Set(), dynamic: new Set(), medias: new Set(), readable: true, usesVariables: false, rules: [] };
  for (const sheet of sheets) collectRules(sheet.cssRules, '', risks, 0);
  for (const { selector, shows, variables } of risks.rules) {
    if (shows || (variables && risks.usesVariables)) for (const part of splitList(selector)) addRisk(part, risks);
  }
  if (risks.structural.size > MOST_STRUCTURAL || risks.dynamic.size > MOST_DYNAMIC) risks.readable = false;
  return risks;
}

/** @param {CSSRuleList} rules @param {string} parent @param {Risks} risks */
function collectRules(rules, parent, risks, depth) {
  if (depth > DEEPEST_RULE) risks.readable = false;
  for (let i = 0; i < rules.length && risks.readable; i++) {
    const rule = rules[i];
    if (rule instanceof CSSKeyframesRule) continue;
    if (rule.selectorText !== undefined && rule.style) {
      const selector = parent ? nested(parent, rule.selectorText) : rule.selectorText;
      collectRule(selector, rule.style.cssText, risks);
      if (rule.cssRules && rule.cssRules.length) collectRules(rule.cssRules, selector, risks, depth + 1);
    } else if (rule.styleSheet) {
      risks.medias.add(rule.media.mediaText);
      collectRules(rule.styleSheet.cssRules, parent, risks, depth + 1);
    } else if (rule.cssRules) {
      if (rule instanceof CSSMediaRule) risks.medias.add(rule.media.mediaText);
      const inner = rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule ? risks : { ...risks, rules: [] };
      collectRules(rule.cssRules, parent, inner, depth + 1);
      // Of containers' sizes, scopes and starting styles nobody tells.
      if (inner !== risks && inner.rules.length) risks.readable = false;
    } else if (parent && rule.style && rule.selectorText === undefined) collectRule(parent, rule.style.cssText, risks);
  }
}

function collectRule(selector, text, risks) {
  let shows = false;
  for (const [, value] of text.matchAll(SHOWING)) {
    shows = true;
    if (value.includes('var(')) risks.usesVariables = true;
    if (DEPENDS_ON_MORE.test(value)) risks.readable = false;
  }
  const variables = SETS_VARIABLES.test(text);
  if (variables && DEPENDS_ON_MORE.test(text)) risks.readable = false;
  if (shows || variables) risks.rules.push({ selector, shows, variables });
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
  let subject = selector.replace(/::?(?:before|after|first-line|first-letter)(?![\w-])|::[\w-]+(?:\([^)]*\))?/gi, '').trim();
  if (subject === '' || /[>+~\s]$/.test(subject)) subject += '*';
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
