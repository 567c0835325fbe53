// Names from HTML: <label>, alt, <legend>, <caption>, value, placeholder, …
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-computations-by-html-element

const inputValue = textReader(HTMLInputElement, 'value');
const areaValue = textReader(HTMLTextAreaElement, 'value');
const selectedOptions = reader(HTMLSelectElement, 'selectedOptions');
const selectOptions = reader(HTMLSelectElement, 'options');
const optionLabel = textReader(HTMLOptionElement, 'label');

/** Functions that return a name, or null if content and tooltip decide. */
const NATIVE_NAMES = {
  __proto__: null,
  INPUT: nameOfInput,
  TEXTAREA: nameOfField,
  SELECT: nameOfField,
  METER: nameOfField,
  PROGRESS: nameOfField,
  OUTPUT: (element, flags, visited, depth) =>
    nameFromLabels(element, flags, visited, depth) ?? (flags & NAMING_SELF ? tooltip(element) : null),
  BUTTON: (element, flags, visited, depth) => nameFromLabels(element, flags, visited, depth),
  IMG: nameOfImage,
  AREA: nameOfImage,
  FIELDSET: (element, flags, visited, depth) => nameFromPart(element, 'LEGEND', flags, visited, depth),
  FIGURE: nameOfFigure,
  TABLE: nameOfTable,
  OPTGROUP: (element) => attr(element, 'label') ?? '',
  OPTION: (element) => optionLabel(element),
  IFRAME: tooltip,
  FRAME: tooltip,
};

/** The title attribute, which is the tooltip. */
function tooltip(element) {
  return attr(element, 'title') ?? '';
}

function nameOfInput(element, flags, visited, depth) {
  const type = inputType(element);
  if (type === 'button' || type === 'submit' || type === 'reset') {
    const value = inputValue(element);
    if (value.trim()) return value;
    return type === 'submit'
      ? 'Submit'
      : type === 'reset'
        ? 'Reset'
        : (nameFromLabels(element, flags, visited, depth) ?? tooltip(element));
  }
  const label = nameFromLabels(element, flags, visited, depth);
  if (label !== null) return label;
  const title = tooltip(element);
  if (type === 'image') return attr(element, 'alt')?.trim() || title.trim() || 'Submit';
  if (type === 'file') return title.trim() || 'Choose File';
  return title.trim() || !HAS_PLACEHOLDER.has(type) ? title : placeholderOf(element);
}

const HAS_PLACEHOLDER = new Set(['text', 'password', 'number', 'search', 'tel', 'email', 'url']);
const placeholderOf = (element) => attr(element, 'placeholder') ?? attr(element, 'aria-placeholder') ?? '';

function nameOfField(element, flags, visited, depth) {
  const label = nameFromLabels(element, flags, visited, depth);
  if (label !== null) return label;
  const title = tooltip(element);
  return title.trim() || tagOf(element) !== 'TEXTAREA' ? title : placeholderOf(element);
}

/** The name from the <label> elements, null without any. Inside a reference, labels are not followed. */
function nameFromLabels(element, flags, visited, depth) {
  if (flags & INSIDE_REFERENCE) return null;
  const labels = labelsOf(element);
  if (!labels.length) return null;
  visited.add(element);
  const texts = labels.map((label) =>
    textAlternative(label, INSIDE_LABEL | (isHidden(label) ? INCLUDE_HIDDEN : 0), visited, depth + 1),
  );
  return texts.filter((text) => text.trim()).join(' ');
}

function nameOfImage(element, flags, visited) {
  visited.add(element);
  const alt = attr(element, 'alt');
  return alt?.trim() ? alt : (attr(element, 'title') ?? '');
}

/** The name from the first child with the given tag, null without one. */
function nameFromPart(element, partTag, flags, visited, depth) {
  const part = closestChild(element, partTag);
  if (!part) return null;
  visited.add(element);
  return textAlternative(part, INSIDE_NATIVE_PART | (isHidden(part) ? INCLUDE_HIDDEN : 0), visited, depth + 1);
}

function nameOfFigure(element, flags, visited, depth) {
  return flags & NAMING_SELF ? nameFromPart(element, 'FIGCAPTION', flags, visited, depth) : null;
}

function nameOfTable(element, flags, visited, depth) {
  if (!(flags & NAMING_SELF)) return null;
  const caption = nameFromPart(element, 'CAPTION', flags, visited, depth);
  if (caption?.trim()) return caption;
  return attr(element, 'summary')?.trim() || null;
}

/**
 * SVG: the <title> child, also that of the element to which <use> refers; null: the content decides. MathML: the
 * formula as text. https://www.w3.org/TR/svg-aam-1.0/#mapping_additional_nd
 */
function nameOfSvgOrMath(element, flags, visited) {
  if (tagName_.call(element) === 'math') {
    visited.add(element);
    return mathText(element) || null;
  }
  const title = svgTitleOf(element) ?? (tagName_.call(element) === 'use' ? titleOfUsed(element) : null);
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
  return used && svgTitleOf(used);
}

function svgTitleOf(element) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    if (tagName_.call(child) === 'title') return textContent(child);
  }
  return null;
}

/**
 * Step C: the value of a control embedded in a name; null if the element is not such a control.
 * @returns {string | null}
 */
function embeddedValue(element, tag, role, flags, visited, depth) {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      recordOutsideRead(); // the field may be hidden, so that it is not visited itself
      if (tag === 'INPUT') return isSecret(element) ? '' : inputValue(element);
      return tag === 'TEXTAREA' ? (isSecret(element) ? '' : areaValue(element)) : textContent(element);
    case 'combobox':
    case 'listbox':
      return selectedOptionsText(element, tag, role, flags, visited, depth);
    case 'progressbar':
    case 'scrollbar':
    case 'slider':
    case 'spinbutton':
    case 'meter':
      return (
        attr(element, 'aria-valuetext') ??
        attr(element, 'aria-valuenow') ??
        (tag === 'INPUT' ? inputValue(element) : (attr(element, 'value') ?? ''))
      );
    case 'menu':
      return '';
    default:
      return null;
  }
}

function selectedOptionsText(element, tag, role, flags, visited, depth) {
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
    .map((option) => textAlternative(option, flags, visited, depth + 1))
    .join(' ');
}
