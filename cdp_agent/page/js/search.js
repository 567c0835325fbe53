// Searching in what a reader sees. The matching itself is done in Python, which then asks where the matches are.

/** @type {SeenText | null} the text last read, until its matches have been asked for */
let lastSeen = null;

/**
 * @param {{next: number}} options
 * @returns {{text: string, first: number, end: number, remote: number[], closed: number[], internals: number[]}}
 */
function seenText({ next }) {
  const first = reserveIds(next);
  forget();
  lastSeen = readSeen();
  const { remote, closed, internals } = reading;
  forget();
  return { text: lastSeen.pieces.join(''), first, end: nextId, remote, closed, internals };
}

function forgetSeen() {
  lastSeen = null;
}

/**
 * The elements behind spans of the text last read.
 * @param {{next: number, spans: [number, number][]}} options
 * @returns {{first: number, end: number, places: {id: number, role: string, name: string, url: string, in_viewport: boolean}[]}}
 */
function placesOf({ next, spans }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  const places = lastSeen ? spans.map(([start, end]) => placeOf(lastSeen, start, end)) : [];
  forget();
  return { first, end: nextId, places };
}

function placeOf(text, start, end) {
  const [source] = text.sourceAt(start);
  const [last] = text.sourceAt(end - 1);
  const element = nodeType_.call(source) === 1 ? source : flatParentOfText(source);
  const named = nearestNamed(element);
  const role = roleOf(named, tagOf(named)) || 'generic';
  const box = boxOf(source, last);
  return {
    id: idOf(named), role, name: cut(nameOf(named, role), 200), url: documentURL_.call(documentOf(named)),
    in_viewport: isInViewport(box, documentOf(named)),
  };
}

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
    if (INTERACTIVE.has(role) || listening.has(at)) return at;
    if (role && !LANDMARKS.has(role) && role !== 'generic' && role !== 'none' && nameOf(at, role)) return at;
  }
  return element;
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
