// Children are read in the order in which they stand on the screen, and the parts of a row that stand beside each other
// as one row. The order of the DOM is another one where rows are reused while scrolling, moved by a transform, laid out
// in reverse or by `order`. Places are asked for only where something may have moved: in grids and lists by their role,
// and beside what style rules or style attributes move.

/**
 * @typedef {{nodes: number[], box: DOMRect}} Placed  indices of the node with that box, and of nodes without one that
 *   follow it
 */

const MEASURED_ROLES = roleSet('grid treegrid table rowgroup row list listbox feed');

// Such a style attribute moves its element among its siblings, or reverses what is in it.
const MOVING_STYLE =
  '[style]:is([style*="reverse"],[style*="transform:"],[style*="translate:"],[style*="inset:"],[style*="grid-"],' +
  ['order', 'top', 'bottom', 'left', 'right']
    .map((name) => `[style^="${name}:"],[style*=" ${name}:"],[style*=";${name}:"]`)
    .join() +
  ')';

const REORDERING_STYLE = /(?:^|[\s;])order:|reverse|grid-/;

/**
 * The elements whose children such style attributes may have put in another order: one that is placed by itself, as a
 * button in a corner, belongs where it stands.
 * @param {Node} root @returns {Set<Node>}
 */
function movedIn(root) {
  const moving = root === sparseRoot ? selectByAttributes(MOVING_STYLE) : selectAll(root, MOVING_STYLE);
  const placed = new Set();
  const moved = new Set();
  for (let i = 0; i < moving.length; i++) {
    const parent = parentNode_.call(moving[i]);
    if (REORDERING_STYLE.test(attr(moving[i], 'style'))) moved.add(moving[i]).add(parent);
    else if (placed.has(parent)) moved.add(parent);
    else placed.add(parent);
  }
  return moved;
}

/**
 * The nodes in an element, a shadow root's or a slot's in place of its own, in the order in which they are seen.
 * @param {Element} element @returns {Node[] | null} null: as they stand in the document
 */
function nodesAsSeen(element) {
  if (!mayHoldMoved(element)) return null;
  const order = remember(ORDER, element);
  if (order === '') return null;
  const nodes = nodesIn(element);
  return order.split(',').map((at) => nodes[at]);
}

/** The indices of the nodes in an element in the order in which they are seen, "" for that of the document. */
const ORDER = { ask: orderOf };

function mayHoldMoved(element) {
  const { moved, notable, selections } = reading;
  const first = firstElementChild_.call(element);
  const isSlot = first === null && tagName_.call(element) === 'SLOT';
  if (!isSlot && (first === null || nextElementSibling_.call(first) === null)) return moved.has(element);
  const around = isSlot ? layoutOf(element) : element;
  if (moved.has(around) || (notable.has(around) && isMeasured(around)) || hasMovedSections(around)) return true;
  const { reordered } = selections;
  if (!reordered.selection.moves) return false;
  if (mayApply(reordered, around)) return true;
  for (let child = first; child; child = nextElementSibling_.call(child)) if (mayApply(reordered, child)) return true;
  return false;
}

/** Whether a table's head does not come first, or its foot not last, where they are shown. @param {Element} element */
function hasMovedSections(element) {
  if (tagName_.call(element) !== 'TABLE') return false;
  const [head, foot] = [tableHead(element), tableFoot(element)];
  const isBody = (section) => section !== null && tagName_.call(section) === 'TBODY';
  return (
    (head !== null && isBody(previousElementSibling_.call(head))) ||
    (foot !== null && isBody(nextElementSibling_.call(foot)))
  );
}

const tableHead = reader(HTMLTableElement, 'tHead');
const tableFoot = reader(HTMLTableElement, 'tFoot');

/** The element that lays out what is in a slot: a slot has no box. @param {Element} element @returns {Element} */
function layoutOf(element) {
  const around = tagName_.call(element) === 'SLOT' ? flatParent(element) : null;
  return around ? layoutOf(around) : element;
}

const isMeasured = (element) =>
  MEASURED_ROLES.has(attr(element, 'role')?.trim().toLowerCase()) || hasMovedSections(element);

/** @returns {Node[]} */
function nodesIn(element) {
  const assigned = tagOf(element) === 'SLOT' ? assignedNodes_.call(element) : [];
  if (assigned.length) return assigned;
  const nodes = [];
  for (let node = firstChild(rootOfHost(element) ?? element); node; node = nextSibling_.call(node)) nodes.push(node);
  return nodes;
}

