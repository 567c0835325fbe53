// Fields whose value is set by a script: dates, times, colours and sliders.

const setInputValue_ = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
const dispatchEvent_ = EventTarget.prototype.dispatchEvent;

/**
 * Sets a date, time, colour or slider. Typing would depend on the locale's order of day and month, and dragging on
 * pixels; therefore the value is set, followed by the usual events, which are not trusted ones. With `by_key`, a slider
 * is set one step beside the value and a key does the last step: some pages recognize the end of a movement by keys and
 * the mouse only.
 * @param {number} id @param {string} text @param {boolean} by_key
 * @returns {{taken: boolean, key: string, value: string, limits: string}} taken: false: not a valid value, nothing was
 *   changed; key: must still be pressed; value: the value afterwards; limits: of a slider
 */
function setField(id, text, by_key) {
  const field = resolveElement(id);
  if (!field) return NOT_TAKEN;
  const before = inputValue(field);
  const value = toInputValue(inputType(field), text.trim());
  setInputValue_.call(field, value);
  const now = inputValue(field);
  if (inputType(field) === 'range') {
    const [least, most] = ['min', 'max'].map((limit, at) => Number(attr(field, limit) || [0, 100][at]));
    if (value === '' || !(Number(value) >= least && Number(value) <= most)) {
      setInputValue_.call(field, before);
      return { ...NOT_TAKEN, limits: `from ${least} to ${most}` };
    }
  } else if (now.toLowerCase() !== value.toLowerCase() && !(value && now)) {
    setInputValue_.call(field, before);
    return NOT_TAKEN;
  }
  if (inputType(field) === 'color' && now !== value.toLowerCase()) {
    setInputValue_.call(field, before);
    return NOT_TAKEN;
  }
  const key =
    by_key && inputType(field) === 'range' && now !== before && hasFocusWithin(field)
      ? moveOneStepAway(field, now)
      : '';
  for (const type of key ? ['input'] : ['input', 'change'])
    dispatchEvent_.call(field, new Event(type, { bubbles: true, composed: true }));
  return { taken: true, key, value: now, limits: '' };
}

const NOT_TAKEN = { taken: false, key: '', value: '', limits: '' };
const stepUp_ = HTMLInputElement.prototype.stepUp;
const stepDown_ = HTMLInputElement.prototype.stepDown;

/** Moves a slider one step away, if it has steps. @returns {string} the key that moves it back, '' if there is none */
function moveOneStepAway(slider, now) {
  if (attr(slider, 'step')?.trim().toLowerCase() === 'any') return '';
  stepDown_.call(slider);
  if (inputValue(slider) !== now) return 'ArrowUp';
  stepUp_.call(slider);
  return inputValue(slider) === now ? '' : 'ArrowDown';
}

/** The text in the format of the input type's values, as far as it can be converted. */
function toInputValue(type, text) {
  if (type === 'color')
    return text.replace(/^#?([\da-f])([\da-f])([\da-f])$/i, '#$1$1$2$2$3$3').replace(/^(?=[\da-f]{6}$)/i, '#');
  if (type === 'range') return text;
  const padded = text.replace(/(?<![\d.])\d(?!\d)/g, '0$&');
  return type === 'datetime-local' ? padded.replace(/\s+(?=\d)/, 'T') : padded;
}
