// The DOM through accessors taken from the prototypes once. `form.children`, `form.getAttribute` or `document.body` can
// be overridden by an <input name=…> of the page (named properties exist in isolated worlds too); these accessors
// cannot. They also work on nodes of other frames, whose prototypes are different objects.

/** @param {object} prototype @param {string} name */
const getterOf = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;

const nodeType_ = getterOf(Node.prototype, 'nodeType');
const firstChild_ = getterOf(Node.prototype, 'firstChild');
const nextSibling_ = getterOf(Node.prototype, 'nextSibling');
const previousSibling_ = getterOf(Node.prototype, 'previousSibling');
const lastChild_ = getterOf(Node.prototype, 'lastChild');
const parentNode_ = getterOf(Node.prototype, 'parentNode');
const isConnected_ = getterOf(Node.prototype, 'isConnected');
const ownerDocument_ = getterOf(Node.prototype, 'ownerDocument');
const textContent_ = getterOf(Node.prototype, 'textContent');
const data_ = getterOf(CharacterData.prototype, 'data');
const tagName_ = getterOf(Element.prototype, 'tagName');
const shadowRoot_ = getterOf(Element.prototype, 'shadowRoot');
const assignedSlotOfElement_ = getterOf(Element.prototype, 'assignedSlot');
const firstElementChild_ = getterOf(Element.prototype, 'firstElementChild');
const nextElementSibling_ = getterOf(Element.prototype, 'nextElementSibling');
const previousElementSibling_ = getterOf(Element.prototype, 'previousElementSibling');
const labelledByElements_ = getterOf(Element.prototype, 'ariaLabelledByElements');
const describedByElements_ = getterOf(Element.prototype, 'ariaDescribedByElements');
const activeDescendantElement_ = getterOf(Element.prototype, 'ariaActiveDescendantElement');
const scrollLeft_ = getterOf(Element.prototype, 'scrollLeft');
const scrollTop_ = getterOf(Element.prototype, 'scrollTop');
const scrollWidth_ = getterOf(Element.prototype, 'scrollWidth');
const scrollHeight_ = getterOf(Element.prototype, 'scrollHeight');
const clientWidth_ = getterOf(Element.prototype, 'clientWidth');
const clientHeight_ = getterOf(Element.prototype, 'clientHeight');
const namespaceURI_ = getterOf(Element.prototype, 'namespaceURI');
const host_ = getterOf(ShadowRoot.prototype, 'host');
const documentElement_ = getterOf(Document.prototype, 'documentElement');
const activeElement_ = getterOf(Document.prototype, 'activeElement');
const activeElementOfRoot_ = getterOf(ShadowRoot.prototype, 'activeElement');
const body_ = getterOf(Document.prototype, 'body');
const title_ = getterOf(Document.prototype, 'title');
const compatMode_ = getterOf(Document.prototype, 'compatMode');
const contentType_ = getterOf(Document.prototype, 'contentType');
const defaultView_ = getterOf(Document.prototype, 'defaultView');
const documentURL_ = getterOf(Document.prototype, 'URL');
const getAttribute_ = Element.prototype.getAttribute;
const hasAttribute_ = Element.prototype.hasAttribute;
const closest_ = Element.prototype.closest;
const matches_ = Element.prototype.matches;
const checkVisibility_ = Element.prototype.checkVisibility;
const getBoundingClientRect_ = Element.prototype.getBoundingClientRect;
const getRootNode_ = Node.prototype.getRootNode;
const assignedNodes_ = HTMLSlotElement.prototype.assignedNodes;
const computedStyleOf = window.getComputedStyle.bind(window);

const HTML = 'http://www.w3.org/1999/xhtml';

const firstChild = (node) => firstChild_.call(node);
const nextSibling = (node) => nextSibling_.call(node);
const lastChild = (node) => lastChild_.call(node);
const parentNode = (node) => parentNode_.call(node);
const nodeType = (node) => nodeType_.call(node);
const attr = (element, name) => beginningOf(getAttribute_.call(element, name));
const hasAttr = (element, name) => hasAttribute_.call(element, name);
const closest = (element, selector) => closest_.call(element, selector);
const matches = (element, selector) => matches_.call(element, selector);
// Without :is() these match nothing but links in a page without a doctype
// (https://quirks.spec.whatwg.org/#the-active-and-hover-quirk).
const HOVERED = ':is(:hover)';
const ACTIVE = ':is(:active)';
const textContent = (node) => beginningOf(textContent_.call(node));
const dataOf = (node) => {
  const text = data_.call(node);
  return text.length <= longestText ? text : beginningOf(text);
};
/** The address of the PDF that a document shows, "" for others: Chrome shows it in a viewer of its own. */
const pdfIn = (doc) => (contentType_.call(doc) === 'application/pdf' ? documentURL_.call(doc) : '');
const rootOf = (node) => getRootNode_.call(node);
/** Whether the element is connected to a document that is still displayed in a tab or frame. */
const isInShownDocument = (element) =>
  isConnected_.call(element) && defaultView_.call(ownerDocument_.call(element)) !== null;
