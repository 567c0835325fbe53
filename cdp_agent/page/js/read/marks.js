// Where the elements are that a picture of the viewport shows: boxes to be painted onto the picture, never into the page.

/**
 * @typedef {{id: number, point: Point, boxes: Box[]}} Mark  point: where the mouse meets the element; boxes: what is seen of it
 * All in the viewport of this world's root. Iframes, and what is not seen or covered, are left out.
 * @param {number[]} ids @returns {Mark[]}
 */
function marksOf(ids) {
  const marks = [];
  const places = new Map();
  for (const id of ids) {
    const element = elementOf(id);
    if (!element || isFrame(element, tagOf(element))) continue;
    const document = documentOf(element);
    let place = places.get(document);
    if (!place) {
      const levels = levelsOf(element);
      places.set(document, (place = { levels, seen: visibleBoxOf(levels) }));
    }
    const found = place.seen && (seenOfElement(element, place) ?? seenOfLabel(element, place));
    if (found) marks.push({ id, ...outermost(place.levels, found) });
  }
  return marks;
}

function seenOfElement(element, { levels, seen }) {
  const parts = boxesOf(element).map((box) => overlap(box, seen)).filter(Boolean);
  if (!parts.length) return null;
  const { point } = pickPoint(element, levels);
  if (!point) return null;
  const clip = clipOf(element);
  const clipped = clip ? parts.map((box) => overlap(box, clip)).filter(Boolean) : parts;
  return { point, boxes: (clipped.length ? clipped : parts).slice(0, MOST_PARTS) };
}

/** Styled check boxes are often invisible or of no size: what is seen of them is their label. */
function seenOfLabel(element, place) {
  for (const label of labelsFor(element)) {
    const found = seenOfElement(label, place);
    if (found) return found;
  }
  return null;
}

/** What the boxes around an element let be seen of it, in its own document's viewport. @returns {Box | null} null: all */
function clipOf(element) {
  let clip = null;
  let position = computedStyleOf(element).position;
  for (let node = paintedParent(element); node && position !== 'fixed'; node = paintedParent(node)) {
    const style = computedStyleOf(node);
    if (position === 'absolute' && style.position === 'static') continue; // it is no part of this one's contents
    if (style.overflowX !== 'visible' && node !== documentElement_.call(documentOf(node)) && tagOf(node) !== 'BODY') {
      clip = clip ? (overlap(clip, rectOf(node)) ?? clip) : rectOf(node);
    }
    position = style.position;
  }
  return clip;
}

function outermost(levels, { point, boxes }) {
  for (let i = levels.length - 1; i > 0; i--) boxes = boxes.map((box) => mapBox(levels[i].outwards, box));
  return { point: outwardPoints(levels, point)[0], boxes };
}

/**
 * The same of elements inside an iframe that another session reads: here in the viewport of this world's root.
 * @param {number} id  of the iframe element @param {Mark[]} marks  in the viewport inside it @returns {Mark[]}
 */
function marksThrough(id, marks) {
  const frame = elementOf(id);
  if (!frame) return [];
  const levels = levelsOf(frame);
  const outside = visibleBoxOf(levels);
  const clip = clipOf(frame);
  const seen = outside && clip ? overlap(outside, clip) : outside;
  if (!seen) return [];
  const outwards = outwardsOf(frame);
  const found = [];
  for (const mark of marks) {
    const point = mapPoint(outwards, mark.point);
    const boxes = mark.boxes.map((box) => overlap(mapBox(outwards, box), seen)).filter(Boolean);
    if (boxes.length && hitThrough(levels, point) === frame) found.push({ id: mark.id, ...outermost(levels, { point, boxes }) });
  }
  return found;
}

/**
 * Where an element is, in the viewport of this world's root, brought into view where it is not all there.
 * @param {number} id @returns {Box[]} one box, none where it has no place
 */
function boxToPicture(id) {
  const element = elementOf(id);
  const parts = element ? boxesOf(element) : [];
  if (!parts.length) return [];
  const levels = levelsOf(element);
  const box = outermostBox(levels, parts);
  if (box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight) return [box];
  bringIntoView(id);
  return [outermostBox(levelsOf(element), boxesOf(element))];
}

function outermostBox(levels, parts) {
  const box = {
    left: Math.min(...parts.map((part) => part.left)),
    top: Math.min(...parts.map((part) => part.top)),
    right: Math.max(...parts.map((part) => part.right)),
    bottom: Math.max(...parts.map((part) => part.bottom)),
  };
  return outermost(levels, { point: { x: 0, y: 0 }, boxes: [box] }).boxes[0];
}

/** How large the picture's part of the page is, in CSS pixels, and where it begins in the page. */
const viewportPlace = () => ({ width: innerWidth, height: innerHeight, left: scrollX, top: scrollY });
