// Where elements are: rectangles in the viewport of their own document, and the transforms from there through
// same-process iframes to the viewport of the world's root document.

const clientLeft = reader(Element, 'clientLeft');
const clientTop = reader(Element, 'clientTop');
const currentZoom = reader(Element, 'currentCSSZoom');
const offsetWidth = reader(HTMLElement, 'offsetWidth');
const offsetHeight = reader(HTMLElement, 'offsetHeight');
const getClientRects_ = Element.prototype.getClientRects;
const rectOf = (element) => getBoundingClientRect_.call(element);
const viewOf = (node) => defaultView_.call(documentOf(node));

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box  CSS pixels of one viewport */
/** @typedef {{x: number, y: number}} Point */

/**
 * The documents from the world's root down to the element's own, each with its iframe and the matrix from its viewport
 * to the one around it (both null for the root).
 * @typedef {{document: Document, frame: Element | null, outwards: DOMMatrix | null}} Level
 * @param {Element} element @returns {Level[]}
 */
function levelsOf(element) {
  const levels = [];
  for (let document = documentOf(element); ;) {
    const view = defaultView_.call(document);
    const frame = view === window || view === null ? null : view.frameElement;
    levels.unshift({ document, frame, outwards: frame && outwardsOf(frame) });
    if (!frame) return levels;
    document = documentOf(frame);
  }
}

/**
 * The matrix from the viewport inside an iframe to the viewport that contains the iframe. An affine map keeps centres,
 * so the middle of the bounding box gives the translation, and only the linear part of the transforms around it is
 * needed.
 */
function outwardsOf(frame) {
  const box = rectOf(frame);
  const style = computedStyleOf(frame);
  const left = clientLeft(frame) + parseFloat(style.paddingLeft);
  const top = clientTop(frame) + parseFloat(style.paddingTop);
  const zoom = currentZoom(frame);
  return new DOMMatrix()
    .translate((box.left + box.right) / 2, (box.top + box.bottom) / 2)
    .multiply(linearPartOf(frame))
    .scale(zoom, zoom)
    .translate(left - offsetWidth(frame) / 2, top - offsetHeight(frame) / 2);
}

/** The scaling, rotation and skew of all transforms on the element and its ancestors. */
function linearPartOf(element) {
  let matrix = new DOMMatrix();
  for (let node = element; node; node = flatParent(node)) {
    const { transform, rotate, scale } = computedStyleOf(node);
    let own = '';
    if (rotate && rotate !== 'none') own += `rotate(${rotate}) `;
    if (scale && scale !== 'none') own += `scale(${scale.split(' ').slice(0, 2).join(',')}) `;
    if (transform && transform !== 'none') own += transform;
    if (!own) continue;
    let step;
    try {
      step = new DOMMatrix(own);
    } catch {
      continue; // a rotation around another axis is ignored
    }
    matrix = new DOMMatrix([step.a, step.b, step.c, step.d, 0, 0]).multiply(matrix);
  }
  return matrix;
}

/** @param {DOMMatrix} matrix @param {Point} point @returns {Point} */
const mapPoint = (matrix, { x, y }) => ({
  x: matrix.a * x + matrix.c * y + matrix.e,
  y: matrix.b * x + matrix.d * y + matrix.f,
});

/** @param {DOMMatrix} matrix @param {Box} box @returns {Box} the bounding box of the mapped corners */
function mapBox(matrix, { left, top, right, bottom }) {
  const corners = [
    [left, top],
    [right, top],
    [left, bottom],
    [right, bottom],
  ].map(([x, y]) => mapPoint(matrix, { x, y }));
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/**
 * The visible part of the innermost document, in its own viewport.
 * @param {Level[]} levels @param {Box} visible  what is visible of the root @returns {Box | null}
 */
function visibleBoxOf(levels, visible = viewportOf(window)) {
  for (const { document, outwards } of levels) {
    if (!outwards) continue;
    const inside = mapBox(outwards.inverse(), visible);
    visible = overlap(inside, viewportOf(defaultView_.call(document)));
    if (!visible) return null;
  }
  return visible;
}

/** The same point in the viewport of each level, the root's first. @param {Level[]} levels @param {Point} point */
function outwardPoints(levels, point) {
  const points = [point];
  for (let i = levels.length - 1; i > 0; i--) points.unshift(mapPoint(levels[i].outwards, points[0]));
  return points;
}

/**
 * The non-empty rectangles in which an element is painted: one for each line of an inline element; those of its
 * contents for an element without a box of its own.
 * @returns {Box[]}
 */
function boxesOf(element) {
  const tag = tagOf(element);
  if (tag === 'AREA') return areaBoxes(element);
  const own = nonEmptyRects(getClientRects_.call(element));
  return own.length ? own : contentBoxes(element);
}

const nonEmptyRects = (rects) => [...rects].filter((rect) => rect.width > 0 && rect.height > 0);

function contentBoxes(element) {
  if (!checkVisibility_.call(element) && computedStyleOf(element).display !== 'contents') return [];
  const range = documentOf(element).createRange();
  Range.prototype.selectNodeContents.call(range, rootOfHost(element) ?? element);
  return nonEmptyRects(Range.prototype.getClientRects.call(range));
}

const areaCoords = reader(HTMLAreaElement, 'coords');
const areaShape = reader(HTMLAreaElement, 'shape');

/** https://html.spec.whatwg.org/multipage/image-maps.html#image-map-processing-model */
function areaBoxes(area) {
  const map = closest(area, 'map');
  const name = map && (attr(map, 'name') || attr(map, 'id'));
  const image = name && [...selectAll(rootOf(area), 'img[usemap]')].find((each) => attr(each, 'usemap') === `#${name}`);
  if (!image) return [];
  const frame = rectOf(image);
  const numbers = areaCoords(area)
    .split(/[\s,;]+/)
    .map(Number);
  const shape = areaShape(area).toLowerCase();
  const at = (left, top, right, bottom) => [
    { left: frame.left + left, top: frame.top + top, right: frame.left + right, bottom: frame.top + bottom },
  ];
  if (shape === 'default') return at(0, 0, frame.width, frame.height);
  if (shape.startsWith('circ')) {
    const [x, y, radius] = numbers;
    return at(x - radius, y - radius, x + radius, y + radius);
  }
  const xs = numbers.filter((_, i) => i % 2 === 0);
  const ys = numbers.filter((_, i) => i % 2 === 1);
  return at(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
}

/** Whether an element can be seen, if it is in view. */
const isShown = (element) =>
  checkVisibility_.call(element, { visibilityProperty: true, opacityProperty: true }) && rectOf(element).height > 0;
