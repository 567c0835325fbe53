// What only Chrome knows and Python passes on: closed shadow roots, and what custom elements declare through
// ElementInternals. Kept for as long as the element lives.

/** @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** @type {WeakRef<Element>[]} the hosts of the known closed roots */
let closedHosts = [];
/**
 * @typedef {{role: string, name: string, description: string, states: Record<string, unknown>}} Internals
 * @type {WeakMap<Element, Internals | null>} null: Chrome was asked, and nothing is declared
 */
const internalsOf = new WeakMap();

/** Stores closed shadow roots. @param {...any} found  hosts, each followed by its closed root */
function adoptRoots(...found) {
  for (let i = 0; i < found.length; i += 2) {
    if (closedRoots.has(found[i])) continue;
    closedRoots.set(found[i], found[i + 1]);
    closedHosts.push(new WeakRef(found[i]));
    if (currentCache) markSubtreeStale(currentCache, found[i]); // its children are slotted now, or not shown
  }
}

/** Void elements: Chrome does not serialize what a script has put into one. */
const CHILDLESS = 'area,base,basefont,bgsound,br,col,embed,frame,hr,img,input,keygen,link,meta,param,source,track,wbr';

/** How many known closed roots the markup of the displayed documents must contain. */
function countClosedRoots() {
  closedHosts = closedHosts.filter((reference) => reference.deref());
  const shown = closedHosts.map((reference) => reference.deref()).filter(isInShownDocument);
  return shown.filter((host) => !closestFlat(host, CHILDLESS)).length;
}

/** Stores the internals of elements by their ids. @param {[number, Internals | null][]} entries */
function adoptInternals(entries) {
  for (const [id, internals] of entries) {
    const element = elementsOfIds.get(id)?.deref();
    if (!element) continue;
    internalsOf.set(element, internals);
    invalidateElement(element);
  }
}

/** Whether a custom element may have internals that Chrome was not asked for. It has none before it is defined. */
const mayHaveInternals = (element) => !internalsOf.has(element) && matches(element, ':defined');

/** The role that a custom element declares through its internals; "" for none, or one that ARIA does not define. */
function internalRole(element) {
  const role = internalsOf.get(element)?.role;
  return role && role !== 'generic' && ROLES.has(role) ? (ROLE_SYNONYMS[role] ?? role) : '';
}

/** The open or known closed shadow root of a host. @returns {ShadowRoot | null} */
const rootOfHost = (element) => shadowRoot_.call(element) ?? closedRoots.get(element) ?? null;

// https://dom.spec.whatwg.org/#valid-shadow-host-name (custom elements apart)
const HOST_TAGS = new Set(
  'ARTICLE ASIDE BLOCKQUOTE BODY DIV FOOTER H1 H2 H3 H4 H5 H6 HEADER MAIN NAV P SECTION SPAN'.split(' '),
);
const mayHost = (tag) => HOST_TAGS.has(tag) || tag.includes('-');

// The documents and shadow roots that readings have entered, by number: Chrome lists listeners and closed roots for one
// root at a time.

/** @type {WeakMap<Node, number>} */
const numbersOfRoots = new WeakMap();
/** @type {Map<number, WeakRef<Document | ShadowRoot>>} */
const rootsOfNumbers = new Map();
/** @type {WeakMap<Node, Document | null>} the document that a shadow root was in when it was recorded */
const homesOfRoots = new WeakMap();
let lastRoot = 0;

/** Gives a document or shadow root a number. @param {Document | ShadowRoot} root */
function recordRoot(root) {
  if (numbersOfRoots.has(root)) return;
  numbersOfRoots.set(root, ++lastRoot);
  rootsOfNumbers.set(lastRoot, new WeakRef(root));
  homesOfRoots.set(root, ownerDocument_.call(root));
}

recordRoot(document); // number 1

const isRootShown = (root) => (nodeType_.call(root) === 9 ? defaultView_.call(root) !== null : isConnected_.call(root));

/**
 * How many roots were recorded, which of them are gone since the last call, whether a text is huge (`hasHugeText`), and
 * what was added, and the address of the PDF that the document is.
 * @returns {{roots: number, gone: number[], endless: boolean, large: boolean, added: AddedCounts, pdf: string}}
 */
