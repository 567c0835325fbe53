// What happens to a line once its children are known: texts are joined, repeats of the name removed, meaningless
// wrappers replaced by their contents, and lines without information dropped.

/**
 * Texts cleaned and split into blocks, without empty ones; fragments replaced by their kids.
 * @param {(string | Line)[]} kids @returns {(string | Line)[]} texts with something readable, and lines
 */
function tidy(kids) {
  const tidied = [];
  let run = '';
  const flush = () => {
    if (run === '') return;
    if (hasText(run)) {
      const resolve = HAS_DECORATION_MARKS.test(run) ? (text) => rowsOf(resolveDecorationMarks(text)) : rowsOf;
      if (run.includes(BREAK)) for (const block of run.split(BREAK)) pushText(tidied, resolve(block));
      else pushText(tidied, resolve(run));
    }
    run = '';
  };
  for (const kid of kids) {
    if (typeof kid === 'string') run += kid;
    else if (kid.role === '' && kid.id === 0 && !kid.isDeferred) {
      flush();
      tidied.push(...tidy(kid.kids));
    } else {
      flush();
      tidied.push(kid);
    }
  }
  flush();
  return tidied;
}

function pushText(kids, text) {
  if (text !== '' && hasText(text)) kids.push(text);
}

const textsOf = (kids) => kids.filter((kid) => typeof kid === 'string');
const linesOf = (kids) => kids.filter((kid) => typeof kid !== 'string');

// Wrappers without meaning around a single child.
const DISSOLVES = roleSet(
  'listitem paragraph definition term cell columnheader rowheader gridcell caption rowgroup group list generic ' +
    'figure none',
);
// Such lines are dropped: a role alone tells a reader nothing.
const isEmptyAndNameless = (line) => isBare(line) && line.value === '' && line.states === '' && line.kids.length === 0;

/**
 * Folds a line whose children are complete.
 * @param {Line} line  with its raw children
 * @param {Line} parent  gets the line, or what remains of it
 */
function finishLine(line, parent) {
  line.kids = tidy(line.kids);
  if (line.namedByContent && line.role === 'tooltip' && holdsControls(line)) unname(line);
  if (line.namedByContent) line.kids = withoutRepeats(line.kids);
  else if (line.name) line.kids = line.kids.filter((kid) => !isRepeatOfName(line, kid));
  line.kids = withoutSeparators(line.kids);
  // Focus traps have focusable elements of no size at their beginning and end.
  const isFocusSentinel = line.role === '' && line.name === '' && line.states === '' && line.kids.length === 0;
  if (line.id !== 0 && (line.maybeClickable || isFocusSentinel) && !isClickTarget(line)) line.id = 0;
  line.kids = joinShort(line.kids, line.role === '' && line.id !== 0);
  if (UNWRAPS.has(line.role)) unwrapParagraphs(line);
  if (line.role === 'row') line.kids = foldCells((line.cells = withSpans(line.element, line.kids)));
  else if (GRID_ROLES.has(line.role)) withoutPanes(line);
  if (line.role === '') {
    if (line.element !== reading.marked && (isBare(line) || wrapsOneControl(line))) {
      parent.kids.push(...asBlocks(line.kids));
      return;
    }
    nameClickable(line);
  }
  if (line.id !== 0 && line.name === '' && HINTED.has(line.role)) addHint(line);
  if (isNameless(line) && isHandle(line.element)) return;
  if (line.states.includes(' [description=')) {
    const words = line.name || (line.kids.length === 1 && typeof line.kids[0] === 'string' ? line.kids[0] : '');
    const begin = quote(inOneRow(words)).toLowerCase();
    if (words)
      line.states = line.states.replace(DESCRIPTION, (state, said) =>
        begin.startsWith(`"${said.toLowerCase()}`) ? '' : state,
      );
  }
  if (CELLS.has(line.role) && parent.role === 'row') {
    parent.kids.push(line);
    return;
  }
  if (line.role === 'img' && isBare(line) && isOnlyIcon(line)) {
    parent.kids.push(...line.kids);
    return;
  }
  if (conveysNothing(line) && !mayBePart(line, parent)) addText(parent, edgeAround(line.element, line.tag));
  else if (isSeparator(line) || dissolves(line)) parent.kids.push(...asBlocks(line.kids));
  else parent.kids.push(line);
}

