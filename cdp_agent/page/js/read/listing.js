// Lists in a page, such as search results: links and the text beside each. CSS selectors locate them.

/**
 * @typedef {{links: string, box: string, within: string[], title: string, texts: string[], without: string, rest:
 *   boolean}} ListingRules
 */

/**
 * The entries of a list.
 * @param {ListingRules} rules  see `ListingRules` in page/query/listing.py
 * @param {string[]} signs  selectors @returns {{entries: {title: string, url: string, text: string}[], signs:
 *   boolean[]}} signs: whether each of them matches
 */
function listed(rules, signs) {
  const scope = firstMatch(document, rules.within) ?? document;
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

/** The first match of the first selector that matches anything, or null. */
function firstMatch(root, selectors) {
  for (const selector of selectors) {
    const [found] = selectAll(root, selector);
    if (found) return found;
  }
  return null;
}

/** The largest element around a link, inside of the scope, that contains no other link of the list. */
function boxAround(link, scope, links) {
  let box = link;
  const isBox = (node) => node && nodeType(node) === 1 && node !== scope && selectAll(node, links).length === 1;
  for (let outer = parentNode(link); isBox(outer); outer = parentNode(outer)) box = outer;
  return box;
}

function entryOf(link, box, rules) {
  const { title, texts, without, rest } = rules;
  const isLeftOut = (element) => element === link || (without !== '' && matches(element, without));
  const place = firstMatch(box, texts) ?? textBeforeLink(link, box, rules);
  let text = place ? entryText(place, isLeftOut) : '';
  if (rest && !text) text = entryText(box, isLeftOut);
  const heading = title ? firstMatch(link, [title]) : null;
  return { title: entryText(heading ?? link, () => false), url: absoluteUrl(attr(link, 'href'), link), text };
}

/**
 * The text of a link with links below it, which are in no box with that text: it is before them, in the largest element
 * of which the link is the first.
 */
function textBeforeLink(link, box, { links, box: isIn, texts }) {
  if (isIn) return null;
  let next = null;
  for (let outer = parentNode(box); !next && outer && nodeType(outer) === 1; outer = parentNode(outer)) {
    const [first, second] = selectAll(outer, links);
    if (first !== link) return null;
    next = second;
    if (next) {
      const place = firstMatch(outer, texts);
      if (place && isSameOrBefore(place, next)) return place;
    }
  }
  return null;
}

const LONGEST_LISTED_TEXT = 2000;
const entryText = (element, isLeftOut) =>
  cut(collapse(blockSeparatedText(element, isLeftOut, 0)), LONGEST_LISTED_TEXT).toWellFormed();

/** All text in a node, with spaces between blocks. */
function blockSeparatedText(node, isLeftOut, depth) {
  const type = nodeType(node);
  if (type === 3) return dataOf(node);
  if (type !== 1) return '';
  const tag = tagOf(node);
  if (SKIPPED.has(tag) || isLeftOut(node)) return '';
  if (depth > DEEPEST) return textContent(node);
  let text = '';
  for (let child = firstChild(node); child; child = nextSibling(child))
    text += blockSeparatedText(child, isLeftOut, depth + 1);
  return BLOCK_TAGS.has(tag) || tag === 'BR' || tag === 'CITE' ? ` ${text} ` : text;
}
