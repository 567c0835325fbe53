// What fields hold, and where links lead.

const SECRET_AUTOCOMPLETE = /(^|\s)(one-time-code|cc-[a-z-]+)(\s|$)/i;
const PASSWORD_AUTOCOMPLETE = /(^|\s)(current|new)-password(\s|$)/i;

/** Fields that the user filled in, of which no model is to know with what. @type {WeakSet<Element>} */
const withheld = new WeakSet();
/** What is read in the place of that. */
const USER_DATA = '<user data>';

/** Whether a field's value is never shown: passwords, one-time codes, card data, what the user filled in. */
function isSecret(element) {
  if (withheld.has(element)) return true;
  if (tagOf(element) === 'INPUT' && inputType(element) === 'password') return true;
  if (isDrawnAsDots(element)) return true;
  const autocomplete = attr(element, 'autocomplete');
  if (autocomplete === null) return false;
  // Lists that are searched say it too, to keep Chrome's own suggestions away: nobody chooses a password from a list.
  return SECRET_AUTOCOMPLETE.test(autocomplete) || (PASSWORD_AUTOCOMPLETE.test(autocomplete) && attr(element, 'role') !== 'combobox');
}

/** As a password is, of a field that is none, so that nobody offers to save it. */
const isDrawnAsDots = (field) => (tagOf(field) === 'INPUT' || tagOf(field) === 'TEXTAREA') && computedStyleOf(field).webkitTextSecurity !== 'none';

const WITHOUT_VALUE = new Set(['button', 'submit', 'reset', 'image', 'checkbox', 'radio', 'hidden', 'file']);
const inputFiles = reader(HTMLInputElement, 'files');

/** The value to be shown after the colon, "" for none. */
function valueOf(element, tag, role) {
  if (withheld.has(element) && holdsUserData(element, tag)) return USER_DATA;
  if (tag === 'INPUT') {
    const type = inputType(element);
    if (type === 'file') return [...(inputFiles(element) ?? [])].map((file) => collapse(file.name)).join(', ');
    return WITHOUT_VALUE.has(type) || isSecret(element) ? '' : collapse(inputValue(element));
  }
  if (tag === 'TEXTAREA') return isSecret(element) ? '' : collapse(areaValue(element));
  if (tag === 'SELECT') {
    return isSecret(element) || isListSelect(element) ? '' : [...selectedOptions(element)].map((option) => collapse(optionLabel(option))).join(', ');
  }
  if (tag === 'PROGRESS' || tag === 'METER') return progressText(element);
  if (RANGE_ROLES.has(role)) {
    return collapse(attr(element, 'aria-valuetext') ?? attr(element, 'aria-valuenow') ?? '');
  }
  return '';
}

function holdsUserData(element, tag) {
  if (tag === 'INPUT') return !WITHOUT_VALUE.has(inputType(element)) && inputValue(element) !== '';
  return tag === 'SELECT' || (tag === 'TEXTAREA' && areaValue(element) !== '');
}

const selectionStartOf = (field) => (tagOf(field) === 'INPUT' ? selectionStartOfInput : selectionStartOfArea)(field);
const selectionEndOf = (field) => (tagOf(field) === 'INPUT' ? selectionEndOfInput : selectionEndOfArea)(field);
const selectionStartOfInput = reader(HTMLInputElement, 'selectionStart');
const selectionEndOfInput = reader(HTMLInputElement, 'selectionEnd');
const selectionStartOfArea = reader(HTMLTextAreaElement, 'selectionStart');
const selectionEndOfArea = reader(HTMLTextAreaElement, 'selectionEnd');

/** ` [selection="…"]`: what is selected in the field that has the focus. @param {Element} field */
function selectionState(field, tag) {
  if ((tag !== 'INPUT' && tag !== 'TEXTAREA') || isSecret(field)) return '';
  const start = selectionStartOf(field);
  const end = selectionEndOf(field);
  if (start === null || start === end) return ''; // some types have none
  const value = tag === 'INPUT' ? inputValue(field) : areaValue(field);
  return start === 0 && end === value.length ? ' [selection=all]' : ` [selection=${bracketed(cut(collapse(value.slice(start, end)), LONGEST_SELECTION))}]`;
}

const RANGE_ROLES = roleSet('slider spinbutton progressbar scrollbar meter separator');

function progressText(element) {
  const value = attr(element, 'aria-valuetext') ?? attr(element, 'value');
  if (value === null) return '';
  const max = attr(element, 'max');
  return max && max !== '1' && !attr(element, 'aria-valuetext') ? `${value} of ${max}` : collapse(value);
}

const TYPED_INPUTS = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'file', 'password']);

/** " [type=date]", " [min=0] [max=9]", ` placeholder="…"`: what one must know to fill the field in. */
function fieldDetails(element, tag, role, name) {
  let text = '';
  if (tag === 'INPUT') {
    const type = inputType(element);
    if (TYPED_INPUTS.has(type)) text += ` [type=${type}]`;
    if (hasAttr(element, 'multiple') && type === 'file') text += ' [multiple]';
  } else if (tag === 'SELECT' && selectIsMultiple(element)) text += ' [multiple]';
  if (role === 'slider' || role === 'spinbutton') {
    text += bound('min', attr(element, 'min') ?? attr(element, 'aria-valuemin'));
    text += bound('max', attr(element, 'max') ?? attr(element, 'aria-valuemax'));
  }
  const placeholder = collapse(placeholderOf(element));
  if (placeholder && placeholder !== name) text += ` [placeholder=${bracketed(cut(placeholder, 200))}]`;
  return text;
}

const bound = (name, value) => (value !== null && /^-?[\w.:-]{1,20}$/.test(value) ? ` [${name}=${value}]` : '');

const LONGEST_TARGET = 500;
const linkHref = textReader(HTMLAnchorElement, 'href');
const areaHref = textReader(HTMLAreaElement, 'href');

// What these show is a document of its own.
const ADDRESSED_BY = { __proto__: null, OBJECT: 'data', EMBED: 'src' };

/** Where a link leads, or what a plug-in shows, as short as it can be said: " → /reset"; "" for nowhere else. */
function targetOf(element, tag, page) {
  const raw = attr(element, ADDRESSED_BY[tag] ?? 'href') ?? attr(element, 'xlink:href');
  if (raw === null) return '';
  let target = raw.trim();
  if (target === '' || target === '#' || /^javascript:/i.test(target)) return '';
  if (/^data:/i.test(target)) return ` → ${oneLine(cut(target, 40))}`;
  if (target[0] === '#') return ` → ${oneLine(cut(target, LONGEST_TARGET))}`;
  // Relative as written, unless a <base> makes that mean something else.
  if (page.hasBase && !/^[a-z][a-z0-9+.-]*:/i.test(target)) target = tag === 'A' ? linkHref(element) : tag === 'AREA' ? areaHref(element) : target;
  if (target.startsWith(page.origin)) target = target.slice(page.origin.length - 1);
  return ` → ${oneLine(cut(target, LONGEST_TARGET))}`;
}

/** Without spaces, so that the target ends where the line does and can be told from what follows; nor is any of it taken for a ref. */
function oneLine(target) {
  if (!/[\s\x00-\x1f\x7f-\x9f]|\[ref=/.test(target)) return target;
  return target.replace(/[\t\n\r]/g, '').replace(/[\s\x00-\x1f\x7f-\x9f]/g, '%20').replaceAll('[ref=', '%5Bref=');
}
