// Whether the mouse really hits the target element: listeners of this world, which the page cannot see, for the time of
// one action. A press that would hit something else, since the page moved or opened something, is kept from the page.

/**
 * @typedef {{element: Element, levels: Level[], views: Window[], types: string[], expected: boolean, state: 'waiting' |
 *   'met' | 'missed', by: Element | null, pressed: boolean, released: number, clicked: boolean, removed: boolean,
 *   reported: boolean}} Interceptor
 * @typedef {{state: 'met' | 'missed' | 'waiting' | 'none', by: Cover | null, lost: '' | 'left' | 'elsewhere'}}
 *   HitResult  waiting: no event arrived; none: nothing was intercepted; lost: why the press was not followed by a
 *   click: the element was removed before the button was released, or the release hit another element
 */
/** @type {Interceptor | null} */
let interceptor = null;
/** @type {HitResult} the result of the last interceptor */
let lastHitResult = { state: 'none', by: null, lost: '' };
/**
 * @type {{releases: number, resolve: (result: HitResult) => void} | null} the call that waits for the mouse to be
 *   released
 */
let releaseWait = null;

/**
 * @type {Element | null} an element that a press missed although it was on top: the page inserts it anew whenever the
 *   mouse enters it
 */
let evadingElement = null;

const ENTER_EVENTS = ['mouseover', 'mouseenter', 'pointerover', 'pointerenter'];
const PRESSES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
const CLICKS = ['click', 'auxclick', 'contextmenu'];
const MOVES = ['mousemove'];
const isTrusted_ = (event) => event.isTrusted; // an own property of the event, which the page cannot replace

/**
 * Starts to intercept mouse events.
 * @param {Element} element  the target @param {Level[]} levels  the element's
 * @param {'press' | 'move'} what  the kind of events @param {boolean} expected  false: no event may reach this document
 *   itself
 */
function interceptMouse(element, levels, what, expected = true) {
  removeInterceptor();
  lastHitResult = { state: 'none', by: null, lost: '' };
  const views = levels.map((level) => defaultView_.call(level.document));
  const types = what === 'press' ? PRESSES : MOVES;
  interceptor = {
    element,
    levels,
    views,
    types,
    expected,
    state: 'waiting',
    by: null,
    pressed: false,
    released: 0,
    clicked: false,
    removed: false,
    reported: false,
  };
  listen(views, types, onMouseEvent, true);
  if (evadingElement === element) listen(views, ENTER_EVENTS, suppressEnterEvent, true);
}

/**
 * Keeps repeated enter events from the page: its handlers would move the element from under the press again.
 * @param {Event} event
 */
function suppressEnterEvent(event) {
  const target = composedPath_.call(event)[0];
  if (interceptor && isTrusted_(event) && nodeType(target) === 1 && isInside(target, interceptor.element))
    event.stopImmediatePropagation();
}

function removeInterceptor() {
  if (!interceptor) return;
  unlisten(onMouseEvent);
  unlisten(suppressEnterEvent);
  interceptor = null;
}

const addEventListener_ = EventTarget.prototype.addEventListener;
const removeEventListener_ = EventTarget.prototype.removeEventListener;

/**
 * The functions that listen, each with where and how.
 * @type {Map<Function, {targets: EventTarget[], types: string[], listener: (event: Event) => void, capture: boolean}>}
 */
const listeners = new Map();

/**
 * Calls the function for these events until `unlisten`, or until the reader is freed.
 * @param {EventTarget[]} targets
 * @param {string[]} types
 * @param {(event: any) => void} callback
 */
function listen(targets, types, callback, capture = false) {
  unlisten(callback);
  const listener = listenerFor(callback);
  for (const target of targets) for (const type of types) addEventListener_.call(target, type, listener, capture);
  listeners.set(callback, { targets, types, listener, capture });
}

/** @param {Function | null} callback */
function unlisten(callback) {
  const { targets, types, listener, capture } = listeners.get(callback) ?? { targets: [], types: [] };
  for (const target of targets) for (const type of types) removeEventListener_.call(target, type, listener, capture);
  listeners.delete(callback);
}

