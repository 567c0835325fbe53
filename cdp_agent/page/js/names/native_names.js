// Names that HTML gives: <label>, alt, <legend>, <caption>, value, placeholder, …
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-computations-by-html-element

const inputValue = textReader(HTMLInputElement, 'value');
const areaValue = textReader(HTMLTextAreaElement, 'value');
const selectedOptions = reader(HTMLSelectElement, 'selectedOptions');
const selectOptions = reader(HTMLSelectElement, 'options');
const optionLabel = textReader(HTMLOptionElement, 'label');

/** Each gives a name, or null: then content and tooltip decide. */
const NATIVE_NAMES = {
  __proto__: null,
  INPUT: nameOfInput,
  TEXTAREA: nameOfField,
  SELECT: nameOfField,
  METER: nameOfField,
  PROGRESS: nameOfField,
  OUTPUT: (element, how, visited, depth) => labelName(element, how, visited, depth) ?? (how & OF_SELF ? tooltip(element) : null),
  BUTTON: (element, how, visited, depth) => labelName(element, how, visited, depth),
  IMG: nameOfImage,
  AREA: nameOfImage,
  FIELDSET: (element, how, visited, depth) => partName(element, 'LEGEND', how, visited, depth),
  FIGURE: nameOfFigure,
  TABLE: nameOfTable,
  OPTGROUP: (element) => attr(element, 'label') ?? '',
  OPTION: (element) => optionLabel(element),
  IFRAME: tooltip,
  FRAME: tooltip,
};

/** The tooltip and nothing else. */
function tooltip(element) {
  return attr(element, 'title') ?? '';
}

function nameOfInput(element, how, visited, depth) {
  const type = inputType(element);
  if (type === 'button' || type === 'submit' || type === 'reset') {
    const value = inputValue(element);
    if (value.trim()) return value;
    return type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : (labelName(element, how, visited, depth) ?? tooltip(element));
  }
  const label = labelName(element, how, visited, depth);
  if (label !== null) return label;
  const title = tooltip(element);
  if (type === 'image') return attr(element, 'alt')?.trim() || title.trim() || 'Submit';
  if (type === 'file') return title.trim() || 'Choose File';
  return title.trim() || !HAS_PLACEHOLDER.has(type) ? title : placeholderOf(element);
}

const HAS_PLACEHOLDER = new Set(['text', 'password', 'number', 'search', 'tel', 'email', 'url']);
const placeholderOf = (element) => attr(element, 'placeholder') ?? attr(element, 'aria-placeholder') ?? '';

function nameOfField(element, how, visited, depth) {
  const label = labelName(element, how, visited, depth);
  if (label !== null) return label;
  const title = tooltip(element);
  return title.trim() || tagOf(element) !== 'TEXTAREA' ? title : placeholderOf(element);
}

/** What the <label>s say, or null without any. Not followed within a reference. */
function labelName(element, how, visited, depth) {
  if (how & BY_REFERENCE) return null;
  const labels = labelsOf(element);
  if (!labels.length) return null;
  visited.add(element);
  const texts = labels.map((label) =>
    textAlternative(label, BY_LABEL | (isHidden(label) ? EVEN_HIDDEN : 0), visited, depth + 1),
  );
  return texts.filter((text) => text.trim()).join(' ');
}

function nameOfImage(element, how, visited) {
  visited.add(element);
  const alt = attr(element, 'alt');
  return alt?.trim() ? alt : (attr(element, 'title') ?? '');
}

/** The text of the first child of that tag, or null without one. */
function partName(element, partTag, how, visited, depth) {
  const part = closestChild(element, partTag);
  if (!part) return null;
  visited.add(element);
  return textAlternative(part, BY_NATIVE | (isHidden(part) ? EVEN_HIDDEN : 0), visited, depth + 1);
}

function nameOfFigure(element, how, visited, depth) {
  return how & OF_SELF ? partName(element, 'FIGCAPTION', how, visited, depth) : null;
}

function nameOfTable(element, how, visited, depth) {
  if (!(how & OF_SELF)) return null;
  const caption = partName(element, 'CAPTION', how, visited, depth);
  if (caption?.trim()) return caption;
  return attr(element, 'summary')?.trim() || null;
}

/** https://www.w3.org/TR/svg-aam-1.0/#mapping_additional_nd: its own <title> child or that of what it uses, else what is inside; a formula is what it says. */
function nameOfForeign(element, how, visited) {
  if (tagName_.call(element) === 'math') {
    visited.add(element);
    return mathText(element) || null;
  }
  const title = ownTitle(element) ?? (tagName_.call(element) === 'use' ? titleOfUsed(element) : null);
  if (title?.trim()) {
    visited.add(element);
    return title;
  }
  return attr(element, 'xlink:title') || null;
}

function titleOfUsed(use) {
  recordOutsideRead();
  const href = attr(use, 'href') ?? attr(use, 'xlink:href') ?? '';
  const used = href.startsWith('#') ? byId(use, href.slice(1)) : null;
  return used && ownTitle(used);
}

function ownTitle(element) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    if (tagName_.call(child) === 'title') return textContent(child);
  }
  return null;
}

/**
 * Step C: what a control inside a name stands for, its value; null when it is no such control.
 * @returns {string | null}
 */
function embeddedValue(element, tag, role, how, visited, depth) {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      recordOutsideRead(); // it may be hidden, and is not visited then
      if (tag === 'INPUT') return isSecret(element) ? '' : inputValue(element);
      return tag === 'TEXTAREA' ? (isSecret(element) ? '' : areaValue(element)) : textContent(element);
    case 'combobox':
    case 'listbox':
      return chosenText(element, tag, role, how, visited, depth);
    case 'progressbar':
    case 'scrollbar':
    case 'slider':
    case 'spinbutton':
    case 'meter':
      return attr(element, 'aria-valuetext') ?? attr(element, 'aria-valuenow') ?? (tag === 'INPUT' ? inputValue(element) : (attr(element, 'value') ?? ''));
    case 'menu':
      return '';
    default:
      return null;
  }
}

function chosenText(element, tag, role, how, visited, depth) {
  recordOutsideRead();
  if (tag === 'SELECT') {
    let chosen = [...selectedOptions(element)];
    if (!chosen.length && selectOptions(element).length) chosen = [selectOptions(element)[0]];
    return chosen.map((option) => optionLabel(option)).join(' ');
  }
  if (tag === 'INPUT') return inputValue(element);
  const listbox = role === 'listbox' ? element : [...selectAll(element, '[role~="listbox" i]')][0];
  if (!listbox) return textContent(element);
  return [...selectAll(listbox, '[aria-selected="true" i]')]
    .filter((option) => roleOf(option) === 'option')
    .map((option) => textAlternative(option, how, visited, depth + 1))
    .join(' ');
}
