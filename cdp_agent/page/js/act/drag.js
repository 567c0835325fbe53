// What a drag needs to know of the page.

/** Whether a drag from this element is HTML drag and drop. @param {number} id */
function isDraggable(id) {
  const element = resolveElement(id);
  if (!element) return false;
  const marked = closestFlat(element, '[draggable]');
  if (marked) return attr(marked, 'draggable').toLowerCase() === 'true';
  return closestFlat(element, 'a[href],img') !== null;
}

/**
 * The position of an element relative to its parent, or within a drawing to its `svg` element. Scrolling does not
 * change it.
 * @param {number} id @returns {number[]} right, down; empty if the element is gone or has no size
 */
function placeInParent(id) {
  const element = resolveElement(id);
  if (!element || !isConnected_.call(element)) return [];
  const around = namespaceURI_.call(element) === SVG ? (ownerDrawing_.call(element) ?? element) : flatParent(element);
  if (!around) return [];
  const [own, outer] = [rectOf(element), rectOf(around)];
  if (!own.width && !own.height) return [];
  return [own.left - outer.left, own.top - outer.top];
}

const ownerDrawing_ = getterOf(SVGElement.prototype, 'ownerSVGElement');
