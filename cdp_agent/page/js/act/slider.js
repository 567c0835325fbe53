// Sliders that a page makes itself: what they say of their value, which only keys and the mouse change.
// https://w3c.github.io/aria/#slider

const SLIDER = '[role="slider" i]';

/** The slider that is meant: the element itself, or the only one in it. @returns {Element | null} */
const sliderOf = (element) => (matches(element, SLIDER) && tagOf(element) !== 'INPUT' ? element : onlyVisibleMatch(element, `${SLIDER}:not(input)`));

/** @returns {number | null} what an attribute says, null where it says nothing */
function numberIn(element, name) {
  const text = attr(element, name)?.trim();
  return text && !Number.isNaN(Number(text)) ? Number(text) : null;
}

/** Its value, as exactly as it says it: `aria-valuenow` may be rounded, and `aria-valuetext` the number itself. @returns {number | null} */
function sliderValue(slider) {
  const value = numberIn(slider, 'aria-valuenow');
  const exact = numberIn(slider, 'aria-valuetext');
  if (value === null || exact === null) return value;
  const decimals = (attr(slider, 'aria-valuenow')?.split('.')[1] ?? '').trim().length;
  return Math.abs(exact - value) < 10 ** -decimals ? exact : value;
}

/**
 * What the slider says of itself, as soon as its value is what is wanted, or has been the same for a while.
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
