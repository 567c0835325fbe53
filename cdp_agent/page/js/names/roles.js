// The role of an element: the first known and applicable role in its role attribute, else its implicit role.
// https://www.w3.org/TR/html-aam-1.0/  https://www.w3.org/TR/wai-aria-1.3/#document-handling_author-errors_roles

/** @type {Map<Element, string>} cache of one reading */
let roles = new Map();
/** Elements whose role also depends on other elements, such as those that label it. @type {Set<Element>} */
let rolesReadFromOthers = new Set();

/** The role of an element. @returns {string} "" for generic, "none" when its semantics are removed */
function roleOf(element, tag = tagOf(element)) {
  const attribute = attr(element, 'role');
  if (attribute === null && !(tag in PRESENTATIONAL_PARENTS)) {
    const implicit = IMPLICIT_ROLES[tag];
    if (typeof implicit === 'string') return implicit;
    if (implicit === undefined) return tag.includes('-') ? internalRole(element) : '';
  }
  let role = roles.get(element);
  if (role === undefined) {
    const before = outsideReads;
    role = explicitRole(element, tag, attribute) ?? implicitRole(element, tag);
    roles.set(element, role);
    if (outsideReads !== before) rolesReadFromOthers.add(element);
  } else if (rolesReadFromOthers.has(element)) recordOutsideRead();
  return role;
}

/** The role as lines show it: "" instead of "none". */
function shownRole(element, tag = tagOf(element)) {
  const role = roleOf(element, tag);
  return role === 'none' ? '' : role;
}

function explicitRole(element, tag, attribute) {
  if (!attribute) return null;
  for (const token of attribute.toLowerCase().split(/[ \t\n\f\r]+/)) {
    if (!ROLES.has(token)) continue;
    if (token === 'none' || token === 'presentation') {
      return isFocusable(element, tag) || hasGlobalAria(element) ? null : 'none';
    }
    if (token === 'region' && !hasAnyName(element)) continue;
    if (token === 'form' && !hasAnyName(element)) continue;
    if (token === 'generic') return '';
    return ROLE_SYNONYMS[token] ?? token;
  }
  return null;
}

// The link roles of DPUB-ARIA are shown as links.
const ROLE_SYNONYMS = {
  __proto__: null,
  image: 'img',
  directory: 'list',
  'doc-backlink': 'link',
  'doc-biblioref': 'link',
  'doc-glossref': 'link',
  'doc-noteref': 'link',
};

function implicitRole(element, tag) {
  const implicit = IMPLICIT_ROLES[tag];
  const role =
    typeof implicit === 'function' ? implicit(element) : (implicit ?? (tag.includes('-') ? internalRole(element) : ''));
  return role && isPresentational(element, tag) ? 'none' : role;
}

/** Whether role=none of the list or table around also applies to this part of it. */
function isPresentational(element, tag) {
  const parents = PRESENTATIONAL_PARENTS[tag];
  if (!parents) return false;
  const parent = parentNode_.call(element);
  if (!parent || nodeType(parent) !== 1) return false;
  const parentTag = tagOf(parent);
  if (!parents.includes(parentTag)) return false;
  const attribute = attr(parent, 'role');
  if (attribute !== null) {
    const role = roleOf(parent, parentTag);
    if (role === 'none') return true;
    if (explicitRole(parent, parentTag, attribute) !== null) return false;
  }
  return parentTag !== 'TABLE' && parentTag !== 'UL' && parentTag !== 'OL' && isPresentational(parent, parentTag);
}

const GLOBAL_ARIA = [
  'atomic',
  'braillelabel',
  'brailleroledescription',
  'busy',
  'controls',
  'current',
  'describedby',
  'description',
  'details',
  'dropeffect',
  'flowto',
  'grabbed',
  'keyshortcuts',
  'live',
  'owns',
  'relevant',
  'roledescription',
].map((name) => `[aria-${name}]`);
const GLOBAL_ARIA_SELECTOR = GLOBAL_ARIA.join(',');

/** Global ARIA attributes undo role=none; aria-label and aria-labelledby only if they give a name. */
function hasGlobalAria(element) {
  return matches(element, GLOBAL_ARIA_SELECTOR) || hasAriaName(element);
}

const hasAriaName = (element) => Boolean(attr(element, 'aria-label')?.trim()) || labellingElements(element).length > 0;
const hasAnyName = (element) => hasAriaName(element) || Boolean(attr(element, 'title')?.trim());

function isFocusable(element, tag) {
  if (hasAttr(element, 'tabindex') && !Number.isNaN(parseInt(attr(element, 'tabindex'), 10))) return true;
  if (tag === 'A' || tag === 'AREA') return hasAttr(element, 'href');
  if (tag === 'BUTTON' || tag === 'SELECT' || tag === 'TEXTAREA') return !matches(element, ':disabled');
  if (tag === 'INPUT') return attr(element, 'type')?.toLowerCase() !== 'hidden' && !matches(element, ':disabled');
  return tag === 'IFRAME' || (tag === 'SUMMARY' && isSummaryOfDetails(element)) || isEditingHost(element);
}

const isEditingHost = (element) =>
  matches(element, EDITING_HOST) || (tagOf(element) === 'BODY' && isDesignMode(documentOf(element)));
