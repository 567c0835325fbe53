// What becomes of a line once its children are known: runs of text are joined, names are not repeated, wrappers without
// meaning give way to what they hold, and what says nothing goes.

/**
 * Texts tidied and split into blocks, empty ones and fragments dissolved.
 * @param {(string | Line)[]} kids @returns {(string | Line)[]} strings that say something, and lines
 */
function tidy(kids) {
  const tidied = [];
  let run = '';
  const flush = () => {
    if (run === '') return;
    if (says(run)) {
      const resolve = HAS_DECORATION_MARKS.test(run) ? (text) => collapse(resolveDecorationMarks(text)) : collapse;
      if (run.includes(BREAK)) for (const block of run.split(BREAK)) pushText(tidied, resolve(block));
      else pushText(tidied, resolve(run));
    }
    run = '';
  };
  for (const kid of kids) {
    if (typeof kid === 'string') run += kid;
    else if (kid.role === '' && kid.id === 0 && !kid.isPlace) {
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
  if (text !== '' && says(text)) kids.push(text);
}

const textsOf = (kids) => kids.filter((kid) => typeof kid === 'string');
const linesOf = (kids) => kids.filter((kid) => typeof kid !== 'string');

// Wrappers that mean nothing around a single thing.
const DISSOLVES = roleSet('listitem paragraph definition term cell columnheader rowheader gridcell caption rowgroup group list generic figure none');
// Dropped when nothing is in them: their role alone tells a reader nothing.
const MEANS_NOTHING_EMPTY = (line) => isBare(line) && line.value === '' && line.states === '' && line.kids.length === 0;

/** @param {Line} line  with its raw children @param {Line} parent  where it, or what remains of it, goes */
function finish(line, parent) {
  line.kids = tidy(line.kids);
  if (line.named && line.role === 'tooltip' && holdsControls(line)) unname(line);
  if (line.named) line.kids = withoutRepeats(line.kids);
  else if (line.name) line.kids = line.kids.filter((kid) => !isSaidBy(line, kid));
  line.kids = withoutSeparators(line.kids);
  // So that the focus goes round, pages put things of no size that take it at the beginning and the end.
  const isGuard = line.role === '' && line.name === '' && line.states === '' && line.kids.length === 0;
  if (line.id !== 0 && (line.unsure || isGuard) && !isControl(line)) line.id = 0;
  line.kids = joinShort(line.kids, line.role === '' && line.id !== 0);
  if (UNWRAPS.has(line.role)) unwrapParagraphs(line);
  if (line.role === 'row') line.kids = foldCells(withoutResizers(line.kids));
  if (line.role === '') {
    if (isBare(line) || standsAroundOne(line)) {
      parent.kids.push(...setApart(line.kids));
      return;
    }
    nameClickable(line);
  }
  if (line.id !== 0 && line.name === '' && HINTED.has(line.role)) hintAt(line);
  if (line.states.includes(' [description=')) {
    const words = line.name || (line.kids.length === 1 && typeof line.kids[0] === 'string' ? line.kids[0] : '');
    if (words) line.states = line.states.replace(` [description=${quotedForState(words)}]`, '');
  }
  if (CELLS.has(line.role) && parent.role === 'row') {
    parent.kids.push(line);
    return;
  }
  if (line.role === 'img' && isBare(line) && isOnlyIcon(line)) {
    parent.kids.push(...line.kids);
    return;
  }
  if (saysNothing(line)) addText(parent, edgeAround(line.element, line.tag));
  else if (isSeparator(line) || dissolves(line)) parent.kids.push(...setApart(line.kids));
  else parent.kids.push(line);
}

const isBare = (line) => line.id === 0 && line.name === '';
const isSeparator = (line) => line.role === 'separator' && isBare(line);

const saysNothing = (line) =>
  MEANS_NOTHING_EMPTY(line) ||
  (isSeparator(line) && line.kids.every((kid) => typeof kid === 'string' && onlyParts(kid))) ||
  (line.role === 'heading' && isBare(line) && line.kids.length === 0);

/** Each text of a block that gave way stays a block of its own. @param {(string | Line)[]} kids  tidied */
const setApart = (kids) => [BREAK, ...kids.map((kid, i) => (typeof kid === 'string' && typeof kids[i - 1] === 'string' ? BREAK + kid : kid)), BREAK];

const SHORT_TEXT = 40;
const LONGEST_JOINED = 120;

/** Many libraries make menus and tool bars of tooltips: what they hold says the same, line by line. */
function unname(line) {
  line.name = '';
  line.named = false;
}

/** Short texts that follow each other share a line, "a | b"; in something clickable all do, as its label would. */
function joinShort(kids, asLabel) {
  const joined = [];
  for (const kid of kids) {
    const last = joined.length - 1;
    if (typeof kid !== 'string' || typeof joined[last] !== 'string') joined.push(kid);
    else if (asLabel) joined[last] += ` ${kid}`;
    else if (kid.length <= SHORT_TEXT && joined[last].length + kid.length <= LONGEST_JOINED) joined[last] += ` | ${kid}`;
    else joined.push(kid);
  }
  return joined;
}

/** Whether it only wraps one control: to click it is to click that. */
const standsAroundOne = ({ tag, states, kids }) =>
  tag !== 'SUMMARY' && states === '' && kids.length === 1 && typeof kids[0] !== 'string' && kids[0].id !== 0 && WHOLE.has(kids[0].role);

/** Of what may be clickable: not when it stands around controls, nor when it has no place of its own. */
function isControl(line) {
  if (holdsControls(line) && !isMoreThanItHolds(line)) return false;
  const answer = hasOwnPlace(line.element);
  reading.notes?.roomy.set(line.element, answer);
  return answer;
}

const PRESSED = 'a[href],button,[role="button" i],[role="link" i]';

/** Whether it takes room, and that not in the middle of a button or link: to click that is to click it. */
function hasOwnPlace(element) {
  const { left, top, right, bottom } = getBoundingClientRect_.call(element);
  if (right <= left || bottom <= top) return false;
  const control = closest(element, PRESSED);
  if (control === null || control === element) return true;
  const around = getBoundingClientRect_.call(control);
  const [x, y] = [(around.left + around.right) / 2, (around.top + around.bottom) / 2];
  return x < left || x > right || y < top || y > bottom;
}

/** Whether the text of a cell is clicked for itself: beside the handle that its row is dragged with, or to sort by, over a field that filters. */
function isMoreThanItHolds({ role, element, kids }) {
  if (!textsOf(kids).length) return false;
  if (role === 'columnheader') return hasAttr(element, 'aria-sort');
  return role === 'gridcell' && linesOf(kids).every((kid) => isNameless(kid) && DRAGGED.has(computedStyleOf(kid.element).cursor));
}

const holdsControls = (line) => linesOf(line.kids).some((kid) => kid.id !== 0 || holdsControls(kid));

// Their own role says that what they hold is a block of text.
const UNWRAPS = roleSet('listitem cell gridcell columnheader rowheader definition term');

/** Text in a paragraph in a cell or an item is its text. */
function unwrapParagraphs(line) {
  const { kids } = line;
  if (kids.length > 1 && !CELLS.has(line.role)) return;
  if (kids.every((kid) => typeof kid === 'string' || isTextParagraph(kid))) {
    line.kids = kids.length ? [kids.map((kid) => (typeof kid === 'string' ? kid : kid.kids[0])).join(' ')] : kids;
  }
}

const isTextParagraph = ({ role, id, name, kids }) =>
  role === 'paragraph' && id === 0 && name === '' && kids.length === 1 && typeof kids[0] === 'string';

/** Whether what it holds says the same without it. */
function dissolves(line) {
  const { role, kids } = line;
  if (line.id !== 0 || line.name !== '' || line.states !== '') return false;
  if (role === 'paragraph') return typeof kids[0] !== 'string' || kids.length > 1;
  if (role === 'table') return layoutKids(line);
  if (!DISSOLVES.has(role) || typeof kids[0] === 'string') return false;
  // A link with a word after it is clear without the item around.
  return kids.length === 1 || (role === 'listitem' && kids.length === 2 && typeof kids[1] === 'string' && kids[1].length <= SHORT_TEXT && kids[0].kids.length === 0);
}

/** A table of one row without headers lays out the page: rows and cells go. */
function layoutKids(table) {
  const rows = linesOf(table.kids);
  if (table.kids.length !== 1 || rows.length !== 1 || rows[0].role !== 'row' || rows[0].id !== 0 || rows[0].name) return false;
  if (rows[0].kids.every((kid) => typeof kid === 'string')) return false;
  table.kids = rows[0].kids.flatMap((kid) => (typeof kid !== 'string' && kid.role === 'cell' && isBare(kid) ? setApart(kid.kids) : [kid]));
  return true;
}

/** Whether the name of a line has said what this child says. */
function isSaidBy(line, kid) {
  if (typeof kid === 'string') return line.name.includes(kid) || (WHOLE.has(line.role) && (!/[\p{L}\p{N}]/u.test(kid) || IS_ICON_HINT.test(kid)));
  return kid.role === 'caption' && kid.id === 0 && kid.kids.every((text) => typeof text === 'string' && line.name.includes(text));
}

/** Bars, commas and brackets between lines go: the lines part each other. */
function withoutSeparators(kids) {
  return kids.length > 1 ? kids.filter((kid) => typeof kid !== 'string' || !onlyParts(kid)) : kids;
}

/** Children of something named by its content: only what has a ref still says something. */
function withoutRepeats(kids) {
  const kept = [];
  for (const kid of kids) {
    if (typeof kid === 'string') continue;
    if (kid.role === 'alert') kept.push(kid);
    else if (kid.id === 0) kept.push(...withoutRepeats(kid.kids));
    else if (kid.role !== 'img' || kid.states !== '' || kid.kids.length) kept.push(kid);
  }
  return kept;
}

// Nothing but what `hintState` makes of icons: text of a page may begin like it.
const IS_ICON_HINT = /^(?:\[icon=(?:[\w-]+|"(?:[^"\\\]]|\\.)*")\] ?)+$/;

// Without a name these say nothing at all; what their author called them must do.
const HINTED = roleSet('generic button link menuitem tab option radio checkbox switch');

/** @param {Line} line */
const isOnlyIcon = ({ kids }) => kids.length === 1 && typeof kids[0] === 'string' && IS_ICON_HINT.test(kids[0]);

/** Says what can be told of something that has neither a name nor anything in it but an icon. */
function hintAt(line) {
  if (isOnlyIcon(line)) {
    line.states += ` ${line.kids[0]}`;
    line.kids = [];
  } else if (line.kids.length === 0 && !line.states.includes(ICON_HINT)) {
    // Its words may be told already, in the name of what it is a part of.
    const words = says(textContent(line.element)) ? nameContribution(line.element) : '';
    if (words.startsWith(ICON_HINT)) line.states += ` ${words}`;
    else if ((line.name = cut(words, LONGEST_NAME)) === '') line.states += hintOf(line.element);
  }
}

const LONGEST_CLICKABLE_NAME = 120;

/** Something clickable without a role is called what it says, unless that is too much for a name. */
function nameClickable(line) {
  if (line.name === '' && line.kids.length && textsOf(line.kids).length === line.kids.length && !isOnlyIcon(line)) {
    const text = line.kids.join(' ');
    if (text.length <= LONGEST_CLICKABLE_NAME) [line.name, line.kids] = [text, []];
  }
  line.role = line.tag === 'SUMMARY' ? 'summary' : 'generic';
}

const CELLS = roleSet('cell gridcell columnheader rowheader');

const WIDENS = /^(?:col|ew|e|w)-resize$/;
const WIDENING_CLASS = /col(?:umn)?[-_]?resiz/i;

/** The handles of columns, which grids repeat in each row, are told once: in the headers. */
function withoutResizers(kids) {
  if (kids.some((kid) => kid.role === 'columnheader')) return kids;
  return kids.filter((kid) => typeof kid === 'string' || !isNameless(kid) || !isResizer(kid.element));
}

const isNameless = ({ role, name, kids }) => role === 'generic' && name === '' && kids.length === 0;
const isResizer = (element) => WIDENS.test(computedStyleOf(element).cursor) || WIDENING_CLASS.test(attr(element, 'class') ?? '');

/** Cells in one line of text, "a | b"; cells that hold lines stand between, and empty ones before them. */
function foldCells(kids) {
  const folded = [];
  let texts = [];
  let cells = [];
  const flush = (isLast) => {
    if (texts.some((text) => text !== '')) folded.push(texts.join(' | ').trim());
    else if (!isLast) folded.push(...cells); // so that what follows stands in its column
    texts = [];
    cells = [];
  };
  for (const kid of kids) {
    if (typeof kid === 'string') texts.push(asPart(kid));
    else if (!CELLS.has(kid.role) || kid.id !== 0 || linesOf(kid.kids).length) {
      flush(false);
      const alone = CELLS.has(kid.role) && isBare(kid) && kid.states === '' && kid.kids.length === 1;
      folded.push(alone ? kid.kids[0] : kid);
    } else {
      texts.push(asPart([kid.name, ...kid.kids].filter(Boolean).join(' ') + kid.states.replaceAll(' [', ` ${STATE_MARK}`)));
      cells.push(kid);
    }
  }
  flush(true);
  return folded;
}
