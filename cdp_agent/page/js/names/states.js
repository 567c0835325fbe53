// States and properties, in the order in which a line shows them.

const isChecked = reader(HTMLInputElement, 'checked');
const isIndeterminate = reader(HTMLInputElement, 'indeterminate');
const isSelectedOption = reader(HTMLOptionElement, 'selected');
const isOpen = reader(HTMLDetailsElement, 'open');

const CHECKED_ROLES = roleSet('checkbox menuitemcheckbox menuitemradio option radio switch treeitem');
const SELECTED_ROLES = roleSet('gridcell option row tab columnheader rowheader treeitem');
// Items: for them aria-disabled is shown even if they are not interactive.
const ITEM_ROLES = roleSet('row cell gridcell columnheader rowheader listitem option tab treeitem');
const GRID_ROLES = roleSet('grid table treegrid');
const LEVEL_ROLES = roleSet('heading treeitem');
const REQUIRED_ROLES = roleSet(
  'checkbox combobox gridcell listbox radiogroup searchbox spinbutton textbox tree switch',
);
const FIELD_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
const DISABLED_TAGS = new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON', 'OPTION', 'OPTGROUP', 'FIELDSET']);

/**
 * All states of an element as " [checked] [disabled] …", "" for none.
 * @param {{ariaDisabled: boolean, focused: Element | null}} context  ariaDisabled: by itself or an ancestor
 */
function statesOf(element, tag, role, context) {
  const isNative = DISABLED_TAGS.has(tag);
  const internals = tag.includes('-') ? (internalsOf.get(element)?.states ?? null) : null;
  let text = '';
  if (CHECKED_ROLES.has(role))
    text += userDataFields.has(element) ? ' [user-data]' : stateText('checked', checkedOf(element, tag, internals));
  // for cells that show a tick or a cross
  else if (CELLS.has(role)) text += stateText('checked', attr(element, 'aria-checked'), true);
  if (
    context.ariaDisabled ||
    (ITEM_ROLES.has(role) && attr(element, 'aria-disabled')?.toLowerCase() === 'true') ||
    (isNative && matches(element, ':disabled')) ||
    internals?.disabled ||
    isInertControl(element, role)
  )
    text += ' [disabled]';
  text += expandedState(element, tag, internals);
  if (LEVEL_ROLES.has(role)) text += levelState(element, tag, role);
  if (isNative || tag.includes('-') || hasAnyAria(element)) {
    if (role === 'button') text += stateText('pressed', attr(element, 'aria-pressed') ?? internals?.pressed, true);
    if (SELECTED_ROLES.has(role)) {
      text += stateText(
        'selected',
        tag === 'OPTION' ? String(isSelectedOption(element)) : (attr(element, 'aria-selected') ?? internals?.selected),
      );
    }
    text += fieldStates(element, tag, role, internals);
    if (role === 'columnheader' || role === 'rowheader') text += sortState(element);
    text += stateText('current', attr(element, 'aria-current'));
  }
  if (
    reading.selections.blocksPointer &&
    tag !== 'OPTION' &&
    ACTIONABLE_ROLES.has(role) &&
    !text.includes(' [disabled]') &&
    hasNoPointerEvents(element)
  ) {
    text += ' [pointer-events=none]';
  }
  if (context.focused === element) text += ' [focused]';
  else if (reading.active === element) text += ' [active]';
  return text;
}

/** Whether the element has any aria-… attribute: if not, they need not be read one by one. */
function hasAnyAria(element) {
  const attributes = attributeNames_.call(element);
  for (let i = 0; i < attributes.length; i++) if (attributes[i].startsWith('aria-')) return true;
  return false;
}

const attributeNames_ = Element.prototype.getAttributeNames;

/** " [name]" for true, " [name=value]" for other values, "" for none; " [name=false]" for false only if `showFalse`. */
function stateText(name, value, showFalse = false) {
  if (value === null || value === undefined || value === '') return '';
  const text = String(value).toLowerCase();
  if (text === 'true') return ` [${name}]`;
  if (text === 'false' || text === 'undefined') return showFalse && text === 'false' ? ` [${name}=false]` : '';
  return /^[a-z-]{1,20}$/.test(text) ? ` [${name}=${text}]` : '';
}

function checkedOf(element, tag, internals) {
  if (tag === 'INPUT') {
    const type = inputType(element);
    if (type === 'checkbox' || type === 'radio')
      return isIndeterminate(element) && type === 'checkbox' ? 'mixed' : isChecked(element);
  }
  return attr(element, 'aria-checked') ?? internals?.checked;
}

