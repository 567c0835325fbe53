// Elements that point at others: aria-labelledby, aria-describedby, aria-owns, <label>.

/** @returns {Element[]} */
function referenced(element, attribute, reflected) {
  if (!hasAttr(element, attribute)) return [];
  recordOutsideRead();
  const elements = reflected.call(element);
  return elements ? [...new Set(elements.map(targetOfReference))] : [];
}

// Not in all Chromes that we work with.
const referenceTarget_ = Object.getOwnPropertyDescriptor(ShadowRoot.prototype, 'referenceTarget')?.get;

/** What is meant where an element is referred to: the part of a component that its shadow root names for that. @param {Element} element */
function targetOfReference(element) {
  const root = rootOfHost(element);
  const target = root && partMeantIn(root);
  return target ? targetOfReference(target) : element;
}

function partMeantIn(root) {
  const id = referenceTarget_?.call(root);
  return id ? DocumentFragment.prototype.getElementById.call(root, id) : null;
}

const labellingElements = (element) => {
  const found = referenced(element, 'aria-labelledby', labelledByElements_);
  // The misspelling is common enough for browsers to honour it.
  return found.length ? found : misspelt(element);
};
const describingElements = (element) => referenced(element, 'aria-describedby', describedByElements_);

const misspelt = (element) => byIds(element, 'aria-labeledby');

/** The elements that an attribute names by id, those that exist, each once. */
function byIds(element, attribute) {
  const ids = attr(element, attribute);
  if (!ids) return [];
  recordOutsideRead();
  return [...new Set(ids.split(/\s+/).map((id) => byId(element, id)))].filter((found) => found !== null);
}

/** Elements moved into another's content. @type {Map<Node, Map<Element, Element>>} for one reading: root → owned → owner */
let ownersOfRoots = new Map();

/** @returns {Map<Element, Element>} owned elements of the tree `root` with their owners; cycles left out */
function ownersIn(root) {
  let owners = ownersOfRoots.get(root);
  if (owners) return owners;
  owners = new Map();
  ownersOfRoots.set(root, owners);
  for (const owner of root === sparseRoot ? [] : selectAll(root, OWNING)) { // with any, nothing is kept: see surroundings
    if (!canOwn(owner)) continue;
    for (const owned of claimedBy(owner)) {
      if (!owners.has(owned) && !wouldContain(owned, owner, owners)) owners.set(owned, owner);
    }
  }
  return owners;
}

// An open combobox controls the list that it shows, wherever that stands.
const OWNING = '[aria-owns],[role="combobox" i][aria-controls][aria-expanded="true" i]';

const claimedBy = (owner) =>
  hasAttr(owner, 'aria-owns') ? byIds(owner, 'aria-owns') : byIds(owner, 'aria-controls').filter((each) => roleOf(each) === 'listbox');

/** Whether what it owns can be shown in it: in what is not rendered, or shows nothing in it, that would be lost. */
function canOwn(owner) {
  const tag = tagOf(owner);
  return (SPECIAL_TAGS[tag] === undefined || tag === 'INPUT' || tag === 'TEXTAREA') && checkVisibility_.call(owner);
}

/** Whether `owner` is in what `owned` contains, by the tree or by earlier aria-owns. */
function wouldContain(owned, owner, owners) {
  for (let node = owner, steps = 0; node && steps < 10000; steps++) {
    if (node === owned) return true;
    node = owners.get(node) ?? flatParent(node);
  }
  return false;
}

/** @returns {Element[]} what this element owns, in the order it names them */
function ownedBy(element, owners) {
  return claimedBy(element).filter((owned) => owners.get(owned) === element);
}

/** Labels of each control. `control.labels` walks the whole tree each time, so that all are taken at once. */
/** @type {Map<Node, Map<Element, Element[]>>} for one reading */
let labelsOfRoots = new Map();
const controlOf_ = reader(HTMLLabelElement, 'control');

/** What an element is the label of. @returns {Element | null} null for what is none, such as a <label> in a drawing */
function controlOfLabel(element) {
  const control = tagOf(element) === 'LABEL' ? controlOf_(element) : null;
  return control && targetOfReference(control);
}

/** @returns {Element[]} the <label> elements of a control, in document order */
function labelsOf(element) {
  const root = rootOf(element);
  const own = labelsIn(root).get(element) ?? NO_LABELS;
  if (!isShadowRoot(root) || !partMeantIn(root)) return own;
  return [...labelsAround(element, root), ...own];
}

/** Those of the component that has an element for the part that is meant. @returns {Element[]} */
function labelsAround(element, root) {
  const outer = rootOf(host_.call(root));
  const labels = labelsIn(outer).get(element) ?? NO_LABELS;
  return isShadowRoot(outer) ? [...labelsAround(element, outer), ...labels] : labels;
}

/** @param {Node} root @returns {Map<Element, Element[]>} */
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

const NO_LABELS = [];
