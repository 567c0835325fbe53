// What lies over the rest of a document and takes the mouse from it, whether ARIA says so or not: a cookie wall, a
// dialog before a backdrop. It comes first, and what it covers is marked. A page without one costs two hit tests, at
// the sides of the view; a small one where nothing is out of the flow none, as frames may hold hundreds of those, and
// each hit test has Chrome look at all frames.

/**
 * front: what is not covered though other parts of the document are, the overlay itself first; marked: gets the state
 * [overlay]; box: what it covers; isFixed: the page scrolls below it
 * @typedef {{front: Element[], marked: Element | null, box: Box, isFixed: boolean}} Overlay
 * @typedef {{element: Element, box: Box, has: (hit: Element) => boolean}} Sheet  an element, or the backdrop that it
 *   draws; has: whether what is hit is a part of it
 */

const SIDES = [0.02, 0.98];
const SHEET_SHARE = 0.8; // of the viewport: a header may remain beside it
const CONTENT = 'a[href],button,input,select,textarea,[tabindex],iframe,img,video,canvas';
const DIALOGS_SELECTOR = 'dialog,[role="dialog" i],[role="alertdialog" i],[aria-modal="true" i]';

/** @param {Document} inDocument @returns {Overlay | null} */
function overlayIn(inDocument) {
  if (isAllInFlow(inDocument)) return null;
  const view = viewportOf(defaultView_.call(inDocument));
  const seen = new Set();
  for (const side of SIDES) {
    const hit = topmostAt(inDocument, { x: view.right * side, y: view.bottom / 2 });
    let sheet = hit && backdropDrawnBy(hit, view);
    if (sheet && !isOutOfFlow(hit)) return coversAny(sheet, childrenOf(hit), view) ? overlayOf(sheet, view) : null;
    let isInFlow = hit !== null;
    for (let node = hit; node && tagOf(node) !== 'HTML' && !seen.has(node); node = flatParent(node)) {
      seen.add(node);
      if (isOutOfFlow(node)) {
        isInFlow = false;
        const box = sheetBox(node, view);
        if (box) sheet = { element: node, box, has: (element) => isPaintedIn(element, node) };
      }
      if (sheet && coversAny(sheet, siblingsOf(node), view)) return overlayOf(sheet, view);
    }
    if (isInFlow) return null; // an overlay would cover it, or something out of the flow lies on the overlay there
  }
  return null;
}

// So many elements are searched for shadow roots in the time of a hit test, and so many more for each frame.
const SMALL_DOCUMENT = 200;
const FOR_A_FRAME = 50;
const MAYBE_FLOATING = '[style*="position" i],dialog[open],[popover],:fullscreen';

/** Whether nothing in a small document is out of the flow, shadow roots apart: there are none. */
function isAllInFlow(inDocument) {
  const { length } = elementsByTag_.call(inDocument, '*');
  if (length === 0 || length > SMALL_DOCUMENT + FOR_A_FRAME * window.length) return false;
  const elements = selectAll(inDocument, '*');
  if (selectionsFor(elements[0]).floats || selectsAny(inDocument, MAYBE_FLOATING)) return false;
  for (let i = 0; i < elements.length; i++) if (rootOfHost(elements[i])) return false;
  return true;
}

/** Has the overlay visited anew, as the last reading did not have it. @param {ReadingCache} cache */
function markOverlay(cache) {
  if (cache.marked === reading.marked) return;
  for (const element of [cache.marked, reading.marked]) if (element) markStale(cache, element);
  cache.marked = reading.marked;
}

const isOutOfFlow = (element) => OUT_OF_FLOW.has(computedStyleOf(element).position);
const childNodes_ = getterOf(Node.prototype, 'childNodes');
const childrenOf = (parent) => [...childNodes_.call(parent)].filter((node) => nodeType_.call(node) === 1);
const siblingsOf = (node) => childrenOf(parentNode(node)).filter((other) => other !== node);
const areaOfBox = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

/** The part of the viewport that an element covers; null unless that is nearly all of it. */
function sheetBox(element, view) {
  const box = overlap(getBoundingClientRect_.call(element), view);
  return box && areaOfBox(box) >= SHEET_SHARE * areaOfBox(view) ? box : null;
}

/** The backdrop that an element draws by generated content. @returns {Sheet | null} */
function backdropDrawnBy(element, view) {
  if (!selectionsFor(element).drawsBackdrops) return null;
  const isDrawn = ['::before', '::after'].some((which) => {
    const style = computedStyleOf(element, which);
    if (style.position !== 'fixed' || style.content === 'none') return false;
    return parseFloat(style.width) * parseFloat(style.height) >= SHEET_SHARE * areaOfBox(view);
  });
  if (!isDrawn) return null;
  const isBox = isOutOfFlow(element); // with all that is in it above its backdrop
  return { element, box: view, has: (hit) => (isBox ? isPaintedIn(hit, element) : hit === element) };
}

/** Whether a sheet lies over something in one of these elements. @param {Sheet} sheet @param {Element[]} elements */
function coversAny(sheet, elements, view) {
  return elements.some((element) => {
    if (SKIPPED.has(tagOf(element))) return false;
    if (!checkVisibility_.call(element, PAINTED))
      return computedStyleOf(element).display === 'contents' && coversAny(sheet, childrenOf(element), view);
    const whole = getBoundingClientRect_.call(element);
    if (whole.width < 1 || whole.height < 1) return coversAny(sheet, childrenOf(element), view);
    const box = overlap(whole, sheet.box);
    if (!box || isVisuallyHidden(element) || !holdsContent(element)) return false;
    // Where it lets the mouse through, by itself and not like all around it, it may as well be above.
    if (ignoresPointer(element) && !ignoresPointer(flatParent(element))) return false;
    const points = pointsIn(box);
    return [points[0], ...points.slice(-4)].some((point) => {
      // its middle and near its corners
      const hit = topmostAt(documentOf(element), point);
      return hit !== null && sheet.has(hit);
    });
  });
}

