// Scrolling: which box to scroll, and its position.

/** @typedef {'x' | 'y'} Axis */

const scrollingElement_ = getterOf(Document.prototype, 'scrollingElement');
const elementFromPoint_ = Document.prototype.elementFromPoint;
const boxScrollBy_ = Element.prototype.scrollBy;
const boxScrollIntoView_ = Element.prototype.scrollIntoView;

/**
 * The box to scroll: the nearest one around the element of `id`, itself included, or for 0 the one that users see as
 * the page.
 * @param {{next: [number, number], id: number, axis: Axis, enters: boolean}} options
 *   enters: whether of an iframe its document is meant, not what is around it
 * @returns {{first: number, end: number, id: number, label: string, into: number, others: string[],
 *   why: '' | 'locked' | 'fits'}}
 *   into: the iframe whose document is to be scrolled instead, in another world; others: boxes elsewhere that scroll
 */
function scrollBox({ next, id, axis, enters }) {
  const first = reserveIds(next);
  forget();
  const asked = id ? elementOf(id) : null;
  const inFrame = enters && asked && isFrame(asked, tagOf(asked)) ? frameScroller(asked, axis) : null;
  const found = inFrame ?? (asked ? scrollerAround(asked, axis) : pageScroller(document, axis));
  const isRemote = found !== null && tagOf(found) === 'IFRAME';
  const others = found || !asked ? [] : scrollersIn(documentElement_.call(document), axis).slice(0, MOST_NAMED);
  /** @type {ReturnType<typeof scrollBox>} */
  const answer = {
    first,
    end: 0,
    id: found && !isRemote ? idOf(found) : 0,
    label: found && !isRemote ? labelOfBox(found) : '',
    into: isRemote ? idOf(found) : 0,
    others: others.map(labelOfBox),
    why: found ? '' : isLocked(axis) ? 'locked' : 'fits',
  };
  forget();
  return { ...answer, end: nextId };
}

/**
 * The nearest box around an element that scrolls, itself included; else the largest one in its table, whose header and
 * pinned columns stand beside what scrolls.
 * @param {Element} element @param {Axis} axis @returns {Element | null}
 */
function scrollerAround(element, axis) {
  const around = [];
  for (let at = element; at; at = flatParent(at) ?? defaultView_.call(documentOf(at))?.frameElement ?? null) {
    if (isScrollable(at, axis)) return at;
    around.push(at);
  }
  const table = around.find((each) => TABLES.has(roleOf(each, tagOf(each))));
  return table ? largestOf(scrollersIn(table, axis)) : null;
}

/** The document's scrolling element or body; in an app, the box in the middle of the viewport, else the largest one. */
function pageScroller(inDocument, axis) {
  const root = scrollingElement_.call(inDocument) ?? documentElement_.call(inDocument);
  if (root && isScrollable(root, axis)) return root;
  const body = body_.call(inDocument);
  if (body && isScrollable(body, axis)) return body;
  const view = defaultView_.call(inDocument);
  const middle = deepElementAt(inDocument, view.innerWidth / 2, view.innerHeight / 2);
  if (middle && isFrame(middle, tagOf(middle))) return frameScroller(middle, axis);
  const all = documentElement_.call(inDocument);
  const box = (middle && scrollerAround(middle, axis)) ?? (all && largestOf(scrollersIn(all, axis)));
  if (box || !all) return box; // a frame that begins to load has nothing yet
  const frame = largestOf(selectAllDeep(all, 'iframe').filter(isRendered));
  return frame && frameScroller(frame, axis);
}

/** What scrolls in an iframe's document; the iframe itself if that is in another world. */
function frameScroller(frame, axis) {
  const inner = frameDocument(frame);
  return inner ? pageScroller(inner, axis) : frame;
}

function deepElementAt(inDocument, x, y) {
  let at = elementFromPoint_.call(inDocument, x, y);
  while (at && rootOfHost(at)) {
    const inner = ShadowRoot.prototype.elementFromPoint.call(rootOfHost(at), x, y);
    if (!inner || inner === at) break;
    at = inner;
  }
  return at;
}

const TABLES = new Set(['grid', 'treegrid', 'table']);

/** @returns {Element[]} the boxes in an element that scroll, in shadow roots, too */
const scrollersIn = (element, axis) =>
  selectAllDeep(element, '*').filter((each) => isScrollable(each, axis) && isRendered(each));

/** @param {Element[]} elements @returns {Element | null} */
function largestOf(elements) {
  let best = null;
  let most = 0;
  for (const element of elements) {
    const { width, height } = getBoundingClientRect_.call(element);
    if (width * height > most) [best, most] = [element, width * height];
  }
  return best;
}

