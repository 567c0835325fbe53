// CSS over everything this session shows: the document, same-process frames in it, shadow roots of both kinds.

/**
 * @param {{next: [number, number], frame: string, selector: string, within: {frame: string, id: number} | null, attributes: string[],
 *   most: number, text: boolean}} options
 */
function findElements({ next, frame, selector, within, attributes, most, text }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  const found = { selector, rows: [], total: 0, before: [], remote: reading.remote, attributes, most, text, known: first };
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
  return { rows: found.rows, total: found.total, before: found.before, error, first, end: nextId, remote, internals, ...currentRoots() };
}

/** @param {Document | ShadowRoot | Element} root */
function findIn(root, found) {
  const hits = selectAll(root, found.selector);
  if (nodeType_.call(root) === 1) findInside(root, found);
  let next = 0;
  const takeUntil = (holder) => {
    for (; next < hits.length && (holder === null || isUpTo(hits[next], holder)); next++) {
      found.total++;
      if (found.rows.length < found.most) found.rows.push(rowOf(hits[next], found));
      else if (holder === null) {
        found.total += hits.length - next - 1;
        return;
      }
    }
  };
  for (const holder of selectAll(root, MAY_HOLD)) {
    if (!holdsMore(holder)) continue;
    takeUntil(holder);
    findInside(holder, found);
  }
  takeUntil(null);
}

// Elements that may hold a shadow root or a document: whatever is known to hold none is left out, custom elements are in.
const HOLDS_NONE =
  'html head title base link meta style script noscript template slot a abbr address area audio b bdi bdo br button canvas caption cite ' +
  'code col colgroup data datalist dd del details dfn dialog dl dt em fieldset figcaption figure form hgroup hr i img input ins ' +
  'kbd label legend li map mark menu meter ol optgroup option output picture pre progress q rp rt ruby s samp search select small ' +
  'source strong sub summary sup svg table tbody td textarea tfoot th thead time tr track u ul var video wbr path g use rect circle line';
const MAY_HOLD = `:not(${HOLDS_NONE.replaceAll(' ', ',')})`;

/** Whether there is anything to look into, or to ask Chrome about. */
function holdsMore(element) {
  const tag = tagOf(element);
  return isFrame(element, tag) || (mayHost(tag) && shadowOf(element) !== null);
}

/** Whether an element is the other one or comes before it. */
const isUpTo = (element, other) => element === other || (compareDocumentPosition_.call(element, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const compareDocumentPosition_ = Node.prototype.compareDocumentPosition;

/** Shadow root or frame content of an element. */
function findInside(element, found) {
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

function rowOf(element, found) {
  const tag = tagOf(element);
  const near = nearestKnown(element, found.known);
  return {
    id: idOf(element), near: near && near !== element ? idsOfElements.get(near) : 0, tag: tag.toLowerCase(), visible: isSeen(element),
    text: found.text ? cut(textOfFound(element, tag), LONGEST_FOUND_TEXT) : '',
    attributes: Object.fromEntries(found.attributes.map((name) => [name, attributeOf(element, name)])),
    url: documentURL_.call(documentOf(element)),
  };
}

/** The nearest element around, itself included, that a snapshot has given a ref before. */
function nearestKnown(element, known) {
  for (let at = element; at; at = flatParent(at)) {
    const id = idsOfElements.get(at);
    if (id !== undefined && id < known) return at;
  }
  return null;
}

function isSeen(element) {
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

const ADDRESSES = new Set('href src action poster formaction cite data background longdesc manifest xlink:href'.split(' '));
const ADDRESS_LISTS = new Set(['srcset', 'imagesrcset']);
const baseURI_ = getterOf(Node.prototype, 'baseURI');

/** The attribute as it stands; addresses absolute. null: it has none. */
function attributeOf(element, name) {
  const value = attr(element, name);
  if (value === null) return null;
  if (name === 'value' && isSecret(element)) return null;
  if (ADDRESSES.has(name)) return absolute(value, element);
  if (!ADDRESS_LISTS.has(name)) return value;
  return value.split(/,\s+|,(?=https?:|\/)/).map((candidate) => {
    const [address, ...size] = candidate.trim().split(/\s+/);
    return [absolute(address, element), ...size].join(' ');
  }).join(', ');
}

function absolute(address, element) {
  try {
    return new URL(address, baseURI_.call(element)).href;
  } catch {
    return address; // no address at all: what stands there is all there is to tell
  }
}

/** How many pictures the document shows, named or not. @returns {number} */
const picturesShown = () => [...selectAll(document, 'img,svg')].filter((each) => isShown(each) && rectOf(each).width > 0).length;
