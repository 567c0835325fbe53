// Secrets in fields: whether a field may get one, and entering it without the keyboard. Keys go to whatever has the
// focus when they arrive, and any frame can take the focus; here no code of the page runs between the check and the
// writing, except handlers in the field's own document.

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
 * @typedef {{origins: string[], hidden_only: boolean}} Allowed  origins: where it may be entered; hidden_only: only
 *   into fields that do not display it
 * @typedef {{why: '' | 'gone' | 'frame' | 'form' | 'shown', where: string}} SecretRefusal  why a field may not get the
 *   secret, and the foreign origin
 */

/** @param {Element} field @param {Allowed} allowed @returns {SecretRefusal} */
function refusalOf(field, { origins, hidden_only }) {
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

/** The URLs to which the field's form can be submitted: its own `action`, and those of its buttons. */
function submitAddresses(field) {
  const form = formOfAny(field);
  if (!form) return [];
  const addresses = hasAttr(form, 'action') ? [actionOf(form)] : [];
  for (const button of selectAll(rootOf(form), 'button[formaction],input[formaction]')) {
    const isButton = tagOf(button) === 'BUTTON';
    if ((isButton ? formOfButton : formOfInput)(button) === form)
      addresses.push((isButton ? buttonAction : inputAction)(button));
  }
  return addresses;
}

/** @param {string} address @param {string} own  the origin of the page, whose scripts have access to its fields */
function originOf(address, own) {
  const { protocol, origin } = new URL(address, 'about:blank');
  if (protocol === 'javascript:' || protocol === 'about:') return own;
  return origin === 'null' ? protocol : origin;
}

/**
 * The field for an element, once it can be filled, and whether it may get the secret.
 * @param {number} id @param {Allowed & {wait_ms: number}} options
 * @returns {Promise<SecretRefusal & {local: number, instead: string, note: string, refusal: Obstacle | null}>}
 */
async function secretField(id, options) {
  const element = resolveElement(id);
  /** @type {Awaited<ReturnType<typeof secretField>>} */
  const answer = { why: 'gone', where: '', local: id, instead: '', note: '', refusal: null };
  if (!element) return answer;
  const field = fieldOf(element);
  if (!field || fieldKind(field) === 'code')
    return { ...answer, instead: field ? 'use the field of a form' : insteadOfFilling(element) };
  const why = await fieldObstacle(field, options.wait_ms);
  if (why) return { ...answer, refusal: obstacle(why, null, field) };
  bringIntoView_.call(field, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const note = field === element ? '' : `${elementPreview(field)} was filled`;
  return { ...answer, ...refusalOf(field, options), local: field === element ? id : internalIdOf(field), note };
}

/**
 * Whether an element may get the secret, without waiting.
 * @param {number} id
 * @param {Allowed} allowed
 * @returns {SecretRefusal}
 */
const secretRefusal = (id, allowed) =>
  resolveElement(id) ? refusalOf(resolveElement(id), allowed) : { why: 'gone', where: '' };

/**
 * Enters the secret, or returns why not; a row of fields with one character each gets a character each.
 * @param {number} id @param {string} text @param {Allowed & {append: boolean}} options
 * @returns {SecretRefusal & {match: Match | 'gone', most: number, taken: Taken}}  most: see fillResult; taken: see
 *   takenFrom
 */
function enterSecret(id, text, options) {
  const first = resolveElement(id);
  const fields = first ? oneCharacterFields(first, text) : [];
  /** @type {ReturnType<typeof enterSecret>} */
  let entered = { why: 'gone', where: '', match: 'gone', most: -1, taken: '' };
  for (let i = 0; i < fields.length; i++) {
    entered = enterInto(fields[i], fields.length > 1 ? text[i] : text, options);
    if (entered.why || entered.match !== 'same') return entered;
  }
  return entered;
}

function oneCharacterFields(field, text) {
  if (tagOf(field) !== 'INPUT' || maxLengthOf(field) !== 1 || text.length < 2) return [field];
  const all = [...selectAll(formOfInput(field) ?? rootOf(field), 'input[maxlength="1"]')].filter((each) =>
    checkVisibility_.call(each),
  );
  const row = all.slice(all.indexOf(field), all.indexOf(field) + text.length);
  return row.length === text.length ? row : [field];
}

/** @returns {ReturnType<typeof enterSecret>} */
function enterInto(field, text, options) {
  const kind = fieldKind(field);
  let refusal = refusalOf(field, options);
  if (refusal.why) return { ...refusal, match: 'gone', most: -1, taken: '' };
  const focused = moveFocus(field);
  const selected = focused && kind !== 'set' && selectAllOrMoveToEnd(field, kind, options.append);
  refusal = refusalOf(field, options); // handlers of the page have run
  if (refusal.why) return { ...refusal, match: 'gone', most: -1, taken: '' };
  const before = options.append ? fieldText(field, kind) : '';
  const document = documentOf(field);
  rows.delete(field);
  watchEntering(field, before + text);
  dispatchKey(field, 'keydown');
  if (kind === 'set') setField(internalIdOf(field), text, false);
  else if (selected && hasFocusWithin(field)) execCommand_.call(document, 'insertText', false, text);
  if (
    kind === 'typed' &&
    isConnected_.call(field) &&
    matchOf(field, kind, fieldText(field, kind), before + text) === 'empty' &&
    !takenFrom(field) &&
    !refusalOf(field, options).why
  ) {
    (tagOf(field) === 'INPUT' ? setInputValue_ : setAreaValue_).call(field, before + text);
    for (const type of ['input', 'change'])
      dispatchEvent_.call(field, new Event(type, { bubbles: true, composed: true }));
  }
  dispatchKey(field, 'keyup');
  stopWatchingEntering();
  if (!isConnected_.call(field)) return { ...refusal, match: 'gone', most: -1, taken: '' };
  const now = fieldText(field, kind);
  return {
    ...refusal,
    match: matchOf(field, kind, now, before + text),
    most: isCut(field, now, before + text) ? now.length : -1,
    taken: takenFrom(field),
  };
}

/** Dispatches a key event, for pages that read a field on `keyup`. It does not reveal which key. */
const dispatchKey = (field, type) =>
  dispatchEvent_.call(field, new KeyboardEvent(type, { key: 'Unidentified', bubbles: true, composed: true }));

/**
 * The boxes to redact in a picture: those of the nodes with the given spans of the text that was read last, and of
 * fields that display a secret which is not part of that text. @param {[number, number][]} spans @returns {Box[]} in
 * the viewport of this world's root document
 */
function secretBoxes(spans) {
  const boxes = [];
  for (const [start, end] of lastVisibleText ? spans : []) {
    for (let at = start; at < end;) {
      const [source, first] = lastVisibleText.sourceAt(at);
      const index = lastVisibleText.starts.indexOf(first);
      boxes.push(...outermostBoxes(source));
      at = lastVisibleText.starts[index + 1] ?? end;
    }
  }
  for (const field of lastVisibleText ? visibleSecretFields(document) : []) boxes.push(...outermostBoxes(field));
  return boxes;
}

/** Fields that hold a secret but display it: one-time codes, card data, what the user has filled in. */
function visibleSecretFields(root) {
  const found = [];
  for (const element of selectAll(root, '*')) {
    const tag = tagOf(element);
    if (userDataFields.has(element)) found.push(element);
    else if (
      (tag === 'INPUT' || tag === 'TEXTAREA') &&
      isSecret(element) &&
      !(tag === 'INPUT' && inputType(element) === 'password') &&
      fieldText(element, 'typed')
    )
      found.push(element);
    const inner = rootOfHost(element) ?? contentDocumentOf(element);
    if (inner) found.push(...visibleSecretFields(inner));
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
    boxes = nonEmptyRects(Range.prototype.getClientRects.call(range));
  }
  const element = nodeType_.call(node) === 1 ? node : flatParentOfText(node);
  const levels = levelsOf(element);
  for (let i = levels.length - 1; i > 0; i--) boxes = boxes.map((box) => mapBox(levels[i].outwards, box));
  return boxes.map(({ left, top, right, bottom }) => ({ left, top, right, bottom }));
}

/**
 * Maps boxes in an out-of-process iframe to the viewport of this world's root document.
 * @param {number} id  of its element
 * @param {Box[]} boxes  inside it
 */
function boxesFromFrame(id, boxes) {
  const frame = elementOf(id);
  if (!frame) return [];
  const levels = levelsOf(frame);
  boxes = boxes.map((box) => mapBox(outwardsOf(frame), box));
  for (let i = levels.length - 1; i > 0; i--) boxes = boxes.map((box) => mapBox(levels[i].outwards, box));
  return boxes;
}
