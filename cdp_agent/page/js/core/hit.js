// What the mouse would meet at a point, through shadow roots and the iframes of this process, and whether that counts as
// the element that is meant.

const elementFromPointOfDocument_ = Document.prototype.elementFromPoint;
const elementFromPointOfRoot_ = ShadowRoot.prototype.elementFromPoint;
const elementsFromPointOfDocument_ = Document.prototype.elementsFromPoint;

/** The innermost element on top at a point of a document's viewport, known closed shadow roots included. @returns {Element | null} */
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
 * What is on top at a point given in the innermost viewport: something there, or whatever hides one of the frames around.
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

/** Parent in the flat tree, also out of a slot of a closed shadow root, which `assignedSlot` does not tell. */
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

// What does something by itself when it is clicked, whatever it is in.
const ACTS_BY_ITSELF =
  'a[href],button,input,select,textarea,summary,area[href],[contenteditable=""],[contenteditable="true" i],[onclick],[tabindex],' +
  '[role="button" i],[role="link" i],[role="checkbox" i],[role="radio" i],[role="switch" i],[role="tab" i],[role="option" i],' +
  '[role="menuitem" i],[role="menuitemcheckbox" i],[role="menuitemradio" i],[role="treeitem" i],[role="textbox" i],[role="combobox" i]';

/**
 * @typedef {'hit' | 'child' | 'miss'} Verdict  child: inside, but of something that acts by itself
 * @param {Element | null} hit @param {Element} element @returns {Verdict}
 */
function judge(hit, element) {
  if (!hit) return 'miss';
  const ownControl = controlOfLabel(element);
  const face = faceAround(element);
  /** @type {Verdict} */
  let verdict = 'hit';
  for (let node = hit; node; node = paintedParent(node)) {
    if (node === element) return verdict;
    if (node === ownControl) return 'hit';
    if (controlOfLabel(node) === element || node === face) return verdict;
    if (matches(node, ACTS_BY_ITSELF)) verdict = 'child';
  }
  if (passesThrough(element)) {
    // The mouse does not see the element, but what it is a part of gets the click.
    const around = paintedParent(element);
    const whole = around && closestFlat(around, ACTS_BY_ITSELF);
    if (whole && isInside(hit, whole)) return 'hit';
  } else if (!isTransparent(element)) return 'miss';
  return isHeardAround(hit, element) ? 'hit' : 'miss';
}

const passesThrough = (element) => computedStyleOf(element).pointerEvents === 'none';

/** Whether nobody sees it, as with a field behind a drop-down list that is drawn by what is around it. */
const isTransparent = (element) => !checkVisibility_.call(element, { opacityProperty: true });

/** Whether what is hit is around the element, and gets there whoever listens to the mouse around it. */
function isHeardAround(hit, element) {
  let isAround = false;
  for (let node = paintedParent(element); node; node = paintedParent(node)) {
    isAround ||= node === hit;
    if (listening.has(node) && !LISTEN_FOR_ITEMS.has(tagOf(node))) return isAround;
  }
  return false;
}

/** The labels of a form control, or what stands for one. @returns {Element[]} */
function labelsFor(element) {
  if (!matches(element, 'input,select,textarea,button,meter,output,progress')) return [];
  const face = faceAround(element);
  return face ? [face] : [...selectAll(rootOf(element), 'label')].filter((label) => controlOfLabel(label) === element);
}

/** What is clicked for a control of no size: what is seen in its place, where that listens or holds nothing else to click. @returns {Element | null} */
function faceAround(element) {
  const around = visibleWrapperOf(element);
  return around && (listening.has(around) || selectAll(around, CONTROLS_SELECTOR).length === 1) ? around : null;
}

/**
 * The best point to hit the element, or what is in the way. Tried are the middle of what is seen of each of its boxes, then
 * a grid; a point that hits a part which acts by itself is the last choice.
 * @param {Element} element @param {Level[]} levels @param {boolean} asPlace  a point where only what is around it is on top will do
 * @returns {Picked}
 * @typedef {{point?: Point, why?: 'hidden' | 'outside' | 'clipped' | 'covered', by?: Element | null}} Picked  the point, or what is in the way
 */