const EDITING_HOST = '[contenteditable=""],[contenteditable="true" i],[contenteditable="plaintext-only" i]';

function isSummaryOfDetails(element) {
  const parent = parentNode(element);
  if (!parent || nodeType(parent) !== 1 || tagOf(parent) !== 'DETAILS') return false;
  return closestChild(parent, 'SUMMARY') === element;
}

/** The first child element with that tag. */
function closestChild(parent, tag) {
  let child = firstElementChild_.call(parent);
  while (child && tagOf(child) !== tag) child = nextElementSibling_.call(child);
  return child;
}

const SECTIONING =
  'article:not([role]), aside:not([role]), nav:not([role]), section:not([role]), ' +
  '[role="article" i], [role="complementary" i], [role="navigation" i], [role="region" i]';
const SECTIONING_OR_MAIN = `${SECTIONING}, main:not([role]), [role="main" i]`;

const isInSectioningOrMain = (element) => closestFlat(element, SECTIONING_OR_MAIN) !== null;

function roleOfAside(element) {
  const parent = flatParent(element);
  return parent && closestFlat(parent, SECTIONING) && !hasAnyName(element) ? '' : 'complementary';
}

function roleOfImage(element) {
  const alt = attr(element, 'alt');
  if (alt !== '') return 'img';
  return hasGlobalAria(element) || isFocusable(element, 'IMG') ? 'img' : 'none';
}

function roleOfInput(element) {
  const type = inputType(element);
  const role = INPUT_ROLES[type];
  if (role !== undefined) return role;
  if (DATALIST_TYPES.has(type) && datalistOf(element)) return 'combobox';
  return type === 'search' ? 'searchbox' : 'textbox';
}

/** Whether a <label> is the visible part of an <input> that is itself not visible. */
function isLabelOfHiddenControl(label) {
  const control = controlOfLabel(label);
  return (
    control !== null &&
    tagOf(control) === 'INPUT' &&
    inputType(control) !== 'hidden' &&
    !checkVisibility_.call(control, VISIBILITY_OPTIONS)
  );
}

/** The label of such an <input> is shown as a checkbox, radio button, switch or button. */
function roleOfLabel(label) {
  const role = isLabelOfHiddenControl(label) ? roleOf(controlOfLabel(label), 'INPUT') : '';
  return CHECKABLE_ROLES.has(role) || role === 'button' ? role : '';
}

const CHECKABLE_ROLES = roleSet('checkbox radio switch');
const DATALIST_TYPES = new Set(['text', 'search', 'tel', 'url', 'email']);
const inputType = reader(HTMLInputElement, 'type');
const datalistOf = reader(HTMLInputElement, 'list');
const selectIsMultiple = reader(HTMLSelectElement, 'multiple');
const selectSize = reader(HTMLSelectElement, 'size');
const isListSelect = (element) => selectIsMultiple(element) || selectSize(element) > 1;
/**
 * Whether the open list of a <select> is rendered by the page and not by the browser.
 * https://drafts.csswg.org/css-forms-1/
 */
const isBaseSelect = (select) => computedStyleOf(select).appearance === 'base-select';
const isOpenSelect = (select) => matches(select, ':open');

function roleOfItem(element) {
  const parent = parentNode_.call(element);
  if (!parent || nodeType(parent) !== 1) return 'listitem';
  const tag = tagOf(parent);
  return tag === 'UL' || tag === 'OL' || tag === 'MENU' || roleOf(parent, tag) === 'list' ? 'listitem' : '';
}

/** https://www.w3.org/TR/svg-aam-1.0/#include_elements: groups and shapes have a role if they have a name. */
function roleOfGroup(element) {
  return isNamedInSvg(element) ? 'group' : '';
}

function roleOfShape(element) {
  return isNamedInSvg(element) ? 'graphics-symbol' : '';
}

const isNamedInSvg = (element) =>
  Boolean(svgTitleOf(element)?.trim() || attr(element, 'xlink:title')?.trim()) || hasAriaName(element);

/** The role of the table around a cell. */
function tableRoleOf(element) {
  const table = closest(element, 'table');
  return table ? roleOf(table, 'TABLE') : '';
}

function roleOfCell(element) {
  const table = tableRoleOf(element);
  return table === 'grid' || table === 'treegrid' ? 'gridcell' : 'cell';
}

/** https://www.w3.org/TR/html-aam-1.0/#el-th: without scope, the cells beside it decide. */
function roleOfHeaderCell(element) {
  const scope = attr(element, 'scope')?.toLowerCase();
  if (scope === 'col' || scope === 'colgroup') return 'columnheader';
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  const next = nextElementSibling_.call(element);
  const previous = previousElementSibling_.call(element);
  if (!next && !previous) {
    const table = closest(element, 'table');
    return table && tableRows(table).length <= 1 ? '' : 'columnheader';
  }
  const isHeader = (cell) => cell !== null && tagOf(cell) === 'TH';
  if (isHeader(next) && isHeader(previous)) return 'columnheader';
  return isFilledCell(next) || isFilledCell(previous) ? 'rowheader' : 'columnheader';
}

const tableRows = reader(HTMLTableElement, 'rows');
const isFilledCell = (cell) =>
  cell !== null && tagOf(cell) === 'TD' && (textContent(cell).trim() !== '' || firstElementChild_.call(cell) !== null);
