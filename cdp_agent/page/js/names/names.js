// Accessible names and descriptions: https://www.w3.org/TR/accname-1.2/#computation-steps, with
// https://www.w3.org/TR/html-aam-1.0/#accessible-name-and-description-computation for what HTML adds (native_names.js).

// How a text alternative came to be asked for, in `how`:
const OF_SELF = 1; // the element being named or described itself
const IN_CONTENT = 2; // something inside of it
const BY_REFERENCE = 4; // in what aria-labelledby or aria-describedby points at: no further references are followed
const BY_LABEL = 8; // in a <label>
const BY_NATIVE = 16; // in a <legend>, <caption>, <figcaption>, …
const EVEN_HIDDEN = 32; // in a reference whose root is hidden: then hidden content counts

const OF_ITEM = 64; // in an item of a tree or menu: the items below it have names of their own

// Text alternatives nest as deep as the page does. Below this, plain text must do.
const DEEPEST_NAME = 300;

/** @type {Map<Element, string>} for one reading */
let names = new Map();
/** @type {Map<Element, string>} those of them that are written differently, see decorated.js */
let writtenNames = new Map();

/** The accessible name, "" for none. @param {Element} element @param {string} role  its role */
function nameOf(element, role = roleOf(element)) {
  let name = names.get(element);
  if (name === undefined) {
    const text = textAlternative(element, OF_SELF, new Set(), 0, role);
    name = flatten(text);
    names.set(element, name);
    if (DECORATED.test(text)) writtenNames.set(element, writtenName(element, text));
  }
  return name;
}

/** The name as a line shows it: what is raised or struck out is marked, what an icon font draws is left out. */
function shownName(element, role) {
  const name = nameOf(element, role);
  return writtenNames.get(element) ?? name;
}

function writtenName(element, text) {
  const name = flatten(written(text));
  return hasText(name) && !name.startsWith(ICON_HINT) ? name : flatten(attr(element, 'title') ?? '');
}

/** What the element adds to the name of what it is in, as a line shows it; `[icon=word]` where it is only an icon. */
function wordsGiven(element) {
  const mark = decorationOf(element, tagOf(element), selectionsFor(element).decorated);
  const text = textAlternative(element, IN_CONTENT, new Set(), 0);
  return flatten(written(mark ? decorated(text, mark) : text));
}

/** The accessible description, "" for none or when it is the name. @param {string} name */
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
  textAlternative(element, BY_REFERENCE | (isHidden(element) ? EVEN_HIDDEN : 0), visited, depth);