const ignoresPointer = (element) => computedStyleOf(element).pointerEvents === 'none';

const holdsContent = (element) =>
  hasText(textContent(element)) || matches(element, CONTENT) || selectsAny(element, CONTENT) || rootOfHost(element);

/** @param {Sheet} sheet  that covers something @returns {Overlay | null} null: it lies below the page */
function overlayOf({ element, box, has }, view) {
  const above = [];
  for (const point of pointsIn(view)) {
    const hit = topmostAt(documentOf(element), point);
    if (hit === null || has(hit) || isPaintedIn(element, hit)) continue;
    const layer = layerOf(hit, element);
    if (layer === null) return null;
    if (!above.includes(layer)) above.push(layer);
  }
  const isAround = box === view && !isOutOfFlow(element); // the page itself draws the backdrop
  for (const other of isAround ? childrenOf(element).reverse() : elementsBeside(element))
    if (!above.includes(other) && isStacked(computedStyleOf(other)) && isOnTop(other)) above.push(other);
  const own = isAround ? [] : [element];
  const front = own.length && (holdsContent(element) || !above.length) ? [...own, ...above] : [...above, ...own];
  const isFixed = box === view || closestBy(element, (node) => computedStyleOf(node).position === 'fixed') !== null;
  return { front, marked: front.length ? dialogIn(front[0]) : null, box, isFixed };
}

/** The siblings of an element and of all around it, the last ones first. @returns {Element[]} */
const elementsBeside = (element) =>
  flatParent(element) ? [...siblingsOf(element).reverse(), ...elementsBeside(flatParent(element))] : [];

/** The dialog in an overlay, else the overlay itself. */
function dialogIn(element) {
  if (matches(element, DIALOGS_SELECTOR)) return element;
  const dialogs = [...selectAll(element, DIALOGS_SELECTOR)];
  return dialogs.find((dialog) => checkVisibility_.call(dialog, PAINTED)) ?? element;
}

/** What is painted as a whole above a sheet. @returns {Element | null} null: a part of the page's flow */
function layerOf(hit, sheet) {
  let layer = null;
  let isWhole = false;
  for (let node = hit; node && !isPaintedIn(sheet, node); node = flatParent(node)) {
    const style = computedStyleOf(node);
    if (isStacked(style)) [layer, isWhole] = [node, true];
    else if (!isWhole && style.position !== 'static') layer = node;
  }
  return layer;
}

const isStacked = ({ position, zIndex, transform }) =>
  position === 'fixed' || position === 'sticky' || zIndex !== 'auto' || transform !== 'none';

function closestBy(element, isWanted) {
  let node = element;
  while (node && !isWanted(node)) node = flatParent(node);
  return node;
}

/**
 * Puts what lies in front before the rest, at each level, and marks the rest: nothing behind a modal dialog or an
 * overlay can be used as it is.
 * @param {(string | Line)[]} kids  of a document @param {Document} inDocument @returns {(string | Line)[]}
 */
function withFrontFirst(kids, inDocument) {
  const modal = topModal(inDocument);
  const { overlay } = rootFacts(inDocument);
  if (modal) return arranged(kids, [modal], null, viewportOf(defaultView_.call(inDocument)));
  return overlay ? arranged(kids, overlay.front, overlay, viewportOf(defaultView_.call(inDocument))) : kids;
}

/** @param {Overlay | null} overlay  null: a modal dialog is in front @returns {(string | Line)[]} */
function arranged(kids, front, overlay, view) {
  /** @type {{rank: number, kid: Line}[]} */
  const first = [];
  const rest = [];
  for (const kid of kids) {
    if (typeof kid === 'string') {
      rest.push(kid);
      continue;
    }
    const rank = front.findIndex((element) => isPaintedIn(kid.element, element));
    const inside = rank < 0 ? front.findIndex((element) => isPaintedIn(element, kid.element)) : -1;
    const covered = rank >= 0 ? 'none' : inside >= 0 ? 'partly' : overlay ? coveredPart(kid, overlay, view) : 'whole';
    if (covered === 'whole') markBehind(kid, overlay);
    // A copy, since the line itself may be in the cache with others in it.
    const line = covered === 'partly' ? { ...kid, kids: arranged(kid.kids, front, overlay, view), serial: 0 } : kid;
    if (rank >= 0 || inside >= 0) first.push({ rank: Math.max(rank, inside), kid: line });
    else rest.push(line);
  }
  return [...first.sort((a, b) => a.rank - b.rank).map(({ kid }) => kid), ...rest];
}

function markBehind(line, overlay) {
  if (!overlay && line.id === 0 && !holdsControls(line)) return;
  line.behind = overlay ? ' [covered]' : ' [inert]';
  reading.behind.push(line);
}

/** How much of a line an overlay covers. @param {Line} line @param {Overlay} overlay */
function coveredPart(line, { box, isFixed }, view) {
  const whole = getBoundingClientRect_.call(line.element);
  const seen = isFixed ? overlap(whole, view) : whole;
  if (seen === null) return 'whole'; // once it is scrolled into view
  if (overlap(whole, whole) && !overlap(seen, box)) return 'none';
  const sticksOut =
    seen.left < box.left - 1 || seen.top < box.top - 1 || seen.right > box.right + 1 || seen.bottom > box.bottom + 1;
  return sticksOut && !line.isDeferred && linesOf(line.kids).length ? 'partly' : 'whole';
}
