// CSS counters, for generated content that shows them ("Chapter 3"). No script can ask for a counter's value, so they are
// counted as the standard says, once per tree and only where content shows one.
// https://www.w3.org/TR/css-lists-3/#auto-numbering

/** @type {Map<Node, Map<Element, Record<string, Record<string, number[]>>>>} for one reading: root → element → pseudo → counter */
let countersOfRoots = new Map();

/** @param {Element} element @param {'before' | 'after'} which @param {boolean} nested  counters(): all levels @param {string} rest  separator, style */
function counterText(element, which, name, nested, rest) {
  if (reading.cache) reading.cache.isTrackable = false; // what comes before an element counts
  const root = rootOf(element);
  let counted = countersOfRoots.get(root);
  if (!counted) countersOfRoots.set(root, (counted = countIn(root)));
  const values = counted.get(element)?.[which]?.[name] ?? [0];
  const style = /,\s*([a-z-]+)\s*$/.exec(rest)?.[1] ?? 'decimal';
  const separator = /"([^"]*)"/.exec(rest)?.[1] ?? '.';
  return (nested ? values : values.slice(-1)).map((value) => numeral(value, style)).join(separator);
}

/** Walks the tree in order. An instance made by an element serves its later siblings too, and ends with their parent. */
function countIn(root) {
  const selection = selectionsFor(documentElementOrHostChild(root));
  const counted = new Map();
  /** @type {Map<string, {value: number, parent: Node}[]>} innermost last */
  const instances = new Map();
  let node = firstChild(root);
  while (node) {
    if (nodeType(node) === 1 && isCounting(selection, node)) {
      apply(computedStyleOf(node), parentNode(node), instances);
      const pseudos = {};
      for (const which of ['before', 'after']) {
        apply(computedStyleOf(node, `::${which}`), node, instances);
        pseudos[which] = Object.fromEntries([...instances].map(([name, stack]) => [name, stack.map((one) => one.value)]));
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

const isCounting = (selection, element) =>
  mayApply(selection.counters, element) || mayApply(selection.before, element) || mayApply(selection.after, element);

/** @param {CSSStyleDeclaration} style */
function apply(style, parent, instances) {
  for (const [name, value] of counterPairs(style.counterReset, 0)) {
    const stack = instances.get(name) ?? instances.set(name, []).get(name);
    if (stack.at(-1)?.parent === parent) stack.pop();
    stack.push({ value, parent });
  }
  for (const [name, value] of counterPairs(style.counterIncrement, 1)) innermost(name, parent, instances).value += value;
  for (const [name, value] of counterPairs(style.counterSet, 0)) innermost(name, parent, instances).value = value;
}

function innermost(name, parent, instances) {
  const stack = instances.get(name) ?? instances.set(name, []).get(name);
  if (!stack.length) stack.push({ value: 0, parent });
  return stack.at(-1);
}

/** "a 1 b 2" as pairs. */
function counterPairs(text, fallback) {
  if (!text || text === 'none') return [];
  return [...text.matchAll(/([^\s\d-][^\s]*|--[^\s]+)(?:\s+(-?\d+))?/g)].map(([, name, value]) => [name, value ? Number(value) : fallback]);
}

/** @type {[number, string][]} */
const ROMAN = [[1000, 'm'], [900, 'cm'], [500, 'd'], [400, 'cd'], [100, 'c'], [90, 'xc'], [50, 'l'], [40, 'xl'], [10, 'x'], [9, 'ix'], [5, 'v'], [4, 'iv'], [1, 'i']];

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
