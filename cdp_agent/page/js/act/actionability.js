// Aiming: finds a point at which the mouse hits an element, and waits for it while that can help.

const bringIntoView_ = Element.prototype.scrollIntoView;
const documentAnimations_ = Document.prototype.getAnimations;

/**
 * How long to wait for each obstacle to go, in ms. Fields get enabled and overlays fade within that time, or not by
 * themselves.
 */
const OBSTACLE_TIMEOUT_MS = {
  __proto__: null,
  disabled: 2000,
  hidden: 2000,
  outside: 1000,
  clipped: 1000,
  covered: 3000,
};
// The same for what stays until somebody acts on what is open.
const OPEN_TIMEOUT_MS = 600;
// ms; after that, a moving target is aimed at while it moves, and the interceptor (interception.js) reports whether it
// was hit
const LONGEST_MOVE = 1000;

/** Elements found by actions themselves. They have negative ids, which no ref can have. @type {WeakRef<Element>[]} */
const internalElements = [];

/** @returns {number} the negative id of the element, a new one if it has none yet */
function internalIdOf(element) {
  const at = internalElements.findIndex((reference) => reference.deref() === element);
  return at < 0 ? -internalElements.push(new WeakRef(element)) : -at - 1;
}

/** The element with a ref's local id, or with a negative id from `internalIdOf`. @returns {Element | null} */
const resolveElement = (id) => (id < 0 ? (internalElements[-id - 1]?.deref() ?? null) : elementOf(id));

/**
 * Finds a point at which the mouse hits the element, in the viewport of this world's root document. Scrolls only if
 * necessary.
 * @param {number} id
 * @param {{intercept: '' | 'press' | 'move', wait_ms: number, enabled: boolean, place: boolean, position: [number,
 *   number] | null, beside_frames: boolean}} options  intercept: intercept these events (interception.js); enabled: the
 *   element must be enabled; place: a point is accepted where only an ancestor of the element is on top; position:
 *   offset from its top left corner, instead of its middle; beside_frames: the page has out-of-process iframes
 * @returns {Aimed | Promise<Aimed>}
 * @typedef {{x: number, y: number, scrolled: boolean, hint: string} | Obstacle} Aimed  with what `withWaits` adds, if
 *   it had to wait
 * @typedef {{why: string, detail: string, by: Cover | null, said: RoleAndName}} Obstacle
 * @typedef {{why: string, by: string, at_ms: number}} Wait  what kept the mouse from the element, from this time on
 */
function aim(id, options) {
  const element = resolveElement(id);
  if (!element) return { why: 'gone', detail: '', by: null, said: { role: '', name: '' } };
  const state = {
    scrolled: false,
    centred: false,
    awaitedFrames: !options.beside_frames,
    began: performance.now(),
    boxes: '',
    times: '',
    waits: [],
    cover: null,
  };
  return attempt(element, options, state) ?? aimInLaterFrames(element, options, state);
}

async function aimInLaterFrames(element, options, state) {
  for (;;) {
    await nextFrame();
    if (state.scrolled && !state.awaitedFrames) {
      state.awaitedFrames = true;
      await nextTwoFrames();
    }
    const result = attempt(element, options, state);
    if (result) return withWaits(result, state);
  }
}

const MOST_WAITS = 10;

/** Notes why an aim waits, when that is another reason or another cover than before. @returns {null} */
function waitFor(state, why, element, cover = null) {
  if ((state.waits.at(-1)?.why !== why || state.cover !== cover) && state.waits.length < MOST_WAITS) {
    const by = cover ? (obstacle(why, cover, element).by?.text ?? '') : '';
    state.waits.push({ why, by, at_ms: performance.now() - state.began });
    state.cover = cover;
  }
  return null;
}

const withWaits = (result, { waits, began }) => ({ ...result, waits, waited_ms: performance.now() - began });

/** @returns {Aimed | null} null: try again after the next frame */
function attempt(element, options, state) {
  const waited = performance.now() - state.began;
  const mayWaitFor = (why) => waited < Math.min(OBSTACLE_TIMEOUT_MS[why], options.wait_ms);
  if (!isConnected_.call(element)) return obstacle('gone', null, element);
  if (options.enabled && isDisabled(element))
    return mayWaitFor('disabled') && !(waited > OPEN_TIMEOUT_MS && isKeptFromMouse({ why: 'disabled' }, element, state))
      ? waitFor(state, 'disabled', element)
      : obstacle('disabled', null, element);
  if (options.intercept === 'press' && isFileField(element)) return obstacle('file', null, element);
  const levels = levelsOf(element);
  if (waited < LONGEST_MOVE && isMoving(element, levels, state)) return waitFor(state, 'moving', element);
  const acceptAncestor = Boolean(options.place) && state.centred;
  const picked = options.position
    ? pickAt(element, levels, options.position, acceptAncestor)
    : pickOnElementOrLabel(element, levels, acceptAncestor);
  if (picked.point) {
    if (options.intercept) interceptMouse(element, levels, options.intercept);
    const point = outwardPoints(levels, picked.point)[0];
    const hint = tagOf(element) === 'CANVAS' ? layerHint(element, levels, picked.point) : hintFor(element);
    return { x: point.x, y: point.y, scrolled: state.scrolled, hint };
  }
  if (picked.why !== 'hidden' && !state.centred) {
    state.centred = state.scrolled = true;
    if (options.position) scrollPointIntoView(element, () => pointAtOffset(element, options.position));
    else scrollToCentre(element);
    // The page gets the scroll event with the next frame, and may render anew then.
    return waitFor(state, picked.why, element, picked.by);
  }
  return mayWaitFor(picked.why) && !(waited > OPEN_TIMEOUT_MS && isKeptFromMouse(picked, element, state))
    ? waitFor(state, picked.why, element, picked.by)
    : obstacle(picked.why, picked.by, element);
}

