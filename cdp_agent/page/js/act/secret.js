// Secrets in fields: whether a field may have one, and putting it there without the keyboard. Keys go to what has the focus
// when they arrive, and any frame can take the focus; here nothing of the page's can happen between looking and writing,
// but for handlers of the field's own document.

const formOfInput = reader(HTMLInputElement, 'form');
const formOfArea = reader(HTMLTextAreaElement, 'form');
const formOfSelect = reader(HTMLSelectElement, 'form');
const formOfButton = reader(HTMLButtonElement, 'form');
const actionOf = reader(HTMLFormElement, 'action');
const buttonAction = reader(HTMLButtonElement, 'formAction');
const inputAction = reader(HTMLInputElement, 'formAction');
const execCommand_ = Document.prototype.execCommand;
const setAreaValue_ = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;

/**
 * @typedef {{origins: string[], hidden_only: boolean}} Allowed  origins: where it may be; hidden_only: only where it is not shown
 * @typedef {{why: '' | 'gone' | 'frame' | 'form' | 'shown', where: string}} Stranger  why a field may not have the secret
 */

/** @param {Element} field @param {Allowed} allowed @returns {Stranger} */
function strangerTo(field, { origins, hidden_only }) {
  const view = isConnected_.call(field) ? viewOf(field) : null;
  if (!view) return { why: 'gone', where: '' };
  for (const origin of [view.origin, ...view.location.ancestorOrigins]) {
    if (!origins.includes(origin)) return { why: 'frame', where: origin };
  }
  for (const address of submitAddresses(field)) {
    const origin = originOf(address, view.origin);
    if (!origins.includes(origin)) return { why: 'form', where: origin };
  }
  return hidden_only && !isSecret(field) ? { why: 'shown', where: '' } : { why: '', where: '' };
}

/** Where the field's form can send it: the form's own address, and those of its buttons. */
function submitAddresses(field) {
  const form = formOfAny(field);
  if (!form) return [];
  const addresses = hasAttr(form, 'action') ? [actionOf(form)] : [];
  for (const button of selectAll(rootOf(form), 'button[formaction],input[formaction]')) {
    const isButton = tagOf(button) === 'BUTTON';
    if ((isButton ? formOfButton : formOfInput)(button) === form) addresses.push((isButton ? buttonAction : inputAction)(button));
  }
  return addresses;
}

/** @param {string} address @param {string} own  the origin of the page, whose scripts may do as they like with what is in it */
function originOf(address, own) {
  const { protocol, origin } = new URL(address, 'about:blank');
  if (protocol === 'javascript:' || protocol === 'about:') return own;
  return origin === 'null' ? protocol : origin;
}

/**
 * The field that is meant by an element, once it can be filled in, and whether it may have the secret.
 * @param {number} id @param {Allowed & {wait_ms: number}} options
 * @returns {Promise<Stranger & {local: number, instead: string, note: string, refusal: Obstacle | null}>}
 */