function currentRoots() {
  const gone = [];
  for (const [number, reference] of rootsOfNumbers) {
    const root = reference.deref();
    const isShown = root !== undefined && isRootShown(root);
    if (isShown && homesOfRoots.get(root) === ownerDocument_.call(root)) continue;
    gone.push(number);
    rootsOfNumbers.delete(number);
    if (root) numbersOfRoots.delete(root); // if it comes back, it gets a new number
    // it was moved to another frame: Chrome lists no listeners for its object in the old one
    if (isShown) recordRoot(root);
  }
  const large = elementsByTag_.call(document, '*').length > MOST_LOOKED_AT;
  return { roots: lastRoot, gone, endless: hasHugeText, large, added: countAddedSoFar(), pdf: pdfIn(document) };
}

/**
 * An object that nothing else refers to. Chrome frees it when it frees nodes and listeners: an object of the DOM with a
 * property of ours outlives the more frequent collections of young objects.
 */
const unreferencedObject = () => new WeakRef(Object.assign(new DOMPoint(), { ours: true }));
let unreferenced = unreferencedObject();
let timesFreed = 0;

/**
 * How often nodes and listeners may have been freed, as far as calls have noticed. Chrome's counts drop then, and may
 * be what they were although others came.
 */
function timesMemoryWasFreed() {
  if (unreferenced.deref() === undefined) {
    timesFreed++;
    unreferenced = unreferencedObject();
  }
  return timesFreed;
}

/** The roots with a number above this one, null for those that no longer exist. @param {number} taken */
function rootsEnteredAfter(taken) {
  const roots = [];
  for (let number = taken + 1; number <= lastRoot; number++) roots.push(rootsOfNumbers.get(number)?.deref() ?? null);
  return roots;
}

const MOST_LOOKED_AT = 5000; // elements

/**
 * Records the shadow roots of a document and finds its custom elements before its first reading, so that Chrome is
 * asked about them in time for it: else what it says of them takes another one. In a larger document only readings find
 * them.
 * @param {{next: [number, number]}} options
 * @returns {{roots: number, internals: number[]}} roots: as `currentRoots`; internals: see SnapshotResult
 */
function lookAhead({ next }) {
  reserveIds(next);
  const internals = [];
  /** @type {(Document | ShadowRoot)[]} */
  const roots = elementsByTag_.call(document, '*').length <= MOST_LOOKED_AT ? [document] : [];
  for (let i = 0; i < roots.length; i++) {
    for (const element of selectAll(roots[i], '*')) {
      const tag = tagOf(element);
      const isCustom = tag.includes('-');
      const shadow = mayHost(tag) ? rootOfHost(element) : null;
      if (!(isCustom || shadow) || !checkVisibility_.call(element, VISIBILITY_OPTIONS)) continue;
      if (shadow) {
        recordRoot(shadow);
        roots.push(shadow);
      }
      if (isCustom && mayHaveInternals(element)) internals.push(idOf(element));
    }
  }
  return { roots: lastRoot, internals };
}

/** @type {Element[]} */
let hostCandidates = [];

/**
 * The elements that may host an unknown closed root, likely ones first, one slice at a time.
 * @param {number} from  the start of the slice; 0 searches the document anew @param {number} most  the length of the
 *   slice
 */
function possibleHosts(from, most) {
  if (from === 0) hostCandidates = findPossibleHosts();
  const found = hostCandidates.slice(from, from + most);
  if (found.length < most) hostCandidates = [];
  return found;
}

const FEW_HOSTS = 100;

/** Whether so few elements may host an unknown closed root that Chrome is asked about all of them. */
const fewMayHost = () => findPossibleHosts(FEW_HOSTS + 1).length <= FEW_HOSTS;

/** @param {number} most  where there are more, only some are returned */
function findPossibleHosts(most = Infinity) {
  const likely = [];
  const others = [];
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (let i = 0; i < roots.length; i++) {
    for (const element of selectAll(roots[i], '*')) {
      if (likely.length + others.length >= most) return [...likely, ...others];
      const tag = tagOf(element);
      const inner = isFrame(element, tag) && frameDocument(element);
      if (inner) roots.push(inner);
      if (!mayHost(tag)) continue;
      const root = rootOfHost(element);
      if (root) roots.push(root);
      else if (tag.includes('-') || !firstElementChild_.call(element)) likely.push(element);
      else others.push(element);
    }
  }
  return [...likely, ...others];
}
