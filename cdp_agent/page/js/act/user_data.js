// Fields that the user is asked to fill: what they are, and whether the page or the browser reports them as invalid.

const validationOfInput = reader(HTMLInputElement, 'validationMessage');
const validationOfArea = reader(HTMLTextAreaElement, 'validationMessage');
const validationOfSelect = reader(HTMLSelectElement, 'validationMessage');
const isWithoutValidation = reader(HTMLFormElement, 'noValidate');
const blur_ = HTMLElement.prototype.blur;
const RADIOS = 'input[type="radio" i],[role="radio" i]';
const MOST_OFFERED = 300;

/**
 * @typedef {{local: number, type: string, name: string, required: boolean, options: string[], radios: number[], value:
 *   string, origins: string[], problem: string, validation_message: string}} UserField  local: the field itself;
 *   radios: the radio buttons of its group, in the order of `options`; origins: all origins that can get its value;
 *   problem: why it cannot be filled; validation_message: the page's error message for it
 * @param {number} id @returns {UserField}
 */
function userField(id) {
  const element = resolveElement(id);
  /** @type {UserField} */
  const none = {
    local: id,
    type: '',
    name: '',
    required: false,
    options: [],
    radios: [],
    value: '',
    origins: [],
    problem: '',
    validation_message: '',
  };
  const view = element && viewOf(element);
  if (!view) return { ...none, problem: 'is gone' };
  forget();
  const field = userControlOf(element);
  const { name } = roleAndNameOf(field ?? element);
  const type = field ? userType(field) : '';
  if (!type) return { ...none, name, problem: 'is no field that can be filled in' };
  if (type === 'file') return { ...none, name, type, problem: 'takes files: use upload' };
  const radios = type === 'radio' ? radiosOf(field) : [];
  const chosen = radios.find((each) => checkStateOf(each)?.state === 'true');
  const problem = isDisabled(field)
    ? 'is disabled'
    : type !== 'select' && FILLABLE_KINDS.has(fieldKind(field)) && isReadOnly(field)
      ? 'is read-only'
      : '';
  const addresses = submitAddresses(field).map((address) => originOf(address, view.origin));
  const options =
    type === 'radio'
      ? radios.map((each) => roleAndNameOf(each).name)
      : tagOf(field) === 'SELECT'
        ? offeredTexts(field)
        : [];
  return {
    local: internalIdOf(field),
    type,
    name: type === 'radio' ? groupName(field, name) : name,
    required: isRequired(field),
    options,
    radios: radios.map(internalIdOf),
    value: isSecret(field) ? '' : chosen ? roleAndNameOf(chosen).name : userFieldValue(field, type),
    origins: [...new Set([view.origin, ...view.location.ancestorOrigins, ...addresses])],
    problem,
    validation_message: pageErrorOf(field),
  };
}

const FILLABLE_KINDS = new Set(['typed', 'set', 'rich']);

/** The control for an element. @returns {Element | null} */
function userControlOf(element) {
  if (tagOf(element) === 'OPTION') return closest(element, 'select');
  const control = controlOfLabel(element) ?? element;
  if (userType(control)) return control;
  return fieldOf(control) ?? onlyVisibleMatch(control, `${LISTS},${CHECKABLE}`);
}

/** The type of the field, "" if it is none. */
function userType(field) {
  const tag = tagOf(field);
  if (tag === 'SELECT') return selectIsMultiple(field) ? 'multiselect' : 'select';
  const role = roleOf(field, tag);
  if (role === 'switch' || role === 'checkbox') return role;
  if (role === 'radio' || role === 'radiogroup' || hasSeveralRadios(field)) return 'radio';
  if (tag === 'TEXTAREA') return 'textarea';
  if (tag === 'INPUT' && inputType(field) === 'file') return 'file';
  const kind = fieldKind(field);
  if (tag === 'INPUT' && (kind === 'typed' || kind === 'set') && !isSelectOnly(field, role))
    return role === 'combobox' ? 'combobox' : inputType(field);
  if (role === 'combobox' || role === 'listbox' || attr(field, 'aria-haspopup') === 'listbox') return 'select';
  return kind === 'rich' ? 'richtext' : '';
}

/** Whether it is a select-only combobox: it takes no text, only options of its list. */
const isSelectOnly = (field, role) => role === 'combobox' && isReadOnly(field);

