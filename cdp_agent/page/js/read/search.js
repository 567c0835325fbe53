// Searching in what the snapshot shows. The matching itself is done in Python, which then asks where the matches are.

/** @type {SeenText | null} the text last read for its places, see secret.js */
let lastSeen = null;
/** @type {ShownText | null} the lines last read, until their matches have been asked for */
let lastShown = null;

/**
 * @param {{next: [number, number]}} options
 * @returns {{text: string, first: number, end: number, remote: number[], internals: number[], roots: number, gone: number[], editors: number[]}}
 */
function seenText({ next }) {
  const first = reserveIds(next);
  forget();
  lastSeen = readSeen();
  const { remote, internals } = reading;
  forget();
  return { text: lastSeen.pieces.join(''), first, end: nextId, remote, internals, ...rootsNow(), editors: knownCodeEditors() };
}

/** The lines of a snapshot as text, without roles, states and what is cut there. See `seenText`. */
function shownText({ next }) {
  const first = reserveIds(next);
  forget();
  const notes = resumeNotes();
  sparseRoot = notes ? document : null;
  reading = newReading();
  try {
    lastShown = readShown(visitDocument(notes));
  } catch (error) {
    forgetKept(); // it may hold only a part of what was visited
    throw error;
  }
  if (notes) restNotes(notes);
  const { remote, internals } = reading;
  forget();
  return {
    text: lastShown.pieces.join(''), first, end: nextId, remote, internals, ...rootsNow(), came: cameSoFar(), elements: elementsThere(),
    editors: knownCodeEditors(),
  };
}

function forgetSeen() {
  lastSeen = lastShown = null;
}

/**
 * @typedef {object} Origin  where a piece of the text is from @property {Element} element  whose line, or whose line it stands in
 * @property {(string | Line)[]} kids  of that line @property {number} at  the text among them; -1: the line's own name, states and value
 * @property {number} from  the character of that text with which the piece begins
 */

/** Lines as one text; it is known which line each piece of it is from. */
class ShownText {
  constructor() {
    this.pieces = [];
    this.starts = [];
    /** @type {Origin[]} */
    this.origins = [];
    this.length = 0;
  }

  /** @param {string} joint  what parts it from the text before @param {Omit<Origin, 'from'>} origin */
  add(joint, text, origin) {
    const piece = this.length ? joint + text : text;
    spendText(piece);
    this.origins.push({ ...origin, from: text.length - piece.length });
    this.pieces.push(piece);
    this.starts.push(this.length);
    this.length += piece.length;
  }

  /** @param {number} offset @returns {number} which piece has the character there */
  pieceAt(offset) {
    return lastAtMost(this.starts, offset);
  }
}

/** The index of the last number that is not above `most`. @param {number[]} sorted */
function lastAtMost(sorted, most) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** @param {(string | Line)[]} kids  what the document holds @returns {ShownText} */
function readShown(kids) {
  const text = new ShownText();
  const open = [{ element: documentElement_.call(document), kids, next: 0, joint: LINE, isRow: false }];
  while (open.length) {
    const level = open[open.length - 1];
    if (level.next === level.kids.length) {
      open.pop();
      continue;
    }
    const at = level.next++;
    const kid = level.kids[at];
    const joint = at === 0 ? level.joint : level.isRow ? BAR : jointBetween(level.kids[at - 1], kid);
    if (typeof kid === 'string') text.add(joint, withoutMarks(kid), { element: level.element, kids: level.kids, at });
    else open.push(kid.isPlace ? { element: kid.element, kids: tidy(kid.kids), next: 0, joint, isRow: false } : addShownLine(kid, joint, text));
  }
  return text;
}

/** @param {Line} line @returns {{element: Element, kids: (string | Line)[], next: number, joint: string, isRow: boolean}} what it holds */
function addShownLine(line, joint, text) {
  const { element, kids } = line;
  const said = saidOf(line);
  if (line.remote) said.push(FRAME_MARK + line.id + FRAME_MARK);
  const own = said.filter(Boolean).join(BAR);
  if (own) text.add(joint, own, { element, kids, at: -1 });
  const leads = own !== '' && line.value === '' && typeof kids[0] === 'string';
  return { element, kids: kids.filter((kid) => !isValueOfList(kid)), next: 0, joint: leads ? BAR : own ? LINE : joint, isRow: line.role === 'row' };
}

/** The chosen option of a closed list is the list's value. @param {string | Line} kid */
const isValueOfList = (kid) => typeof kid !== 'string' && kid.tag === 'OPTION' && kid.id === 0 && kid.states.includes(' [selected]');

