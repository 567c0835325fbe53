// Accessible names and descriptions: https://www.w3.org/TR/accname-1.2/#computation-steps, with
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation for what HTML adds (native_names.js).

// Flags of `textAlternative`: for what, and inside what, a text alternative is computed.
const NAMING_SELF = 1; // of the element being named or described itself
const INSIDE_CONTENT = 2; // of an element inside its content
// in an element that aria-labelledby or aria-describedby refers to: no further references are followed
const INSIDE_REFERENCE = 4;
const INSIDE_LABEL = 8; // in a <label>
const INSIDE_NATIVE_PART = 16; // in a <legend>, <caption>, <figcaption>, …
const INCLUDE_HIDDEN = 32; // in a reference whose root is hidden: hidden content counts

const INSIDE_ITEM = 64; // in an item of a tree or menu: the items nested in it have names of their own

// Text alternatives nest as deep as the page does. Below this depth, textContent is used.
const DEEPEST_NAME = 300;

/** @type {Map<Element, string>} cache of one reading */
let names = new Map();
/**
 * @type {Map<Element, string>} names that a line shows otherwise, since they contain decorated text (see decorated.js)
 */
let shownNames = new Map();

/** The accessible name, "" for none. @param {Element} element @param {string} role  its role */
function nameOf(element, role = roleOf(element)) {
  let name = names.get(element);
  if (name === undefined) {
    const text = textAlternative(element, NAMING_SELF, new Set(), 0, role);
    name = flatten(text);
    names.set(element, name);
    if (HAS_DECORATION_MARKS.test(text)) shownNames.set(element, resolveShownName(element, text));
  }
  return name;
}

/** The name as a line shows it: superscript and struck-out text is marked, text drawn by icon fonts is left out. */
function shownName(element, role) {
  const name = nameOf(element, role);
  return shownNames.get(element) ?? name;
}

function resolveShownName(element, text) {
  const name = flatten(resolveDecorationMarks(text));
  return hasText(name) && !name.startsWith(ICON_HINT) ? name : flatten(attr(element, 'title') ?? '');
}

/**
 * What the element contributes to the name of an ancestor, as a line shows it; `[icon=word]` for an icon without text.
 */
function nameContribution(element) {
  const mark = decorationOf(element, tagOf(element), selectionsFor(element).decorated);
  const text = textAlternative(element, INSIDE_CONTENT, new Set(), 0);
  return flatten(resolveDecorationMarks(mark ? withDecorationMarks(text, mark) : text));
}

/** The accessible description, "" if there is none or it equals the name. @param {string} name */
function descriptionOf(element, name) {
  const references = describingElements(element);
  if (references.length) {
    const text = references.map((found) => referencedText(found, new Set())).join(' ');
    return flatten(text);
  }
  const aria = attr(element, 'aria-description');
  if (aria !== null) return flatten(aria);
  const internal = internalsOf.get(element)?.description;
  if (internal) return flatten(internal);
  const title = flatten(attr(element, 'title') ?? '');
  return title === name ? '' : title;
}

const referencedText = (element, visited, depth = 0) =>
  textAlternative(element, INSIDE_REFERENCE | (isHidden(element) ? INCLUDE_HIDDEN : 0), visited, depth);

/** Steps 2A to 2I of accname. `visited` holds the elements that have contributed: none does twice, and cycles end. */
function textAlternative(element, flags, visited, depth, role = roleOf(element)) {
  if (visited.has(element)) return '';
  if (depth > DEEPEST_NAME) return textContent(element);
  const tag = tagOf(element);
  if (TAGS_WITHOUT_TEXT.has(tag)) return '';
  if (!(flags & INSIDE_REFERENCE)) {
    const labelling = labellingElements(element);
    if (labelling.length) {
      const text = labelling.map((found) => referencedText(found, visited, depth + 1)).join(' ');
      if (text.trim()) return text;
    }
  }
  if (flags & ~NAMING_SELF & ~INCLUDE_HIDDEN && !isInsideOwnLabel(element, flags)) {
    const value = embeddedValue(element, tag, role, flags, visited, depth);
    if (value !== null) {
      visited.add(element);
      return value;
    }
  }
  const label = attr(element, 'aria-label');
  if (label !== null && label.trim()) {
    visited.add(element);
    return label;
  }
  return nativeOrContentName(element, tag, role, flags, visited, depth);
}

