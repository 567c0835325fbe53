// Identifies an element across re-renders by its own keys and by the keys and text of its row, list item or card. This
// also works for elements that were removed from the page: they still have their ancestors in the removed tree.

/**
 * @typedef {{row: number, nth: number, of: number, is_row: boolean, own: string[], around: string[], inside: string[],
 *   heading: string, words: string[], beside: string[]}} Identity row: number of its row, the same for all in that row;
 *   nth, of: its place among the candidates in its row, and their number; own, around, inside: keys such as `a href=/7`
 *   of the element, of its ancestors up to the row, and of the other elements in the row; words: the texts in the row
 *   outside the candidates; beside: if there are none, the texts around the row, up to the rows of the next candidates
 */

const ROWS =
  'tr,li,dd,article,option,[role="row" i],[role="listitem" i],[role="article" i],[role="option" i],[role="treeitem" ' +
  'i],[role="menuitem" i]';
const ROW_HEADINGS = 'h1,h2,h3,h4,h5,h6,th,legend,summary,[role="heading" i],[role="rowheader" i]';
const IDENTIFYING_ATTRIBUTE =
  /^(id|name|href|for|data-(.+-)?(id|key|uid|uuid|guid|pk|slug|sku|code|ref|name|value|item|row|href|url|path|test|testid|test-id|cy|qa))$/;
const RECORD_KEY_ATTRIBUTE = /^(id|href|data-(.+-)?(id|key|uid|uuid|guid|pk|slug|sku))$/;
// Ids that libraries generate by counting: after a re-render, the same id may belong to another element.
const LIBRARY_GENERATED_ID =
  /[:«»]|^(radix|headlessui|react-aria|ember|mui|ext-gen|yui|ui-id|mat-|cdk-|downshift|react-select|rc_|el-id|input-v-|b-|P0)[-_]?.*\d/i;
const MOST_LEVELS_TO_ROW = 12;
const MOST_NODES_IN_ROW = 300;

/**
 * The identities of candidates, as they were when the page was read and as they are now. Both lists are in document
 * order.
 * @param {number[]} before @param {number} which  index in `before` of the wanted element @param {number[]} now
 * @returns {{were: (Identity | null)[], are: (Identity | null)[]}} null: the element is no longer known
 */
function identities(before, which, now) {
  const [were, are] = [before, now].map((ids) => ids.map((id) => elementsOfIds.get(id)?.deref() ?? null));
  const wanted = were[which];
  if (!wanted) return { were: were.map(() => null), are: are.map(() => null) };
  const rows = [];
  const height = heightOf(wanted, rowAround(wanted, were, which, MOST_LEVELS_TO_ROW));
  const identify = (candidates) =>
    candidates.map(
      (element, i) => element && identityIn(element, candidates, rowAround(element, candidates, i, height), rows),
    );
  return { were: identify(were), are: identify(are) };
}

/**
 * The row around an element: the nearest ancestor with the tag or role of a row, else the largest one without another
 * candidate in it.
 * @returns {Element}
 */
function rowAround(element, candidates, which, highest) {
  const row = closestFlat(element, ROWS);
  if (row) return row;
  const others = [candidates[which - 1], candidates[which + 1]].filter(Boolean);
  let found = element;
  for (let i = 0, around = flatParent(element); i < highest && around; i++, around = flatParent(around)) {
    const isShared = others.some((each) => isInside(each, around));
    if (
      isShared ||
      tagOf(around) === 'BODY' ||
      (candidates.length === 1 && found !== element && textsOfRow(found, [element]).length)
    )
      break;
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
function identityIn(element, candidates, row, rows) {
  if (!rows.includes(row)) rows.push(row);
  const candidatesInRow = candidates.filter((each) => each && isInside(each, row));
  const around = [];
  for (let node = element; node && node !== row; node = flatParent(node)) around.push(node);
  const heading = selectAll(row, ROW_HEADINGS)[0];
  const words = textsOfRow(row, candidatesInRow);
  return {
    row: rows.indexOf(row),
    nth: candidatesInRow.indexOf(element),
    of: candidatesInRow.length,
    is_row: matches(row, ROWS),
    own: keysOf(element, IDENTIFYING_ATTRIBUTE),
    around: [...around, row].slice(1).flatMap((each) => keysOf(each, IDENTIFYING_ATTRIBUTE)),
    inside: [...selectAll(row, '*')]
      .slice(0, MOST_NODES_IN_ROW)
      .filter((each) => !around.includes(each))
      .flatMap((each) => keysOf(each, RECORD_KEY_ATTRIBUTE)),
    heading: heading ? collapse(textContent(heading)) : '',
    words,
    beside: words.length
      ? []
      : textsBeside(
          row,
          [-1, 1]
            .map((step) => nearestOutsideRow(candidates, candidatesInRow, candidates.indexOf(element), step))
            .filter(Boolean),
        ),
  };
}

/**
 * The nearest candidate in the direction of `step` that is not in the same row.
 * @returns {Element | null | undefined}
 */
function nearestOutsideRow(candidates, candidatesInRow, which, step) {
  let at = which + step;
  while (candidates[at] && candidatesInRow.includes(candidates[at])) at += step;
  return candidates[at];
}

/**
 * The texts before and after a row without text of its own, such as a `dd`, up to those that contain other candidates.
 * @returns {string[]}
 */
function textsBeside(row, others) {
  const isOfOthers = (node) => nodeType(node) === 1 && others.some((each) => each === node || isInside(each, node));
  const away = (next) => {
    const texts = [];
    for (let node = next.call(row); node && !isOfOthers(node); node = next.call(node)) texts.push(textsOfRow(node, []));
    return texts;
  };
  return [...away(previousSibling_).reverse(), ...away(nextSibling_)].flat();
}

/**
 * The attributes that identify an element, as `tag name=value`.
 * @param {Element} element
 * @param {RegExp} which  names of attributes
 * @returns {string[]}
 */
function keysOf(element, which) {
  const tag = tagOf(element).toLowerCase();
  const keys = [];
  for (const { name, value } of attributes_.call(element)) {
    const identifies =
      which.test(name) ||
      (name === 'value' && (tag === 'button' || (tag === 'input' && CHOICE_INPUT_TYPES.has(inputType(element)))));
    if (!identifies || LEADS_NOWHERE.test(value) || value.length > LONGEST_ATTRIBUTE) continue;
    if ((name !== 'id' && name !== 'for') || !LIBRARY_GENERATED_ID.test(value)) keys.push(`${tag} ${name}=${value}`);
  }
  return keys;
}

const CHOICE_INPUT_TYPES = new Set(['radio', 'checkbox']);
const LEADS_NOWHERE = /^($|#|javascript:)/i;

/** The texts in a row, without those inside the elements in `without`. @returns {string[]} */
function textsOfRow(row, without) {
  const words = [];
  let pending = [row];
  for (let i = 0; i < MOST_NODES_IN_ROW && pending.length; i++) {
    const node = pending.pop();
    const type = nodeType(node);
    if (type === 3) words.push(collapse(dataOf(node)));
    if (type !== 1 || without.includes(node) || SKIPPED.has(tagOf(node))) continue;
    words.push(collapse(attr(node, 'aria-label') ?? attr(node, 'alt') ?? ''));
    const inner = [];
    for (
      let child = firstChild(mayHost(tagOf(node)) ? (shadowOf(node) ?? node) : node);
      child;
      child = nextSibling(child)
    )
      inner.push(child);
    pending = pending.concat(inner.reverse());
  }
  return words.filter(Boolean);
}