const isBare = (line) => line.id === 0 && line.name === '';
const isSeparator = (line) => line.role === 'separator' && isBare(line);

const conveysNothing = (line) =>
  isEmptyAndNameless(line) ||
  (isSeparator(line) && line.kids.every((kid) => typeof kid === 'string' && isSeparatorText(kid))) ||
  (line.role === 'heading' && isBare(line) && line.kids.length === 0);

/** Whether it is a row of empty cells that may be a part of a longer row, see order.js. */
const mayBePart = (line, parent) =>
  line.role === 'row' &&
  line.tag !== 'TR' &&
  line.cells.length > 0 &&
  (GRID_ROLES.has(parent.role) || parent.role === 'rowgroup');

/** The kids of a removed wrapper, each text still a block of its own. @param {(string | Line)[]} kids  tidied ones */
const asBlocks = (kids) => [
  BREAK,
  ...kids.map((kid, i) => (typeof kid === 'string' && typeof kids[i - 1] === 'string' ? BREAK + kid : kid)),
  BREAK,
];

const DESCRIPTION = / \[description="((?:[^"\\]|\\.)*)"\]/;
const SHORT_TEXT = 40;
const LONGEST_JOINED = 120;

/**
 * Removes the name of a tooltip: many libraries use tooltips as menus and tool bars, whose controls have the same text.
 */
function unname(line) {
  line.name = '';
  line.namedByContent = false;
}

const isOfRows = (kid) => typeof kid === 'string' && kid.includes(ROW_BREAK);

/** Joins short adjacent texts to "a | b"; in something clickable, all texts with spaces, as in a label. */
function joinShort(kids, asLabel) {
  const joined = [];
  for (const kid of kids) {
    const last = joined.length - 1;
    if (typeof kid !== 'string' || typeof joined[last] !== 'string') joined.push(kid);
    else if (asLabel) joined[last] = inOneRow(`${joined[last]} ${kid}`);
    else if (isOfRows(kid) || isOfRows(joined[last])) joined.push(kid);
    else if (kid.length <= SHORT_TEXT && joined[last].length + kid.length <= LONGEST_JOINED)
      joined[last] += ` | ${kid}`;
    else joined.push(kid);
  }
  return joined;
}

/** Whether a line only wraps one control, so that a click on either does the same. */
const wrapsOneControl = ({ tag, states, kids }) =>
  tag !== 'SUMMARY' &&
  states === '' &&
  kids.length === 1 &&
  typeof kids[0] !== 'string' &&
  kids[0].id !== 0 &&
  ATOMIC_ROLES.has(kids[0].role);

/**
 * Whether a line that may be clickable is kept so: not around other controls, and only with a click area of its own.
 */
function isClickTarget(line) {
  return (!holdsControls(line) || isClickableCellText(line)) && remember(CLICK_AREA, line.element);
}

const CLICK_AREA = { ask: hasOwnClickArea };

const BUTTON_OR_LINK = 'a[href],button,[role="button" i],[role="link" i]';

/** Whether an element has a size, and is not in the middle of a button or link, where a click means that control. */
function hasOwnClickArea(element) {
  const { left, top, right, bottom } = getBoundingClientRect_.call(element);
  if (right <= left || bottom <= top) return false;
  const control = closest(element, BUTTON_OR_LINK);
  if (control === null || control === element) return true;
  const around = getBoundingClientRect_.call(control);
  const [x, y] = [(around.left + around.right) / 2, (around.top + around.bottom) / 2];
  return x < left || x > right || y < top || y > bottom;
}

/**
 * Whether the text of a cell has a click action besides that of its controls: a row's drag handle beside it, or a
 * filter field in a sortable header.
 */