/** Steps A to I. `visited` holds what has contributed already, so that nothing does twice and cycles end. */
function textAlternative(element, how, visited, depth, role = roleOf(element)) {
  if (visited.has(element)) return '';
  if (depth > DEEPEST_NAME) return textContent(element);
  const tag = tagOf(element);
  if (WITHOUT_TEXT.has(tag)) return '';
  if (!(how & BY_REFERENCE)) {
    const labelling = labellingElements(element);
    if (labelling.length) {
      const text = labelling.map((found) => referencedText(found, visited, depth + 1)).join(' ');
      if (text.trim()) return text;
    }
  }
  if (how & ~OF_SELF & ~EVEN_HIDDEN && !isPartOfItsOwnName(element, how)) {
    const value = embeddedValue(element, tag, role, how, visited, depth);
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
  return nativeOrContent(element, tag, role, how, visited, depth);
}

/** Steps E (native), F (content) and I (tooltip). */
function nativeOrContent(element, tag, role, how, visited, depth) {
  const selections = selectionsFor(element);
  const replacement = replacementOf(element, tag, selections);
  if (replacement && (replacement.alternative !== null || !(how & OF_SELF))) {
    visited.add(element);
    return replacement.alternative?.trim() ? replacement.alternative : (attr(element, 'title') ?? '');
  }
  const native = tag.charCodeAt(0) < 97 ? NATIVE_NAMES[tag] : nameOfForeign;
  if (native !== undefined && role !== 'none') {
    const text = native(element, how, visited, depth);
    if (text !== null) return text;
  }
  visited.add(element);
  // Content first: what Chrome told once may be out of date.
  const fallback = attr(element, 'title') || (tag.includes('-') ? (internalsOf.get(element)?.name ?? '') : '');
  if (how & ~OF_SELF || NAMED_BY_CONTENT.has(role) || isTextTag(tag) || (tag === 'SUMMARY' && role === '' && isSummaryOfDetails(element))) {
    let inside = how & OF_SELF ? (how & ~OF_SELF) | IN_CONTENT | (HOLDS_ITEMS.has(role) ? OF_ITEM : 0) : how;
    if (replacement) inside |= EVEN_HIDDEN; // what is there without the picture is what its author calls it
    const text = contentName(element, tag, selections, inside, visited, depth);
    // Blank text still parts the words around it.
    if (text.trim()) return text;
    return (role === 'none' ? '' : fallback) || text;
  }
  return role === 'none' ? '' : fallback;
}

/** Whether a field stands in the very label or reference that names it: then its value is no part of the name. */
function isPartOfItsOwnName(element, how) {
  return Boolean(how & BY_REFERENCE) && labellingElements(element).includes(element);
}

const WITHOUT_TEXT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'META', 'LINK', 'TITLE', 'BASE', 'DATALIST', 'style', 'script', 'desc', 'metadata', 'defs', 'title']);

/** Step F: the texts of what is inside, in the order of the flat tree. */
function contentName(element, tag, selections, how, visited, depth) {
  const before = generatedText(element, 'before', selections.before);
  const after = generatedText(element, 'after', selections.after);
  const inner = childrenName(element, tag, how, visited, depth, selections);
  if (tag === 'LABEL' && !inner.trim() && (before || after)) {
    // A label that says nothing but by its tooltip and its style sheet: both count (WPT name_test_case_659).
    return `${before} ${attr(element, 'title') ?? ''} ${after}`;
  }
  return cased(before, element, selections) + inner + cased(after, element, selections);
}

/** @param {typeof NOTHING_SELECTED | null} selections  where its own text is seen */
function childrenName(element, tag, how, visited, depth, selections) {
  let text = '';
  const add = (child) => {
    const type = nodeType(child);
    if (type === 3) {
      if (selections) text += cased(dataOf(child), element, selections);
    } else if (type === 1) text += childName(child, how, visited, depth);
  };
  const shadow = mayHost(tag) ? rootOfHost(element) : null;
  const assigned = tag === 'SLOT' ? assignedNodes_.call(element) : NO_LABELS;
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

const HOLDS_ITEMS = roleSet('treeitem menuitem menuitemcheckbox menuitemradio');
const ITEMS_BELOW = roleSet('group tree treeitem menuitem menuitemcheckbox menuitemradio');

function childName(child, how, visited, depth) {
  if (visited.has(child)) return '';
  const tag = tagOf(child);
  if (tag === 'BR') return ' ';
  if (WITHOUT_TEXT.has(tag) || (how & OF_ITEM && ITEMS_BELOW.has(roleOf(child, tag)))) return '';
  let text;
  if (!(how & EVEN_HIDDEN)) {
    if (attr(child, 'aria-hidden')?.toLowerCase() === 'true') return '';
    const visibility = visibilityOf(child);
    if (visibility === NOT_RENDERED) return '';
    if (visibility === SELF_INVISIBLE) {
      visited.add(child);
      return childrenName(child, tag, how, visited, depth + 1, null);
    }
  }
  text = textAlternative(child, how, visited, depth + 1);
  if (text === '') return '';
  const mark = decorationOf(child, tag, selectionsFor(child).decorated);
  if (mark) text = decorated(text, mark);
  return isInline(child) ? text : ` ${text} `;
}
