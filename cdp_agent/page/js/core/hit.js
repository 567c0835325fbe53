// Hit testing: which element is on top at a point, through same-process iframes, and whether a click there counts as a
// click on the target element.

const elementsFromPointOfDocument_ = Document.prototype.elementsFromPoint;

/**
 * The element on top at a point of the innermost viewport: one in that document, or one that covers a frame around it.
 * @param {Level[]} levels @param {Point} point @returns {Element | null}
 */
function hitThrough(levels, point) {
  const points = outwardPoints(levels, point);
  for (let i = 0; i < levels.length; i++) {
    const hit = topmostAt(levels[i].document, points[i]);
    if (i + 1 === levels.length || hit !== levels[i + 1].frame) return hit;
  }
  return null;
}

/** The parent in the flat tree, including slots of closed shadow roots, which `assignedSlot` does not return. */
function paintedParent(element) {
  const parent = flatParent(element);
  const root = parent && closedRoots.get(parent);
  if (!root || parentNode(element) !== parent) return parent;
  const slots = selectAll(root, 'slot');
  for (let i = 0; i < slots.length; i++) if (assignedNodes_.call(slots[i]).includes(element)) return slots[i];
  return parent;
}

function isInside(element, ancestor) {
  for (let node = element; node; node = paintedParent(node)) if (node === ancestor) return true;
  return false;
}

// Elements with a click action of their own, whatever they are in.
const INTERACTIVE_SELECTOR =
  'a[href],button,input,select,textarea,summary,area[href],[contenteditable=""],[contenteditable="true" i],' +
  '[onclick],[tabindex],' +
  '[role="button" i],[role="link" i],[role="checkbox" i],[role="radio" i],[role="switch" i],[role="tab" i],' +
  '[role="option" i],' +
  '[role="menuitem" i],[role="menuitemcheckbox" i],[role="menuitemradio" i],[role="treeitem" i],[role="textbox" i],' +
  '[role="combobox" i]';

/**
 * Whether a click that hits `hit` is a click on `element`.
 * @typedef {'hit' | 'child' | 'miss'} Verdict  child: inside the element, but in a descendant with an action of its own
 * @param {Element | null} hit @param {Element} element @returns {Verdict}
 */
function judgeHit(hit, element) {
  if (!hit) return 'miss';
  const ownControl = controlOfLabel(element);
  const face = visibleStandIn(element);
  /** @type {Verdict} */
  let verdict = 'hit';
  for (let node = hit; node; node = paintedParent(node)) {
    if (node === element) return verdict;
    if (node === ownControl) return 'hit';
    if (controlOfLabel(node) === element || node === face) return verdict;
    if (matches(node, INTERACTIVE_SELECTOR)) verdict = 'child';
  }
  if (tagOf(element) === 'CANVAS' && isClearLayerOf(hit, element)) return 'hit';
  if (ignoresPointer(element)) {
    // The element ignores the pointer, but the control that it is a part of gets the click.
    const around = paintedParent(element);
    const whole = around && closestFlat(around, INTERACTIVE_SELECTOR);
    if (whole && isInside(hit, whole)) return 'hit';
  } else if (!isTransparent(element)) return 'miss';
  return reachesSameListener(hit, element) ? 'hit' : 'miss';
}

const LAYER_SHARE = 0.8; // of its area: a layer of a canvas lies on the canvas

/**
 * Whether what is on top of a canvas is a layer of the same picture: it lies on the canvas and shows nothing of its
 * own, so that who clicks there clicks what the canvas shows. Grids have the box that scrolls them there (Glide Data
 * Grid), editors a second canvas.
 * @param {Element} hit @param {Element} canvas
 */
function isClearLayerOf(hit, canvas) {
  const view = viewportOf(viewOf(canvas));
  const picture = overlap(rectOf(canvas), view);
  if (isInside(canvas, hit)) return false; // the canvas is clipped away there
  for (let node = hit; node && !isInside(canvas, node); node = paintedParent(node)) {
    const layer = overlap(rectOf(node), view);
    const shared = picture && layer && overlap(picture, layer);
    if (!shared || areaOfBox(shared) < LAYER_SHARE * areaOfBox(layer) || !isClear(node)) return false;
  }
  return true;
}

/** Whether an element itself shows nothing and has no action of its own. */
function isClear(element) {
  const tag = tagOf(element);
  if (tag !== 'CANVAS' && (VISIBLE_WITHOUT_TEXT.has(tag) || matches(element, LAYERS_WITH_ACTIONS))) return false;
  const { backgroundColor, backgroundImage, position } = computedStyleOf(element);
  if (!/, 0\)$|\/ 0\)$/.test(backgroundColor) || backgroundImage !== 'none' || position === 'fixed') return false;
  for (let child = firstChild(element); child; child = nextSibling(child))
    if (nodeType(child) === 3 && hasText(dataOf(child)) && tag !== 'CANVAS') return false;
  return true;
}

const LAYERS_WITH_ACTIONS = `a[href],label,summary,[onclick],[role="button" i],[role="link" i],[aria-modal="true" i]`;

/** Whether the element is fully transparent, like the native field behind a custom drop-down list. */
const isTransparent = (element) => !checkVisibility_.call(element, { opacityProperty: true });