/** The radio buttons of the field's group. @returns {Element[]} */
function radiosOf(field) {
  if (tagOf(field) !== 'INPUT') {
    const group =
      roleOf(field, tagOf(field)) === 'radio' ? (closestFlat(field, '[role="radiogroup" i]') ?? field) : field;
    return group === field && roleOf(field, tagOf(field)) === 'radio' ? [field] : selectAllDeep(group, RADIOS);
  }
  const name = attr(field, 'name');
  if (!name) return [field];
  const all = [...selectAll(rootOf(field), 'input[type="radio" i]')];
  return all.filter((each) => attr(each, 'name') === name && formOfInput(each) === formOfInput(field));
}

/** The name of the group; if it has none, that of the radio button itself. */
function groupName(field, name) {
  const group = closestFlat(field, '[role="radiogroup" i],fieldset');
  return (group && roleAndNameOf(group).name) || name;
}

const offeredTexts = (list) =>
  [...selectOptions(list)]
    .filter((option) => isOffered(option) && optionValue(option) !== '' && !matches(option, ':disabled'))
    .slice(0, MOST_OFFERED)
    .map((option) => collapse(optionLabel(option)));

const isRequired = (field) => hasAttr(field, 'required') || attr(field, 'aria-required')?.toLowerCase() === 'true';

function userFieldValue(field, type) {
  if (type === 'checkbox' || type === 'switch') return checkStateOf(field)?.state ?? '';
  if (type === 'radio') return '';
  if (type === 'richtext') return cut(collapse(richText(field)), LONGEST_PREVIEW_NAME);
  return (
    valueOf(field, tagOf(field), roleOf(field, tagOf(field))) ||
    (type === 'select' && tagOf(field) !== 'SELECT' ? displayedValueOf(field) : '')
  );
}

/** From now on, the values of these elements are left out of everything that is read. @param {number[]} ids */
function withhold(ids) {
  for (const id of ids) {
    const element = resolveElement(id);
    if (element) userDataFields.add(element);
  }
  dropCache(); // rendered lines that still have the values
}

/**
 * Takes the focus from the field, as a user does who goes on: many pages validate a field only then.
 * @param {number} id
 */
function leaveField(id) {
  const field = resolveElement(id);
  if (field && hasFocusWithin(field)) blur_.call(focusedElement());
}

/**
 * Whether the field holds the wanted value, and the error message of the browser or the page.
 * @param {number} id @param {string | null} wanted  null: the value is not compared
 * @returns {{match: Match | 'gone', most: number, validation_message: string, invalid: boolean}} most: see
 *   fillResult; invalid: the browser reports it as invalid
 */
function userFieldAfter(id, wanted) {
  const field = resolveElement(id);
  if (!field || !isConnected_.call(field)) return { match: 'gone', most: -1, validation_message: '', invalid: false };
  forget();
  const kind = fieldKind(field);
  const box = checkStateOf(field);
  const isText = tagOf(field) === 'INPUT' || tagOf(field) === 'TEXTAREA';
  const isRow = wanted !== null && oneCharacterFields(field, wanted).length > 1;
  /** @type {ReturnType<typeof userFieldAfter>['match']} */
  let match = 'same';
  if (wanted !== null && box && kind === 'other') match = box.state === wanted ? 'same' : 'other';
  else if (wanted !== null && FILLABLE_KINDS.has(kind) && !isRow)
    match = matchOf(field, kind, fieldText(field, kind), wanted);
  return {
    match,
    most: wanted !== null && isText && isCut(field, fieldText(field, kind), wanted) ? maxLengthOf(field) : -1,
    validation_message: validationOf(field) || pageErrorOf(field),
    invalid: validationOf(field) !== '',
  };
}

/** The browser's validation message; "" if there is none, or the form has `novalidate`. */
function validationOf(field) {
  const tag = tagOf(field);
  const form = formOfAny(field);
  if (form && isWithoutValidation(form)) return '';
  if (tag === 'INPUT') return collapse(validationOfInput(field));
  return tag === 'TEXTAREA'
    ? collapse(validationOfArea(field))
    : tag === 'SELECT'
      ? collapse(validationOfSelect(field))
      : '';
}

/** The page's error message for a field with `aria-invalid`. */
function pageErrorOf(field) {
  const invalid = attr(field, 'aria-invalid');
  if (!invalid || invalid.toLowerCase() === 'false') return '';
  for (const name of ['aria-errormessage', 'aria-describedby']) {
    const text = byIds(field, name)
      .map((each) => collapse(textContent(each)))
      .filter(Boolean)
      .join(' ');
    if (text) return cut(text, 300);
  }
  return 'the page marks it as invalid';
}
