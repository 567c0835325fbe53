// CSS counters in generated content ("Chapter 3"). Scripts cannot ask the browser for the value of a counter, so this
// file counts as the standard says: once per tree, and only where generated content shows a counter.
// https://www.w3.org/TR/css-lists-3/#auto-numbering

/**
 * @type {Map<Node, Map<Element, Record<string, Record<string, number[]>>>>} cache of one reading: root → element →
 *   pseudo-element → counter
 */
let countersOfRoots = new Map();

/**
 * The text that a counter() or counters() function gives.
 * @param {Element} element @param {'before' | 'after'} which @param {boolean} nested  counters(): all levels @param
 *   {string} rest  separator and style
 */
function counterText(element, which, name, nested, rest) {
  preventCaching(); // the value depends on the elements before this one
  const root = rootOf(element);
  let counted = countersOfRoots.get(root);
  if (!counted) countersOfRoots.set(root, (counted = countIn(root)));
  const values = counted.get(element)?.[which]?.[name] ?? [0];
  const style = /,\s*([a-z-]+)\s*$/.exec(rest)?.[1] ?? 'decimal';
  const separator = /"([^"]*)"/.exec(rest)?.[1] ?? '.';
  return (nested ? values : values.slice(-1)).map((value) => numeral(value, style)).join(separator);
}

/**
 * The counter values of all pseudo-elements in a tree. A counter instance is visible to the later siblings of the
 * element that creates it, and ends with their parent.
 */
function countIn(root) {
  const selection = selectionsFor(documentElementOrHostChild(root));
  const counted = new Map();
  /** @type {Map<string, {value: number, parent: Node}[]>} counter → its instances, innermost last */
  const instances = new Map();
  let node = firstChild(root);
  while (node) {
    if (nodeType(node) === 1 && mayAffectCounters(selection, node)) {
      applyCounterProperties(computedStyleOf(node), parentNode(node), instances);
      const pseudos = {};
      for (const which of ['before', 'after']) {
        applyCounterProperties(computedStyleOf(node, `::${which}`), node, instances);
        pseudos[which] = Object.fromEntries(
          [...instances].map(([name, stack]) => [name, stack.map((one) => one.value)]),
        );
      }
      counted.set(node, pseudos);
    }
    let next = firstChild(node);
    while (!next && node && node !== root) {
      next = nextSibling(node);
      for (const stack of instances.values()) while (stack.at(-1)?.parent === node) stack.pop();
      if (!next) node = parentNode(node);
    }
    node = node === root ? null : next;
  }
  return counted;
}

const documentElementOrHostChild = (root) => [...selectAll(root, '*')][0];

const mayAffectCounters = (selection, element) =>
  mayApply(selection.counters, element) || mayApply(selection.before, element) || mayApply(selection.after, element);

/** Applies counter-reset, counter-increment and counter-set. @param {CSSStyleDeclaration} style */
function applyCounterProperties(style, parent, instances) {
  for (const [name, value] of counterPairs(style.counterReset, 0)) {
    const stack = instances.get(name) ?? instances.set(name, []).get(name);
    if (stack.at(-1)?.parent === parent) stack.pop();
    stack.push({ value, parent });
  }
  for (const [name, value] of counterPairs(style.counterIncrement, 1))
    innermost(name, parent, instances).value += value;
  for (const [name, value] of counterPairs(style.counterSet, 0)) innermost(name, parent, instances).value = value;
}

function innermost(name, parent, instances) {
  const stack = instances.get(name) ?? instances.set(name, []).get(name);
  if (!stack.length) stack.push({ value: 0, parent });
  return stack.at(-1);
}

/** The pairs of name and number in "a 1 b 2". */
function counterPairs(text, fallback) {
  if (!text || text === 'none') return [];
  return [...text.matchAll(/([^\s\d-][^\s]*|--[^\s]+)(?:\s+(-?\d+))?/g)].map(([, name, value]) => [
    name,
    value ? Number(value) : fallback,
  ]);
}

/** @type {[number, string][]} */
const ROMAN = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function numeral(value, style) {
  let text = String(value);
  if (style.endsWith('-roman') && value > 0 && value < 4000) {
    text = '';
    for (const [worth, sign] of ROMAN) for (; value >= worth; value -= worth) text += sign;
  } else if (/-(alpha|latin)$/.test(style) && value > 0) {
    text = '';
    for (; value > 0; value = Math.floor((value - 1) / 26)) text = String.fromCharCode(97 + ((value - 1) % 26)) + text;
  } else if (style === 'decimal-leading-zero' && value >= 0 && value < 10) text = `0${text}`;
  return style.startsWith('upper-') ? text.toUpperCase() : text;
}
