// What a page lists, such as the results of a search: links, and what is said beside each. Selectors tell where they are.

/** @typedef {{links: string, box: string, within: string[], title: string, texts: string[], without: string, rest: boolean}} ListingRules */

/**
 * @param {ListingRules} rules  see `Rules` in page/query/listing.py
 * @param {string[]} signs
 * @returns {{entries: {title: string, url: string, text: string}[], signs: boolean[]}}
 */
function listed(rules, signs) {
  const scope = firstOf(document, rules.within) ?? document;
  const entries = [];
  const boxes = new Set();
  for (const link of selectAll(scope, rules.links)) {
    const box = rules.box ? closest(link, rules.box) : boxAround(link, scope, rules.links);
    if (!box || boxes.has(box)) continue;
    boxes.add(box);
    entries.push(entryOf(link, box, rules));
  }
  return { entries, signs: signs.map((selector) => selectAll(document, selector).length > 0) };
}

/** The first match of the first selector that has any, or null. */
function firstOf(root, selectors) {
  for (const selector of selectors) {
    const [found] = selectAll(root, selector);
    if (found) return found;
  }
  return null;
}

/** The largest element inside of the scope that has no other such link in it. */
function boxAround(link, scope, links) {
  let box = link;
  const isBox = (node) => node && nodeType(node) === 1 && node !== scope && selectAll(node, links).length === 1;
  for (let outer = parentNode(link); isBox(outer); outer = parentNode(outer)) box = outer;
  return box;
}

function entryOf(link, box, { title, texts, without, rest }) {
  const isLeftOut = (element) => element === link || (without !== '' && matches(element, without));
  const place = firstOf(box, texts);
  let text = place ? wordsIn(place, isLeftOut) : '';
  if (rest && !text) text = wordsIn(box, isLeftOut);
  const heading = title ? firstOf(link, [title]) : null;
  return { title: wordsIn(heading ?? link, () => false), url: absolute(attr(link, 'href'), link), text };
}

const LONGEST_LISTED_TEXT = 2000;
const wordsIn = (element, isLeftOut) => cut(collapse(wordsOf(element, isLeftOut, 0)), LONGEST_LISTED_TEXT).toWellFormed();

/** All text below, words of different blocks apart. */
function wordsOf(node, isLeftOut, depth) {
  const type = nodeType(node);
  if (type === 3) return dataOf(node);
  if (type !== 1) return '';
  const tag = tagOf(node);
  if (SKIPPED.has(tag) || isLeftOut(node)) return '';
  if (depth > DEEPEST) return textContent(node);
  let text = '';
  for (let child = firstChild(node); child; child = nextSibling(child)) text += wordsOf(child, isLeftOut, depth + 1);
  return BLOCK_TAGS.has(tag) || tag === 'BR' || tag === 'CITE' ? ` ${text} ` : text;
}