/** @param {MouseEvent} event */
function onMouseEvent(event) {
  if (!interceptor || !isTrusted_(event)) return;
  if (interceptor.state === 'waiting') {
    const [document, hit] = documentAndHitAt(event);
    const isInnermost = document === interceptor.levels[interceptor.levels.length - 1].document;
    const isOnTarget = interceptor.expected && isInnermost && judgeHit(hit, interceptor.element) !== 'miss';
    const met = isOnTarget && isDispatchedTo(event, hit, interceptor.element);
    evadingElement = isOnTarget && !met ? interceptor.element : null;
    interceptor.state = met ? 'met' : 'missed';
    interceptor.by = hit;
  } else if (event.type === 'mousedown' && interceptor.state === 'met' && !interceptor.pressed) {
    // Between the two events the page may have removed and inserted the element. What it does because of the first one
    // is allowed.
    const [, hit] = documentAndHitAt(event);
    if (judgeHit(hit, interceptor.element) !== 'miss' && !isDispatchedTo(event, hit, interceptor.element)) {
      interceptor.state = 'missed';
      evadingElement = interceptor.element;
    }
  }
  interceptor.pressed ||= event.type === 'mousedown';
  if (event.type === 'mousedown' && interceptor.state === 'met')
    trackPress(interceptor.element, /** @type {Window} */ (event.currentTarget));
  // Where the page does not get `pointerdown`, Chrome dispatches no `mouseup`.
  if (event.type === (interceptor.state === 'missed' ? 'pointerup' : 'mouseup')) recordRelease(interceptor);
  else if (CLICKS.includes(event.type)) recordClick(interceptor, event.type, composedPath_.call(event)[0]);
  if (interceptor.state === 'missed' && interceptor.types === PRESSES) {
    cancelPresses(true);
    event.stopImmediatePropagation();
    event.preventDefault();
  }
}

/** @param {Interceptor} watched */
function recordRelease(watched) {
  watched.released++;
  // in a double click, the first click may have made the page render it anew
  watched.removed ||= watched.state === 'met' && !watched.clicked && !isConnected_.call(watched.element);
  if (!wasReleased(watched)) return;
  // The click follows in the same task, and may have to be kept from the page, too.
  setTimeout(() => {
    if (interceptor !== watched) return;
    reportRelease(watched);
    removeInterceptor();
  });
}

/**
 * If the press opens a context menu under the mouse, `contextmenu` is dispatched to that menu itself.
 * @param {Interceptor} watched @param {string} type @param {any} target  in a closed shadow root, its host
 */
function recordClick(watched, type, target) {
  watched.clicked ||=
    type === 'contextmenu' ||
    nodeType(target) !== 1 ||
    judgeHit(target, watched.element) !== 'miss' ||
    (rootOfHost(target) !== null && isInside(watched.element, target));
  reportRelease(watched);
}

/**
 * Whether the awaited number of releases has come. After a press that missed, no other follows.
 * @param {Interceptor} watched
 */
const wasReleased = ({ state, released }) =>
  releaseWait !== null && released >= (state === 'missed' ? 1 : releaseWait.releases);

/** Resolves the call that waits for the last release, once. @param {Interceptor} watched */
function reportRelease(watched) {
  if (watched.reported || !wasReleased(watched)) return;
  watched.reported = true;
  resolveReleaseWait((lastHitResult = hitResultOf(watched)));
}

/**
 * @param {MouseEvent} event
 * @returns {[Document, Element | null]} the document of the listener, and the element on top at the event's point now
 */
function documentAndHitAt(event) {
  const view = event.currentTarget;
  const { document } =
    interceptor.levels.find((level) => defaultView_.call(level.document) === view) ??
    interceptor.levels[interceptor.levels.length - 1];
  return [document, topmostAt(document, { x: event.clientX, y: event.clientY })];
}

/**
 * Whether the event is dispatched to the element on top: handlers of enter events may have changed what is on top, and
 * back. In a closed shadow root, the event's target is only the host.
 * @param {MouseEvent} event @param {Element} hit  on top now @param {Element} element  the target
 */
function isDispatchedTo(event, hit, element) {
  const target = composedPath_.call(event)[0];
  return (
    target === hit || nodeType(target) !== 1 || judgeHit(target, element) !== 'miss' || rootOf(target) !== rootOf(hit)
  );
}

const composedPath_ = Event.prototype.composedPath;

/** Stops intercepting. @param {boolean} released  the button was released @returns {HitResult} */
function endInterception(released) {
  if (interceptor) lastHitResult = hitResultOf(interceptor, released);
  removeInterceptor();
  resolveReleaseWait(lastHitResult);
  cancelPresses();
  return lastHitResult;
}

/** @param {Interceptor} watched @returns {HitResult} */
function hitResultOf({ state, by, element, removed, clicked }, released = true) {
  const lost = removed ? 'left' : released && state === 'met' && !clicked ? 'elsewhere' : '';
  return { state, by: state === 'missed' && by ? coverOf(by, element) : null, lost };
}

/**
 * The same result, as soon as the button was released this many times. Must be called before `aim`, since a call after
 * input is answered only when the page has painted.
 * @param {number} releases @returns {Promise<HitResult>}
 */
function hitResultAfter(releases) {
  resolveReleaseWait({ state: 'none', by: null, lost: '' });
  return new Promise((resolve) => {
    releaseWait = { releases, resolve };
  });
}

/** @param {HitResult} result */
function resolveReleaseWait(result) {
  releaseWait?.resolve(result);
  releaseWait = null;
}
