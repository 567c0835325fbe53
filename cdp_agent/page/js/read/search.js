// Searches what the snapshot shows. Python finds the matches in the text and then asks for the elements that contain
// them.

/** @type {VisibleText | null} the text last read by `visibleText`; secret.js asks where parts of it are */
let lastVisibleText = null;
/** @type {ShownText | null} the text last read by `shownText`, until its matches have been looked up */
let lastShownText = null;

/**
 * The visible text of the page, in which Python finds what to redact in screenshots.
 * @param {{next: [number, number]}} options
 * @returns {{text: string, first: number, end: number, remote: number[], internals: number[], roots: number, gone:
 *   number[], editors: number[]}}
 */
function visibleText({ next }) {
  const first = reserveIds(next);
  forget();
  lastVisibleText = readVisibleText();
  const { remote, internals } = reading;
  forget();
  return {
    text: lastVisibleText.pieces.join(''),
    first,
    end: nextId,
    remote,
    internals,
    ...currentRoots(),
    editors: knownCodeEditors(),
  };
}

/**
 * The text of all lines of the snapshot, without roles and states, and with nothing cut off. Options as for
 * `visibleText`.
 */
function shownText({ next }) {
  const first = reserveIds(next);
  readTextToSearch();
  const { remote, internals } = reading;
  forget();
  return {
    text: lastShownText.pieces.join(''),
    first,
    end: nextId,
    remote,
    internals,
    ...currentRoots(),
    elements: elementsFingerprint(),
    editors: knownCodeEditors(),
  };
}

/** Reads the text into `lastShownText`, also that of text nodes of which a snapshot has only the beginning. */
function readTextToSearch() {
  if (!hasLongText) readForSearch(true);
  if (!hasLongText) return;
  longestText = MOST_TEXT;
  try {
    readForSearch(false);
  } finally {
    longestText = LONGEST_READ;
  }
}

/** @param {boolean} mayResume  whether what was read before may be used */
function readForSearch(mayResume) {
  forget();
  const cache = mayResume ? resumeCached() : null;
  sparseRoot = cache ? document : null;
  reading = newReading();
  try {
    lastShownText = readShownText(visitDocument(cache));
  } catch (error) {
    dropCache(); // the last reading may be incomplete
    throw error;
  }
  if (cache) keepCache(cache);
}

function forgetSearchedText() {
  lastVisibleText = lastShownText = null;
}

/**
 * @typedef {object} TextOrigin  where a piece of the text comes from @property {Element} element  of the line that
 *   contains it
 * @property {(string | Line)[]} kids  of that line @property {number} at  index of the text in `kids`; -1: the line's
 *   own name, states and value
 * @property {number} from  offset in that text at which the piece begins
 */

/** The text of lines, with the line from which each piece comes. */
class ShownText {
  constructor() {
    this.pieces = [];
    this.starts = [];
    /** @type {TextOrigin[]} */
    this.origins = [];
    this.length = 0;
  }

  /** @param {string} separator  between it and the text before @param {Omit<TextOrigin, 'from'>} origin */
  add(separator, text, origin) {
    const piece = this.length ? separator + text : text;
    spendText(piece);
    this.origins.push({ ...origin, from: text.length - piece.length });
    this.pieces.push(piece);
    this.starts.push(this.length);
    this.length += piece.length;
  }

  /** @param {number} offset @returns {number} index of the piece that contains the character there */
  pieceAt(offset) {
    return lastAtMost(this.starts, offset);
  }
}

/** The index of the last number that is at most `most`. @param {number[]} sorted */
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

/** @param {(string | Line)[]} kids  of the document @returns {ShownText} */
function readShownText(kids) {
  const text = new ShownText();
  const open = [{ element: documentElement_.call(document), kids, next: 0, separator: LINE, isRow: false }];
  while (open.length) {
    const level = open[open.length - 1];
    if (level.next === level.kids.length) {
      open.pop();
      continue;
    }
    const at = level.next++;
    const kid = level.kids[at];
    const separator = at === 0 ? level.separator : level.isRow ? BAR : separatorBetween(level.kids[at - 1], kid);
    if (typeof kid === 'string')
      text.add(separator, withoutMarks(kid), { element: level.element, kids: level.kids, at });
    else
      open.push(
        kid.isDeferred
          ? { element: kid.element, kids: tidy(kid.kids), next: 0, separator, isRow: false }
          : addShownLine(kid, separator, text),
      );
  }
  addClosedTexts(text);
  return text;
}

/**
 * @param {Line} line
 * @returns {{element: Element, kids: (string | Line)[], next: number, separator: string, isRow: boolean}} its kids, to
 *   be read next
 */
