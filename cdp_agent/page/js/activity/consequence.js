// What a click on an element, or Enter in it, will do according to the markup. Scripts are not considered.

const methodOfForm = reader(HTMLFormElement, 'method');
const elementsOfForm_ = getterOf(HTMLFormElement.prototype, 'elements');
const buttonType = reader(HTMLButtonElement, 'type');
const hrefOfLink = textReader(HTMLAnchorElement, 'href');
const hrefOfArea = textReader(HTMLAreaElement, 'href');
const isContentEditable_ = reader(HTMLElement, 'isContentEditable');

const KEYBOARD_INPUT_TYPES = new Set([
  'text',
  'search',
  'email',
  'tel',
  'url',
  'password',
  'number',
  'date',
  'month',
  'week',
  'time',
  'datetime-local',
]);

/**
 * @typedef {{method: string, action: boolean, secret: boolean, search: boolean, fields: number}} FormSubmission  the
 *   form to be submitted: action: it has an explicit `action`; secret: it has a password field; fields: the number of
 *   text fields
 * @typedef {{role: string, name: string, form: FormSubmission | null, link: string, download: boolean, writes: boolean,
 *   remote: boolean}} Consequence name: of the pressed element, or of the form's submit button; writes: Enter goes into
 *   a multi-line text, where a script may handle it; remote: the focus is in an out-of-process iframe
 * @param {number | null} id  null: the focused element @param {'click' | 'enter' | 'form' | 'send'} how  form: its form
 *   is submitted; send: what it holds is sent, by Enter or by a button
 * @param {boolean} known  whether `keyListeners` are all nodes of the document, except in shadow trees, that listen for
 *   keys
 * @param {...Node} keyListeners @returns {{of: Consequence | null}}
 */
function consequenceOf(id, how, known, ...keyListeners) {
  const element = id === null ? focusedElement() : resolveElement(id);
  if (!element) return { of: null };
  const nearest = closestFlat(element, CONTROL) ?? element;
  const control = controlOfLabel(nearest) ?? nearest;
  const tag = tagOf(control);
  const isEntered = how === 'enter' || how === 'send';
  const sender =
    asSubmitter(control, tag) ??
    (how === 'form' ? buttonOfFormAround(control) : isEntered ? implicitSubmitter(control, tag) : null) ??
    (how === 'send' && tag !== 'INPUT' ? (sendersOf(userControlOf(control) ?? control)[0] ?? null) : null);
  const form = sender ? formOfAny(sender) : null;
  const pressed = sender && sender !== control && (isSubmitButton(sender) || !form) ? sender : control;
  const { role, name } = describe(pressed);
  const isLink = tag === 'A' || tag === 'AREA';
  return {
    of: {
      role,
      name: name || collapse(cut(textContent(pressed), 80)),
      form: form ? submissionOf(form, sender) : null,
      link: isLink ? (tag === 'A' ? hrefOfLink : hrefOfArea)(control) : '',
      download: isLink && hasAttr(control, 'download'),
      writes:
        isEntered &&
        (tag === 'TEXTAREA' || isWrittenIn(element)) &&
        !(known && hasNoKeyListener(element, keyListeners)),
      remote: id === null && tag === 'IFRAME' && !contentDocumentOf(control),
    },
  };
}

/** Whether none of the nodes gets the key events of the element. */
function hasNoKeyListener(element, keyListeners) {
  if (rootOf(element) !== document) return false;
  for (let node = element; node; node = parentNode(node)) if (keyListeners.includes(node)) return false;
  return true;
}

function isWrittenIn(element) {
  try {
    return isContentEditable_(element);
  } catch {
    return false; // not an HTML element
  }
}

/** The control if it is a submit button of a form, otherwise null. */
const asSubmitter = (control, tag) =>
  (tag === 'BUTTON' || tag === 'INPUT') && isSubmitButton(control) && formOfAny(control) ? control : null;

function isSubmitButton(element) {
  const tag = tagOf(element);
  if (tag === 'BUTTON') return buttonType(element) === 'submit';
  return tag === 'INPUT' && (inputType(element) === 'submit' || inputType(element) === 'image');
}

function formOfAny(element) {
  const tag = tagOf(element);
  if (tag === 'BUTTON') return formOfButton(element);
  if (tag === 'TEXTAREA') return formOfArea(element);
  return tag === 'INPUT' ? formOfInput(element) : tag === 'SELECT' ? formOfSelect(element) : null;
}

/** The element with which Enter in a field submits its form. https://html.spec.whatwg.org/#implicit-submission */
function implicitSubmitter(field, tag) {
  if (tag !== 'INPUT') return null;
  const form = formOfInput(field);
  if (!form) return null;
  return submitButtonOf(form) ?? ([...elementsOfForm_.call(form)].filter(isKeyboardField).length <= 1 ? field : null);
}

/** The first submit button of the form. */
const submitButtonOf = (form) => submitButtonsOf(form)[0] ?? null;

/** The submit buttons of the form, also those outside of it. @returns {Element[]} */
function submitButtonsOf(form) {
  const images = [...selectAll(rootOf(form), 'input[type="image" i]')].filter((each) => formOfInput(each) === form);
  return [...elementsOfForm_.call(form), ...images].filter(isSubmitButton);
}

/**
 * The submit button of the form around a field, which need not be an HTML form control: of those that a person can
 * click the first that is called so, else the first. Some forms have a hidden one, too, or a preview before it.
 */
function buttonOfFormAround(field) {
  const form = formOfAny(field) ?? closestFlat(field, 'form');
  if (!form) return null;
  const buttons = submitButtonsOf(form).filter((each) => checkVisibility_.call(each, VISIBILITY_OPTIONS));
  const enabled = buttons.filter((button) => !isDisabled(button));
  return enabled.find(isCalledSending) ?? enabled[0] ?? buttons[0] ?? null;
}

const isKeyboardField = (element) =>
  tagOf(element) === 'TEXTAREA' || (tagOf(element) === 'INPUT' && KEYBOARD_INPUT_TYPES.has(inputType(element)));

function submissionOf(form, sender) {
  const fields = [...elementsOfForm_.call(form)].filter(isKeyboardField);
  const own = isSubmitButton(sender);
  return {
    method: ((own && attr(sender, 'formmethod')) || methodOfForm(form)).toLowerCase(),
    action: hasAttr(form, 'action') || (own && hasAttr(sender, 'formaction')),
    secret: fields.some((each) => tagOf(each) === 'INPUT' && inputType(each) === 'password'),
    search:
      closestFlat(form, '[role="search" i],search') !== null ||
      fields.some((each) => tagOf(each) === 'INPUT' && inputType(each) === 'search'),
    fields: fields.length,
  };
}
