// What only Chrome knows and Python has asked it: closed shadow roots, and what custom elements say of themselves through
// ElementInternals. Kept for as long as the element lives.

/** @type {WeakMap<Element, ShadowRoot | null>} null: asked, it has none */
const closedRoots = new WeakMap();
/**
 * @typedef {{role: string, name: string, description: string, states: Record<string, unknown>}} Internals
 * @type {WeakMap<Element, Internals | null>}
 */
const internalsOf = new WeakMap();

/** @param {number[]} ids @param {...(ShadowRoot | null)} roots  one for each id */
function adoptRoots(ids, ...roots) {
  ids.forEach((id, i) => {
    const host = elementsOfIds.get(id)?.deref();
    if (!host) return;
    closedRoots.set(host, roots[i] ?? null);
    if (roots[i]) noteNews(host);
  });
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