async function secretField(id, options) {
  const element = elementBy(id);
  /** @type {Awaited<ReturnType<typeof secretField>>} */
  const answer = { why: 'gone', where: '', local: id, instead: '', note: '', refusal: null };
  if (!element) return answer;
  const field = fieldOf(element);
  if (!field || fieldKind(field) === 'code') return { ...answer, instead: field ? 'use the field of a form' : insteadOfFilling(element) };
  const why = await fieldObstacle(field, options.wait_ms);
  if (why) return { ...answer, refusal: obstacle(why, null, field) };
  bringIntoView_.call(field, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const note = field === element ? '' : `${elementPreview(field)} was filled`;
  return { ...answer, ...strangerTo(field, options), local: field === element ? id : hold(field), note };
}

/** Whether an element as it stands may have it. @param {number} id @param {Allowed} allowed @returns {Stranger} */
const secretStranger = (id, allowed) => (elementBy(id) ? strangerTo(elementBy(id), allowed) : { why: 'gone', where: '' });

/**
 * Puts the secret into the field, or says why not; a row of fields for one character each gets one each.
 * @param {number} id @param {string} text @param {Allowed & {append: boolean}} options
 * @returns {Stranger & {match: 'same' | 'alike' | 'other' | 'empty' | 'gone', max: number}}
 */
function enterSecret(id, text, options) {
  const first = elementBy(id);
  const fields = first ? rowOfFields(first, text) : [];
  /** @type {ReturnType<typeof enterSecret>} */
  let entered = { why: 'gone', where: '', match: 'gone', max: -1 };
  for (let i = 0; i < fields.length; i++) {
    entered = enterInto(fields[i], fields.length > 1 ? text[i] : text, options);
    if (entered.why || entered.match !== 'same') return entered;
  }
  return entered;
}

function rowOfFields(field, text) {
  if (tagOf(field) !== 'INPUT' || maxLengthOf(field) !== 1 || text.length < 2) return [field];
  const all = [...selectAll(formOfInput(field) ?? rootOf(field), 'input[maxlength="1"]')].filter((each) => checkVisibility_.call(each));
  const row = all.slice(all.indexOf(field), all.indexOf(field) + text.length);
  return row.length === text.length ? row : [field];
}

/** @returns {ReturnType<typeof enterSecret>} */
function enterInto(field, text, options) {
  const kind = fieldKind(field);
  let stranger = strangerTo(field, options);
  if (stranger.why) return { ...stranger, match: 'gone', max: -1 };
  const focused = moveFocus(field);
  const selected = focused && kind !== 'set' && placeCaret(field, kind, options.append);
  stranger = strangerTo(field, options); // handlers of the page ran
  if (stranger.why) return { ...stranger, match: 'gone', max: -1 };
  const before = options.append ? heldBy(field, kind) : '';
  const document = documentOf(field);
  tellKey(field, 'keydown');
  if (kind === 'set') setField(hold(field), text, false);
  else if (selected && isFocusIn(field)) execCommand_.call(document, 'insertText', false, text);
  if (kind === 'typed' && isConnected_.call(field) && matchOf(field, kind, heldBy(field, kind), before + text) === 'empty' && !strangerTo(field, options).why) {
    (tagOf(field) === 'INPUT' ? setInputValue_ : setAreaValue_).call(field, before + text);
    for (const type of ['input', 'change']) dispatchEvent_.call(field, new Event(type, { bubbles: true, composed: true }));
  }
  tellKey(field, 'keyup');
  if (!isConnected_.call(field)) return { ...stranger, match: 'gone', max: -1 };
  const isField = tagOf(field) === 'INPUT' || tagOf(field) === 'TEXTAREA';
  return { ...stranger, match: matchOf(field, kind, heldBy(field, kind), before + text), max: isField ? maxLengthOf(field) : -1 };
}

/** For pages that look at a field when a key went up. Which key it was is not said. */
const tellKey = (field, type) => dispatchEvent_.call(field, new KeyboardEvent(type, { key: 'Unidentified', bubbles: true, composed: true }));

/**
 * Where the nodes are that spans of the text last read came from, and the fields that show a secret which is no part of that
 * text. @param {[number, number][]} spans @returns {Box[]} in the viewport of this world's root
 */
function coversOf(spans) {
  const covers = [];
  for (const [start, end] of lastVisibleText ? spans : []) {
    for (let at = start; at < end; ) {
      const [source, first] = lastVisibleText.sourceAt(at);
      const index = lastVisibleText.starts.indexOf(first);
      covers.push(...outermostBoxes(source));
      at = lastVisibleText.starts[index + 1] ?? end;
    }
  }
  for (const field of lastVisibleText ? shownSecrets(document) : []) covers.push(...outermostBoxes(field));
  return covers;
}

/** Fields that hold something secret, but show it: one-time codes, card data, what the user filled in. */
function shownSecrets(root) {
  const found = [];
  for (const element of selectAll(root, '*')) {
    const tag = tagOf(element);
    if (userDataFields.has(element)) found.push(element);
    else if ((tag === 'INPUT' || tag === 'TEXTAREA') && isSecret(element) && !(tag === 'INPUT' && inputType(element) === 'password') && heldBy(element, 'typed')) found.push(element);
    const inner = rootOfHost(element) ?? documentIn(element);
    if (inner) found.push(...shownSecrets(inner));
  }
  return found;
}

function outermostBoxes(node) {
  if (!isConnected_.call(node)) return [];
  let boxes;
  if (nodeType_.call(node) === 1) boxes = boxesOf(node);
  else {
    const range = documentOf(node).createRange();
    Range.prototype.selectNodeContents.call(range, node);
    boxes = painted(Range.prototype.getClientRects.call(range));
  }
  const element = nodeType_.call(node) === 1 ? node : flatParentOfText(node);
  const levels = levelsOf(element);
  for (let i = levels.length - 1; i > 0; i--) boxes = boxes.map((box) => mapBox(levels[i].outwards, box));
  return boxes.map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
}

/** The same of an iframe that another session reads. @param {number} id  of its element @param {Box[]} boxes  inside it */
function coversThrough(id, boxes) {
  const frame = elementOf(id);
  if (!frame) return [];
  const levels = levelsOf(frame);
  boxes = boxes.map((box) => mapBox(outwardsOf(frame), box));
  for (let i = levels.length - 1; i > 0; i--) boxes = boxes.map((box) => mapBox(levels[i].outwards, box));
  return boxes;
}