/** Steps E (host language), F (name from content) and I (tooltip). */
function nativeOrContentName(element, tag, role, flags, visited, depth) {
  const selections = selectionsFor(element);
  const replacement = replacementOf(element, tag, selections);
  if (replacement && (replacement.alternative !== null || !(flags & NAMING_SELF))) {
    visited.add(element);
    return replacement.alternative?.trim() ? replacement.alternative : (attr(element, 'title') ?? '');
  }
  const native = tag.charCodeAt(0) < 97 ? NATIVE_NAMES[tag] : nameOfSvgOrMath;
  if (native !== undefined && role !== 'none') {
    const text = native(element, flags, visited, depth);
    if (text !== null) return text;
  }
  visited.add(element);
  // Content before the name from ElementInternals: Chrome was asked for that once, so it may be outdated.
  const fallback = attr(element, 'title') || (tag.includes('-') ? (internalsOf.get(element)?.name ?? '') : '');
  if (
    flags & ~NAMING_SELF ||
    NAMED_BY_CONTENT.has(role) ||
    isTextTag(tag) ||
    (tag === 'SUMMARY' && role === '' && isSummaryOfDetails(element))
  ) {
    let inside =
      flags & NAMING_SELF
        ? (flags & ~NAMING_SELF) | INSIDE_CONTENT | (NESTABLE_ITEM_ROLES.has(role) ? INSIDE_ITEM : 0)
        : flags;
    if (replacement) inside |= INCLUDE_HIDDEN; // the content that an image replaces names it, even if hidden
    const text = nameFromContent(element, tag, selections, inside, visited, depth);
    // White space still separates the words around it.
    if (text.trim()) return text;
    return (role === 'none' ? '' : fallback) || text;
  }
  return role === 'none' ? '' : fallback;
}

/**
 * Whether an embedded control is inside the element that labels it by aria-labelledby: its value is not part of its own
 * name then.
 */
function isInsideOwnLabel(element, flags) {
  return Boolean(flags & INSIDE_REFERENCE) && labellingElements(element).includes(element);
}

const TAGS_WITHOUT_TEXT = new Set([
  'SCRIPT',
  'STYLE',
  'NOSCRIPT',
  'TEMPLATE',
  'HEAD',
  'META',
  'LINK',
  'TITLE',
  'BASE',
  'DATALIST',
  'style',
  'script',
  'desc',
  'metadata',
  'defs',
  'title',
]);

/** Step F, name from content: the texts of the children, in flat tree order. */
function nameFromContent(element, tag, selections, flags, visited, depth) {
  const before = generatedText(element, 'before', selections.before);
  const after = generatedText(element, 'after', selections.after);
  const inner = nameFromChildren(element, tag, flags, visited, depth, selections);
  if (tag === 'LABEL' && !inner.trim() && (before || after)) {
    // A label with only a tooltip and generated content: both count (WPT name_test_case_659).
    return `${before} ${attr(element, 'title') ?? ''} ${after}`;
  }
  return withTextTransform(before, element, selections) + inner + withTextTransform(after, element, selections);
}

/** @param {typeof NOTHING_SELECTED | null} selections  of the element's tree; null: its own text is not visible */
function nameFromChildren(element, tag, flags, visited, depth, selections) {
  let text = '';
  const add = (child) => {
    const type = nodeType(child);
    if (type === 3) {
      if (selections) text += withTextTransform(dataOf(child), element, selections);
    } else if (type === 1) text += nameFromChild(child, flags, visited, depth);
  };
  const shadow = mayHost(tag) ? rootOfHost(element) : null;
  const assigned = tag === 'SLOT' ? assignedNodes_.call(element) : NO_ELEMENTS;
  if (assigned.length) assigned.forEach(add);
  else {
    for (let child = firstChild(shadow ?? element); child; child = nextSibling(child)) {
      if (child !== null && !(nodeType(child) === 1 && isOwnedElsewhere(child, element))) add(child);
      if (text.length > 100000) break;
    }
  }
  if (hasAttr(element, 'aria-owns')) ownedBy(element, ownersIn(rootOf(element))).forEach(add);
  return text;
}

function isOwnedElsewhere(child, parent) {
  const owners = ownersIn(rootOf(parent));
  return owners.size > 0 && owners.has(child) && owners.get(child) !== parent;
}

const NESTABLE_ITEM_ROLES = roleSet('treeitem menuitem menuitemcheckbox menuitemradio');
const NESTED_ITEM_ROLES = roleSet('group tree treeitem menuitem menuitemcheckbox menuitemradio');

function nameFromChild(child, flags, visited, depth) {
  if (visited.has(child)) return '';
  const tag = tagOf(child);
  if (tag === 'BR') return ' ';
  if (TAGS_WITHOUT_TEXT.has(tag) || (flags & INSIDE_ITEM && NESTED_ITEM_ROLES.has(roleOf(child, tag)))) return '';
  let text;
  if (!(flags & INCLUDE_HIDDEN)) {
    if (attr(child, 'aria-hidden')?.toLowerCase() === 'true') return '';
    const visibility = visibilityOf(child);
    if (visibility === NOT_RENDERED) return '';
    if (visibility === SELF_INVISIBLE) {
      visited.add(child);
      return nameFromChildren(child, tag, flags, visited, depth + 1, null);
    }
  }
  text = textAlternative(child, flags, visited, depth + 1);
  if (text === '') return '';
  const mark = decorationOf(child, tag, selectionsFor(child).decorated);
  if (mark) text = withDecorationMarks(text, mark);
  return isInline(child) ? text : ` ${text} `;
}
