// When the page has answered the press of a mouse button, so that the button may go up: people hold it for 80 ms and more,
// and pages work meanwhile. A field that loses the focus by the press has its blur worked off before the click arrives.

/**
 * @typedef {{element: Element, corner: Point, focused: Element | null, edited: boolean, began: number}} Press
 * @typedef {{x: number, y: number}} Moved  how far what was pressed has moved since, in CSS pixels
 */
/** @type {{resolve: (moved: Moved) => void, leftFieldMs: number}[]} who waits, for one press each, in order */
let pendingPresses = [];

/** @type {Press | null} the last one */
let lastPress = null;

const LONGEST_PRESS_MS = 80; // no longer than this
/** A field that is left is often saved by a request or a timer, which nobody can see coming; where there are workers, by them. */
const LEFT_FIELD_MS = 48;

/**
 * Of a press that meets its element (see guard.js), once it is answered.
 * @param {number} index  which of the presses to come it is; with the first, those that never came are forgotten
 * @param {boolean} hasWorkers
 * @param {boolean} isScriptless  no script can run: a field that is left is not saved by anybody
 * @returns {Promise<Moved>}
 */
function pressAnswered(index, hasWorkers, isScriptless) {
  if (index === 0) {
    cancelPresses();
    forgetTransient();
  }
  const leftFieldMs = isScriptless ? 0 : hasWorkers ? LONGEST_PRESS_MS : LEFT_FIELD_MS;
  return new Promise((resolve) => pendingPresses.push({ resolve, leftFieldMs }));
}

function cancelPresses() {
  for (const { resolve } of pendingPresses) resolve({ x: 0, y: 0 });
  pendingPresses = [];
  lastPress = null;
}

/** What the press has moved so far, for whoever lets the button go before the answer has come. @returns {Moved} */
const pressMoved = () => (lastPress ? movedSince(lastPress) : { x: 0, y: 0 });

/** Called before the page hears of the press. @param {Element} element @param {Window} view */
async function trackPress(element, view) {
  forgetScrolls();
  const waiting = pendingPresses.shift();
  if (!waiting) return;
  const press = { element, corner: cornerOf(element), focused: focusedElement(), edited: false, began: performance.now() };
  lastPress = press;
  const edited = () => (press.edited = true);
  addEventListener_.call(view, 'change', edited, true);
  let before = changeCount();
  for (;;) {
    await nextFrame();
    await timersDone();
    await timersDone(); // what a timer of 0 has put off again
    const now = changeCount();
    const held = performance.now() - press.began;
    const least = press.edited || hasLeftText(press) ? waiting.leftFieldMs : 0;
    if (held >= LONGEST_PRESS_MS || (held >= least && now === before)) break;
    before = now;
  }
  removeEventListener_.call(view, 'change', edited, true);
  waiting.resolve(movedSince(press));
}

/** Whether the press took the focus from what text is written in, and there is some. @param {Press} press */
function hasLeftText({ focused }) {
  if (!focused || focusedElement() === focused) return false;
  const tag = tagOf(focused);
  if (tag === 'TEXTAREA') return areaValue(focused) !== '';
  if (tag === 'INPUT') return TYPED_INPUT_TYPES.has(inputType(focused)) && inputValue(focused) !== '';
  return isEditable(focused);
}

/** @param {Press} press @returns {Moved} */
function movedSince({ element, corner }) {
  const { width, height } = rectOf(element);
  if (!isConnected_.call(element) || (width === 0 && height === 0)) return { x: 0, y: 0 };
  const now = cornerOf(element);
  return { x: now.x - corner.x, y: now.y - corner.y };
}

/** Its left top corner in the viewport of the world's root: what moves an iframe moves what is in it. @returns {Point} */
function cornerOf(element) {
  const { left, top } = rectOf(element);
  return outwardPoints(levelsOf(element), { x: left, y: top })[0];
}

/** How often the page changed since it is watched, without looking for what is new to watch. */
function changeCount() {
  if (!watching) return 0;
  processRecords(watching.observer.takeRecords());
  return watching.count;
}
