// Waits until the page has handled a mouse press, before the button is released: people hold it for 80 ms and more, and
// pages work meanwhile. If the press takes the focus from a field, its `blur` is handled before the click arrives.

/**
 * @typedef {{element: Element, corner: Point, focused: Element | null, edited: boolean, began: number}} Press
 * @typedef {{missed: boolean, x: number, y: number}} PressResult  missed: the press did not hit its target; how far the
 *   target has moved since, in CSS pixels
 */
/**
 * @type {{resolve: (result: PressResult) => void, leftFieldMs: number}[]} the waiting calls, one for each press, in
 *   order
 */
let pendingPresses = [];

/** @type {Press | null} the last press */
let lastPress = null;

const LONGEST_PRESS_MS = 80; // the longest time that the button is held
/**
 * Many pages save a field that loses the focus, by a request or a timer, which cannot be foreseen; pages with workers,
 * by these.
 */
const LEFT_FIELD_MS = 48;

/**
 * Resolves when the page has handled a press that hit its target, or the press has missed it (see interception.js).
 * @param {number} index  the number of the press within the action; the first one cancels calls for presses that never
 *   came
 * @param {boolean} hasWorkers
 * @param {boolean} isScriptless  no script can run, therefore nothing saves a field that loses the focus
 * @returns {Promise<PressResult>}
 */
function pressAnswered(index, hasWorkers, isScriptless) {
  if (index === 0) {
    cancelPresses();
    forgetTransient();
  }
  const leftFieldMs = isScriptless ? 0 : hasWorkers ? LONGEST_PRESS_MS : LEFT_FIELD_MS;
  return new Promise((resolve) => pendingPresses.push({ resolve, leftFieldMs }));
}

function cancelPresses(missed = false) {
  for (const { resolve } of pendingPresses) resolve({ missed, x: 0, y: 0 });
  pendingPresses = [];
  lastPress = null;
}

/** The result so far, for a button that is released before the press was handled. @returns {PressResult} */
const pressResultSoFar = () => (lastPress ? movedSince(lastPress) : { missed: false, x: 0, y: 0 });

/** Called before the page gets the press. @param {Element} element @param {Window} view */
async function trackPress(element, view) {
  forgetScrolls(element);
  const waiting = pendingPresses.shift();
  if (!waiting) return;
  const press = {
    element,
    corner: cornerOf(element),
    focused: focusedElement(),
    edited: false,
    began: performance.now(),
  };
  lastPress = press;
  const edited = () => (press.edited = true);
  listen([view], ['change'], edited, true);
  let before = changesSoFar();
  for (;;) {
    await nextFrame();
    await timersDone();
    await timersDone(); // timers that were set by timers of 0 ms
    const now = changesSoFar();
    const held = performance.now() - press.began;
    const least = press.edited || hasLeftText(press) ? waiting.leftFieldMs : 0;
    if (held >= LONGEST_PRESS_MS || (held >= least && now === before)) break;
    before = now;
  }
  unlisten(edited);
  waiting.resolve(movedSince(press));
}

/** Whether the press took the focus from a text field or editor that is not empty. @param {Press} press */
function hasLeftText({ focused }) {
  if (!focused || focusedElement() === focused) return false;
  const tag = tagOf(focused);
  if (tag === 'TEXTAREA') return areaValue(focused) !== '';
  if (tag === 'INPUT') return TYPED_INPUT_TYPES.has(inputType(focused)) && inputValue(focused) !== '';
  return isEditable(focused);
}

/** @param {Press} press @returns {PressResult} */
function movedSince({ element, corner }) {
  const { width, height } = rectOf(element);
  if (!isConnected_.call(element) || (width === 0 && height === 0)) return { missed: false, x: 0, y: 0 };
  const now = cornerOf(element);
  return { missed: false, x: now.x - corner.x, y: now.y - corner.y };
}

/**
 * Its top left corner in the viewport of this world's root document: moving an iframe moves what is in it.
 * @returns {Point}
 */
function cornerOf(element) {
  const { left, top } = rectOf(element);
  return outwardPoints(levelsOf(element), { x: left, y: top })[0];
}