function orderOf(element) {
  const nodes = nodesIn(element);
  /** @type {number[]} */
  const before = [];
  /** @type {Placed[]} */
  const placed = [];
  nodes.forEach((node, i) => {
    const box = placeOf(node);
    if (box) placed.push({ nodes: [i], box });
    else (placed.at(-1)?.nodes ?? before).push(i); // what has no place of its own stays with what it follows
  });
  if (placed.length < 2) return '';
  const around = layoutOf(element);
  const style = computedStyleOf(around);
  const lines = linesOfPlaced(placed);
  if (!isMeasured(around) && !isReordered(nodes, style) && !isTabular(lines)) return '';
  const isRtl = style.direction === 'rtl';
  for (const line of lines) line.sort((a, b) => beside(a, b, isRtl));
  let ordered = lines.flat();
  if (lines.some(isLayered)) {
    const rows = linesOfIndex(placed, nodes); // they pass each other, on their way to another place
    if (rows === null) return '';
    ordered = rows.flat().sort((a, b) => indexOf(nodes[a.nodes[0]]) - indexOf(nodes[b.nodes[0]]));
  }
  const order = [before, ...ordered.map((each) => each.nodes)].flat();
  return order.every((at, i) => at === i) ? '' : order.join();
}

/**
 * @param {Node} node
 * @returns {DOMRect | null} null: it has no place of its own, or only screen readers get its text
 */
function placeOf(node) {
  const type = nodeType_.call(node);
  if (type === 3 ? !hasText(dataOf(node)) : type !== 1) return null;
  let box = type === 1 ? getBoundingClientRect_.call(node) : null;
  if (box === null || (isPoint(box) && computedStyleOf(node).display === 'contents')) {
    const range = documentOf(node).createRange();
    range.selectNodeContents(node);
    box = range.getBoundingClientRect();
  }
  return isPoint(box) ? null : box;
}

const isPoint = ({ width, height }) => width <= 1 && height <= 1;

/** Whether an element lays out what is in it in another order than that of the document. */
function isReordered(nodes, { display, flexDirection, flexWrap }) {
  if (display.includes('grid')) return true;
  if (!display.includes('flex')) return false;
  if (flexDirection.endsWith('reverse') || flexWrap.endsWith('reverse')) return true;
  return nodes.some((node) => nodeType_.call(node) === 1 && computedStyleOf(node).order !== '0');
}

/**
 * Those that are in the same line of the screen, from top to bottom.
 * @param {Placed[]} placed @returns {Placed[][]}
 */
function linesOfPlaced(placed) {
  const lines = [];
  for (const each of [...placed].sort((a, b) => Math.round(a.box.top) - Math.round(b.box.top))) {
    const line = lines.at(-1);
    if (line && overlaps(line[0].box, each.box, 'top', 'bottom')) line.push(each);
    else lines.push([each]);
  }
  return lines;
}

/**
 * Those with the same row index, from top to bottom; null where some have none.
 * @param {Placed[]} placed @param {Node[]} rows @returns {Placed[][] | null}
 */
function linesOfIndex(placed, rows) {
  const lines = new Map();
  for (const each of [...placed].sort((a, b) => a.box.top - b.box.top)) {
    const index = indexOf(rows[each.nodes[0]]);
    if (index === null) return null;
    if (lines.has(index)) lines.get(index).push(each);
    else lines.set(index, [each]);
  }
  return [...lines.values()];
}

/** @param {Node} node @returns {number | null} which row of a grid it is, as the page says */
function indexOf(node) {
  const index = nodeType_.call(node) === 1 ? parseInt(attr(node, 'aria-rowindex') ?? '', 10) : NaN;
  return index > 0 ? index : null;
}

/** Whether two boxes share half of the smaller one's extent. */
function overlaps(a, b, start, end) {
  const shared = Math.min(a[end], b[end]) - Math.max(a[start], b[start]);
  return shared > 0 && shared > Math.min(a[end] - a[start], b[end] - b[start]) / 2;
}

function beside(a, b, isRtl) {
  const across = isRtl
    ? Math.round(b.box.right) - Math.round(a.box.right)
    : Math.round(a.box.left) - Math.round(b.box.left);
  return across || Math.round(a.box.top) - Math.round(b.box.top);
}

/** Whether some lie over others: these are layers, without an order on the screen. @param {Placed[]} line */
const isLayered = (line) =>
  line.some(
    ({ box }, i) =>
      i > 0 && overlaps(line[i - 1].box, box, 'left', 'right') && overlaps(line[i - 1].box, box, 'top', 'bottom'),
  );

/**
 * Whether boxes stand in columns, as rows, cells and tiles do. Words in a page of text do not: their order in the
 * document is better, as texts may have columns.
 * @param {Placed[][]} lines
 */
