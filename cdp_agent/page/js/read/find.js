// CSS selectors over everything that is in this session: the document, same-process frames, and shadow roots, open or
// closed.

/**
 * The elements that match a selector, in document order.
 * @param {{next: [number, number], frame: string, selector: string, within: {frame: string, id: number} | null,
 *   attributes: string[], most: number, text: boolean}} options  within: search only inside this element; most: number
 *   of elements to describe, while all are counted
 */
function findElements({ next, frame, selector, within, attributes, most, text }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  const options = { attributes, text, known: first };
  const rows = [];
  const before = [];
  let total = 0;
  const search = {
    hitsIn: (root) => selectAll(root, selector),
    add(element) {
      if (total++ < most) rows.push(foundRow(element, options));
    },
    addRemote(element) {
      reading.remote.push(idOf(element));
      before.push(total);
    },
  };
  let error = '';
  try {
    const scope = within && within.frame === frame ? elementOf(within.id) : document;
    if (scope) findIn(scope, search);
  } catch (thrown) {
    if (thrown.name !== 'SyntaxError') throw thrown;
    error = thrown.message;
  }
  const { remote, internals } = reading;
  forget();
  return { rows, total, before, error, first, end: nextId, remote, internals, ...currentRoots() };
}

/**
 * Adds what is found in a tree and in the shadow roots and frames inside it, in document order.
 * @param {Document | ShadowRoot | Element} root
 * @param {{hitsIn: (root: Node) => ArrayLike<Element>, add: (element: Element) => void, addRemote: (frame: Element) =>
 *   void, hostsIn?: (root: Node) => ArrayLike<Element>}} search  hitsIn: the elements of one tree, in order; addRemote:
 *   gets each frame of another process; hostsIn: the elements of one tree that may be hosts or frames
 */
function findIn(root, search) {
  const hits = search.hitsIn(root);
  if (nodeType_.call(root) === 1) findInInnerRoot(root, search);
  let next = 0;
  const hosts = (search.hostsIn ?? possibleHostsIn)(root);
  for (let i = 0; i < hosts.length; i++) {
    const host = hosts[i];
    if (!hasInnerRoot(host)) continue;
    while (next < hits.length && isSameOrBefore(hits[next], host)) search.add(hits[next++]);
    findInInnerRoot(host, search);
  }
  while (next < hits.length) search.add(hits[next++]);
}

// Elements that may have a shadow root or a frame's document: those that do by their tags, and all but those that
// cannot, so that custom elements are included. Common tags come first: each element is compared until one is its own.
const TAGS_WITH_ROOT =
  'span,div,p,h3,h2,h4,section,article,body,header,footer,nav,main,aside,blockquote,h1,h5,h6,' +
  'iframe,frame,object,embed';
const TAGS_WITHOUT_ROOT =
  'a li td tr ul button input option code img path svg label i b em strong dd dt th pre br small g use ' +
  'html head title base link meta style script noscript template slot abbr address area audio bdi bdo ' +
  'canvas caption cite col colgroup data datalist del details dfn dialog dl fieldset figcaption figure form hgroup ' +
  'hr ins kbd legend map mark menu meter ol optgroup output picture progress q rp rt ruby s samp search select ' +
  'source sub summary sup table tbody textarea tfoot thead time track u var video wbr rect circle line';
const POSSIBLE_HOSTS = `${TAGS_WITH_ROOT},:not(${TAGS_WITHOUT_ROOT.replaceAll(' ', ',')})`;

function possibleHostsIn(root) {
  // A reading has made objects of all elements: then this is faster than to select some.
  const wasRead = root === document && currentCache !== null;
  return wasRead ? elementsByTag_.call(document, '*') : selectAll(root, POSSIBLE_HOSTS);
}

/** Whether an element has a shadow root or is a frame. */
function hasInnerRoot(element) {
  const tag = tagOf(element);
  return isFrame(element, tag) || (mayHost(tag) && shadowOf(element) !== null);
}

/** Whether `element` is `other` or precedes it in document order. */
const isSameOrBefore = (element, other) =>
  element === other || (compareDocumentPosition_.call(element, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const compareDocumentPosition_ = Node.prototype.compareDocumentPosition;

/** Adds what is found in an element's shadow root or frame. */
function findInInnerRoot(element, search) {
  const tag = tagOf(element);
  if (mayHost(tag)) {
    const shadow = shadowOf(element);
    if (shadow) findIn(shadow, search);
  } else if (isFrame(element, tag)) {
    const inner = frameDocument(element);
    if (inner) findIn(inner, search);
    else search.addRemote(element);
  }
}

const LONGEST_FOUND_TEXT = 300;
const innerText_ = getterOf(HTMLElement.prototype, 'innerText');

function foundRow(element, { attributes, text, known }) {
  const tag = tagOf(element);
  const near = nearestKnown(element, known);
  return {
    id: idOf(element),
    near: near && near !== element ? idsOfElements.get(near) : 0,
    tag: tag.toLowerCase(),
    visible: hasVisibleBox(element),
    text: text ? cut(textOfFound(element, tag), LONGEST_FOUND_TEXT) : '',
    attributes: Object.fromEntries(attributes.map((name) => [name, attributeOf(element, name)])),
    url: documentURL_.call(documentOf(element)),
  };
}

/** The element or its nearest ancestor that has a ref from an earlier snapshot. */
function nearestKnown(element, known) {
  for (let at = element; at; at = flatParent(at)) {
    const id = idsOfElements.get(at);
    if (id !== undefined && id < known) return at;
  }
  return null;
}

function hasVisibleBox(element) {
  if (visibilityOf(element) === NOT_RENDERED || !checkVisibility_.call(element, VISIBILITY_OPTIONS)) return false;
  const { width, height } = getBoundingClientRect_.call(element);
  return width > 0 && height > 0;
}

function textOfFound(element, tag) {
  if (tag === 'INPUT' || tag === 'TEXTAREA' || tag === 'SELECT') return valueOf(element, tag, roleOf(element, tag));
  const code = codeKind(element);
  if (code) return collapse(codeOf(element, code).text);
  const isHTML = namespaceURI_.call(element) === HTML;
  return collapse(isHTML ? beginningOf(innerText_.call(element)) : textContent(element));
}

const URL_ATTRIBUTES = new Set(
  'href src action poster formaction cite data background longdesc manifest xlink:href'.split(' '),
);
const SRCSET_ATTRIBUTES = new Set(['srcset', 'imagesrcset']);
const baseURI_ = getterOf(Node.prototype, 'baseURI');

/** The value of an attribute, with URLs made absolute; null if it is missing or secret. */
function attributeOf(element, name) {
  const value = attr(element, name);
  if (value === null) return null;
  if (name === 'value' && isSecret(element)) return null;
  if (URL_ATTRIBUTES.has(name)) return absoluteUrl(value, element);
  if (!SRCSET_ATTRIBUTES.has(name)) return value;
  return value
    .split(/,\s+|,(?=https?:|\/)/)
    .map((candidate) => {
      const [address, ...size] = candidate.trim().split(/\s+/);
      return [absoluteUrl(address, element), ...size].join(' ');
    })
    .join(', ');
}

function absoluteUrl(address, element) {
  try {
    return new URL(address, baseURI_.call(element)).href;
  } catch {
    return address; // not a URL: returned as it is
  }
}

/** The number of visible images and SVGs in the document, with or without a name. @returns {number} */
const picturesShown = () =>
  [...selectAll(document, 'img,svg')].filter((each) => isShown(each) && rectOf(each).width > 0).length;