/**
 * Whether what is open over the page keeps the mouse from the element until somebody acts there.
 * @param {Picked | {why: 'disabled', by?: null}} picked
 */
function isKeptFromMouse({ why, by = null }, element, state) {
  if (state.kept === undefined || state.keptBy !== by) {
    const mayBeKept = why === 'disabled' ? isInert(element) : why === 'covered' || modalOver(element, why) !== null;
    state.keptBy = by;
    state.kept = (mayBeKept || ignoresPointer(element)) && waitsForSomebody(by, element);
  }
  return state.kept;
}

/** A point on the element itself, or else on its label: styled check boxes are often invisible or have no size. */
function pickOnElementOrLabel(element, levels, acceptAncestor = false) {
  const own = pickPoint(visibleStandIn(element) ?? element, levels, acceptAncestor);
  if (own.point) return own;
  for (const label of labelsFor(element)) {
    const other = pickPoint(label, levels);
    if (other.point) return other;
    if (LABEL_TELLS_MORE[own.why]?.includes(other.why)) return other;
  }
  return own;
}

// What keeps the mouse from a label says why a control cannot be clicked that nobody sees itself.
const LABEL_TELLS_MORE = { __proto__: null, hidden: ['outside', 'clipped', 'covered'], clipped: ['covered'] };

function scrollToCentre(element) {
  const shown = boxesOf(element).length || !labelsFor(element).length ? element : labelsFor(element)[0];
  bringIntoView_.call(shown, { block: 'center', inline: 'center', behavior: 'instant' });
}

/**
 * Whether a finite animation is still moving the element: its boxes differ from those of the last frame. Boxes are not
 * compared while the time of the animation stands still, as it does before its first frame.
 */
function isMoving(element, levels, state) {
  const moving = levels
    .map((level) => movingAnimation(level.document, element))
    .filter((animation) => animation !== null);
  if (!moving.length) return false;
  const boxes = JSON.stringify(boxesOf(element));
  const times = JSON.stringify(moving.map(({ currentTime }) => (typeof currentTime === 'number' ? currentTime : 0)));
  const moved =
    boxes !== state.boxes || moving.some(({ pending }) => pending) || (times === state.times && moving.some(isTimed));
  state.boxes = boxes;
  state.times = times;
  return moved;
}

/** Whether the animation runs by the clock, not by scrolling. @param {Animation} animation */
const isTimed = ({ currentTime, playbackRate }) => typeof currentTime === 'number' && playbackRate !== 0;

// Properties whose animation moves nothing.
const PAINT_ONLY_PROPERTIES =
  /^(opacity|color|background.*|border.*(Color|Radius)|outline.*|boxShadow|textShadow|filter|fill|stroke.*|backdropFilter|offset|computedOffset|easing|composite|visibility|cursor|textDecoration.*)$/;
// Properties that move only the animated element and its descendants.
const SELF_MOVING_PROPERTIES = /^(transform|translate|rotate|scale|perspective|clipPath|offsetPath|offsetDistance)$/;

/** The first running animation that moves the element. @returns {Animation | null} */
function movingAnimation(document, element) {
  const animations = documentAnimations_.call(document);
  for (let i = 0; i < Math.min(animations.length, 100); i++) {
    const { playState, effect } = animations[i];
    if (playState !== 'running' || !effect || !effect.target) continue;
    // never ends: the interceptor reports whether the element was hit
    if (effect.getComputedTiming().endTime === Infinity) continue;
    const around = isInside(element, effect.target) || documentOf(element) !== document;
    for (const keyframe of effect.getKeyframes()) {
      for (const property in keyframe) {
        if (!PAINT_ONLY_PROPERTIES.test(property) && (around || !SELF_MOVING_PROPERTIES.test(property)))
          return animations[i];
      }
    }
  }
  return null;
}

function isDisabled(element) {
  const control = controlOfLabel(element) ?? element;
  if (matches(control, ':disabled') || isInert(control)) return true;
  const marked = closestFlat(control, '[aria-disabled]');
  return marked !== null && attr(marked, 'aria-disabled').toLowerCase() === 'true';
}

/** Whether a click would open a file chooser, which nobody could answer. */
function isFileField(element) {
  const control = controlOfLabel(element) ?? element;
  return tagOf(control) === 'INPUT' && inputType(control) === 'file';
}

