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
  const found = {
    selector,
    rows: [],
    total: 0,
    before: [],
    remote: reading.remote,
    attributes,
    most,
    text,
    known: first,
  };
  let error = '';
  try {
    const scope = within && within.frame === frame ? elementOf(within.id) : document;
    if (scope) findIn(scope, found);
  } catch (thrown) {
    if (thrown.name !== 'SyntaxError') throw thrown;
    error = thrown.message;
  }
  const { remote, internals } = reading;
  forget();
  return {
    rows: found.rows,
    total: found.total,
    before: found.before,
    error,
    first,
    end: nextId,
    remote,
    internals,
    ...currentRoots(),
  };
}

/**
 * Adds the matches in a tree and in the shadow roots and frames inside it.
 * @param {Document | ShadowRoot | Element} root
 */
function findIn(root, found) {
  const hits = selectAll(root, found.selector);
  if (nodeType_.call(root) === 1) findInInnerRoot(root, found);
  let next = 0;
  const addHitsUntil = (host) => {
    for (; next < hits.length && (host === null || isSameOrBefore(hits[next], host)); next++) {
      found.total++;
      if (found.rows.length < found.most) found.rows.push(foundRow(hits[next], found));
      else if (host === null) {
        found.total += hits.length - next - 1;
        return;
      }
    }
  };
  // A reading has made objects of all elements: then this is faster than to select some.
  const wasRead = root === document && currentCache !== null;
  const hosts = wasRead ? elementsByTag_.call(document, '*') : selectAll(root, POSSIBLE_HOSTS);
  for (let i = 0; i < hosts.length; i++) {
    const host = hosts[i];
    if (!hasInnerRoot(host)) continue;
    addHitsUntil(host);
    findInInnerRoot(host, found);
  }
  addHitsUntil(null);
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

/** Whether an element has a shadow root or is a frame. */
function hasInnerRoot(element) {
  const tag = tagOf(element);
  return isFrame(element, tag) || (mayHost(tag) && shadowOf(element) !== null);
}

/** Whether `element` is `other` or precedes it in document order. */
const isSameOrBefore = (element, other) =>
  element === other || (compareDocumentPosition_.call(element, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const compareDocumentPosition_ = Node.prototype.compareDocumentPosition;

/**
 * Adds the matches in an element's shadow root or frame. The frames of other processes are listed in `found.remote`.
 */
function findInInnerRoot(element, found) {
  const tag = tagOf(element);
  if (mayHost(tag)) {
    const shadow = shadowOf(element);
    if (shadow) findIn(shadow, found);
  } else if (isFrame(element, tag)) {
    const inner = frameDocument(element);
    if (inner) findIn(inner, found);
    else {
      found.remote.push(idOf(element));
      found.before.push(found.total);
    }
  }
}

const LONGEST_FOUND_TEXT = 300;
const innerText_ = getterOf(HTMLElement.prototype, 'innerText');

function foundRow(element, found) {
  const tag = tagOf(element);
  const near = nearestKnown(element, found.known);
  return {
    id: idOf(element),
    near: near && near !== element ? idsOfElements.get(near) : 0,
    tag: tag.toLowerCase(),
    visible: hasVisibleBox(element),
    text: found.text ? cut(textOfFound(element, tag), LONGEST_FOUND_TEXT) : '',
    attributes: Object.fromEntries(found.attributes.map((name) => [name, attributeOf(element, name)])),
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
