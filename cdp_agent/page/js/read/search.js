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
 * The text of all lines of the snapshot, without roles and states, and with nothing cut off.
 * @param {{next: [number, number], base?: number, spans?: [number, number][], sameRules?: boolean}} options  base: the
 *   `serial` of the text that the caller has, whose text is not returned again, but the places of these spans of it;
 *   sameRules: as for `snapshot`
 */
function shownText({ next, base = 0, spans = [], sameRules = false }) {
  const first = reserveIds(next);
  const same_rules = readTextToSearch(sameRules);
  const { remote, internals } = reading;
  const { text, serial } = lastShownText;
  const rules = rulesRead;
  const same = serial !== 0 && serial === base;
  forget();
  return {
    text: same ? '' : text,
    same,
    serial,
    places: same && spans.length ? placesOfSpans(spans) : [],
    first,
    end: nextId,
    remote,
    internals,
    ...currentRoots(),
    elements: elementsFingerprint(),
    editors: knownCodeEditors(),
    rules,
    same_rules,
  };
}

/**
 * Reads the text into `lastShownText`, also that of text nodes of which a snapshot has only the beginning.
 * @returns {boolean} whether the style rules were assumed to be unchanged
 */
function readTextToSearch(sameRules) {
  const wereRulesAssumed = !hasLongText && readThroughCache(sameRules, readForSearch);
  if (!hasLongText) return wereRulesAssumed;
  longestText = MOST_TEXT;
  try {
    forget();
    readForSearch(null);
  } finally {
    longestText = LONGEST_READ;
  }
  return false;
}

/**
 * Reads only what may have changed since the last reading, whether that was a search or a snapshot.
 * @param {(cache: ReadingCache | null) => void} read
 * @returns {boolean} whether the style rules were assumed to be unchanged
 */
function readThroughCache(sameRules, read) {
  forget();
  const began = performance.now();
  const cache = beginCached(currentCache?.serial ?? 0, sameRules);
  const wereRulesAssumed = areRulesUnchanged;
  const isFull = cache?.readings === 0;
  sparseRoot = cache && !isFull ? document : null;
  try {
    read(cache);
  } catch (error) {
    dropCache(); // the last reading may be incomplete
    throw error;
  }
  if (isFull) cache.fullReadingMs = performance.now() - began;
  return wereRulesAssumed;
}

/** @param {ReadingCache | null} cache */
function readForSearch(cache) {
  reading = newReading();
  const before = cache?.shown ?? null;
  const kids = visitDocument(cache);
  lastShownText = readShownText(kids, before);
  if (!cache || !keepCache(cache)) return;
  cache.shown = lastShownText;
  lastShownText.serial = before?.text === lastShownText.text ? before.serial : readingCount;
}

function forgetSearchedText() {
  lastVisibleText = lastShownText = null;
}

/**
 * @typedef {object} TextOrigin  where a piece of the text comes from @property {Element} element  of the line that
 *   contains it
 * @property {(string | Line)[]} kids  of that line @property {number} at  index of the text in `kids`; -1: the line's
 *   own name, states and value
 */

/**
 * @typedef {{text: ShownText, at: number, end: number, after: string}} ShownPlace  the pieces of a line and its
 *   descendants in a text, after that separator
 */

/** The text of lines, with the line from which each piece comes. */
class ShownText {
  constructor() {
    this.separators = []; // before each piece, but the first
    this.pieces = [];
    /** @type {TextOrigin[]} */
    this.origins = [];
    this.starts = [];
    this.text = '';
    this.serial = 0; // 0: it is not kept
  }

  /** @param {string} separator  between it and the text before @param {TextOrigin} origin */
  add(separator, text, origin) {
    spendText(text);
    this.separators.push(separator);
    this.pieces.push(text);
    this.origins.push(origin);
  }

  /** Adds the pieces of a line that stayed as it was. @param {Line} line */
  copy(line) {
    const { text, at, end, after } = line.shown;
    const first = this.pieces.length;
    for (let i = at; i < end; i++) this.add(text.separators[i], text.pieces[i], text.origins[i]);
    this.end(line, first, after);
  }

