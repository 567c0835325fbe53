// What a drag asks of the page.

/** Whether a drag from here is HTML's own. @param {number} id */
function isDraggable(id) {
  const element = resolveElement(id);
  if (!element) return false;
  const marked = closestFlat(element, '[draggable]');
  if (marked) return attr(marked, 'draggable').toLowerCase() === 'true';
  return closestFlat(element, 'a[href],img') !== null;
}

/**
 * Where an element is in what it is moved in: its drawing, or its parent. Scrolling changes nothing of that.
 * @param {number} id @returns {number[]} right, down; empty when it is gone, or not shown any more
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