function isClickableCellText({ role, element, kids }) {
  if (!textsOf(kids).length) return false;
  if (role === 'columnheader') return hasAttr(element, 'aria-sort');
  return (
    role === 'gridcell' &&
    linesOf(kids).every((kid) => isNameless(kid) && DRAGGED.has(computedStyleOf(kid.element).cursor))
  );
}

const holdsControls = (line) => linesOf(line.kids).some((kid) => kid.id !== 0 || holdsControls(kid));

// Their role itself says that they contain a block of text.
const UNWRAPS = roleSet('listitem cell gridcell columnheader rowheader definition term');

/** Replaces the paragraph in a cell or list item by its text. */
function unwrapParagraphs(line) {
  const { kids } = line;
  if (kids.length > 1 && !CELLS.has(line.role)) return;
  if (kids.every((kid) => typeof kid === 'string' || isTextParagraph(kid))) {
    const texts = kids.map((kid) => (typeof kid === 'string' ? kid : kid.kids[0]));
    line.kids = texts.length > 1 ? [inOneRow(texts.join(' '))] : texts;
  }
}

const isTextParagraph = ({ role, id, name, kids }) =>
  role === 'paragraph' && id === 0 && name === '' && kids.length === 1 && typeof kids[0] === 'string';

/** Whether the contents of a line say the same without it. */
function dissolves(line) {
  const { role, kids } = line;
  if (line.id !== 0 || line.name !== '' || line.states !== '') return false;
  if (role === 'paragraph') return typeof kids[0] !== 'string' || kids.length > 1;
  if (role === 'table') return layoutKids(line);
  if (!DISSOLVES.has(role) || typeof kids[0] === 'string') return false;
  // A link with a short text after it is clear without the item around it.
  return (
    kids.length === 1 ||
    (role === 'listitem' &&
      kids.length === 2 &&
      typeof kids[1] === 'string' &&
      kids[1].length <= SHORT_TEXT &&
      kids[0].kids.length === 0)
  );
}

/** Removes the rows and cells of a layout table: one row without headers. */
function layoutKids(table) {
  const rows = linesOf(table.kids);
  if (table.kids.length !== 1 || rows.length !== 1 || rows[0].role !== 'row' || rows[0].id !== 0 || rows[0].name)
    return false;
  if (rows[0].kids.every((kid) => typeof kid === 'string')) return false;
  table.kids = rows[0].kids.flatMap((kid) =>
    typeof kid !== 'string' && kid.role === 'cell' && isBare(kid) ? asBlocks(kid.kids) : [kid],
  );
  return true;
}

/** Whether a child repeats the name of its line. */
function isRepeatOfName(line, kid) {
  if (typeof kid === 'string')
    return (
      line.name.includes(inOneRow(kid)) ||
      (ATOMIC_ROLES.has(line.role) && (!/[\p{L}\p{N}]/u.test(kid) || IS_ICON_HINT.test(kid)))
    );
  return (
    kid.role === 'caption' &&
    kid.id === 0 &&
    kid.kids.every((text) => typeof text === 'string' && line.name.includes(text))
  );
}

/** Drops bars, commas and brackets between lines, which are separate anyway. */
function withoutSeparators(kids) {
  return kids.length > 1 ? kids.filter((kid) => typeof kid !== 'string' || !isSeparatorText(kid)) : kids;
}

/** The children of a line named by its content: only those with a ref add information. */
function withoutRepeats(kids) {
  const significant = [];
  for (const kid of kids) {
    if (typeof kid === 'string') continue;
    if (kid.role === 'alert') significant.push(kid);
    else if (kid.id === 0) significant.push(...withoutRepeats(kid.kids));
    else if (kid.role !== 'img' || kid.states !== '' || kid.kids.length) significant.push(kid);
  }
  return significant;
}