function addShownLine(line, separator, text) {
  const { element, kids } = line;
  const texts = lineTexts(line);
  if (line.remote) texts.push(FRAME_MARK + line.id + FRAME_MARK);
  const own = texts.filter(Boolean).join(BAR);
  if (own) text.add(separator, own, { element, kids, at: -1 });
  const leads = own !== '' && line.value === '' && typeof kids[0] === 'string';
  return {
    element,
    kids: kids.filter((kid) => !isSelectValue(kid)),
    next: 0,
    separator: leads ? BAR : own ? LINE : separator,
    isRow: line.role === 'row',
  };
}

/**
 * Whether it is the selected option of a drop-down list, which is already the list's value.
 * @param {string | Line} kid
 */
const isSelectValue = (kid) =>
  typeof kid !== 'string' && kid.tag === 'OPTION' && kid.id === 0 && kid.states.includes(' [selected]');

const BAR = ' | ';
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const ICON_WORD = /\[icon=([\w-]+)\]/;

/**
 * The texts in a line: its name, the quoted values of its states, and its value; for a long list all options.
 * @param {Line} line
 */
function lineTexts(line) {
  if (line.role === 'options')
    return [
      [...selectOptions(line.element)]
        .filter(isOffered)
        .map((option) => collapse(optionLabel(option)))
        .join(BAR),
    ];
  const states = line.states.replace(/ \[selection=(?:"(?:[^"\\]|\\.)*"|all)\]/, '');
  return [
    line.name,
    ...(states.match(QUOTED) ?? []).map((quoted) => JSON.parse(quoted)),
    ICON_WORD.exec(states)?.[1] ?? '',
    line.value,
  ];
}

/**
 * The separator between two siblings: a link inside a sentence stays in its line.
 * @param {string | Line} before
 * @param {string | Line} after
 */
function separatorBetween(before, after) {
  const line = typeof before === 'string' ? after : before;
  if (typeof line === 'string' || (typeof before !== 'string' && typeof after !== 'string')) return LINE;
  if (edgeOf(line.tag, computedStyleOf(line.element)) === BREAK) return LINE;
  const beside = (line === after ? previousSibling_ : nextSibling_).call(line.element);
  if (beside === null) return ' ';
  if (nodeType(beside) === 1 && (tagOf(beside) === 'BR' || edgeOf(tagOf(beside), computedStyleOf(beside)) === BREAK))
    return LINE;
  const [left, right] = line === after ? [beside, line.element] : [line.element, beside];
  return /\S$/.test(textContent(left)) && /^\S/.test(textContent(right)) ? '' : ' ';
}

/**
 * The elements that contain the given spans of the text last read.
 * @param {{next: [number, number], spans: [number, number][]}} options
 * @returns {{first: number, end: number, places: {id: number, role: string, name: string, url: string, in_viewport:
 *   boolean, gone: boolean, closed: boolean}[]}} closed: in a <details> that its element opens
 */
function placesOf({ next, spans }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  const finder = new SourceFinder();
  const places = lastShownText ? spans.map(([start, end]) => matchPlaceOf(lastShownText, finder, start, end)) : [];
  forget();
  return { first, end: nextId, places };
}

function matchPlaceOf(text, finder, start, end) {
  const piece = text.pieceAt(start);
  const origin = text.origins[piece];
  const from = Math.max(0, start - text.starts[piece] + origin.from);
  const [source, last] = finder.sourcesOf(
    origin,
    from,
    Math.min(end, text.starts[piece] + text.pieces[piece].length) - start,
  );
  const element = nodeType_.call(source) === 1 ? source : flatParentOfText(source);
  const named = origin.kids === CLOSED ? element : nearestNamed(listOfOption(element));
  const role = shownRole(named) || (origin.kids === CLOSED ? 'summary' : 'generic');
  return {
    id: idOf(named),
    role,
    name: cut(origin.kids === CLOSED ? collapse(textContent(named)) : nameOf(named, role), 200),
    url: documentURL_.call(documentOf(named)),
    in_viewport: isInViewport(boxOf(source === element ? listOfOption(element) : source, last), documentOf(named)),
    gone: !isConnected_.call(source),
    closed: origin.kids === CLOSED,
  };
}

/** The list of an option in a drop-down list, since the option is selected through it; else the element itself. */
function listOfOption(element) {
  const list = tagOf(element) === 'OPTION' ? closest(element, 'select') : null;
  return list && !isListSelect(list) ? list : element;
}

/** Finds the source nodes of a part of a line's text. Lines do not store them, so the line's element is read again. */
class SourceFinder {
  constructor() {
    /**
     * @type {Map<(string | Line)[], {compactText: CompactText, places: number[]}>} where the texts of a line begin, -1:
     *   not found
     */
    this.found = new Map();
  }

  /**
   * @param {TextOrigin} origin
   * @returns {[Node, Node]} the first and the last node; the line's element twice if they are not found
   */
  sourcesOf({ element, kids, at }, from, length) {
    if (at < 0 || !isConnected_.call(element)) return [element, element]; // a removed element cannot be read
    let found = this.found.get(kids);
    if (!found) {
      const compactText = new CompactText(readVisibleText(element));
      this.found.set(kids, (found = { compactText, places: placesIn(compactText, kids) }));
    }
    if (found.places[at] < 0) return [element, element];
    const text = /** @type {string} */ (kids[at]);
    const first = found.places[at] + compacted(text.slice(0, from)).length;
    const wanted = compacted(text.slice(from, from + length)).length;
    return [found.compactText.nodeAt(first), found.compactText.nodeAt(first + Math.max(wanted, 1) - 1)];
  }
}

/**
 * Where each text of a line begins, -1 if not found. Texts are in order, between the lines beside them.
 * @param {CompactText} compactText
 * @param {(string | Line)[]} kids
 */
function placesIn(compactText, kids) {
  const lines = kids.map((kid) => (typeof kid === 'string' ? null : compactText.rangeOf(kid.element)));
  const ends = new Array(kids.length);
  for (let i = kids.length - 1, end = compactText.text.length; i >= 0; i--) {
    ends[i] = end;
    end = lines[i]?.[0] ?? end;
  }
  let cursor = 0;
  return kids.map((kid, i) => {
    if (typeof kid !== 'string') {
      cursor = Math.max(cursor, lines[i]?.[1] ?? 0);
      return -1;
    }
    const wanted = compacted(kid);
    const at = compactText.text.slice(cursor, ends[i]).indexOf(wanted);
    if (at < 0) return -1;
    cursor += at + wanted.length;
    return cursor - wanted.length;
  });
}

/** A text without white space and separators, for comparing. */
class CompactText {
  /** @param {VisibleText} text */
  constructor({ pieces, sources }) {
    this.text = '';
    this.starts = [];
    this.sources = sources;
    /** @type {Map<Node, [number, number]>} node → its first and end offset */
    this.ranges = new Map();
    for (let i = 0; i < pieces.length; i++) {
      const start = this.text.length;
      this.starts.push(start);
      this.text += compacted(pieces[i]);
      if (this.text.length > start)
        this.ranges.set(sources[i], [this.ranges.get(sources[i])?.[0] ?? start, this.text.length]);
    }
  }

  nodeAt(letter) {
    return this.sources[lastAtMost(this.starts, letter)];
  }

  /** @param {Node} node @returns {[number, number] | undefined} the first and end offset of all text in it */
  rangeOf(node) {
    /** @type {[number, number] | undefined} */
    let range;
    const pending = [node];
    while (pending.length) {
      const each = pending.pop();
      const own = this.ranges.get(each);
      if (own) range = range ? [Math.min(range[0], own[0]), Math.max(range[1], own[1])] : own;
      const inner = nodeType(each) === 1 ? (rootOfHost(each) ?? contentDocumentOf(each)) : null;
      for (const parent of inner ? [inner, each] : [each])
        for (let child = firstChild(parent); child; child = nextSibling(child)) pending.push(child);
    }
    return range;
  }
}

/** The text without white space and separators, so that texts with different spacing are equal. */
const compacted = (text) => text.replace(/[\s|\x14]+/g, '');

function flatParentOfText(node) {
  const parent = parentNode_.call(node);
  if (!parent) return documentElement_.call(document);
  return nodeType_.call(parent) === 1 ? parent : host_.call(parent);
}

const LANDMARKS = roleSet(
  'main navigation banner contentinfo complementary region form search article document group list table rowgroup',
);

/** The element or its nearest ancestor that is interactive or has a name of its own; else the element itself. */
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

/**
 * Whether an element is wider and higher than half of the window: its listener serves what it contains, and a click in
 * its middle would hit something else.
 */
function fillsWindow(element) {
  const { width, height } = getBoundingClientRect_.call(element);
  return width > window.innerWidth / 2 && height > window.innerHeight / 2;
}

const rangeBox_ = Range.prototype.getBoundingClientRect;

/** The bounding box from one node to another. */
function boxOf(source, last) {
  if (nodeType_.call(source) === 1) return getBoundingClientRect_.call(source);
  const range = new Range();
  range.setStartBefore(source);
  if (nodeType_.call(last) === 3 && rootOf(last) === rootOf(source)) range.setEndAfter(last);
  else range.setEndAfter(source);
  return rangeBox_.call(range);
}

/** Whether a box of the given document is in the viewport of its frame and of all same-process frames around. */
function isInViewport(box, inDocument) {
  let { left, top, right, bottom } = box;
  for (let view = defaultView_.call(inDocument); ;) {
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