/** What to do after a click that opens a popup of the browser, which is not part of the page. */
function hintFor(element) {
  const tag = tagOf(element);
  if (tag === 'SELECT')
    return isListSelect(element) || isBaseSelect(element)
      ? ''
      : 'its options are not in the page: choose one with select';
  if (tag === 'INPUT' && datalistOf(element))
    return `it suggests ${shortTexts(datalistChoices(element)).map(quote).join(', ') || 'nothing'}`;
  return tag === 'INPUT' && VALUE_INPUT_TYPES.has(inputType(element)) && inputType(element) !== 'range'
    ? 'set it with fill'
    : '';
}

/** What gets a click on a canvas, if that is a layer over it. */
function layerHint(canvas, levels, point) {
  const hit = hitThrough(levels, point);
  return !hit || isInside(hit, canvas) ? '' : `it went to ${elementPreview(hit)}, which lies clear over it`;
}

/** Resolves with the next frame, or after 50 ms where none comes, as in a background tab. */
function nextFrame() {
  return new Promise((resolve) => {
    requestAnimationFrame(weakly(resolve)); // the timer holds it
    setTimeout(resolve, 50);
  });
}

/**
 * Waits for two frames: in the first the page renders a scroll or a move, in the second what it changed because of
 * that, such as the rows of a list. Chrome sends mouse events to frames of other processes by where they were painted
 * last.
 */
async function nextTwoFrames() {
  await nextFrame();
  await nextFrame();
}

/** Resolves after timers of this delay or a shorter one, and messages, that the page has already queued. */
function timersDone(ms = 0) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * Maps a point in an out-of-process iframe to the viewport of this world's root document. Scrolls the iframe so that
 * the point is in view, and waits until the iframe is on top there.
 * @param {number} id  of the iframe element @param {Point} inner  in the iframe's viewport
 * @param {{intercept: '' | 'press' | 'move', wait_ms: number, moved: boolean}} options  moved: the content of the
 *   iframe has just been scrolled
 */
async function aimThrough(id, inner, options) {
  const frame = resolveElement(id);
  if (!frame) return { why: 'gone', detail: '', by: null, said: { role: 'iframe', name: '' } };
  const state = { began: performance.now(), waits: [], cover: null };
  let scrolled = false;
  let hasAwaitedFrames = !options.moved;
  let place = options.moved ? '' : ownerPlace(frame);
  for (;;) {
    if (place !== ownerPlace(frame)) {
      place = ownerPlace(frame);
      await nextFrame();
      continue;
    }
    const levels = levelsOf(frame);
    const point = mapPoint(outwardsOf(frame), inner);
    const visibleBox = visibleBoxOf(levels);
    const isPointVisible =
      visibleBox &&
      point.x > visibleBox.left &&
      point.x < visibleBox.right &&
      point.y > visibleBox.top &&
      point.y < visibleBox.bottom;
    const hit = isPointVisible ? hitThrough(levels, point) : null;
    if (hit === frame) {
      if (!hasAwaitedFrames) {
        hasAwaitedFrames = true;
        await nextTwoFrames();
        continue;
      }
      if (options.intercept) interceptMouse(frame, levels, options.intercept, false);
      return withWaits({ ...outwardPoints(levels, point)[0], scrolled }, state);
    }
    if (!scrolled) {
      scrolled = true;
      hasAwaitedFrames = false;
      scrollPointIntoView(frame, () => mapPoint(outwardsOf(frame), inner));
      place = ownerPlace(frame);
      continue;
    }
    const why = isPointVisible ? 'covered' : 'outside';
    if (performance.now() - state.began > Math.min(OBSTACLE_TIMEOUT_MS[why], options.wait_ms))
      return withWaits(obstacle(why, hit, frame), state);
    waitFor(state, why, frame, hit);
    await nextFrame();
  }
}

const ownerPlace = (frame) => Object.values(rectOf(frame).toJSON()).join();

/**
 * Scrolls every container around an element so that a point of the element gets into the middle.
 * @param {Element} element @param {() => Point} pointNow  returns where the point is now, in the viewport of the
 *   element's document
 */
function scrollPointIntoView(element, pointNow) {
  for (let node = paintedParent(element); node; node = paintedParent(node)) {
    const isRoot = node === documentElement_.call(documentOf(node));
    const style = computedStyleOf(node);
    if (!isRoot && !/auto|scroll|hidden/.test(style.overflowX + style.overflowY)) continue;
    const point = pointNow();
    const box = isRoot ? viewportOf(viewOf(node)) : rectOf(node);
    const middle = middleOf(box);
    const way = { left: point.x - middle.x, top: point.y - middle.y, behavior: 'instant' };
    if (isRoot) viewOf(node).scrollBy(way);
    else scrollElementBy_.call(node, way);
  }
  const view = viewOf(element);
  if (view === window || !view.frameElement) return;
  const frame = view.frameElement;
  scrollPointIntoView(frame, () => mapPoint(outwardsOf(frame), pointNow()));
}

const scrollElementBy_ = Element.prototype.scrollBy;