const BAR = ' | ';
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const ICON_WORD = /\[icon=([^\]]*)\]/;

/** What a line says in words: its name, what its states quote, its value; all options of a long list. @param {Line} line */
function saidOf(line) {
  if (line.role === 'options') return [[...selectOptions(line.element)].filter(isOffered).map((option) => collapse(optionLabel(option))).join(BAR)];
  const states = line.states.replace(/ \[selection=(?:"(?:[^"\\]|\\.)*"|all)\]/, '');
  return [line.name, ...(states.match(QUOTED) ?? []).map((quoted) => JSON.parse(quoted)), ICON_WORD.exec(states)?.[1] ?? '', line.value];
}

/** What parts two neighbours: a link in a sentence stands in its line. @param {string | Line} before @param {string | Line} after */
function jointBetween(before, after) {
  const line = typeof before === 'string' ? after : before;
  if (typeof line === 'string' || (typeof before !== 'string' && typeof after !== 'string')) return LINE;
  if (edgeOf(line.tag, computedStyleOf(line.element)) === BREAK) return LINE;
  const beside = (line === after ? previousSibling_ : nextSibling_).call(line.element);
  if (beside === null) return ' ';
  if (nodeType(beside) === 1 && (tagOf(beside) === 'BR' || edgeOf(tagOf(beside), computedStyleOf(beside)) === BREAK)) return LINE;
  const [left, right] = line === after ? [beside, line.element] : [line.element, beside];
  return /\S$/.test(textContent(left)) && /^\S/.test(textContent(right)) ? '' : ' ';
}

/**
 * The elements behind spans of the lines last read.
 * @param {{next: [number, number], spans: [number, number][]}} options
 * @returns {{first: number, end: number, places: {id: number, role: string, name: string, url: string, in_viewport: boolean, gone: boolean}[]}}
 */
function placesOf({ next, spans }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  const finder = new SourceFinder();
  const places = lastShown ? spans.map(([start, end]) => placeOf(lastShown, finder, start, end)) : [];
  forget();
  return { first, end: nextId, places };
}

function placeOf(text, finder, start, end) {
  const piece = text.pieceAt(start);
  const origin = text.origins[piece];
  const from = Math.max(0, start - text.starts[piece] + origin.from);
  const [source, last] = finder.sourcesOf(origin, from, Math.min(end, text.starts[piece] + text.pieces[piece].length) - start);
  const element = nodeType_.call(source) === 1 ? source : flatParentOfText(source);
  const named = nearestNamed(listOfOption(element));
  const role = shownRole(named) || 'generic';
  return {
    id: idOf(named), role, name: cut(nameOf(named, role), 200), url: documentURL_.call(documentOf(named)),
    in_viewport: isInViewport(boxOf(source === element ? listOfOption(element) : source, last), documentOf(named)),
    gone: !isConnected_.call(source),
  };
}

/** An option of a closed list is chosen through the list. */
function listOfOption(element) {
  const list = tagOf(element) === 'OPTION' ? closest(element, 'select') : null;
  return list && !isListSelect(list) ? list : element;
}

/** Finds the nodes that a part of a line's text is from. Lines do not keep them, so that what is in it is read for them. */
class SourceFinder {
  constructor() {
    /** @type {Map<(string | Line)[], {letters: Letters, places: number[]}>} where the texts of a line begin, -1: not found */
    this.found = new Map();
  }

  /** @param {Origin} origin @returns {[Node, Node]} the first and the last; the line's element where they are not found */
  sourcesOf({ element, kids, at }, from, length) {
    if (at < 0 || !isConnected_.call(element)) return [element, element]; // nothing can be read of one that has left since
    let found = this.found.get(kids);
    if (!found) {
      const letters = new Letters(readSeen(element));
      this.found.set(kids, (found = { letters, places: placesIn(letters, kids) }));
    }
    if (found.places[at] < 0) return [element, element];
    const text = /** @type {string} */ (kids[at]);
    const first = found.places[at] + squeezed(text.slice(0, from)).length;
    const wanted = squeezed(text.slice(from, from + length)).length;
    return [found.letters.nodeAt(first), found.letters.nodeAt(first + Math.max(wanted, 1) - 1)];
  }
}

/** Texts follow each other, between the lines that they stand between. @param {Letters} letters @param {(string | Line)[]} kids */
function placesIn(letters, kids) {
  const lines = kids.map((kid) => (typeof kid === 'string' ? null : letters.rangeOf(kid.element)));
  const ends = new Array(kids.length);
  for (let i = kids.length - 1, end = letters.text.length; i >= 0; i--) {
    ends[i] = end;
    end = lines[i]?.[0] ?? end;
  }
  let cursor = 0;
  return kids.map((kid, i) => {
    if (typeof kid !== 'string') {
      cursor = Math.max(cursor, lines[i]?.[1] ?? 0);
      return -1;
    }
    const wanted = squeezed(kid);
    const at = letters.text.slice(cursor, ends[i]).indexOf(wanted);
    if (at < 0) return -1;
    cursor += at + wanted.length;
    return cursor - wanted.length;
  });
}

/** A text that was read, without what parts its words. */
class Letters {
  /** @param {SeenText} seen */
  constructor({ pieces, sources }) {
    this.text = '';
    this.starts = [];
    this.sources = sources;
    /** @type {Map<Node, [number, number]>} which letters are from each node: first, end */
    this.ranges = new Map();
    for (let i = 0; i < pieces.length; i++) {
      const start = this.text.length;
      this.starts.push(start);
      this.text += squeezed(pieces[i]);
      if (this.text.length > start) this.ranges.set(sources[i], [this.ranges.get(sources[i])?.[0] ?? start, this.text.length]);
    }
  }

  nodeAt(letter) {
    return this.sources[lastAtMost(this.starts, letter)];
  }

  /** @param {Node} node @returns {[number, number] | undefined} the letters in it: first, end */
  rangeOf(node) {
    /** @type {[number, number] | undefined} */
    let range;
    const due = [node];
    while (due.length) {
      const each = due.pop();
      const own = this.ranges.get(each);
      if (own) range = range ? [Math.min(range[0], own[0]), Math.max(range[1], own[1])] : own;
      const inner = nodeType(each) === 1 ? (rootOfHost(each) ?? contentDocumentOf(each)) : null;
      for (const parent of inner ? [inner, each] : [each]) for (let child = firstChild(parent); child; child = nextSibling(child)) due.push(child);
    }
    return range;
  }
}

/** What tells texts apart, however they are spaced. */
const squeezed = (text) => text.replace(/[\s|\x14]+/g, '');

function flatParentOfText(node) {
  const parent = parentNode_.call(node);
  if (!parent) return documentElement_.call(document);
  return nodeType_.call(parent) === 1 ? parent : host_.call(parent);
}

const LANDMARKS = roleSet('main navigation banner contentinfo complementary region form search article document group list table rowgroup');

/** The nearest element around that can be acted on or has a name of its own; else the element itself. */
function nearestNamed(element) {
  for (let at = element; at; at = flatParent(at)) {
    const tag = tagOf(at);
    if (tag === 'BODY' || tag === 'HTML') break;
    const role = roleOf(at, tag);
    if (INTERACTIVE.has(role) || (listening.has(at) && !fillsWindow(at))) return at;
    if (role && !LANDMARKS.has(role) && role !== 'generic' && role !== 'none' && nameOf(at, role)) return at;
  }
  return element;
}

/** Whether it is more than half as wide and high as the window: then it listens for what is in it, and its middle is something else. */
function fillsWindow(element) {
  const { width, height } = getBoundingClientRect_.call(element);
  return width > window.innerWidth / 2 && height > window.innerHeight / 2;
}

const rangeBox_ = Range.prototype.getBoundingClientRect;

/** The box of everything from one node to another. */
function boxOf(source, last) {
  if (nodeType_.call(source) === 1) return getBoundingClientRect_.call(source);
  const range = new Range();
  range.setStartBefore(source);
  if (nodeType_.call(last) === 3 && rootOf(last) === rootOf(source)) range.setEndAfter(last);
  else range.setEndAfter(source);
  return rangeBox_.call(range);
}

/** Whether a box in that document is seen, in its frame and in the frames around that are of this process. */
function isInViewport(box, inDocument) {
  let { left, top, right, bottom } = box;
  for (let view = defaultView_.call(inDocument); ; ) {
    left = Math.max(left, 0);
    top = Math.max(top, 0);
    right = Math.min(right, view.innerWidth);
    bottom = Math.min(bottom, view.innerHeight);
    if (right <= left || bottom <= top) return false;
    const owner = view.frameElement;
    if (!owner) return true;
    const frame = getBoundingClientRect_.call(owner);
    [left, right, top, bottom] = [left + frame.left, right + frame.left, top + frame.top, bottom + frame.top];
    view = defaultView_.call(ownerDocument_.call(owner));
  }
}