// Only hints made by `hintState` for icons: a text of the page may begin in the same way.
const IS_ICON_HINT = /^(?:\[icon=(?:[\w-]+|"(?:[^"\\]|\\.)*")\] ?)+$/;

// Without a name these roles say nothing, so a hint is added.
const HINTED = roleSet('generic button link menuitem tab option radio checkbox switch');

/** @param {Line} line */
const isOnlyIcon = ({ kids }) => kids.length === 1 && typeof kids[0] === 'string' && IS_ICON_HINT.test(kids[0]);

/** Adds a hint to a line without a name and without content other than an icon. */
function addHint(line) {
  if (isOnlyIcon(line)) {
    line.states += ` ${line.kids[0]}`;
    line.kids = [];
  } else if (line.kids.length === 0 && !line.states.includes(ICON_HINT)) {
    // Its text may already be in the name of an element around it.
    const words = hasText(textContent(line.element)) ? nameContribution(line.element) : '';
    if (words.startsWith(ICON_HINT)) line.states += ` ${words}`;
    else if ((line.name = cut(words, LONGEST_NAME)) === '') line.states += hintOf(line.element);
  }
}

const LONGEST_CLICKABLE_NAME = 120;

/** Names a clickable element without a role by its text, unless that is too long for a name. */
function nameClickable(line) {
  if (line.name === '' && line.kids.length && textsOf(line.kids).length === line.kids.length && !isOnlyIcon(line)) {
    const text = inOneRow(line.kids.join(' '));
    if (text.length <= LONGEST_CLICKABLE_NAME) [line.name, line.kids] = [text, []];
  }
  line.role = line.tag === 'SUMMARY' ? 'summary' : 'generic';
}

const CELLS = roleSet('cell gridcell columnheader rowheader');

const HANDLE_CLASS = /(?:col(?:umn)?|cell)[-_]?resiz|resize(?:r|[-_]?handle)|split-?pane|splitter|scroll-?bar/i;

const isNameless = ({ role, name, kids }) => role === 'generic' && name === '' && kids.length === 0;
/** Whether it only resizes or scrolls something: a handle or a bar, which grids repeat in each column or row. */
const isHandle = (element) =>
  HANDLE_CLASS.test(attr(element, 'class') ?? '') ||
  (closest(element, 'tr,[role="row" i]') !== null && computedStyleOf(element).cursor.endsWith('-resize'));

const MOST_ROWS_IN_CELL = 4;
/** A short text of several rows in a cell, on one line, as the row is. @param {string | Line} kid */
const inCell = (kid) =>
  typeof kid === 'string' && isOfRows(kid) && kid.split(ROW_BREAK).length <= MOST_ROWS_IN_CELL
    ? collapse(kid.replaceAll(ROW_BREAK, ' ⏎ '))
    : kid;

/**
 * Joins the cells of a row to one text, "a | b"; cells that contain lines stay lines of their own, and empty cells
 * before them are kept.
 */
function foldCells(kids) {
  const folded = [];
  let texts = [];
  let cells = [];
  const flush = (isLast) => {
    if (texts.some((text) => text !== '')) folded.push(texts.join(' | ').trim());
    else if (!isLast) folded.push(...cells); // so that what follows is in the right column
    texts = [];
    cells = [];
  };
  for (const kid of kids) {
    if (typeof kid !== 'string' && kid.kids.some(isOfRows)) kid.kids = kid.kids.map(inCell);
    if (typeof kid === 'string') texts.push(escapeBars(inOneRow(kid)));
    else if (!CELLS.has(kid.role) || kid.id !== 0 || linesOf(kid.kids).length || kid.kids.some(isOfRows)) {
      flush(false);
      const alone = CELLS.has(kid.role) && isBare(kid) && kid.states === '' && kid.kids.length === 1;
      folded.push(alone ? kid.kids[0] : kid);
    } else {
      texts.push(
        escapeBars([kid.name, ...kid.kids].filter(Boolean).join(' ') + kid.states.replaceAll(' [', ` ${STATE_MARK}`)),
      );
      cells.push(kid);
    }
  }
  flush(true);
  return folded;
}
