// Whether the mouse really met the element: listeners of this world, which the page cannot see, for the time of one action.
// A press that would meet something else (the page moved, something opened) is kept from the page.

/**
 * @typedef {{element: Element, levels: Level[], views: Window[], types: string[], expected: boolean, state: 'waiting' | 'met' | 'missed', by: Element | null, pressed: boolean, released: number}} Guard
 * @typedef {{state: 'met' | 'missed' | 'waiting' | 'none', by: Cover | null}} Landing  waiting: no press arrived; none: there was no guard
 */
/** @type {Guard | null} */
let guard = null;
/** @type {Landing} what the last guard told */
let lastLanding = { state: 'none', by: null };
/** @type {{releases: number, tell: (landing: Landing) => void} | null} who waits for the mouse to be released */
let awaited = null;

const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const MOVES = ['mousemove'];
const isTrusted_ = (event) => event.isTrusted; // an own property that cannot be replaced

/**
 * @param {Element} element @param {Level[]} levels  the element's
 * @param {'press' | 'move'} what  is watched @param {boolean} expected  false: nothing may arrive here at all
 */
function arm(element, levels, what, expected = true) {
  disarm();
  lastLanding = { state: 'none', by: null };
  const views = levels.map((level) => defaultView_.call(level.document));
  const types = what === 'press' ? PRESSES : MOVES;
  guard = { element, levels, views, types, expected, state: 'waiting', by: null, pressed: false, released: 0 };
  for (const view of views) for (const type of types) addEventListener_.call(view, type, watchMouse, true);
}

function disarm() {
  if (!guard) return;
  for (const view of guard.views) for (const type of guard.types) removeEventListener_.call(view, type, watchMouse, true);
  guard = null;
}

const addEventListener_ = EventTarget.prototype.addEventListener;
const removeEventListener_ = EventTarget.prototype.removeEventListener;

/** @param {MouseEvent} event */
function watchMouse(event) {
  if (!guard || !isTrusted_(event)) return;
  if (guard.state === 'waiting') {
    const [document, hit] = metBy(event);
    const isInnermost = document === guard.levels[guard.levels.length - 1].document;
    const met = guard.expected && isInnermost && judge(hit, guard.element) !== 'miss' && wentTo(event, hit, guard.element);
    guard.state = met ? 'met' : 'missed';
    guard.by = hit;
  } else if (event.type === 'mousedown' && guard.state === 'met' && !guard.pressed) {
    // Between the two events the page may have put the element aside and back. What it does because of the first is its own.
    const [, hit] = metBy(event);
    if (judge(hit, guard.element) !== 'miss' && !wentTo(event, hit, guard.element)) guard.state = 'missed';
  }
  guard.pressed ||= event.type === 'mousedown';
  if (event.type === 'mouseup') {
    const told = guard;
    if (awaited && ++told.released >= awaited.releases) {
      tellAwaited((lastLanding = landingOf(told)));
      setTimeout(() => guard === told && disarm()); // the click that follows may have to be kept from the page too
    }
  }
  if (guard.state === 'missed' && guard.types === PRESSES) {
    event.stopImmediatePropagation();
    event.preventDefault();
  }
}

/** @param {MouseEvent} event @returns {[Document, Element | null]} the document it is told to, and what is on top there now */
function metBy(event) {
  const view = event.currentTarget;
  const { document } = guard.levels.find((level) => defaultView_.call(level.document) === view) ?? guard.levels[guard.levels.length - 1];
  return [document, topmostAt(document, { x: event.clientX, y: event.clientY })];
}

/**
 * Whether the event goes there too: the mouse being over it may have changed what is on top, and back again.
 * Of an element in a closed shadow root the event tells only the host.
 * @param {MouseEvent} event @param {Element} hit  on top now @param {Element} element  what is meant
 */
function wentTo(event, hit, element) {
  const target = composedPath_.call(event)[0];
  return target === hit || nodeType(target) !== 1 || judge(target, element) !== 'miss' || rootOf(target) !== rootOf(hit);
}

const composedPath_ = Event.prototype.composedPath;

/** Ends the guard. @returns {Landing} */
function landed() {
  if (guard) lastLanding = landingOf(guard);
  disarm();
  tellAwaited(lastLanding);
  return lastLanding;
}

const landingOf = ({ state, by, element }) => ({ state, by: state === 'missed' && by ? coverOf(by, element) : null });

/**
 * The same, told as soon as the mouse was released so often. To be asked for before `aim`: what is asked of a page after
 * its input waits until that is painted.
 * @param {number} releases @returns {Promise<Landing>}
 */
function landedAfter(releases) {
  tellAwaited({ state: 'none', by: null });
  return new Promise((tell) => {
    awaited = { releases, tell };
  });
}

/** @param {Landing} landing */
function tellAwaited(landing) {
  awaited?.tell(landing);
  awaited = null;
}
