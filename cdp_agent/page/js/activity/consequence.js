// What a click on an element, or Enter in it, sets off, as far as the markup tells: nothing is guessed of scripts.

const methodOfForm = reader(HTMLFormElement, 'method');
const elementsOfForm_ = getterOf(HTMLFormElement.prototype, 'elements');
const buttonType = reader(HTMLButtonElement, 'type');
const hrefOfLink = textReader(HTMLAnchorElement, 'href');
const hrefOfArea = textReader(HTMLAreaElement, 'href');
const isContentEditable_ = reader(HTMLElement, 'isContentEditable');

const KEYBOARD_INPUT_TYPES = new Set(['text', 'search', 'email', 'tel', 'url', 'password', 'number', 'date', 'month', 'week', 'time', 'datetime-local']);

/**
 * @typedef {{method: string, action: boolean, secret: boolean, search: boolean, fields: number}} FormSubmission  the form that is sent:
 *   action: to an address that its author wrote; secret: with a password in it; fields: how many are written into
 * @typedef {{role: string, name: string, form: FormSubmission | null, link: string, download: boolean, writes: boolean, remote: boolean}} Consequence
 *   name: of what is pressed, or of the form's own button; writes: Enter goes into a text of several lines, and a script may take it;
 *   remote: the focus is in a frame of another process
 * @param {number | null} id  null: what has the focus @param {'click' | 'enter' | 'form'} how  form: its form is sent
 * @param {boolean} known  whether `keyListeners` are all nodes of the document, apart from shadow trees, that listen for keys
 * @param {...Node} keyListeners @returns {{of: Consequence | null}}
 */
function consequenceOf(id, how, known, ...keyListeners) {
  const element = id === null ? focusedElement() : resolveElement(id);
  if (!element) return { of: null };
  const nearest = closestFlat(element, CONTROL) ?? element;
  const control = controlOfLabel(nearest) ?? nearest;
  const tag = tagOf(control);
  const sender = asSubmitter(control, tag) ?? (how === 'form' ? buttonOfFormAround(control) : how === 'enter' ? implicitSubmitter(control, tag) : null);
  const form = sender ? formOfAny(sender) : null;
  const pressed = form && sender !== control && isSubmitButton(sender) ? sender : control;
  const { role, name } = describe(pressed);
  const isLink = tag === 'A' || tag === 'AREA';
  return { of: {
    role, name: name || collapse(cut(textContent(pressed), 80)), form: form ? submissionOf(form, sender) : null,
    link: isLink ? (tag === 'A' ? hrefOfLink : hrefOfArea)(control) : '', download: isLink && hasAttr(control, 'download'),
    writes: how === 'enter' && (tag === 'TEXTAREA' || isWrittenIn(element)) && !(known && hasNoKeyListener(element, keyListeners)), remote: id === null && tag === 'IFRAME' && !contentDocumentOf(control),
  } };
}

/** Whether no key that is pressed in the element gets to one of the nodes. */
function hasNoKeyListener(element, keyListeners) {
  if (rootOf(element) !== document) return false;
  for (let node = element; node; node = parentNode(node)) if (keyListeners.includes(node)) return false;
  return true;
}

function isWrittenIn(element) {
  try {
    return isContentEditable_(element);
  } catch {
    return false; // no element of HTML
  }
}

/** The button, where the control is one that sends its form. */
const asSubmitter = (control, tag) => ((tag === 'BUTTON' || tag === 'INPUT') && isSubmitButton(control) && formOfAny(control) ? control : null);

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

/** What Enter in a field sends its form with. https://html.spec.whatwg.org/#implicit-submission */
function implicitSubmitter(field, tag) {
  if (tag !== 'INPUT') return null;
  const form = formOfInput(field);
  if (!form) return null;
  return submitButtonOf(form) ?? ([...elementsOfForm_.call(form)].filter(isKeyboardField).length <= 1 ? field : null);
}

/** The first button that sends the form. */
function submitButtonOf(form) {
  const images = [...selectAll(rootOf(form), 'input[type="image" i]')].filter((each) => formOfInput(each) === form);
  return [...elementsOfForm_.call(form), ...images].find(isSubmitButton) ?? null;
}

/** The button that sends the form that a field is in, also where it is none of HTML. */
function buttonOfFormAround(field) {
  const form = formOfAny(field) ?? closestFlat(field, 'form');
  return form ? submitButtonOf(form) : null;
}

/** That button; 0 where there is none. @param {number} id */
function submitButton(id) {
  const element = resolveElement(id);
  const button = element && buttonOfFormAround(userControlOf(element) ?? element);
  return button ? internalIdOf(button) : 0;
}

const isKeyboardField = (element) => tagOf(element) === 'TEXTAREA' || (tagOf(element) === 'INPUT' && KEYBOARD_INPUT_TYPES.has(inputType(element)));

function submissionOf(form, sender) {
  const fields = [...elementsOfForm_.call(form)].filter(isKeyboardField);
  const own = isSubmitButton(sender);
  return {
    method: ((own && attr(sender, 'formmethod')) || methodOfForm(form)).toLowerCase(),
    action: hasAttr(form, 'action') || (own && hasAttr(sender, 'formaction')),
    secret: fields.some((each) => tagOf(each) === 'INPUT' && inputType(each) === 'password'),
    search: closestFlat(form, '[role="search" i],search') !== null || fields.some((each) => tagOf(each) === 'INPUT' && inputType(each) === 'search'),
    fields: fields.length,
  };
}
