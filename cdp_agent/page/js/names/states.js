// States and properties, in the order in which lines show them.

const isChecked = reader(HTMLInputElement, 'checked');
const isIndeterminate = reader(HTMLInputElement, 'indeterminate');
const isSelectedOption = reader(HTMLOptionElement, 'selected');
const isOpen = reader(HTMLDetailsElement, 'open');

const CHECKED_ROLES = roleSet('checkbox menuitemcheckbox menuitemradio option radio switch treeitem');
const SELECTED_ROLES = roleSet('gridcell option row tab columnheader rowheader treeitem');
// They may be told to be disabled although nobody can act on them.
const ITEM_ROLES = roleSet('row cell gridcell columnheader rowheader listitem option tab treeitem');
const GRID_ROLES = roleSet('grid table treegrid');
const LEVEL_ROLES = roleSet('heading treeitem');
const REQUIRED_ROLES = roleSet('checkbox combobox gridcell listbox radiogroup searchbox spinbutton textbox tree switch');
const FIELD_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const DISABLED_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON', 'OPTION', 'OPTGROUP', 'FIELDSET']);

/**
 * " [checked] [disabled] …", "" for none.
 * @param {{ariaDisabled: boolean, focused: Element | null}} context
 */
function statesOf(element, tag, role, context) {
  const isNative = DISABLED_TAGS.has(tag);
  const internals = tag.includes('-') ? (internalsOf.get(element)?.states ?? null) : null;
  let text = '';
  if (CHECKED_ROLES.has(role)) text += withheld.has(element) ? ' [user-data]' : flag('checked', checkedOf(element, tag, internals));
  else if (CELLS.has(role)) text += flag('checked', attr(element, 'aria-checked'), true); // by a tick or a cross that it draws
  if (context.ariaDisabled || (ITEM_ROLES.has(role) && attr(element, 'aria-disabled')?.toLowerCase() === 'true') || (isNative && matches(element, ':disabled')) || internals?.disabled || isInertByStyle(element, role)) text += ' [disabled]';
  text += expandedOf(element, tag, internals);
  if (LEVEL_ROLES.has(role)) text += levelOf(element, tag, role);
  if (isNative || tag.includes('-') || hasAnyAria(element)) {
    if (role === 'button') text += flag('pressed', attr(element, 'aria-pressed') ?? internals?.pressed, true);
    if (SELECTED_ROLES.has(role)) {
      text += flag('selected', tag === 'OPTION' ? String(isSelectedOption(element)) : (attr(element, 'aria-selected') ?? internals?.selected));
    }
    text += fieldStates(element, tag, role, internals);
    if (role === 'columnheader' || role === 'rowheader') text += sortOf(element);
    text += flag('current', attr(element, 'aria-current'));
  }
  if (reading.selections.blocksPointer && tag !== 'OPTION' && ACTED_ON.has(role) && !text.includes(' [disabled]') && isShielded(element)) {
    text += ' [pointer-events=none]';
  }
  if (context.focused === element) text += ' [focused]';
  else if (reading.active === element) text += ' [active]';
  return text;
}

/** Whether it is worth looking for aria-… attributes one by one. */
function hasAnyAria(element) {
  const attributes = attributeNames_.call(element);
  for (let i = 0; i < attributes.length; i++) if (attributes[i].startsWith('aria-')) return true;
  return false;
}

const attributeNames_ = Element.prototype.getAttributeNames;

/** " [name]" for true, " [name=value]" for other values, "" for false and none; false too is shown when asked for. */
function flag(name, value, evenFalse = false) {
  if (value === null || value === undefined || value === '') return '';
  const text = String(value).toLowerCase();
  if (text === 'true') return ` [${name}]`;
  if (text === 'false' || text === 'undefined') return evenFalse && text === 'false' ? ` [${name}=false]` : '';
  return /^[a-z-]{1,20}$/.test(text) ? ` [${name}=${text}]` : '';
}

function checkedOf(element, tag, internals) {
  if (tag === 'INPUT') {
    const type = inputType(element);
    if (type === 'checkbox' || type === 'radio') return isIndeterminate(element) && type === 'checkbox' ? 'mixed' : isChecked(element);
  }
  return attr(element, 'aria-checked') ?? internals?.checked;
}