function pickPoint(element, levels, asPlace = false) {
  const boxes = boxesOf(element);
  if (!boxes.length || !isPainted(element)) return { why: 'hidden', by: null };
  const seen = seenOf(levels);
  const parts = seen ? boxes.map((box) => overlap(box, seen)).filter(Boolean) : [];
  if (!parts.length) return { why: 'outside', by: null };
  let fallback = null;
  let blocker;
  const tries = [...parts.slice(0, MOST_PARTS).map((part) => () => pointsIn(part)), ...strokesOf(element).map((line) => () => pointsOn(line))];
  for (const points of tries) {
    for (const point of points()) {
      const hit = hitThrough(levels, point);
      const verdict = judge(hit, element);
      if (verdict === 'hit') return { point };
      if (verdict === 'child' || (asPlace && hit && isInside(element, hit))) fallback ??= point;
      else blocker ??= hit;
    }
  }
  if (fallback) return { point: fallback };
  return { why: isCoveredAt(levels, parts[0], element) ? 'covered' : 'clipped', by: blocker ?? null };
}

/** The point so many pixels right of and below the element's left top corner, or what is in the way there. @returns {Picked} */
function pickAt(element, levels, position, asPlace) {
  if (!boxesOf(element).length || !isPainted(element)) return { why: 'hidden', by: null };
  const point = placeIn(element, position);
  const seen = seenOf(levels);
  if (!seen || point.x < seen.left || point.x >= seen.right || point.y < seen.top || point.y >= seen.bottom) return { why: 'outside', by: null };
  const hit = hitThrough(levels, point);
  if (judge(hit, element) !== 'miss' || (asPlace && hit && isInside(element, hit))) return { point };
  return { why: 'covered', by: hit };
}

function placeIn(element, [right, down]) {
  const { left, top } = getBoundingClientRect_.call(element);
  return { x: left + right, y: top + down };
}

const MOST_PARTS = 4;

function isPainted(element) {
  if (tagOf(element) === 'AREA') return true;
  return checkVisibility_.call(element, SEEN_OPTIONS) || computedStyleOf(element).display === 'contents';
}

/** Whether the element is painted at the middle of the box below something else, rather than clipped away there. */
function isCoveredAt(levels, box, element) {
  const point = middleOf(box);
  const points = outwardPoints(levels, point);
  for (let i = 0; i + 1 < levels.length; i++) {
    if (topmostAt(levels[i].document, points[i]) !== levels[i + 1].frame) return true;
  }
  const host = hostInDocument(element);
  return elementsFromPointOfDocument_.call(documentOf(element), point.x, point.y).some((each) => each === host || isInside(each, host));
}

/** The element itself, or the outermost shadow host that it is in. */
function hostInDocument(element) {
  let node = element;
  for (let root = rootOf(node); nodeType(root) === 11 && isShadowRoot(root); root = rootOf(node)) node = host_.call(root);
  return node;
}

const FRACTIONS = [0.5, 0.25, 0.75, 0.1, 0.9];
const GRID = FRACTIONS.flatMap((x) => FRACTIONS.map((y) => [x, y])).sort(
  ([ax, ay], [bx, by]) => Math.hypot(ax - 0.5, ay - 0.5) - Math.hypot(bx - 0.5, by - 0.5),
);

/** @param {Box} box @returns {Point[]} */
const pointsIn = ({ left, top, right, bottom }) =>
  GRID.map(([x, y]) => ({ x: left + (right - left) * x, y: top + (bottom - top) * y }));

const LINES = 'path,line,polyline';

/** What is drawn as lines in a drawing: a wire passes through little of its box. @param {Element} element @returns {Element[]} */
function strokesOf(element) {
  if (namespaceURI_.call(element) !== SVG) return [];
  return matches(element, LINES) ? [element] : [...selectAll(element, LINES)].slice(0, MOST_PARTS);
}


/** Points along a line, its middle first. @param {Element} line @returns {Point[]} */
function pointsOn(line) {
  const matrix = screenMatrix_.call(line);
  if (!matrix || !checkVisibility_.call(line)) return [];
  const length = totalLength_.call(line);
  return FRACTIONS.map((fraction) => mapPoint(matrix, pointAtLength_.call(line, fraction * length)));
}
