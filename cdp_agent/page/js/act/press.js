// When the page has answered the press of a mouse button, so that the button may go up: people hold it for 80 ms and more,
// and pages work meanwhile. A field that loses the focus by the press has its blur worked off before the click arrives.

/**
 * @typedef {{by: Element, at: Point, focused: Element | null, edited: boolean, began: number}} Press
 * @typedef {{x: number, y: number}} Moved  how far what was pressed has moved since, in CSS pixels
 */
/** @type {{resolve: (moved: Moved) => void, leftFieldMs: number}[]} who waits, for one press each, in order */
let awaitingPress = [];

/** @type {Press | null} the last one */
let lastPress = null;

const HELD_MS = 80; // no longer than this
/** A field that is left is often saved by a request or a timer, which nobody can see coming; where there are workers, by them. */
const LEFT_FIELD_MS = 48;

/**
 * Of a press that meets its element (see guard.js), once it is answered.
 * @param {number} index  which of the presses to come it is; with the first, those that never came are forgotten
 * @param {boolean} hasWorkers
 * @param {boolean} isStill  no script can run: a field that is left is not saved by anybody
 * @returns {Promise<Moved>}
 */
function pressAnswered(index, hasWorkers, isStill) {
  if (index === 0) {
    forgetPresses();
    forgetPassing();
  }
  const leftFieldMs = isStill ? 0 : hasWorkers ? HELD_MS : LEFT_FIELD_MS;
  return new Promise((resolve) => awaitingPress.push({ resolve, leftFieldMs }));
}

function forgetPresses() {
  for (const { resolve } of awaitingPress) resolve({ x: 0, y: 0 });
  awaitingPress = [];
  lastPress = null;
}

/** What the press has moved so far, for whoever lets the button go before the answer has come. @returns {Moved} */
const pressMoved = () => (lastPress ? movedSince(lastPress) : { x: 0, y: 0 });

/** Called before the page hears of the press. @param {Element} element @param {Window} view */
async function notePress(element, view) {
  forgetScrolls(element);
  const waiting = awaitingPress.shift();
  if (!waiting) return;
  const press = { by: element, at: cornerOf(element), focused: focusedElement(), edited: false, began: performance.now() };
  lastPress = press;
  const edited = () => (press.edited = true);
  addEventListener_.call(view, 'change', edited, true);
  let before = changesSoFar();
  for (;;) {
    await nextFrame();
    await timersDone();
    await timersDone(); // what a timer of 0 has put off again
    const now = changesSoFar();
    const held = performance.now() - press.began;
    const least = press.edited || hasLeftText(press) ? waiting.leftFieldMs : 0;
    if (held >= HELD_MS || (held >= least && now === before)) break;
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
  if (tag === 'INPUT') return TYPED.has(inputType(focused)) && inputValue(focused) !== '';
  return isEditable(focused);
}

/** @param {Press} press @returns {Moved} */
function movedSince({ by, at }) {
  const { width, height } = rectOf(by);
  if (!isConnected_.call(by) || (width === 0 && height === 0)) return { x: 0, y: 0 };
  const now = cornerOf(by);
  return { x: now.x - at.x, y: now.y - at.y };
}

/** Its left top corner in the viewport of the world's root: what moves an iframe moves what is in it. @returns {Point} */
function cornerOf(element) {
  const { left, top } = rectOf(element);
  return outwardPoints(levelsOf(element), { x: left, y: top })[0];
}

/** How often the page changed since it is watched, without looking for what is new to watch. */
function changesSoFar() {
  if (!watching) return 0;
  take(watching.observer.takeRecords());
  return watching.count;
}