function expandedState(element, tag, internals) {
  if (tag === 'SUMMARY' && isSummaryOfDetails(element)) return stateText('expanded', isOpen(parentNode(element)), true);
  if (tag === 'SELECT' && isOpenSelect(element)) return ' [expanded]';
  return stateText('expanded', attr(element, 'aria-expanded') ?? internals?.expanded, true);
}

/** ` [rows=…]` from aria-rowcount: the page may have only the visible rows in the document. */
function rowCountState(element) {
  const count = parseInt(attr(element, 'aria-rowcount') ?? '', 10);
  return count > 0 ? ` [rows=${count}]` : count === -1 ? ' [rows=unknown]' : '';
}

function levelState(element, tag, role) {
  const level = parseInt(attr(element, 'aria-level') ?? '', 10);
  if (level > 0) return ` [level=${level}]`;
  if (role !== 'heading') return '';
  return ` [level=${/^H[1-6]$/.test(tag) ? tag[1] : 2}]`;
}

const ACTIONABLE_ROLES = roleSet(
  'button link checkbox combobox menuitem menuitemcheckbox menuitemradio option radio searchbox slider spinbutton ' +
    'switch tab textbox treeitem',
);

/** Whether a style makes a control inert, as in the slides of a carousel that are not shown. */
const isInertControl = (element, role) =>
  reading.selections.blocksPointer && ACTIONABLE_ROLES.has(role) && isInert(element);

/**
 * Whether `pointer-events: none` keeps the mouse from an element, and no <label> around it takes the click instead.
 * False if it applies to the whole page, as some libraries set it while a dialog is open.
 */
function hasNoPointerEvents(element) {
  if (computedStyleOf(element).pointerEvents !== 'none') return false;
  const label = closest(element, 'label');
  if (label !== null && computedStyleOf(label).pointerEvents !== 'none') return false;
  if (isOnlyControlOfHost(element) || visibleWrapperOf(element)) return false;
  const body = body_.call(documentOf(element));
  return body === null || computedStyleOf(body).pointerEvents !== 'none';
}

/**
 * The nearest ancestor with a size, for a checkbox, radio button or combobox without label that has no size itself or
 * whose parent has none.
 * @returns {Element | null}
 */
function visibleWrapperOf(element) {
  if (tagOf(element) !== 'INPUT' || !(CHECKABLE_INPUTS.has(inputType(element)) || attr(element, 'role') === 'combobox'))
    return null;
  let around = flatParent(element);
  if (!around || !(hasNoSize(element) || hasNoSize(around)) || labels_(element)?.length) return null;
  while (around && hasNoSize(around)) around = flatParent(around);
  return around;
}

const labels_ = reader(HTMLInputElement, 'labels');

function hasNoSize(element) {
  const { width, height } = getBoundingClientRect_.call(element);
  return width <= 1 && height <= 1;
}

/** Whether the element is the only control in its shadow root and the mouse reaches it by the host. */
function isOnlyControlOfHost(element) {
  const root = rootOf(element);
  return (
    isShadowRoot(root) &&
    computedStyleOf(host_.call(root)).pointerEvents !== 'none' &&
    selectAll(root, CONTROLS_SELECTOR).length === 1
  );
}

const CONTROLS_SELECTOR = 'a[href],button,input,select,textarea,[tabindex]';

function sortState(element) {
  const sort = attr(element, 'aria-sort');
  return sort?.toLowerCase() === 'none' ? '' : stateText('sort', sort);
}

function fieldStates(element, tag, role, internals) {
  const isField = FIELD_TAGS.has(tag);
  let text = '';
  const required = isField ? hasAttr(element, 'required') : internals?.required;
  if (required) text += ' [required]';
  else if (REQUIRED_ROLES.has(role)) text += stateText('required', attr(element, 'aria-required'));
  const invalid = attr(element, 'aria-invalid');
  // Failed constraint validation, after the user had the chance to fill the field in.
  if (invalid === null && isField && matches(element, ':user-invalid')) text += ' [invalid]';
  else if (invalid !== null && invalid !== '' && invalid.toLowerCase() !== 'false') {
    text += /^(grammar|spelling)$/i.test(invalid) ? ` [invalid=${invalid.toLowerCase()}]` : ' [invalid]';
  }
  const readonly = tag !== 'SELECT' && isField ? hasAttr(element, 'readonly') : internals?.readonly;
  if (readonly) text += ' [readonly]';
  else if (!CELLS.has(role)) text += stateText('readonly', attr(element, 'aria-readonly'));
  return text;
}