const documentOf = (node) => ownerDocument_.call(node) || node;

/**
 * All elements under a document, shadow root or element that match the selector.
 * @param {Node} root @param {string} selector @returns {NodeListOf<Element>}
 */
const selectAll = (root, selector) => parentClassOf(root).prototype.querySelectorAll.call(root, selector);

/**
 * The first matching element under `root`, or null.
 * @param {Node} root
 * @param {string} selector
 * @returns {Element | null}
 */
const selectFirst = (root, selector) => parentClassOf(root).prototype.querySelector.call(root, selector);
/** Whether any element under `root` matches. @param {Node} root @param {string} selector */
const selectsAny = (root, selector) => selectFirst(root, selector) !== null;

function parentClassOf(root) {
  const type = nodeType(root);
  return type === 9 ? Document : type === 11 ? DocumentFragment : Element;
}

/** The element with that id in the tree (document or shadow root) of `node`, or null. */
function byId(node, id) {
  const root = rootOf(node);
  const type = nodeType(root);
  if (type === 9) return Document.prototype.getElementById.call(root, id);
  return type === 11 ? DocumentFragment.prototype.getElementById.call(root, id) : null;
}

/** The tag name: upper case for HTML elements, as written for others (`svg`, `circle`). */
function tagOf(element) {
  const tag = tagName_.call(element);
  const isUpper = tag.charCodeAt(0) < 97;
  if (namespaceURI_.call(element) === HTML) return isUpper ? tag : tag.toUpperCase(); // XHTML keeps lower case
  return isUpper ? tag.toLowerCase() : tag; // an SVG <LABEL> is no label
}

/** The parent in the flat tree: the slot, the shadow host or the parent element; null at the top. */
function flatParent(element) {
  const slot = assignedSlotOfElement_.call(element);
  if (slot) return slot;
  const parent = parentNode_.call(element);
  if (!parent) return null;
  const type = nodeType_.call(parent);
  if (type === 1) return parent;
  return type === 11 && isShadowRoot(parent) ? host_.call(parent) : null;
}

/** @param {Node} node */
function isShadowRoot(node) {
  if (nodeType_.call(node) !== 11) return false; // cheaper than the exception below
  try {
    return host_.call(node) !== null;
  } catch {
    return false; // a plain document fragment: the accessor of ShadowRoot throws
  }
}

/** The nearest flat-tree ancestor that matches, the element itself included, or null. */
function closestFlat(element, selector) {
  for (let node = element; node;) {
    const found = closest_.call(node, selector);
    if (found) return found;
    const root = rootOf(node);
    node = nodeType(root) === 11 && isShadowRoot(root) ? host_.call(root) : null;
  }
  return null;
}

// Only the beginning of a longer text or attribute is read: hundreds of megabytes would block the page for long.
const LONGEST_READ = 1_000_000; // characters
const LONGEST_IN_MARKUP = 50_000_000;
/** The longest text of a text node that is read whole; a search reads all of it. */
let longestText = LONGEST_READ;
/** Whether a text was longer than `LONGEST_READ` that this document shows or showed. */
let hasLongText = false;
/** Whether the document holds a text so long that Chrome would need very long to serialize its markup. */
let hasHugeText = false;

/**
 * Cuts a text or attribute after `LONGEST_READ` characters. @template {string | null} T
 * @param {T} text
 * @returns {T}
 */
function beginningOf(text) {
  if (text === null || text.length <= LONGEST_READ) return text;
  hasLongText = true;
  hasHugeText ||= text.length > LONGEST_IN_MARKUP;
  return /** @type {T} */ (`${text.slice(0, LONGEST_READ)}…`);
}

/** A function that reads a property of an interface by its native getter, whatever the page has overridden. */
function reader(constructor, name) {
  const get = getterOf(constructor.prototype, name);
  return (element) => get.call(element);
}

/** The same for a property that is a string. @returns {(element: Element) => string} */
function textReader(constructor, name) {
  const get = getterOf(constructor.prototype, name);
  return (element) => beginningOf(get.call(element));
}
