// Where elements are in a screenshot of the viewport. Their boxes are painted onto the picture, never into the page.

/** The whole page, beyond every scroll position, in its viewport. @type {Box} */
const EVERYWHERE = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };

/**
 * @typedef {{id: number, point: Point, boxes: Box[]}} Mark  point: where a click reaches the element; boxes: its
 *   visible parts
 * The marks of elements, in the viewport of this world's root. Iframes and elements that are not visible or covered are
 * left out.
 * @param {number[]} ids @param {boolean} whole  also those out of the root's viewport; what covers them is not seen
 * @returns {Mark[]}
 */
function marksOf(ids, whole) {
  const marks = [];
  const places = new Map();
  for (const id of ids) {
    const element = elementOf(id);
    if (!element || isFrame(element, tagOf(element))) continue;
    const document = documentOf(element);
    let place = places.get(document);
    if (!place) {
      const levels = levelsOf(element);
      const root = whole ? EVERYWHERE : undefined;
      places.set(document, (place = { levels, visibleArea: visibleBoxOf(levels, root), inView: visibleBoxOf(levels) }));
    }
    const found = place.visibleArea && (visibleBoxesOf(element, place) ?? visibleBoxesOfLabel(element, place));
    if (found) marks.push({ id, ...toRootViewport(place.levels, found) });
  }
  return marks;
}

function visibleBoxesOf(element, { levels, visibleArea, inView }) {
  const parts = boxesOf(element)
    .map((box) => overlap(box, visibleArea))
    .filter(Boolean);
  if (!parts.length) return null;
  const clip = overflowClipOf(element);
  const clipped = clip ? parts.map((box) => overlap(box, clip)).filter(Boolean) : parts;
  const isOutside = !inView || !parts.some((box) => overlap(box, inView));
  const seen = isPainted(element) ? clipped[0] : undefined;
  const centre = seen && { x: (seen.left + seen.right) / 2, y: (seen.top + seen.bottom) / 2 };
  const point = isOutside ? centre : pickPoint(element, levels).point;
  if (!point) return null;
  return { point, boxes: (clipped.length ? clipped : parts).slice(0, MOST_PARTS) };
}

/** The visible parts of a label: styled checkboxes are often invisible or have no size. */
function visibleBoxesOfLabel(element, place) {
  for (const label of labelsFor(element)) {
    const found = visibleBoxesOf(label, place);
    if (found) return found;
  }
  return null;
}

/**
 * The intersection of the boxes that clip an element by `overflow`, in its document's viewport.
 * @returns {Box | null} null: nothing clips it
 */
function overflowClipOf(element) {
  let clip = null;
  let position = computedStyleOf(element).position;
  for (let node = paintedParent(element); node && position !== 'fixed'; node = paintedParent(node)) {
    const style = computedStyleOf(node);
    // an absolutely positioned element is not clipped by static ancestors
    if (position === 'absolute' && style.position === 'static') continue;
    if (style.overflowX !== 'visible' && node !== documentElement_.call(documentOf(node)) && tagOf(node) !== 'BODY') {
      clip = clip ? (overlap(clip, rectOf(node)) ?? clip) : rectOf(node);
    }
    position = style.position;
  }
  return clip;
}

function toRootViewport(levels, { point, boxes }) {
  for (let i = levels.length - 1; i > 0; i--) boxes = boxes.map((box) => mapBox(levels[i].outwards, box));
  return { point: outwardPoints(levels, point)[0], boxes };
}

/**
 * Maps the marks inside an iframe that another session reads to the viewport of this world's root.
 * @param {number} id  of the iframe element @param {Mark[]} marks  in the viewport of the iframe
 * @param {boolean} whole  as of `marksOf` @returns {Mark[]}
 */
function marksThrough(id, marks, whole) {
  const frame = elementOf(id);
  if (!frame) return [];
  const levels = levelsOf(frame);
  const outside = visibleBoxOf(levels, whole ? EVERYWHERE : undefined);
  const inView = visibleBoxOf(levels);
  const clip = overflowClipOf(frame);
  const visibleArea = outside && clip ? overlap(outside, clip) : outside;
  if (!visibleArea) return [];
  const outwards = outwardsOf(frame);
  const found = [];
  for (const mark of marks) {
    const point = mapPoint(outwards, mark.point);
    const boxes = mark.boxes.map((box) => overlap(mapBox(outwards, box), visibleArea)).filter(Boolean);
    const isOutside = !inView || !boxes.some((box) => overlap(box, inView));
    if (boxes.length && (isOutside || hitThrough(levels, point) === frame))
      found.push({ id: mark.id, ...toRootViewport(levels, { point, boxes }) });
  }
  return found;
}

/**
 * The box of an element in the viewport of this world's root. If the element is not entirely in the viewport, it is
 * scrolled into view.
 * @param {number} id @returns {Box[]} one box, none if the element has no box
 */
function boxForScreenshot(id) {
  const element = elementOf(id);
  const parts = element ? boxesOf(element) : [];
  if (!parts.length) return [];
  const levels = levelsOf(element);
  const box = boundsInRootViewport(levels, parts);
  if (box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight) return [box];
  bringIntoView(id);
  return [boundsInRootViewport(levelsOf(element), boxesOf(element))];
}

function boundsInRootViewport(levels, parts) {
  const box = {
    left: Math.min(...parts.map((part) => part.left)),
    top: Math.min(...parts.map((part) => part.top)),
    right: Math.max(...parts.map((part) => part.right)),
    bottom: Math.max(...parts.map((part) => part.bottom)),
  };
  return toRootViewport(levels, { point: { x: 0, y: 0 }, boxes: [box] }).boxes[0];
}

/** The size of the viewport and its place in the page, in CSS pixels. */
const viewportPlace = () => ({ width: innerWidth, height: innerHeight, left: scrollX, top: scrollY });
