// Sending what was filled in: by Enter where that does it, else by the button that a person would click.

const click_ = HTMLElement.prototype.click;

/** What the field held before Enter was pressed in it. */
let heldBeforeEnter = '';

/**
 * Submits the form of a filled field, or reports that Enter will. Where Enter would open a chooser, the form is
 * submitted here. Chrome is stricter than the standard: without a submit button, only text fields submit, and only if
 * the form has no other. https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#implicit-submission
 * Pages that enable the button when the field is filled in get some time for that.
 * @param {number} id @param {number} wait_ms
 * @returns {Promise<{enter: boolean, lines: boolean, unsure: boolean, refused: string}>} enter: Enter must still be
 *   pressed; lines: where it may only add a line; unsure: or do nothing; refused: why nothing can submit it
 */
async function submitFrom(id, wait_ms) {
  const element = resolveElement(id);
  const field = element && fieldOf(element);
  const enter = { enter: true, lines: false, unsure: false, refused: '' };
  if (!field) return enter;
  if (tagOf(field) !== 'INPUT') {
    heldBeforeEnter = heldText(field);
    return { ...enter, lines: true };
  }
  const submitter = implicitSubmitter(field, 'INPUT');
  const isColor = inputType(field) === 'color'; // there, Enter opens the browser's colour chooser
  if (submitter && isSubmitButton(submitter)) {
    for (const began = performance.now(); isDisabled(submitter) && performance.now() - began < wait_ms;)
      await nextFrame();
    if (isDisabled(submitter))
      return { ...enter, enter: false, refused: `${elementPreview(submitter)}, which submits it, is disabled` };
    if (isColor) click_.call(submitter);
    return { ...enter, enter: !isColor };
  }
  const submits = submitter === field && TYPED_INPUT_TYPES.has(inputType(field));
  const unsure = !submits && formOfInput(field) !== null;
  return isColor ? { ...enter, enter: false, refused: 'its form has no submit button' } : { ...enter, unsure };
}

/**
 * What has become of the text of a field after a key that may send it.
 * @param {number} id @returns {Promise<{change: 'same' | 'line' | 'other'}>} line: white space was added at its end
 */
async function heldAfterEnter(id) {
  await nextTwoFrames(); // pages empty a field at keyup, or when they render
  const element = resolveElement(id);
  const field = element && isConnected_.call(element) ? fieldOf(element) : null;
  if (!field) return { change: 'other' };
  const now = heldText(field);
  if (now === heldBeforeEnter) return { change: 'same' };
  const isLonger = now.length > heldBeforeEnter.length && now.trimEnd() === heldBeforeEnter.trimEnd();
  return { change: isLonger ? 'line' : 'other' };
}

const SENDS =
  /^(?:send|submit|post|publish|reply|comment|save|update|ask|senden|absenden|enviar|envoyer|invia|verzenden|отправить|发送|送信)(?![\p{L}\p{N}])/iu;
/** Whether a button is called what sends something. @param {Element} button */
const isCalledSending = (button) => SENDS.test(roleAndNameOf(button).name.trim());

const SHEETS = 'dialog,[role="dialog" i],article,[role="article" i],main,[role="main" i],body';

/**
 * The button with which a person sends what the field holds: that of its form, else one beside it that is called so.
 * @param {number} id @returns {{local: number, several: string[]}} local: 0 if there is none; several: those it may be
 */
function senderOf(id) {
  const element = resolveElement(id);
  const senders = element ? sendersOf(userControlOf(element) ?? element) : [];
  if (senders.length !== 1) return { local: 0, several: senders.map(elementPreview) };
  return { local: internalIdOf(senders[0]), several: [] };
}

/** @param {Element} field @returns {Element[]} */
function sendersOf(field) {
  const button = buttonOfFormAround(field);
  if (button) return [button];
  for (let around = paintedParent(field); around; around = paintedParent(around)) {
    const senders = selectAllDeep(around, 'button,[role="button" i]').filter(
      (each) => checkVisibility_.call(each, VISIBILITY_OPTIONS) && isCalledSending(each),
    );
    if (senders.length || matches(around, SHEETS)) return senders;
  }
  return [];
}