const SCROLLING = new Set(['auto', 'scroll', 'overlay']);

const clientSizeOf = (element, axis) => (axis === 'y' ? clientHeight_ : clientWidth_).call(element);
const scrollSizeOf = (element, axis) => (axis === 'y' ? scrollHeight_ : scrollWidth_).call(element);
const scrollOffsetOf = (element, axis) => (axis === 'y' ? scrollTop_ : scrollLeft_).call(element);

/** Whether a user can scroll it. */
function isScrollable(element, axis) {
  if (scrollSizeOf(element, axis) <= clientSizeOf(element, axis) + 1) return false;
  const inDocument = documentOf(element);
  const overflow = overflowOf(element, axis);
  if (element !== scrollingElement_.call(inDocument)) return SCROLLING.has(overflow) && isOwnBox(element, inDocument);
  const body = body_.call(inDocument);
  // On the root element, `visible` means auto, and the body's overflow may apply to the viewport instead.
  return overflow === 'visible'
    ? !body || !/hidden|clip/.test(overflowOf(body, axis)) || element === body
    : !/hidden|clip/.test(overflow);
}

const overflowOf = (element, axis) => computedStyleOf(element)[axis === 'y' ? 'overflowY' : 'overflowX'];

/** A body is a scroll container of its own only if its overflow is not propagated to the viewport. */
function isOwnBox(element, inDocument) {
  return element !== body_.call(inDocument) || overflowOf(documentElement_.call(inDocument), 'y') !== 'visible';
}

/** Whether there is more content than fits, but the page prevents scrolling. */
function isLocked(axis) {
  const shown = axis === 'y' ? window.innerHeight : window.innerWidth;
  const boxes = [documentElement_.call(document), body_.call(document)];
  return boxes.some((box) => box && scrollSizeOf(box, axis) > shown + 1);
}

function labelOfBox(element) {
  const inDocument = documentOf(element);
  const isPage = element === scrollingElement_.call(inDocument) || element === body_.call(inDocument);
  if (isPage) return inDocument === document ? 'page' : 'the page in the frame';
  const role = shownRole(element) || 'generic';
  const name = nameOf(element, role);
  return `${role} \x01${idOf(element)}${name ? ` ${quote(cut(name, 100))}` : ''}`;
}

/**
 * Whether the box begins at its other end, where its scroll offset is 0, and scrolls to negative offsets from there: a
 * chat laid out by `column-reverse`, or a row in a script that is written from right to left.
 */
function isReversed(element, axis) {
  const offset = scrollOffsetOf(element, axis);
  if (offset !== 0) return offset < 0;
  const { display, flexDirection, direction, writingMode } = computedStyleOf(element);
  const isFlex = /flex/.test(display);
  if (axis === 'y') return isFlex && flexDirection === 'column-reverse';
  return /-rl$/.test(writingMode) || (direction === 'rtl') !== (isFlex && flexDirection === 'row-reverse');
}

/** How far the box is scrolled from its top or left end, how much of it is shown, and how much there is, in pixels. */
function extentOf(element, axis) {
  const shown = clientSizeOf(element, axis);
  const content = scrollSizeOf(element, axis);
  const offset = scrollOffsetOf(element, axis);
  return { position: isReversed(element, axis) ? content - shown + offset : offset, shown, content };
}

/**
 * Scrolls a box at once, regardless of its `scroll-behavior`, and waits until the page has drawn what comes into view.
 * @param {number} id
 * @param {Axis} axis
 * @param {number} px
 * @returns {Promise<number>} how far it went at first: the page may move it, or add to it, before this resolves
 */
async function moveBox(id, axis, px) {
  const element = elementOf(id);
  if (!element) return 0;
  const before = scrollOffsetOf(element, axis);
  boxScrollBy_.call(element, { [axis === 'y' ? 'top' : 'left']: px, behavior: 'instant' });
  const moved = scrollOffsetOf(element, axis) - before;
  await nextTwoFrames();
  return moved;
}

/** Scrolls an element into the middle of the view, in all frames around it. @param {number} id */
function bringIntoView(id) {
  const element = elementOf(id);
  if (element) boxScrollIntoView_.call(element, { block: 'center', inline: 'nearest', behavior: 'instant' });
}

/** The distance of the element's top edge from the top of its frame's viewport. @param {number} id @returns {number} */
function topOf(id) {
  const element = elementOf(id);
  return element ? getBoundingClientRect_.call(element).top : 0;
}