  /** @param {Line} line  whose pieces begin at `at`, after a separator @param {string} after */
  end(line, at, after) {
    line.shown = { text: this, at, end: this.pieces.length, after };
  }

  /** Joins the pieces. */
  join() {
    const { pieces, separators, starts } = this;
    let text = '';
    for (let i = 0; i < pieces.length; i++) {
      starts.push(text.length);
      text += text ? separators[i] + pieces[i] : pieces[i];
    }
    this.text = text;
    return this;
  }

  /**
   * @param {number} offset
   * @returns {[TextOrigin, number, number]} the origin of the character there, its offset in the origin's text (in the
   *   separator before that: 0), and the end of that text
   */
  originAt(offset) {
    const at = lastAtMost(this.starts, offset);
    const start = this.starts[at] && this.starts[at] + this.separators[at].length;
    return [this.origins[at], Math.max(0, offset - start), start + this.pieces[at].length];
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

/** @param {(string | Line)[]} kids  of the document @param {ShownText | null} before  the text of the reading before */
function readShownText(kids, before) {
  const text = new ShownText();
  const open = [
    { line: null, element: documentElement_.call(document), kids, at: 0, next: 0, from: LINE, first: LINE },
  ];
  while (open.length) {
    const level = open[open.length - 1];
    if (level.next === level.kids.length) {
      if (level.line) text.end(level.line, level.at, level.from);
      open.pop();
      continue;
    }
    const at = level.next++;
    const kid = level.kids[at];
    const isRow = level.line?.role === 'row';
    const separator = at === 0 ? level.first : isRow ? BAR : separatorBetween(level.kids[at - 1], kid);
    if (typeof kid === 'string')
      text.add(separator, withoutMarks(kid), { element: level.element, kids: level.kids, at });
    else if (kid.isDeferred)
      open.push({ ...level, line: null, element: kid.element, kids: tidy(kid.kids), next: 0, first: separator });
    else if (before && kid.shown?.text === before && kid.shown.after === separator) text.copy(kid);
    else open.push(addShownLine(kid, separator, text));
  }
  addClosedTexts(text);
  return text.join();
}

/**
 * @param {Line} line
 * @returns {{line: Line, element: Element, kids: (string | Line)[], at: number, next: number, from: string, first:
 *   string}} its kids, to be read next. at: where its pieces begin, after the separator `from`; first: the separator
 *   before the first kid
 */
function addShownLine(line, separator, text) {
  const { element, kids } = line;
  const at = text.pieces.length;
  const texts = lineTexts(line);
  if (line.remote) texts.push(FRAME_MARK + line.id + FRAME_MARK);
  const own = texts.filter(Boolean).join(BAR);
  if (own) text.add(separator, own, { element, kids, at: -1 });
  const leads = own !== '' && line.value === '' && typeof kids[0] === 'string';
  return {
    line,
    element,
    kids: kids.some(isSelectValue) ? kids.filter((kid) => !isSelectValue(kid)) : kids,
    at,
    next: 0,
    from: separator,
    first: leads ? BAR : own ? LINE : separator,
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
  catchUp();
  const places = placesOfSpans(spans);
  return { first, end: nextId, places };
}

/** @param {[number, number][]} spans  of the text last read */
const placesOfSpans = (spans) =>
  withSharedCaches(() => {
    reading = newReading();
    if (currentCache && !structureChanged) sparseRoot = document; // what attributes select is known
    const finder = new SourceFinder();
    return lastShownText ? spans.map(([start, end]) => matchPlaceOf(lastShownText, finder, start, end)) : [];
  });

/** @param {ShownText} text @param {SourceFinder} finder */
function matchPlaceOf(text, finder, start, end) {
  const [origin, from, pieceEnd] = text.originAt(start);
  const [source, last] = finder.sourcesOf(origin, from, Math.min(end, pieceEnd) - start);
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
