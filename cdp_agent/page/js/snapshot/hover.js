// What opens while the mouse is over it, or the focus in it: a style rule shows something to act on that is hidden now.
// Asked only where there are such rules: what they show is selected, not each element matched.

/**
 * What a rule shows while the mouse is over a trigger, in it or beside it (`a:hover + b`); selectors without the state
 * of the trigger. subject: selects all that `target` does, faster
 * @typedef {{trigger: string, target: string, subject: string, isBeside: boolean, state: string}} Reveal
 */

const REVEALS = /:(?:hover|focus-within)(?![\w-])(?=.*[\s>+~])/;
const TRIGGERED = /:(hover|focus-within)(?![\w-])/g;
const EITHER =
  /:(?:is|where)\((?=[^()]*:(hover|focus-within))(?:\s*:(?:hover|focus|focus-visible|focus-within|active),?)+\)/g;

// Single controls, as the mark beside a heading, are no menus, and rules for them are many.
const SHOWN_CONTROL = /[\s>+~](?:a|button|input|select|img|svg|path)(?![\w-])[^\s>+~]*$/;

/** @param {string} selector  a single one @param {Reveal[]} reveals */
function readReveal(selector, reveals) {
  const flat = selector.trim().replace(EITHER, ':$1');
  const last = [...flat.matchAll(TRIGGERED)].at(-1);
  if (!last || /::|:(?:not|has)\([^)]*:(?:hover|focus-within)/.test(flat) || SHOWN_CONTROL.test(flat)) return;
  let start = last.index; // of the selector of the trigger: behind the innermost parenthesis around it
  for (let depth = 0; start > 0 && !(flat[start - 1] === '(' && depth === 0); start--)
    depth += flat[start - 1] === ')' ? 1 : flat[start - 1] === '(' ? -1 : 0;
  const rest = /^([^\s>+~,)]*)\s*([>+~\s])/.exec(flat.slice(last.index + last[0].length));
  if (!rest) return;
  const stateless = (text) => [text.replace(TRIGGERED, ''), text.replace(TRIGGERED, ':where(*)')].find(isValid);
  const trigger = stateless(flat.slice(start, last.index + last[0].length) + rest[1]);
  const target = stateless(flat);
  if (trigger === undefined || target === undefined) return;
  const subject = LAST_CLASS.exec(target)?.[1];
  const isBeside = rest[2] === '+' || rest[2] === '~';
  const state = last[1] === 'hover' ? ' [opens on hover]' : ' [opens on focus]';
  reveals.push({ trigger, target, subject: subject ? `.${CSS.escape(subject)}` : target, isBeside, state });
}

/** @type {Map<Element, string>} */
const NOTHING_OPENS = new Map();
const MENU_CONTROLS = `${CONTROLS_SELECTOR},summary,[onclick],[role^="menuitem" i],[role="option" i]`;

/**
 * The controls by which something opens so, or the elements themselves that have none, with the state that says it.
 * @param {Node} root @param {Reveal[]} reveals @returns {Map<Element, string>}
 */
function openersIn(root, reveals) {
  if (!reveals.length) return NOTHING_OPENS;
  if (root === document && areRulesUnchanged && currentCache) return currentCache.openers;
  const openers = new Map();
  for (const subject of new Set(reveals.map((reveal) => reveal.subject))) {
    for (const target of selectAll(root, subject)) {
      if (!selectsAny(target, MENU_CONTROLS) || !isHiddenNow(target)) continue;
      for (const reveal of reveals) {
        if (reveal.subject !== subject || !matches(target, reveal.target)) continue;
        const trigger = triggerOf(target, reveal);
        const opener = trigger && !isHiddenNow(trigger) ? (firstControl(trigger) ?? trigger) : null;
        if (opener && openers.get(opener) !== ' [opens on hover]') openers.set(opener, reveal.state);
      }
    }
  }
  return openers;
}

/** @param {Element} target @param {Reveal} reveal @returns {Element | null} */
function triggerOf(target, { trigger, isBeside }) {
  for (let node = target; node && tagOf(node) !== 'BODY'; node = parentElement(node)) {
    if (!isBeside && node !== target && matches(node, trigger)) return node;
    for (let other = isBeside && previousElementSibling_.call(node); other; other = previousElementSibling_.call(other))
      if (matches(other, trigger)) return other;
  }
  return null;
}

function parentElement(node) {
  const parent = parentNode_.call(node);
  return parent && nodeType_.call(parent) === 1 ? parent : null;
}

function isHiddenNow(element) {
  if (!checkVisibility_.call(element, PAINTED)) return true;
  const { width, height } = getBoundingClientRect_.call(element);
  return width < 1 || height < 1 || isVisuallyHidden(element);
}

/** The first control that is shown in an element, which is a part of what one puts the mouse on. */
function firstControl(element) {
  if (matches(element, MENU_CONTROLS)) return element;
  for (const control of selectAll(element, MENU_CONTROLS)) if (!isHiddenNow(control)) return control;
  return null;
}

/** Has openers visited anew that the last reading did not have, or had as others. @param {ReadingCache} cache */
function markOpeners(cache) {
  const { openers } = reading;
  for (const [element, state] of cache.openers) if (openers.get(element) !== state) markStale(cache, element);
  for (const element of openers.keys()) if (!cache.openers.has(element)) markStale(cache, element);
  cache.openers = openers;
}
