// What only Chrome knows and Python has asked it: closed shadow roots, and what custom elements say of themselves through
// ElementInternals. Kept for as long as the element lives.

/** @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** @type {WeakRef<Element>[]} the hosts of those */
let closedHosts = [];
/**
 * @typedef {{role: string, name: string, description: string, states: Record<string, unknown>}} Internals
 * @type {WeakMap<Element, Internals | null>} null: asked, it says nothing
 */
const internalsOf = new WeakMap();

/** @param {...any} found  hosts, each followed by its closed root */
function adoptRoots(...found) {
  for (let i = 0; i < found.length; i += 2) {
    if (closedRoots.has(found[i])) continue;
    closedRoots.set(found[i], found[i + 1]);
    closedHosts.push(new WeakRef(found[i]));
    if (kept) markDeep(kept, found[i]); // what it holds is slotted now, or not shown
  }
}

/** What has no end tag: Chrome writes nothing that a script has put into it. */
const CHILDLESS = 'area,base,basefont,bgsound,br,col,embed,frame,hr,img,input,keygen,link,meta,param,source,track,wbr';

/** How many of the closed roots that are known the markup of the shown documents must hold. */
function closedRootsThere() {
  closedHosts = closedHosts.filter((reference) => reference.deref());
  const shown = closedHosts.map((reference) => reference.deref()).filter(isInShownDocument);
  return shown.filter((host) => !closestFlat(host, CHILDLESS)).length;
}

/** @param {[number, Internals | null][]} entries */
function adoptInternals(entries) {
  for (const [id, internals] of entries) {
    const element = elementsOfIds.get(id)?.deref();
    if (!element) continue;
    internalsOf.set(element, internals);
    noteNews(element);
  }
}

/** Whether a custom element may have internals that were not asked about. Before it is defined, it has none. */
const mayHaveInternals = (element) => !internalsOf.has(element) && matches(element, ':defined');

/** The role that a custom element has by itself; "" for none that ARIA knows. */
function internalRole(element) {
  const role = internalsOf.get(element)?.role;
  return role && role !== 'generic' && ROLES.has(role) ? (ROLE_SYNONYMS[role] ?? role) : '';
}

/** The shadow root of any kind that is known. @returns {ShadowRoot | null} */
const rootOfHost = (element) => shadowRoot_.call(element) ?? closedRoots.get(element) ?? null;

// https://dom.spec.whatwg.org/#valid-shadow-host-name (custom elements apart)
const HOST_TAGS = new Set('ARTICLE ASIDE BLOCKQUOTE BODY DIV FOOTER H1 H2 H3 H4 H5 H6 HEADER MAIN NAV P SECTION SPAN'.split(' '));
const mayHost = (tag) => HOST_TAGS.has(tag) || tag.includes('-');

// Chrome tells of one document or shadow root at a time who listens and what is closed in it: these were entered.

/** @type {WeakMap<Node, number>} */
const numbersOfRoots = new WeakMap();
/** @type {Map<number, WeakRef<Document | ShadowRoot>>} */
const rootsOfNumbers = new Map();
/** @type {WeakMap<Node, Document | null>} the document that a shadow root was in then */
const homesOfRoots = new WeakMap();
let lastRoot = 0;

/** @param {Document | ShadowRoot} root */
function noteRoot(root) {
  if (numbersOfRoots.has(root)) return;
  numbersOfRoots.set(root, ++lastRoot);
  rootsOfNumbers.set(lastRoot, new WeakRef(root));
  homesOfRoots.set(root, ownerDocument_.call(root));
}

noteRoot(document); // the first one

const isRootShown = (root) => (nodeType_.call(root) === 9 ? defaultView_.call(root) !== null : isConnected_.call(root));

/** How many were entered, which of them are gone since this was asked last, and see `holdsEndless`. @returns {{roots: number, gone: number[], endless: boolean}} */
function rootsNow() {
  const gone = [];
  for (const [number, reference] of rootsOfNumbers) {
    const root = reference.deref();
    const isShown = root !== undefined && isRootShown(root);
    if (isShown && homesOfRoots.get(root) === ownerDocument_.call(root)) continue;
    gone.push(number);
    rootsOfNumbers.delete(number);
    if (root) numbersOfRoots.delete(root); // it may come back, as another one
    if (isShown) noteRoot(root); // in another frame now: of its object in the old one Chrome tells no listeners
  }
  return { roots: lastRoot, gone, endless: holdsEndless };
}

/** Those that were entered after so many. @param {number} taken */
function rootsFrom(taken) {
  const roots = [];
  for (let number = taken + 1; number <= lastRoot; number++) roots.push(rootsOfNumbers.get(number)?.deref() ?? null);
  return roots;
}

/** @type {Element[]} */
let hostsToAsk = [];

/**
 * The elements that may host a closed root that is not known, likely ones first, a part of them at a time.
 * @param {number} from  0: looked for anew @param {number} most
 */
function possibleHosts(from, most) {
  if (from === 0) hostsToAsk = findPossibleHosts();
  const found = hostsToAsk.slice(from, from + most);
  if (found.length < most) hostsToAsk = [];
  return found;
}

function findPossibleHosts() {
  const likely = [];
  const others = [];
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (let i = 0; i < roots.length; i++) {
    for (const element of selectAll(roots[i], '*')) {
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
