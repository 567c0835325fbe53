// What is on top at a point of a document's viewport.

const elementFromPointOfDocument_ = Document.prototype.elementFromPoint;
const elementFromPointOfRoot_ = ShadowRoot.prototype.elementFromPoint;
const OUT_OF_FLOW = new Set(['absolute', 'fixed']);

/**
 * The innermost element on top at a point of a document's viewport, inside known closed shadow roots too.
 * @returns {Element | null}
 */
function topmostAt(document, { x, y }) {
  let hit = elementFromPointOfDocument_.call(document, x, y);
  for (let root = hit && rootOfHost(hit); root; root = rootOfHost(hit)) {
    const inner = elementFromPointOfRoot_.call(root, x, y);
    if (!inner || inner === hit || rootOf(inner) !== root) break;
    hit = inner;
  }
  return hit;
}

/**
 * @param {Box} a
 * @param {Box} b
 * @returns {Box | null} the intersection; null when it is less than a pixel wide or high
 */
function overlap(a, b) {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  const right = Math.min(a.right, b.right);
  const bottom = Math.min(a.bottom, b.bottom);
  return right - left < 1 || bottom - top < 1 ? null : { left, top, right, bottom };
}

const viewportOf = (view) => ({ left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight });

const FRACTIONS = [0.5, 0.25, 0.75, 0.1, 0.9];
const GRID = FRACTIONS.flatMap((x) => FRACTIONS.map((y) => [x, y])).sort(
  ([ax, ay], [bx, by]) => Math.hypot(ax - 0.5, ay - 0.5) - Math.hypot(bx - 0.5, by - 0.5),
);

/** @param {Box} box @returns {Point[]} */
const pointsIn = ({ left, top, right, bottom }) =>
  GRID.map(([x, y]) => ({ x: left + (right - left) * x, y: top + (bottom - top) * y }));

/** Whether the flat tree has the element at or below `around`. */
function isPaintedIn(element, around) {
  let node = element;
  while (node && node !== around) node = flatParent(node);
  return node === around;
}

/** Whether an element is on top where it is: closed drawers off screen are not, though they often have aria-modal. */
function isOnTop(element) {
  const inDocument = documentOf(element);
  const box = overlap(getBoundingClientRect_.call(element), viewportOf(defaultView_.call(inDocument)));
  if (box === null) return hasChildOnTop(element);
  return pointsIn(box).some((point) => isPaintedIn(topmostAt(inDocument, point), element));
}

/** Whether a child is on top: the element itself may be a box without size around a fixed panel. */
function hasChildOnTop(element) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    const box = getBoundingClientRect_.call(child);
    if (box.width > 0 && box.height > 0 && isOnTop(child)) return true;
  }
  return false;
}
