// Renders lines as text.

const DEEPEST_INDENT = 40;
const INDENTS = Array.from({ length: DEEPEST_INDENT + 1 }, (_, i) => '  '.repeat(i));

/**
 * Renders kids without recursion, since scripts nest pages deeper than the stack allows.
 * @param {(string | Line)[]} kids @param {Output} out
 */
function renderKids(kids, depth, out) {
  const open = [openLevel(null, kids, depth, 0)];
  while (open.length) {
    const level = open[open.length - 1];
    if (level.next === level.kids.length) {
      if (level.line) level.line.size = out.length - level.from;
      open.pop();
      continue;
    }
    const kid = level.kids[level.next++];
    if (typeof kid === 'string') renderText(`${INDENTS[level.depth]}- text`, kid, level.depth, null, out);
    else {
      const inner = renderLine(kid, level.depth, out);
      if (inner) open.push(inner);
    }
  }
}

/**
 * @param {Line | null} line  the one whose size is set in the end
 * @param {number} from  the row of text that it begins at
 */
const openLevel = (line, kids, depth, from) => ({ line, kids, depth, from, next: 0 });

const TABLE_ROWS = 'tr,[role="row" i]';
const TABLE_HEADERS = 'th,[role="columnheader" i]';
const LEAST_ROWS = 3; // with their header

/** Whether a line is a table with data, which has a ref so that it can be named, though nothing can be done with it. */
const isDataTable = ({ role, name, element }) =>
  GRID_ROLES.has(role) &&
  (name !== '' || selectAll(element, TABLE_HEADERS).length > 0) &&
  selectAll(element, TABLE_ROWS).length >= LEAST_ROWS;

/** @returns {ReturnType<typeof openLevel> | null} the kids of the line that remain to be rendered */
function renderLine(line, depth, out) {
  if (line.isDeferred) return openLevel(null, tidy(line.kids), depth, 0);
  if (out.has(line, depth)) {
    out.copy(line);
    return null;
  }
  line.depth = depth;
  line.wasBehind = line.behind;
  line.wasUnseen = line.unseen;
  line.size = 1;
  line.serial = 0; // until this text is complete
  const from = out.length;
  let text = `${INDENTS[depth]}- ${line.role}`;
  if (line.name) text += ` ${quote(line.name)}`;
  text += line.states;
  text += line.behind;
  if (line.unseen) text += ' [not-shown]';
  const id = line.id || (isDataTable(line) ? idOf(line.element) : 0);
  if (id) text += ` [ref=\x01${id}]`;
  text += line.target;
  if (line.remote) {
    out.push(`${text}\x02${line.id}\x02`, line);
    return null;
  }
  // A text that comes first is rendered in the line itself, like a value.
  const leads = line.value === '' && typeof line.kids[0] === 'string';
  const value = leads ? line.kids[0] : line.value;
  const kids = leads ? line.kids.slice(1) : line.kids;
  if (value) renderText(text, value, depth, line, out);
  else out.push(kids.length ? `${text}:` : text, line);
  line.size = out.length - from;
  return kids.length ? openLevel(line, kids, Math.min(depth + 1, DEEPEST_INDENT), from) : null;
}

/**
 * Renders a text after its head; a text of several rows is put below it unchanged, each row after "| ".
 * @param {Line | null} owner
 */
function renderText(head, text, depth, owner, out) {
  if (!text.includes('\n') && !text.includes(ROW_BREAK)) {
    out.push(`${head}: ${plainOrQuoted(text)}`, owner);
    return;
  }
  out.push(`${head}:`, owner);
  const indent = INDENTS[Math.min(depth + 1, DEEPEST_INDENT)];
  for (const row of withoutMarks(text).split('\n')) out.push(row ? `${indent}| ${row}` : `${indent}|`, null);
}

/**
 * The rows in the viewport; text between lines counts with the line before it.
 * @param {(Line | string)[]} owners
 * @returns {[number, number][]} [first, count]
 */
function linesInViewport(owners) {
  /** @type {[number, number][]} */
  const runs = [];
  let isSeen = true;
  for (let i = 0; i < owners.length; i++) {
    const owner = owners[i];
    if (typeof owner !== 'string') isSeen = isInView(owner.element);
    if (!isSeen) continue;
    const last = runs[runs.length - 1];
    if (last && last[0] + last[1] === i) last[1]++;
    else runs.push([i, 1]);
  }
  return runs;
}

function isInView(element) {
  const box = getBoundingClientRect_.call(element);
  let { top, left, bottom, right } = box;
  const home = documentOf(element);
  let frame = home === document ? null : defaultView_.call(home)?.frameElement;
  for (; frame; frame = defaultView_.call(documentOf(frame))?.frameElement) {
    const outer = getBoundingClientRect_.call(frame);
    top += outer.top;
    bottom += outer.top;
    left += outer.left;
    right += outer.left;
  }
  return bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth;
}