/** Whether `hit` is an ancestor of the element, at or below the nearest ancestor that listens for the mouse. */
function reachesSameListener(hit, element) {
  let isAround = false;
  for (let node = paintedParent(element); node; node = paintedParent(node)) {
    isAround ||= node === hit;
    if (listening.has(node) && !LISTEN_FOR_ITEMS.has(tagOf(node))) return isAround;
  }
  return false;
}

/** The labels of a form control, or the visible stand-in for a control. @returns {Element[]} */
function labelsFor(element) {
  if (!matches(element, 'input,select,textarea,button,meter,output,progress')) return [];
  const face = visibleStandIn(element);
  return face ? [face] : [...selectAll(rootOf(element), 'label')].filter((label) => controlOfLabel(label) === element);
}

/**
 * The element to click instead of a control without size: the visible box in its place, if that listens or contains no
 * other control.
 * @returns {Element | null}
 */
function visibleStandIn(element) {
  const around = visibleWrapperOf(element);
  return around && (listening.has(around) || selectAll(around, CONTROLS_SELECTOR).length === 1) ? around : null;
}

/**
 * Picks the best point to hit the element, or finds what covers it. Tries the middle of the visible part of each of its
 * boxes, then a grid; a point on a descendant with an action of its own is the last choice.
 * @param {Element} element @param {Level[]} levels @param {boolean} asPlace  accept a point where only an ancestor of
 *   the element is on top
 * @returns {Picked}
 * @typedef {{point?: Point, why?: 'hidden' | 'outside' | 'clipped' | 'covered', by?: Element | null}} Picked  the
 *   point, or why there is none and which element covers it
 */
function pickPoint(element, levels, asPlace = false) {
  const boxes = boxesOf(element);
  if (!boxes.length || !isPainted(element)) return { why: 'hidden', by: null };
  const visible = visibleBoxOf(levels);
  const parts = visible ? boxes.map((box) => overlap(box, visible)).filter(Boolean) : [];
  if (!parts.length) return { why: 'outside', by: null };
  let fallback = null;
  let blocker;
  const tries = [
    ...parts.slice(0, MOST_PARTS).map((part) => () => pointsIn(part)),
    ...strokesOf(element).map((line) => () => pointsOn(line)),
  ];
  for (const points of tries) {
    for (const point of points()) {
      const hit = hitThrough(levels, point);
      const verdict = judgeHit(hit, element);
      if (verdict === 'hit') return { point };
      if (verdict === 'child' || (asPlace && hit && isInside(element, hit))) fallback ??= point;
      else blocker ??= hit;
    }
  }
  if (fallback) return { point: fallback };
  return { why: isCoveredAt(levels, parts[0], element) ? 'covered' : 'clipped', by: blocker ?? null };
}

/** The point at an offset in pixels from the element's top left corner, or what covers it there. @returns {Picked} */
function pickAt(element, levels, position, asPlace) {
  if (!boxesOf(element).length || !isPainted(element)) return { why: 'hidden', by: null };
  const point = pointAtOffset(element, position);
  const visible = visibleBoxOf(levels);
  if (
    !visible ||
    point.x < visible.left ||
    point.x >= visible.right ||
    point.y < visible.top ||
    point.y >= visible.bottom
  )
    return { why: 'outside', by: null };
  const hit = hitThrough(levels, point);
  if (judgeHit(hit, element) !== 'miss' || (asPlace && hit && isInside(element, hit))) return { point };
  return { why: 'covered', by: hit };
}

function pointAtOffset(element, [right, down]) {
  const { left, top } = getBoundingClientRect_.call(element);
  return { x: left + right, y: top + down };
}

const MOST_PARTS = 4;

function isPainted(element) {
  if (tagOf(element) === 'AREA') return true;
  return checkVisibility_.call(element, VISIBILITY_OPTIONS) || computedStyleOf(element).display === 'contents';
}

/** Whether the element is painted below something else at the middle of the box, rather than clipped away there. */
function isCoveredAt(levels, box, element) {
  const point = middleOf(box);
  const points = outwardPoints(levels, point);
  for (let i = 0; i + 1 < levels.length; i++) {
    if (topmostAt(levels[i].document, points[i]) !== levels[i + 1].frame) return true;
  }
  const host = hostInDocument(element);
  return elementsFromPointOfDocument_
    .call(documentOf(element), point.x, point.y)
    .some((each) => each === host || isInside(each, host));
}

/** The element itself, or its outermost shadow host. */
function hostInDocument(element) {
  let node = element;
  for (let root = rootOf(node); nodeType(root) === 11 && isShadowRoot(root); root = rootOf(node))
    node = host_.call(root);
  return node;
}

const LINES = 'path,line,polyline';

/**
 * The lines that a part of an SVG is drawn with: a line fills so little of its box that most points of the box miss it.
 * @param {Element} element
 * @returns {Element[]}
 */
function strokesOf(element) {
  if (namespaceURI_.call(element) !== SVG) return [];
  return matches(element, LINES) ? [element] : [...selectAll(element, LINES)].slice(0, MOST_PARTS);
}

/** Points on a line, its middle first. @param {Element} line @returns {Point[]} */
function pointsOn(line) {
  const matrix = screenMatrix_.call(line);
  if (!matrix || !checkVisibility_.call(line)) return [];
  const length = totalLength_.call(line);
  return FRACTIONS.map((fraction) => mapPoint(matrix, pointAtLength_.call(line, fraction * length)));
}
