// Who an element is, whatever was rendered anew: by the keys and words of the row, item or card that it stands in. Elements that have left
// the page are asked like those in it: they still hang in the tree that was taken out.

/**
 * @typedef {{row: number, nth: number, of: number, is_row: boolean, own: string[], around: string[], inside: string[], heading: string, words: string[], beside: string[]}} Identity
 *   row: which of the rows told of; nth, of: which of those asked about it is in its row, and of how many; own, around, inside: keys such as `a href=/7` of the
 *   element, of what it is in up to the row, and of what else is in the row; words: what stands there besides the elements asked about; beside: where that is nothing,
 *   what stands around the row up to the next ones of the list
 */

const ROWS = 'tr,li,dd,article,option,[role="row" i],[role="listitem" i],[role="article" i],[role="option" i],[role="treeitem" i],[role="menuitem" i]';
const ROW_HEADINGS = 'h1,h2,h3,h4,h5,h6,th,legend,summary,[role="heading" i],[role="rowheader" i]';
const SINGLING = /^(id|name|href|for|data-(.+-)?(id|key|uid|uuid|guid|pk|slug|sku|code|ref|name|value|item|row|href|url|path|test|testid|test-id|cy|qa))$/;
const OF_A_RECORD = /^(id|href|data-(.+-)?(id|key|uid|uuid|guid|pk|slug|sku))$/;
// Ids that libraries count up as they render: the next one with this id is another.
const COUNTED = /[:«»]|^(radix|headlessui|react-aria|ember|mui|ext-gen|yui|ui-id|mat-|cdk-|downshift|react-select|rc_|el-id|input-v-|b-|P0)[-_]?.*\d/i;
const HIGHEST_ROW = 12;
const MOST_IN_ROW = 300;

/**
 * Those of two lists, each in the order of the page: as it was read, and as it is.
 * @param {number[]} before @param {number} which  of `before` is looked for @param {number[]} now
 * @returns {{were: (Identity | null)[], are: (Identity | null)[]}} null: it is not known any more
 */
function identities(before, which, now) {
  const [were, are] = [before, now].map((ids) => ids.map((id) => elementsOfIds.get(id)?.deref() ?? null));
  const meant = were[which];
  if (!meant) return { were: were.map(() => null), are: are.map(() => null) };
  const rows = [];
  const height = heightOf(meant, rowAround(meant, were, which, HIGHEST_ROW));
  const identify = (mates) => mates.map((element, i) => element && identityIn(element, mates, rowAround(element, mates, i, height), rows));
  return { were: identify(were), are: identify(are) };
}

/** Its row by what it is, else the most around it that no other of its kind is in. @returns {Element} */
function rowAround(element, mates, which, highest) {
  const row = closestFlat(element, ROWS);
  if (row) return row;
  const others = [mates[which - 1], mates[which + 1]].filter(Boolean);
  let found = element;
  for (let i = 0, around = flatParent(element); i < highest && around; i++, around = flatParent(around)) {
    const isShared = others.some((each) => isInside(each, around));
    if (isShared || tagOf(around) === 'BODY' || (mates.length === 1 && found !== element && textsOfRow(found, [element]).length)) break;
    found = around;
  }
  return found;
}

function heightOf(element, row) {
  let height = 0;
  for (let node = element; node && node !== row; node = flatParent(node)) height++;
  return height;
}

/** @returns {Identity} */
function identityIn(element, mates, row, rows) {
  if (!rows.includes(row)) rows.push(row);
  const asked = mates.filter((each) => each && isInside(each, row));
  const around = [];
  for (let node = element; node && node !== row; node = flatParent(node)) around.push(node);
  const heading = selectAll(row, ROW_HEADINGS)[0];
  const words = textsOfRow(row, asked);
  return {
    row: rows.indexOf(row), nth: asked.indexOf(element), of: asked.length, is_row: matches(row, ROWS), own: keysOf(element, SINGLING),
    around: [...around, row].slice(1).flatMap((each) => keysOf(each, SINGLING)),
    inside: [...selectAll(row, '*')].slice(0, MOST_IN_ROW).filter((each) => !around.includes(each)).flatMap((each) => keysOf(each, OF_A_RECORD)),
    heading: heading ? collapse(textContent(heading)) : '', words,
    beside: words.length ? [] : textsBeside(row, [-1, 1].map((step) => nearestOther(mates, asked, mates.indexOf(element), step)).filter(Boolean)),
  };
}

/** The next of its kind in a direction that is not in its row. @returns {Element | null | undefined} */
function nearestOther(mates, asked, which, step) {
  let at = which + step;
  while (mates[at] && asked.includes(mates[at])) at += step;
  return mates[at];
}

/** What is said around a row that says nothing itself, such as a `dd`, up to those that others are in. @returns {string[]} */
function textsBeside(row, others) {
  const isOfOthers = (node) => nodeType(node) === 1 && others.some((each) => each === node || isInside(each, node));
  const away = (next) => {
    const texts = [];
    for (let node = next.call(row); node && !isOfOthers(node); node = next.call(node)) texts.push(textsOfRow(node, []));
    return texts;
  };
  return [...away(previousSibling_).reverse(), ...away(nextSibling_)].flat();
}

/** @param {Element} element @param {RegExp} which @returns {string[]} */
function keysOf(element, which) {
  const tag = tagOf(element).toLowerCase();
  const keys = [];
  for (const { name, value } of attributes_.call(element)) {
    const singles = which.test(name) || (name === 'value' && (tag === 'button' || (tag === 'input' && CHOICES.has(inputType(element)))));
    if (!singles || NOWHERE.test(value) || value.length > LONGEST_ATTRIBUTE) continue;
    if ((name !== 'id' && name !== 'for') || !COUNTED.test(value)) keys.push(`${tag} ${name}=${value}`);
  }
  return keys;
}

const CHOICES = new Set(['radio', 'checkbox']);
const NOWHERE = /^($|#|javascript:)/i;

/** The pieces of text in a row, those of some elements left out. @returns {string[]} */
function textsOfRow(row, without) {
  const words = [];
  let due = [row];
  for (let i = 0; i < MOST_IN_ROW && due.length; i++) {
    const node = due.pop();
    const type = nodeType(node);
    if (type === 3) words.push(collapse(dataOf(node)));
    if (type !== 1 || without.includes(node) || SKIPPED.has(tagOf(node))) continue;
    words.push(collapse(attr(node, 'aria-label') ?? attr(node, 'alt') ?? ''));
    const inner = [];
    for (let child = firstChild(mayHost(tagOf(node)) ? (shadowOf(node) ?? node) : node); child; child = nextSibling(child)) inner.push(child);
    due = due.concat(inner.reverse());
  }
  return words.filter(Boolean);
}
