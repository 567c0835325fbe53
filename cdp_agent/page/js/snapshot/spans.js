// What a list item or a row shows that depends on its neighbours: the number of an item in an <ol> that does not count
// from 1, and the cells that reach into a row from the rows above.

/** @typedef {Map<number, Element | null>} Columns  the cell that reaches into a column of a row; null: more of it */
/** @type {Map<Element, Map<Element, Columns>>} cache of one reading: for a table, the rows into which cells reach */
let reachedRows = new Map();
/** @type {Map<Element, Map<Element, number> | null>} cache of one reading: for an <ol>, the numbers of its items */
let itemNumbers = new Map();

/** A row into which cells reach. */
const REACHED = { ask: () => true };
const MOST_ROWS_REACHED = 1000;
const LONGEST_REPEATED = 80;
const COUNTS_DIFFERENTLY = '[start],[reversed],[type]';

/** The number of a list item, as in "5. ", where the place in the list does not tell it; else "". */
function itemNumber(item) {
  const list = parentNode_.call(item);
  if (nodeType_.call(list) !== 1 || tagOf(list) !== 'OL') return '';
  let numbers = itemNumbers.get(list);
  if (numbers === undefined) itemNumbers.set(list, (numbers = numberItems(list)));
  const number = numbers?.get(item);
  if (number === undefined) return '';
  const style = computedStyleOf(item).listStyleType;
  return style === 'none' ? '' : `${numeral(number, style)}. `;
}

/** https://html.spec.whatwg.org/multipage/grouping-content.html#ordinal-value @returns {Map<Element, number> | null} */
function numberItems(list) {
  const items = [];
  for (let child = firstElementChild_.call(list); child; child = nextElementSibling_.call(child))
    if (tagOf(child) === 'LI') items.push(child);
  if (!matches(list, COUNTS_DIFFERENTLY) && !items.some((item) => hasAttr(item, 'value'))) return null;
  const step = hasAttr(list, 'reversed') ? -1 : 1;
  let next = integerOf(list, 'start') ?? (step < 0 ? items.length : 1);
  return new Map(
    items.map((item) => {
      const number = integerOf(item, 'value') ?? next;
      next = number + step;
      return [item, number];
    }),
  );
}

function integerOf(element, name) {
  const value = attr(element, name) ?? '';
  return /^\s*[-+]?\d{1,9}/.test(value) ? parseInt(value, 10) : null;
}

/**
 * The cells of a row with those that reach into it from above, each in its column; a cell of several columns is
 * followed by empty ones, so that what comes next is in its column.
 * @param {Element} row @param {(string | Line)[]} kids @returns {(string | Line)[]}
 */
function withSpans(row, kids) {
  if (tagOf(row) !== 'TR') return kids;
  const table = closest_.call(row, 'table');
  const reaching = table ? rowsReached(table).get(row) : undefined;
  if (reaching) remember(REACHED, row);
  const inColumns = [];
  let column = 0;
  const addReaching = () => {
    for (let cell; (cell = reaching?.get(column)) !== undefined; column++)
      inColumns.push(cell ? cut(collapse(nameContribution(cell)), LONGEST_REPEATED) : '');
  };
  for (const kid of kids) {
    addReaching();
    inColumns.push(kid);
    if (typeof kid === 'string' || !CELLS.has(kid.role)) continue;
    const more = kid === kids[kids.length - 1] ? 0 : Math.min(spanOf(kid.element, 'colspan') - 1, 20);
    for (let i = 0; i < more; i++) inColumns.push('');
    column += spanOf(kid.element, 'colspan');
  }
  addReaching();
  return inColumns;
}

const spanOf = (cell, name) => Math.max(integerOf(cell, name) ?? 1, 1);

/**
 * The rows of a table into which cells reach from above.
 * https://html.spec.whatwg.org/multipage/tables.html#algorithm-for-processing-rows
 * @returns {Map<Element, Columns>}
 */
function rowsReached(table) {
  let reached = reachedRows.get(table);
  if (reached) return reached;
  reachedRows.set(table, (reached = new Map()));
  for (const cell of selectAll(table, '[rowspan]')) {
    const row = parentNode_.call(cell);
    const down = integerOf(cell, 'rowspan') ?? 1;
    if (down === 1 || nodeType_.call(row) !== 1 || tagOf(row) !== 'TR' || closest_.call(cell, 'table') !== table)
      continue;
    const first = columnOf(cell, reached.get(row));
    let below = nextElementSibling_.call(row);
    for (let rows = 1; below && rows < (down || MOST_ROWS_REACHED); rows++, below = nextElementSibling_.call(below)) {
      const columns = reached.get(below) ?? new Map();
      reached.set(below, columns);
      for (let i = 0; i < spanOf(cell, 'colspan') && i < 20; i++) columns.set(first + i, i ? null : cell);
    }
  }
  return reached;
}

/** @param {Columns | undefined} reaching  what reaches into its row */
function columnOf(cell, reaching) {
  let column = 0;
  for (let other = firstElementChild_.call(parentNode_.call(cell)); other; other = nextElementSibling_.call(other)) {
    while (reaching?.has(column)) column++;
    if (other === cell) break;
    column += spanOf(other, 'colspan');
  }
  return column;
}