function expandedOf(element, tag, internals) {
  if (tag === 'SUMMARY' && isSummaryOfDetails(element)) return flag('expanded', isOpen(parentNode(element)), true);
  if (tag === 'SELECT' && isOpened(element)) return ' [expanded]';
  return flag('expanded', attr(element, 'aria-expanded') ?? internals?.expanded, true);
}

/** How many rows there are, where a page says so since it holds only those that are seen. */
function rowsOf(element) {
  const count = parseInt(attr(element, 'aria-rowcount') ?? '', 10);
  return count > 0 ? ` [rows=${count}]` : count === -1 ? ' [rows=unknown]' : '';
}

function levelOf(element, tag, role) {
  const level = parseInt(attr(element, 'aria-level') ?? '', 10);
  if (level > 0) return ` [level=${level}]`;
  if (role !== 'heading') return '';
  return ` [level=${/^H[1-6]$/.test(tag) ? tag[1] : 2}]`;
}

const ACTED_ON = roleSet('button link checkbox combobox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem');

/** Whether a style shuts off what could be acted on, as of slides that wait. */
const isInertByStyle = (element, role) => reading.selections.blocksPointer && ACTED_ON.has(role) && isInert(element);

/**
 * Whether the mouse passes an element by, and does not reach it by the label around it: told unless the whole page is passed
 * by, as it is around some dialogs.
 */
function isShielded(element) {
  if (computedStyleOf(element).pointerEvents !== 'none') return false;
  const label = closest(element, 'label');
  if (label !== null && computedStyleOf(label).pointerEvents !== 'none') return false;
  if (isAllOfItsHost(element) || seenAround(element)) return false;
  const body = body_.call(documentOf(element));
  return body === null || computedStyleOf(body).pointerEvents !== 'none';
}

/** What is seen in the place of a box to tick or a combobox that has no size, nor has what it is in: the element around it. @returns {Element | null} */
function seenAround(element) {
  if (tagOf(element) !== 'INPUT' || !(CHECKABLE_INPUTS.has(inputType(element)) || attr(element, 'role') === 'combobox')) return null;
  let around = flatParent(element);
  if (!around || !(isOfNoSize(element) || isOfNoSize(around)) || labels_(element)?.length) return null;
  while (around && isOfNoSize(around)) around = flatParent(around);
  return around;
}

const labels_ = reader(HTMLInputElement, 'labels');

function isOfNoSize(element) {
  const { width, height } = getBoundingClientRect_.call(element);
  return width <= 1 && height <= 1;
}

/** Whether the mouse reaches it by its host, in which there is nothing else to click. */
function isAllOfItsHost(element) {
  const root = rootOf(element);
  return isShadowRoot(root) && computedStyleOf(host_.call(root)).pointerEvents !== 'none' && selectAll(root, PARTS).length === 1;
}

const PARTS = 'a[href],button,input,select,textarea,[tabindex]';

function sortOf(element) {
  const sort = attr(element, 'aria-sort');
  return sort?.toLowerCase() === 'none' ? '' : flag('sort', sort);
}

function fieldStates(element, tag, role, internals) {
  const isField = FIELD_TAGS.has(tag);
  let text = '';
  const required = isField ? hasAttr(element, 'required') : internals?.required;
  if (required) text += ' [required]';
  else if (REQUIRED_ROLES.has(role)) text += flag('required', attr(element, 'aria-required'));
  const invalid = attr(element, 'aria-invalid');
  // What the browser itself finds wrong, once the user had the chance to fill it in.
  if (invalid === null && isField && matches(element, ':user-invalid')) text += ' [invalid]';
  else if (invalid !== null && invalid !== '' && invalid.toLowerCase() !== 'false') {
    text += /^(grammar|spelling)$/i.test(invalid) ? ` [invalid=${invalid.toLowerCase()}]` : ' [invalid]';
  }
  const readonly = tag !== 'SELECT' && isField ? hasAttr(element, 'readonly') : internals?.readonly;
  if (readonly) text += ' [readonly]';
  else if (!CELLS.has(role)) text += flag('readonly', attr(element, 'aria-readonly'));
  return text;
}
