// References between elements: aria-labelledby, aria-describedby, aria-owns, <label>.

/** The elements of a reflected ARIA attribute such as ariaLabelledByElements. @returns {Element[]} */
function reflectedElements(element, attribute, reflected) {
  if (!hasAttr(element, attribute)) return [];
  recordOutsideRead();
  const elements = reflected.call(element);
  return elements ? [...new Set(elements.map(resolveReferenceTarget))] : [];
}

// Not in all versions of Chrome that are supported.
const referenceTarget_ = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, 'referenceTarget')?.get;

/**
 * What a reference to the element leads to: the reference target of its shadow root, else the element itself.
 * @param {Element} element
 */
function resolveReferenceTarget(element) {
  const root = rootOfHost(element);
  const target = root && referenceTargetIn(root);
  return target ? resolveReferenceTarget(target) : element;
}

function referenceTargetIn(root) {
  const id = referenceTarget_?.call(root);
  return id ? DocumentFragment.prototype.getElementById.call(root, id) : null;
}

const labellingElements = (element) => {
  const found = reflectedElements(element, 'aria-labelledby', labelledByElements_);
  // Browsers accept this common misspelling, too.
  return found.length ? found : misspeltLabelledBy(element);
};
const describingElements = (element) => reflectedElements(element, 'aria-describedby', describedByElements_);

const misspeltLabelledBy = (element) => byIds(element, 'aria-labeledby');

/** The existing elements whose ids an attribute lists, each once. */
function byIds(element, attribute) {
  const ids = attr(element, attribute);
  if (!ids) return [];
  recordOutsideRead();
  return [...new Set(ids.split(/\s+/).map((id) => byId(element, id)))].filter((found) => found !== null);
}

/**
 * Elements moved into another element by aria-owns.
 * @type {Map<Node, Map<Element, Element>>} cache of one reading: root → owned → owner
 */
let ownersOfRoots = new Map();

/** @returns {Map<Element, Element>} each owned element in the tree of `root` with its owner; cycles are left out */
function ownersIn(root) {
  let owners = ownersOfRoots.get(root);
  if (owners) return owners;
  owners = new Map();
  ownersOfRoots.set(root, owners);
  for (const owner of root === sparseRoot ? [] : selectAll(root, OWNERS_SELECTOR)) {
    // a document with owners is never read in part: see surroundings
    if (!canOwn(owner)) continue;
    for (const owned of elementsToOwn(owner)) {
      if (!owners.has(owned) && !wouldContain(owned, owner, owners)) owners.set(owned, owner);
    }
  }
  return owners;
}

// An expanded combobox is treated as the owner of its listbox, wherever that is in the document.
const OWNERS_SELECTOR = '[aria-owns],[role="combobox" i][aria-controls][aria-expanded="true" i]';

const elementsToOwn = (owner) =>
  hasAttr(owner, 'aria-owns')
    ? byIds(owner, 'aria-owns')
    : byIds(owner, 'aria-controls').filter((each) => roleOf(each) === 'listbox');

/**
 * Whether an element can show what it owns. If it is not rendered or shows no content, the owned elements would be
 * lost.
 */
function canOwn(owner) {
  const tag = tagOf(owner);
  return (SPECIAL_TAGS[tag] === undefined || tag === 'INPUT' || tag === 'TEXTAREA') && checkVisibility_.call(owner);
}

/** Whether `owner` is inside `owned`, in the flat tree or by aria-owns that were accepted before. */
function wouldContain(owned, owner, owners) {
  for (let node = owner, steps = 0; node && steps < 10000; steps++) {
    if (node === owned) return true;
    node = owners.get(node) ?? flatParent(node);
  }
  return false;
}

/** @returns {Element[]} what the element owns, in the order of its attribute */
function ownedBy(element, owners) {
  return elementsToOwn(element).filter((owned) => owners.get(owned) === element);
}

/**
 * The labels of all controls of a tree, collected at once: `control.labels` would walk the whole tree for each control.
 */
/** @type {Map<Node, Map<Element, Element[]>>} cache of one reading */
let labelsOfRoots = new Map();
const controlOf_ = reader(HTMLLabelElement, 'control');

/**
 * The control that an element labels.
 * @returns {Element | null} null if it is no <label> of HTML, such as one in an SVG, or labels none
 */
function controlOfLabel(element) {
  const control = tagOf(element) === 'LABEL' ? controlOf_(element) : null;
  return control && resolveReferenceTarget(control);
}

/** @returns {Element[]} the <label> elements of a control, in document order */
function labelsOf(element) {
  const root = rootOf(element);
  const own = labelsIn(root).get(element) ?? NO_ELEMENTS;
  if (!isShadowRoot(root) || !referenceTargetIn(root)) return own;
  return [...labelsOutsideRoot(element, root), ...own];
}

/** The labels in the trees around, if the element is the reference target of its shadow root. @returns {Element[]} */
function labelsOutsideRoot(element, root) {
  const outer = rootOf(host_.call(root));
  const labels = labelsIn(outer).get(element) ?? NO_ELEMENTS;
  return isShadowRoot(outer) ? [...labelsOutsideRoot(element, outer), ...labels] : labels;
}

/**
 * Each labelled control in the tree of `root` with its labels.
 * @param {Node} root
 * @returns {Map<Element, Element[]>}
 */
function labelsIn(root) {
  let labels = labelsOfRoots.get(root);
  if (!labels) {
    labels = new Map();
    labelsOfRoots.set(root, labels);
    for (const label of selectAll(root, 'label')) {
      const control = controlOfLabel(label);
      if (!control) continue;
      const list = labels.get(control);
      if (list) list.push(label);
      else labels.set(control, [label]);
    }
  }
  return labels;
}

const NO_ELEMENTS = [];