function isTabular(lines) {
  const columns = new Set(lines.flat().map(({ box }) => `${Math.round(box.left)} ${Math.round(box.width)}`));
  return columns.size === Math.max(...lines.map((line) => line.length));
}

/** The rows in a grid that was visited. @type {WeakMap<Element, Element[]>} */
const rowsOfGrids = new WeakMap();

/**
 * The lines in a grid, with those rows as one that stand beside each other: pinned columns have a container of their
 * own, with a part of each row.
 * @param {Line} grid
 */
function withoutPanes(grid) {
  const rows = rowsIn(grid.kids);
  if (new Set(rows.map(({ element }) => flatParent(element))).size > 1) {
    rowsOfGrids.set(
      grid.element,
      rows.map(({ element }) => element),
    );
    const joined = remember(JOINED_ROWS, grid.element, joinedRows(rowsOfGrids.get(grid.element)));
    if (joined) joinRows(grid, rows, joined);
  }
  grid.kids = grid.kids.filter((kid) => typeof kid === 'string' || kid.role !== 'row' || !isEmptyAndNameless(kid));
}

const isBareGroup = (line) => line.role === 'rowgroup' && isBare(line) && line.states === '';

/**
 * The rows among them, and in groups of rows; those of a <table> are never beside each other.
 * @param {(string | Line)[]} kids @returns {Line[]}
 */
const rowsIn = (kids) =>
  linesOf(kids).flatMap((line) =>
    line.role === 'row' && line.tag !== 'TR' ? [line] : isBareGroup(line) ? rowsIn(line.kids) : [],
  );

/** Which rows of a grid are one, as "0+5,1+6", from top to bottom; "" where no rows stand beside each other. */
const JOINED_ROWS = { ask: (grid) => joinedRows(rowsOfGrids.get(grid)) };

/** @param {Element[]} rows */
function joinedRows(rows) {
  if (!rows.every((row) => isConnected_.call(row))) return ''; // the grid has changed, and is visited in any case
  const panes = [...new Set(rows.map(flatParent))].map((pane) => ({ pane, box: getBoundingClientRect_.call(pane) }));
  const isBeside = (one, other) =>
    one !== other && overlaps(one.box, other.box, 'top', 'bottom') && !contains_.call(one.pane, other.pane);
  const split = new Set(
    panes.filter((one) => panes.some((other) => isBeside(one, other) && isBeside(other, one))).map(({ pane }) => pane),
  );
  /** @type {Placed[]} */
  const placed = [];
  rows.forEach((row, i) => {
    const box = split.has(flatParent(row)) && placeOf(row);
    if (box) placed.push({ nodes: [i], box });
  });
  if (!placed.length) return '';
  const paneOf = ({ nodes }) => flatParent(rows[nodes[0]]);
  const isRow = (line) =>
    new Set(line.map(paneOf)).size === line.length &&
    line.every(({ box }) => overlaps(line[0].box, box, 'top', 'bottom'));
  // Rows pass each other on their way to another place: their indices tell what belongs together then, too.
  const lines = [linesOfIndex(placed, rows), linesOfPlaced(placed)].find((found) => found?.every(isRow));
  if (!lines) return '';
  const isRtl = computedStyleOf(rows[0]).direction === 'rtl';
  for (const line of lines) line.sort((a, b) => beside(a, b, isRtl));
  return lines.map((line) => line.map(({ nodes }) => nodes[0]).join('+')).join();
}

/** @param {Line} grid @param {Line[]} rows @param {string} joined */
function joinRows(grid, rows, joined) {
  const groups = joined.split(',').map((group) => group.split('+').map((at) => rows[at]));
  const parts = new Set(groups.flat());
  const holdsPart = (kid) => parts.has(kid) || (isBareGroup(kid) && rowsIn(kid.kids).some((row) => parts.has(row)));
  const first = grid.kids.findIndex(holdsPart);
  const others = (kids) => kids.flatMap((kid) => (!holdsPart(kid) ? [kid] : isBareGroup(kid) ? others(kid.kids) : []));
  const whole = groups.map((group) => (group.length === 1 ? group[0] : joinedRow(group)));
  grid.kids = [...grid.kids.slice(0, first), ...whole, ...others(grid.kids.slice(first))];
}

/** @param {Line[]} parts  of a row, from left to right @returns {Line} */
function joinedRow(parts) {
  const { element, tag, role } = parts[0];
  const line = newLine(element, tag, role);
  line.id = parts.find(({ id }) => id !== 0)?.id ?? 0;
  line.name = parts.find(({ name }) => name)?.name ?? '';
  line.states = parts.find(({ states }) => states)?.states ?? '';
  line.kids = foldCells(parts.flatMap(({ cells }) => cells));
  return line;
}
