// Filling: finding the field, preparing it for text, and reading afterwards what it holds. The text itself is entered
// by input events of the browser, except in fields whose parts depend on the user's locale (setField).

const isReadOnlyInput = reader(HTMLInputElement, 'readOnly');
const isReadOnlyArea = reader(HTMLTextAreaElement, 'readOnly');
const innerText = textReader(HTMLElement, 'innerText');
const maxLengthOf = (field) =>
  (tagOf(field) === 'INPUT' ? reader(HTMLInputElement, 'maxLength') : reader(HTMLTextAreaElement, 'maxLength'))(field);

const TYPED_INPUT_TYPES = new Set(['text', 'search', 'tel', 'url', 'email', 'password', 'number']);
const VALUE_INPUT_TYPES = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);
const TEXT_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const CELL_ROLES = new Set(['gridcell', 'cell']);
const EDITABLE =
  'input:not([type="hidden" i]):not([type="button" i]):not([type="submit" i]):not([type="reset" ' +
  'i]):not([type="image" i])' +
  ':not([type="checkbox" i]):not([type="radio" i]):not([type="file" i]),textarea,[contenteditable=""],' +
  '[contenteditable="true" i],[contenteditable="plaintext-only" i]';

/**
 * typed: takes text by keys; set: its value is set by script (setField); rich: a rich text editor; code: a code editor.
 * @typedef {'typed' | 'set' | 'rich' | 'code' | 'other'} FieldKind
 * @param {Element} field @returns {FieldKind}
 */
function fieldKind(field) {
  const tag = tagOf(field);
  if (codeEditorOf(field)) return 'code';
  if (tag === 'TEXTAREA') return 'typed';
  if (tag === 'INPUT')
    return TYPED_INPUT_TYPES.has(inputType(field))
      ? 'typed'
      : VALUE_INPUT_TYPES.has(inputType(field))
        ? 'set'
        : 'other';
  return isEditable(field) ? 'rich' : 'other';
}

/**
 * The field for an element: itself, the editing host around it, the control of a label, or the only field in it.
 * @returns {Element | null}
 */
function fieldOf(element) {
  if (fieldKind(element) !== 'other') {
    let host = element;
    while (!isEditingHost(host) && isEditable(host) && paintedParent(host) && isEditable(paintedParent(host)))
      host = paintedParent(host);
    return host;
  }
  const tag = tagOf(element);
  if (tag === 'INPUT' || tag === 'SELECT') return null;
  const control = controlOfLabel(element);
  if (control) return fieldKind(control) === 'other' ? null : control;
  const content = contentDocumentOf(element);
  return content
    ? onlyVisibleMatch(documentElement_.call(content), `${EDITABLE},body`)
    : onlyVisibleMatch(element, EDITABLE);
}

/** Advice on what to do with an element that cannot be filled. */
function insteadOfFilling(element) {
  const tag = tagOf(element);
  const { role } = roleAndNameOf(element);
  if (tag === 'SELECT' || role === 'listbox') return 'choose from it with select';
  if (tag === 'INPUT' && inputType(element) === 'file') return 'give it files with upload';
  if (checkStateOf(element)) return 'use check or uncheck';
  if (role === 'spinbutton') return 'focus it and press the arrow keys';
  const inner = selectAllDeep(element, EDITABLE).filter((each) => checkVisibility_.call(each, VISIBILITY_OPTIONS));
  if (inner.length > 1)
    return `it has ${inner.length} fields in it: ${inner.slice(0, 5).map(elementPreview).join(', ')}`;
  return 'click it if it opens a field, and fill that';
}

/**
 * Prepares a field for text: waits until it is editable, focuses it, and selects what is to be replaced or moves the
 * caret to the end.
 * @param {number} id @param {{text: string, append: boolean, lists: boolean, wait_ms: number}} options  lists: whether
 *   fields with a list are prepared too, see `listField`; else `list_field` is its id
 * @returns {Promise<Ready>}
 * @typedef {{kind: FieldKind | 'part' | 'row' | 'slider' | '', local: number, list_field: number, boxes: number[],
 *   before: string, single: boolean, mac: boolean, end: boolean, collapses: boolean, suggests: boolean, opens: '' |
 *   'click' | 'double', instead: string, note: string, refusal: Obstacle | null}} Ready part: a part of a value that
 *   is edited separately, as of a date; row: fields of one character each, which are `boxes`; end: a key must still
 *   move the caret to the end; opens: the click on `local` that opens a field, if any
 */
