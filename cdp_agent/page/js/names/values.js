// The values of fields and the targets of links.

const SECRET_AUTOCOMPLETE = /(^|\s)(one-time-code|cc-[a-z-]+)(\s|$)/i;
const PASSWORD_AUTOCOMPLETE = /(^|\s)(current|new)-password(\s|$)/i;

/** Fields that the user filled in, whose values no model may see. @type {WeakSet<Element>} */
const userDataFields = new WeakSet();
/** Shown in place of such a value. */
const USER_DATA = '<user data>';

/** Whether a field's value is never shown: passwords, one-time codes, card data, and what the user filled in. */
function isSecret(element) {
  if (userDataFields.has(element)) return true;
  if (tagOf(element) === 'INPUT' && inputType(element) === 'password') return true;
  if (isMaskedByStyle(element)) return true;
  const autocomplete = attr(element, 'autocomplete');
  if (autocomplete === null) return false;
  // Comboboxes use new-password only to turn Chrome's autofill off: nobody chooses a password from a list.
  return (
    SECRET_AUTOCOMPLETE.test(autocomplete) ||
    (PASSWORD_AUTOCOMPLETE.test(autocomplete) && attr(element, 'role') !== 'combobox')
  );
}

/**
 * Whether a text field shows dots like a password field (-webkit-text-security); pages do this so that browsers do not
 * offer to save the value.
 */
const isMaskedByStyle = (field) =>
  (tagOf(field) === 'INPUT' || tagOf(field) === 'TEXTAREA') && computedStyleOf(field).webkitTextSecurity !== 'none';

const TYPES_WITHOUT_VALUE = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden', 'file']);
const inputFiles = reader(HTMLInputElement, 'files');

/** The value that a line shows after the colon, "" for none. */
function valueOf(element, tag, role) {
  if (userDataFields.has(element) && holdsUserData(element, tag)) return USER_DATA;
  if (tag === 'INPUT') {
    const type = inputType(element);
    if (type === 'file') return [...(inputFiles(element) ?? [])].map((file) => collapse(file.name)).join(', ');
    return TYPES_WITHOUT_VALUE.has(type) || isSecret(element) ? '' : collapse(inputValue(element));
  }
  if (tag === 'TEXTAREA') return isSecret(element) ? '' : collapse(areaValue(element));
  if (tag === 'SELECT') {
    return isSecret(element) || isListSelect(element)
      ? ''
      : [...selectedOptions(element)].map((option) => collapse(optionLabel(option))).join(', ');
  }
  if (tag === 'PROGRESS' || tag === 'METER') return progressText(element);
  if (RANGE_ROLES.has(role)) {
    return collapse(attr(element, 'aria-valuetext') ?? attr(element, 'aria-valuenow') ?? '');
  }
  return '';
}

function holdsUserData(element, tag) {
  if (tag === 'INPUT') return !TYPES_WITHOUT_VALUE.has(inputType(element)) && inputValue(element) !== '';
  return tag === 'SELECT' || (tag === 'TEXTAREA' && areaValue(element) !== '');
}

const selectionStartOf = (field) => (tagOf(field) === 'INPUT' ? selectionStartOfInput : selectionStartOfArea)(field);
const selectionEndOf = (field) => (tagOf(field) === 'INPUT' ? selectionEndOfInput : selectionEndOfArea)(field);
const selectionStartOfInput = reader(HTMLInputElement, 'selectionStart');
const selectionEndOfInput = reader(HTMLInputElement, 'selectionEnd');
const selectionStartOfArea = reader(HTMLTextAreaElement, 'selectionStart');
const selectionEndOfArea = reader(HTMLTextAreaElement, 'selectionEnd');

/** ` [selection="…"]`: the selected text in the focused field. @param {Element} field */
function selectionState(field, tag) {
  if ((tag !== 'INPUT' && tag !== 'TEXTAREA') || isSecret(field)) return '';
  const start = selectionStartOf(field);
  const end = selectionEndOf(field);
  if (start === null || start === end) return ''; // some input types have no selection
  const value = tag === 'INPUT' ? inputValue(field) : areaValue(field);
  return start === 0 && end === value.length
    ? ' [selection=all]'
    : ` [selection=${quote(cut(collapse(value.slice(start, end)), LONGEST_SELECTION))}]`;
}

