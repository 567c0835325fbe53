// Connections in drawings: a stroke whose two ends lie on other objects is rendered with their refs. A flow editor
// keeps the connection in its own data; its drawing contains nothing but the path.

const STROKES = new Set(['path', 'line', 'polyline']);
const NEAR_END = 6; // px: arrowheads and outlines are between the end of a wire and its target
const ANY_SHAPE = 'path,line,polyline,rect,circle,ellipse,polygon,use,image,text,foreignObject';

const totalLength_ = SVGGeometryElement.prototype.getTotalLength;
const pointAtLength_ = SVGGeometryElement.prototype.getPointAtLength;
const screenMatrix_ = SVGGraphicsElement.prototype.getScreenCTM;

/**
 * @typedef {{line: Line, thing: Line, box: DOMRect}} Target  what a wire may end at: an object of the drawing, or a
 *   part of it such as a port
 */

/** The lines of a drawing, its wires with the refs of what they connect. @param {(string | Line)[]} kids */
function withConnections(kids) {
  const strokes = new Map();
  for (const kid of kids) {
    const stroke = typeof kid !== 'string' && kid.id !== 0 && strokeOf(kid.element);
    if (stroke) strokes.set(kid, stroke);
  }
  if (!strokes.size || strokes.size === kids.length) return kids;
  const targets = [];
  for (const kid of kids) if (!strokes.has(kid)) addTargets(targets, kid, kid);
  return kids.map((kid) => (strokes.has(kid) ? connectedLine(kid, strokes.get(kid), targets) : kid));
}

/**
 * The open stroke that an element is, or begins with.
 * @param {Element} element
 * @returns {SVGGeometryElement | undefined}
 */
function strokeOf(element) {
  const first = STROKES.has(tagOf(element)) ? element : selectAll(element, ANY_SHAPE)[0];
  if (!first || !STROKES.has(tagOf(first))) return undefined;
  return tagOf(first) === 'line' || computedStyleOf(first).fill === 'none'
    ? /** @type {SVGGeometryElement} */ (first)
    : undefined;
}

function addTargets(targets, line, thing) {
  if (typeof line === 'string') return;
  if (line.id !== 0) targets.push({ line, thing, box: getBoundingClientRect_.call(line.element) });
  for (const kid of line.kids) addTargets(targets, kid, thing);
}

/**
 * @type {WeakMap<Line, Line>} the connected line of each cached line: the same object while it connects the same refs
 */
const connectedLines = new WeakMap();

function connectedLine(line, stroke, targets) {
  const length = totalLength_.call(stroke);
  const [from, to] = [0, length].map((at) => targetAt(pointOn(stroke, at, length), targets));
  if (!from || !to || from.thing === to.thing) return line;
  const states = `${line.states} [from=\x01${from.line.id}] [to=\x01${to.line.id}]`;
  const last = connectedLines.get(line);
  if (last?.states === states) return last;
  const connected = { ...line, states, serial: 0 };
  connectedLines.set(line, connected);
  return connected;
}

/** @returns {DOMPoint | null} in the viewport */
function pointOn(stroke, at, length) {
  const matrix = length > 0 && screenMatrix_.call(stroke);
  return matrix ? pointAtLength_.call(stroke, at).matrixTransform(matrix) : null;
}

/**
 * The smallest target at a point; none if another object is there too, unless that encloses it.
 * @param {Target[]} targets
 */
function targetAt(point, targets) {
  if (!point) return undefined;
  const atPoint = targets.filter(({ box }) => isNear(box, point, NEAR_END));
  if (!atPoint.length) return undefined;
  const smallest = atPoint.reduce((one, other) => (sizeOf(other.box) < sizeOf(one.box) ? other : one));
  const isCertain = atPoint.every(({ thing, box }) => thing === smallest.thing || isAround(box, smallest.box));
  return isCertain ? smallest : undefined;
}

const isNear = (box, { x, y }, px) =>
  box.left - px <= x && x <= box.right + px && box.top - px <= y && y <= box.bottom + px;
const sizeOf = (box) => box.width * box.height;
const isAround = (outer, inner) =>
  outer.left <= inner.left && inner.right <= outer.right && outer.top <= inner.top && inner.bottom <= outer.bottom;