async function prepareField(id, options) {
  const element = resolveElement(id);
  /** @type {Ready} */
  const ready = {
    kind: '',
    local: id,
    list_field: options.lists ? 0 : listField(id),
    boxes: [],
    before: '',
    single: false,
    mac: isMac(),
    end: false,
    collapses: false,
    suggests: false,
    opens: '',
    instead: '',
    note: '',
    refusal: null,
  };
  if (!element) return { ...ready, refusal: { why: 'gone', detail: '', by: null, said: { role: '', name: '' } } };
  if (ready.list_field) return ready;
  let field = fieldOf(element) ?? sliderOf(element);
  if (!field) {
    const opening = editTriggerOf(element);
    return { ...ready, local: internalIdOf(opening.element), opens: opening.by, instead: insteadOfFilling(element) };
  }
  const why = await fieldObstacle(field, options.wait_ms);
  if (why) return { ...ready, refusal: obstacle(why, null, field) };
  bringIntoView_.call(field, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  let moved = '';
  if (!moveFocus(field) && !focusSliderPart(field)) {
    const focused = focusedElement();
    if (!focused || !(isFillable(focused) || sliderOf(focused)))
      return { ...ready, refusal: obstacle('unfocused', null, field) };
    field = focused;
    moved = ', where the page moved the focus';
  }
  const note = field === element ? '' : `${elementPreview(field)} was filled${moved}`;
  const kind = fieldKind(field);
  if (kind === 'other') return { ...ready, kind: 'slider', local: internalIdOf(field), note };
  const end = kind !== 'set' && !selectAllOrMoveToEnd(field, kind, options.append);
  if (kind === 'rich') await afterSelectionChange();
  const before = isSecret(field) ? '' : fieldText(field, kind);
  const collapses = kind === 'rich' && collapsesSpaces(field);
  const isPart = kind === 'rich' && roleAndNameOf(field).role === 'spinbutton';
  const row = options.append ? [field] : oneCharacterFields(field, options.text);
  if (row.length > 1)
    rows.set(
      field,
      row.map((box) => new WeakRef(box)),
    );
  else rows.delete(field);
  if (kind === 'typed' || (kind === 'rich' && !isPart)) {
    if (row.length === 1) watchKeys(field);
    watchEntering(field, (options.append ? fieldText(field, kind) : '') + options.text);
  }
  const boxes = row.length > 1 ? row.map(internalIdOf) : [];
  return {
    ...ready,
    kind: isPart ? 'part' : boxes.length ? 'row' : kind,
    boxes,
    local: field === element ? id : internalIdOf(field),
    before,
    single: isSingleLine(field),
    end,
    collapses,
    suggests: kind === 'typed' && mayShowSuggestions(field),
    note,
  };
}

/**
 * Whether the page is likely to show suggestions or a calendar after typing, or to drop text that it does not
 * recognize.
 */
function mayShowSuggestions(field) {
  if (isSecret(field) || (tagOf(field) === 'INPUT' && datalistOf(field))) return false;
  const isAttrSet = (name) => !['', 'none', 'false'].includes(attr(field, name)?.toLowerCase() ?? '');
  const { role, name } = roleAndNameOf(field);
  if (
    ['combobox', 'searchbox'].includes(role) ||
    isAttrSet('aria-autocomplete') ||
    isAttrSet('aria-haspopup') ||
    attr(field, 'autocomplete')?.toLowerCase() === 'off'
  )
    return true;
  return [name, ...['name', 'id', 'placeholder'].map((each) => attr(field, each))].some((words) =>
    SEARCH_WORDS.test(words ?? ''),
  );
}

const SEARCH_WORDS =
  /search|filte?r|suche|buscar?\b|recherch|cercar?\b|ricerca|pesquis|zoek|sök|søg|szukaj|hledat|поиск|搜|検索|검색/i;

/** Focuses the part of a slider that takes its keys. */
function focusSliderPart(field) {
  const part = sliderOf(field) && onlyVisibleMatch(field, FOCUSABLE);
  return part ? moveFocus(part) : false;
}

/**
 * The element, or the grid cell around its text, that turns into a field when clicked.
 * @returns {{element: Element, by: '' | 'click' | 'double'}}
 */
function editTriggerOf(element) {
  const { role } = describe(element);
  if (TEXT_ROLES.has(role) && tagOf(element) !== 'SELECT' && tagOf(element) !== 'INPUT')
    return { element, by: 'click' };
  const around = role === '' || role === 'generic' ? closestFlat(element, 'td,[role="gridcell" i]') : null;
  const cell = around && describe(around).role === 'gridcell' ? around : element;
  return {
    element: cell,
    by: CELL_ROLES.has(describe(cell).role) && selectAllDeep(cell, EDITABLE).length === 0 ? 'double' : '',
  };
}

/** Whether the element can be filled as it is. */
const isFillable = (element) =>
  fieldKind(element) !== 'other' &&
  checkVisibility_.call(element, VISIBILITY_OPTIONS) &&
  !isDisabled(element) &&
  !isReadOnly(element);

async function fieldObstacle(field, wait_ms) {
  for (const began = performance.now(); ; await nextFrame()) {
    const why = !isConnected_.call(field)
      ? 'gone'
      : !checkVisibility_.call(field, VISIBILITY_OPTIONS)
        ? 'hidden'
        : isDisabled(field)
          ? 'disabled'
          : isReadOnly(field)
            ? 'readonly'
            : '';
    if (!why || why === 'gone' || performance.now() - began > (why === 'readonly' ? wait_ms / 4 : wait_ms)) return why;
  }
}

function isReadOnly(field) {
  const tag = tagOf(field);
  // it only receives the keys; some editors make it read-only
  if (codeEditorOf(field) && tag === 'TEXTAREA') return false;
  if (tag === 'INPUT') return isReadOnlyInput(field);
  if (tag === 'TEXTAREA') return isReadOnlyArea(field);
  return attr(field, 'aria-readonly')?.toLowerCase() === 'true';
}

const isSingleLine = (field) =>
  tagOf(field) === 'INPUT' || (tagOf(field) !== 'TEXTAREA' && attr(field, 'aria-multiline') === 'false');

const selectInput_ = HTMLInputElement.prototype.select;
const selectArea_ = HTMLTextAreaElement.prototype.select;
const setRangeOfInput_ = HTMLInputElement.prototype.setSelectionRange;
const setRangeOfArea_ = HTMLTextAreaElement.prototype.setSelectionRange;

const setStart_ = Range.prototype.setStart;
const setEnd_ = Range.prototype.setEnd;

/**
 * The text node at the start or end of an element; null if there is something else.
 * @param {(node: Node) => Node | null} child  `firstChild` or `lastChild`
 */
function textAtEdge(element, child) {
  let node = element;
  while (nodeType(node) === 1) {
    if (node !== element && !isEditable(node)) return null;
    node = child(node);
    if (!node) return null;
  }
  return nodeType(node) === 3 ? node : null;
}

/** Selects everything, or with `append` moves the caret to the end. @returns {boolean} false: a key must do it */
function selectAllOrMoveToEnd(field, kind, append) {
  const tag = tagOf(field);
  if (kind === 'code') return false;
  if (kind === 'rich') {
    const { editContext } = field;
    // an editor painted on a canvas has no other selection
    if (editContext) editContext.updateSelection(append ? editContext.text.length : 0, editContext.text.length);
    const selection = getSelection_.call(documentOf(field));
    const range = documentOf(field).createRange();
    Range.prototype.selectNodeContents.call(range, field);
    // Within the text nodes, as a key would select: some editors treat a selection of the elements around them
    // differently.
    const [first, last] = [textAtEdge(field, firstChild), textAtEdge(field, lastChild)];
    if (first && last) {
      setStart_.call(range, first, 0);
      setEnd_.call(range, last, dataOf(last).length);
    }
    selection.removeAllRanges();
    selection.addRange(range);
    if (append) selection.modify('move', 'forward', 'documentboundary');
    return true;
  }
  if (!append) {
    (tag === 'INPUT' ? selectInput_ : selectArea_).call(field);
    return true;
  }
  try {
    (tag === 'INPUT' ? setRangeOfInput_ : setRangeOfArea_).call(field, 1e9, 1e9);
    return true;
  } catch {
    return false; // fields for e-mail addresses and numbers do not let scripts set the selection
  }
}

/**
 * Resolves after the page got `selectionchange`, which comes in a task of its own: some editors apply keys only to a
 * selection that they know.
 */
const afterSelectionChange = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

const KEYS = ['keydown', 'beforeinput'];
const KEY_WATCH_MS = 5000; // the longest time that our keys take to arrive: later ones are the user's own
/**
 * Watches whether keys for a field reach it.
 * @type {{field: Element | null, views: Window[], until: number, astray: boolean, notify: (() => void) | null}}
 */
let keyWatch = { field: null, views: [], until: 0, astray: false, notify: null };

/**
 * Suppresses keys and text for a field that would reach another element, should the page move the focus before they
 * arrive. Uses listeners of this world, which the page cannot see, until the first key has arrived. @param {Element}
 * field
 */
function watchKeys(field) {
  unwatchKeys();
  const views = levelsOf(field).map((level) => defaultView_.call(level.document));
  keyWatch = { field, views, until: performance.now() + KEY_WATCH_MS, astray: false, notify: null };
  listen(views, KEYS, onKeyEvent, true);
}

/** @param {Event} event */
function onKeyEvent(event) {
  const { field } = keyWatch;
  if (!field || !isTrusted_(event)) return;
  const target = composedPath_.call(event)[0]; // for a closed shadow root, this is its host
  const isOnTarget = nodeType(target) !== 1 || isInside(target, field) || isInside(field, target);
  if (performance.now() > keyWatch.until || (isOnTarget && !keyWatch.astray)) {
    unwatchKeys();
    return;
  }
  keyWatch.astray = true;
  keyWatch.notify?.();
  event.stopImmediatePropagation();
  event.preventDefault();
}

function unwatchKeys() {
  unlisten(onKeyEvent);
  keyWatch.notify?.();
  keyWatch = { ...keyWatch, field: null, views: [], notify: null };
}

/**
 * Resolves when the first key has arrived.
 * @returns {Promise<{astray: boolean}>} astray: it would have reached another element
 */
async function keysArrived() {
  if (keyWatch.field && !keyWatch.astray)
    await new Promise((resolve) => {
      keyWatch.notify = () => resolve(null);
    });
  return { astray: keyWatch.astray };
}

/**
 * The visible field that got the focus after a click has opened it; `id` itself if there is none.
 * @param {number} id
 * @returns {Promise<number>}
 */
async function focusedField(id) {
  for (let frame = 0; frame < 10; frame++) {
    const focused = focusedElement();
    if (focused && isFillable(focused) && isLargeEnoughToSee(focused)) return internalIdOf(focused);
    await nextFrame();
  }
  return id;
}

/** Grids have tiny fields that only receive keys. */
function isLargeEnoughToSee(field) {
  const { width, height } = getBoundingClientRect_.call(field);
  return width > 4 && height > 4;
}

/** The text of a grid cell without the labels of its buttons. */
function textOfCell(cell) {
  const buttons = new Set([...selectAll(cell, 'button,[role="button" i]')].map((each) => collapse(textContent(each))));
  return richText(cell)
    .split('\n')
    .filter((line) => !line || !buttons.has(collapse(line)))
    .join('\n');
}

/**
 * The text of a grid cell as soon as its field is closed, or after 10 frames.
 * @param {number} cell @param {number} field @param {string} wanted
 * @returns {Promise<{state: 'open' | 'closed' | 'gone', value: string, match: Match}>}
 */
async function cellAfter(cell, field, wanted) {
  const isOpen = () =>
    resolveElement(field) &&
    isConnected_.call(resolveElement(field)) &&
    hasFocusWithin(resolveElement(field)) &&
    isLargeEnoughToSee(resolveElement(field));
  const cellText = () =>
    resolveElement(cell) && isConnected_.call(resolveElement(cell)) ? textOfCell(resolveElement(cell)) : null;
  // Enter may have moved the same field to the next cell.
  const isDone = () => cellText() === wanted && !(isOpen() && isInside(resolveElement(field), resolveElement(cell)));
  for (let frame = 0; frame < 10 && !isDone(); frame++) await nextFrame();
  const value = cellText();
  const state = isDone() ? 'closed' : isOpen() ? 'open' : value === null ? 'gone' : 'closed';
  const element = resolveElement(cell);
  const match = element && value !== null ? matchOf(element, 'other', value, wanted) : 'other';
  return { state, value: value ?? '', match };
}