const RANGE_ROLES = roleSet('slider spinbutton progressbar scrollbar meter separator');

function progressText(element) {
  const value = attr(element, 'aria-valuetext') ?? attr(element, 'value');
  if (value === null) return '';
  const max = attr(element, 'max');
  return max && max !== '1' && !attr(element, 'aria-valuetext') ? `${value} of ${max}` : collapse(value);
}

const TYPES_SHOWN_AS_STATE = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'file', 'password']);

/** " [type=date]", " [min=0] [max=9]", ` [placeholder="…"]`: what one must know to fill in the field. */
function fieldDetails(element, tag, role, name) {
  let text = '';
  if (tag === 'INPUT') {
    const type = inputType(element);
    if (TYPES_SHOWN_AS_STATE.has(type)) text += ` [type=${type}]`;
    if (hasAttr(element, 'multiple') && type === 'file') text += ' [multiple]';
  } else if (tag === 'SELECT' && selectIsMultiple(element)) text += ' [multiple]';
  if (role === 'slider' || role === 'spinbutton') {
    text += boundState('min', attr(element, 'min') ?? attr(element, 'aria-valuemin'));
    text += boundState('max', attr(element, 'max') ?? attr(element, 'aria-valuemax'));
  }
  const placeholder = collapse(placeholderOf(element));
  if (placeholder && placeholder !== name) text += ` [placeholder=${quote(cut(placeholder, 200))}]`;
  return text;
}

const boundState = (name, value) => (value !== null && /^-?[\w.:-]{1,20}$/.test(value) ? ` [${name}=${value}]` : '');

const LONGEST_TARGET = 500;
// Longer queries are for the server alone: tokens, and what it wants to know of the page that was left.
const LONGEST_QUERY = 100;
const BEGINNING_OF_QUERY = 40;
const linkHref = textReader(HTMLAnchorElement, 'href');
const areaHref = textReader(HTMLAreaElement, 'href');

// These elements show a document of their own.
const EMBED_URL_ATTRIBUTES = { __proto__: null, OBJECT: 'data', EMBED: 'src' };

/** The target of a link or the document of a plug-in, as short as possible: " → /reset"; "" for none. */
function linkTargetText(element, tag, page) {
  const raw = attr(element, EMBED_URL_ATTRIBUTES[tag] ?? 'href') ?? attr(element, 'xlink:href');
  if (raw === null) return '';
  let target = raw.trim();
  if (target === '' || target === '#' || /^javascript:/i.test(target)) return '';
  if (/^data:/i.test(target)) return ` → ${withSpacesEncoded(cut(target, 40))}`;
  if (target[0] === '#') return ` → ${withSpacesEncoded(cut(target, LONGEST_TARGET))}`;
  // A relative URL stays as written, unless a <base> changes its meaning.
  if (page.hasBase && !/^[a-z][a-z0-9+.-]*:/i.test(target))
    target = tag === 'A' ? linkHref(element) : tag === 'AREA' ? areaHref(element) : target;
  if (target.startsWith(page.origin)) target = target.slice(page.origin.length - 1);
  const query = target.indexOf('?');
  if (query >= 0 && target.length - query > LONGEST_QUERY) target = cut(target, query + BEGINNING_OF_QUERY);
  return ` → ${withSpacesEncoded(cut(target, LONGEST_TARGET))}`;
}

/**
 * The target without white space and without "[ref=", so that it ends where the line does and cannot be mistaken for a
 * ref.
 */
function withSpacesEncoded(target) {
  if (!/[\s\x00-\x1f\x7f-\x9f]|\[ref=/.test(target)) return target;
  return target
    .replace(/[\t\n\r]/g, '')
    .replace(/[\s\x00-\x1f\x7f-\x9f]/g, '%20')
    .replaceAll('[ref=', '%5Bref=');
}
