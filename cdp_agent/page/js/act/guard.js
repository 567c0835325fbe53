// Whether the mouse really met the element: listeners of this world, which the page cannot see, for the time of one action.
// A press that would meet something else (the page moved, something opened) is kept from the page.

/**
 * @typedef {{element: Element, levels: Level[], views: Window[], types: string[], expected: boolean, state: 'waiting' | 'met' | 'missed', by: Element | null, pressed: boolean, released: number, clicked: boolean, left: boolean, told: boolean}} Guard
 * @typedef {{state: 'met' | 'missed' | 'waiting' | 'none', by: Cover | null, lost: '' | 'left' | 'elsewhere'}} Landing  waiting: no press arrived; none: there was no guard;
 *   lost: why no click came of the press: it was taken out of the page before the button was let go, or the release went elsewhere
 */
/** @type {Guard | null} */
let guard = null;
/** @type {Landing} what the last guard told */
let lastLanding = { state: 'none', by: null, lost: '' };
/** @type {{releases: number, tell: (landing: Landing) => void} | null} who waits for the mouse to be released */
let awaited = null;

/** @type {Element | null} what a press went past although it was on top: the page puts it in anew whenever the mouse comes over it */
let evading = null;

const COMING_OVER = ['mouseover', 'mouseenter', 'pointerover', 'pointerenter'];
const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const CLICKS = ['click', 'auxclick', 'contextmenu'];
const MOVES = ['mousemove'];
const isTrusted_ = (event) => event.isTrusted; // an own property that cannot be replaced

/**
 * @param {Element} element @param {Level[]} levels  the element's
 * @param {'press' | 'move'} what  is watched @param {boolean} expected  false: nothing may arrive here at all
 */
function arm(element, levels, what, expected = true) {
  disarm();
  lastLanding = { state: 'none', by: null, lost: '' };
  const views = levels.map((level) => defaultView_.call(level.document));
  const types = what === 'press' ? PRESSES : MOVES;
  guard = { element, levels, views, types, expected, state: 'waiting', by: null, pressed: false, released: 0, clicked: false, left: false, told: false };
  for (const view of views) for (const type of types) addEventListener_.call(view, type, watchMouse, true);
  if (evading !== element) return;
  for (const view of views) for (const type of COMING_OVER) addEventListener_.call(view, type, hush, true);
}

/** Keeps from the page what it was told once: to tell it again would move the element from under the press again. @param {Event} event */
function hush(event) {
  const target = composedPath_.call(event)[0];
  if (guard && isTrusted_(event) && nodeType(target) === 1 && isInside(target, guard.element)) event.stopImmediatePropagation();
}

function disarm() {
  if (!guard) return;
  for (const view of guard.views) for (const type of guard.types) removeEventListener_.call(view, type, watchMouse, true);
  for (const view of guard.views) for (const type of COMING_OVER) removeEventListener_.call(view, type, hush, true);
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
    const isThere = guard.expected && isInnermost && judgeHit(hit, guard.element) !== 'miss';
    const met = isThere && wentTo(event, hit, guard.element);
    evading = isThere && !met ? guard.element : null;
    guard.state = met ? 'met' : 'missed';
    guard.by = hit;
  } else if (event.type === 'mousedown' && guard.state === 'met' && !guard.pressed) {
    // Between the two events the page may have put the element aside and back. What it does because of the first is its own.
    const [, hit] = metBy(event);
    if (judgeHit(hit, guard.element) !== 'miss' && !wentTo(event, hit, guard.element)) {
      guard.state = 'missed';
      evading = guard.element;
    }
  }
  guard.pressed ||= event.type === 'mousedown';
  if (event.type === 'mousedown' && guard.state === 'met') notePress(guard.element, /** @type {Window} */ (event.currentTarget));
  else if (event.type === 'mousedown') forgetPresses();
  if (event.type === 'mouseup') noteRelease(guard);
  else if (CLICKS.includes(event.type)) noteClick(guard, event.type, composedPath_.call(event)[0]);
  if (guard.state === 'missed' && guard.types === PRESSES) {
    event.stopImmediatePropagation();
    event.preventDefault();
  }
}

/** @param {Guard} told */
function noteRelease(told) {
  told.released++;
  told.left ||= told.state === 'met' && !told.clicked && !isConnected_.call(told.element); // of a double click the first one may have rendered it anew
  if (!awaited || told.released < awaited.releases) return;
  // The click follows in the same task, and may have to be kept from the page too.
  setTimeout(() => {
    if (guard !== told) return;
    tellReleased(told);
    disarm();
  });
}

/**
 * A context menu that the page opened under the mouse gets the event of that name itself.
 * @param {Guard} told @param {string} type @param {any} target  of a closed shadow root only the host is told
 */
function noteClick(told, type, target) {
  told.clicked ||= type === 'contextmenu' || nodeType(target) !== 1 || judgeHit(target, told.element) !== 'miss' || (rootOfHost(target) !== null && isInside(told.element, target));
  tellReleased(told);
}

/** Whoever waits for the last release hears what became of it, once. @param {Guard} told */
function tellReleased(told) {
  if (told.told || !awaited || told.released < awaited.releases) return;
  told.told = true;
  tellAwaited((lastLanding = landingOf(told)));
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
  return target === hit || nodeType(target) !== 1 || judgeHit(target, element) !== 'miss' || rootOf(target) !== rootOf(hit);
}

const composedPath_ = Event.prototype.composedPath;

/** Ends the guard. @param {boolean} released  the button has gone up again @returns {Landing} */
function landed(released) {
  if (guard) lastLanding = landingOf(guard, released);
  disarm();
  tellAwaited(lastLanding);
  forgetPresses();
  return lastLanding;
}

/** @param {Guard} told @returns {Landing} */
function landingOf({ state, by, element, left, clicked }, released = true) {
  const lost = left ? 'left' : released && state === 'met' && !clicked ? 'elsewhere' : '';
  return { state, by: state === 'missed' && by ? coverOf(by, element) : null, lost };
}

/**
 * The same, told as soon as the mouse was released so often. To be asked for before `aim`: what is asked of a page after
 * its input waits until that is painted.
 * @param {number} releases @returns {Promise<Landing>}
 */
function landedAfter(releases) {
  tellAwaited({ state: 'none', by: null, lost: '' });
  return new Promise((tell) => {
    awaited = { releases, tell };
  });
}

/** @param {Landing} landing */
function tellAwaited(landing) {
  awaited?.tell(landing);
  awaited = null;
}
