// Sliders that pages build themselves: their value by ARIA, which only keys and the mouse can change.
// https://w3c.github.io/aria/#slider

const SLIDER = '[role="slider" i]';

/** The slider for an element: itself, or the only one in it. @returns {Element | null} */
const sliderOf = (element) =>
  matches(element, SLIDER) && tagOf(element) !== 'INPUT' ? element : onlyVisibleMatch(element, `${SLIDER}:not(input)`);

/** @returns {number | null} the attribute as a number; null if it is missing or not a number */
function numberIn(element, name) {
  const text = attr(element, name)?.trim();
  return text && !Number.isNaN(Number(text)) ? Number(text) : null;
}

/**
 * Its value, as exact as possible: `aria-valuenow` may be rounded where `aria-valuetext` is the exact number.
 * @returns {number | null}
 */
function sliderValue(slider) {
  const value = numberIn(slider, 'aria-valuenow');
  const exact = numberIn(slider, 'aria-valuetext');
  if (value === null || exact === null) return value;
  const decimals = (attr(slider, 'aria-valuenow')?.split('.')[1] ?? '').trim().length;
  return Math.abs(exact - value) < 10 ** -decimals ? exact : value;
}

/**
 * The slider's value and limits, as soon as it has the wanted value or has not changed for `still_ms`.
 * @param {number} id @param {number | null} wanted @param {number} still_ms  how long a value may take to change
 * @returns {Promise<{value: number | null, min: number | null, max: number | null, gone: boolean}>}
 */
async function waitForSliderValue(id, wanted, still_ms) {
  let since = performance.now();
  for (let last = null; ; await nextFrame()) {
    const slider = resolveElement(id);
    if (!slider || !isConnected_.call(slider)) return { value: null, min: null, max: null, gone: true };
    const value = sliderValue(slider);
    if (value !== last) since = performance.now();
    last = value;
    if (value === null || value === wanted || performance.now() - since > still_ms) {
      return { value, min: numberIn(slider, 'aria-valuemin'), max: numberIn(slider, 'aria-valuemax'), gone: false };
    }
  }
}
