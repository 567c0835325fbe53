// How the page looks where no line of the snapshot shows it: the styles of its first elements, its style rules, and the
// pictures of canvases. Compared with how it looked before an action, see effects.js.

const MOST_STYLED = 200; // elements
const STYLE_PROPERTIES = (
  'color background-color background-image border-top-color font-weight font-style text-decoration-line opacity ' +
  'transform filter box-shadow fill stroke visibility'
).split(' ');
const OPACITY_INDEX = STYLE_PROPERTIES.indexOf('opacity');
const styleValue_ = CSSStyleDeclaration.prototype.getPropertyValue;

/** @returns {Map<Element, string | null>} fingerprints of the visible canvases; null: the canvas cannot be read */
function canvasesNow() {
  const canvases = new Map();
  for (const root of watching?.roots ?? [document]) {
    for (const canvas of selectAll(root, 'canvas'))
      if (canvases.size < 8 && checkVisibility_.call(canvas)) canvases.set(canvas, canvasFingerprint(canvas));
  }
  return canvases;
}

const LARGEST_SIDE = 512; // pixels: a thin line is still visible when scaled down to this
const shrunk = { canvas: null };

function canvasFingerprint(canvas) {
  const { width, height } = canvas;
  if (!width || !height) return '';
  const scale = Math.min(1, LARGEST_SIDE / Math.max(width, height));
  const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  shrunk.canvas ??= new OffscreenCanvas(1, 1);
  shrunk.canvas.width = w;
  shrunk.canvas.height = h;
  const context = shrunk.canvas.getContext('2d', { willReadFrequently: true });
  try {
    context.imageSmoothingQuality = 'medium';
    context.drawImage(canvas, 0, 0, w, h);
    const pixels = new Uint32Array(context.getImageData(0, 0, w, h).data.buffer);
    // A WebGL canvas can only be read while it is drawn.
    return pixels.some(Boolean) ? `${width}x${height} ${hashOf(pixels)}` : null;
  } catch {
    shrunk.canvas = null; // an image of another origin has tainted it for good
    return null;
  }
}

function hashOf(words) {
  let hash = 2166136261;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words[i], 16777619);
  return hash;
}

/**
 * Where the canvases are that cannot be read.
 * @returns {([number, number, number, number] | null)[]} boxes in the root document; null: out of view
 */
function unreadableCanvases() {
  /** @type {([number, number, number, number] | null)[]} */
  const boxes = [];
  for (const [canvas, picture] of baseline?.canvases ?? []) {
    if (picture !== null || !isConnected_.call(canvas)) continue;
    const levels = levelsOf(canvas);
    const seen = visibleBoxOf(levels);
    let box = seen && overlap(rectOf(canvas), seen);
    for (const { outwards } of levels.slice(1).reverse()) box = box && mapBox(outwards, box);
    boxes.push(box && [box.left + scrollX, box.top + scrollY, box.right - box.left, box.bottom - box.top]);
  }
  return boxes;
}

function canvasEffects() {
  if (!baseline.canvases.size) return [];
  const now = canvasesNow();
  return [...baseline.canvases]
    .filter(([canvas, was]) => now.has(canvas) && now.get(canvas) !== was && (was !== null || now.get(canvas) !== null))
    .map(([canvas]) => elementEffect(canvas, 'its picture changed'));
}

const isAnimatedBefore = (element) => baseline.animated.some((each) => isInside(element, each));

/**
 * @typedef {{left: number, top: number, width: number, height: number}} Place  in the document, in CSS pixels
 * @typedef {{values: string[], box: Place, pointer: string}} Look  values: those of STYLE_PROPERTIES; pointer: whether
 *   the mouse or the focus is there
 */

/** The looks of the first elements. @returns {Map<Element, Look>} */
function elementStylesNow() {
  const styles = new Map();
  for (const root of watching.roots) {
    const elements = selectAll(root, nodeType(root) === 9 ? 'body, body *' : '*');
    for (let i = 0; i < elements.length && styles.size < MOST_STYLED; i++)
      styles.set(elements[i], elementStyle(elements[i]));
  }
  return styles;
}

/** @returns {Look} */
function elementStyle(element) {
  const style = computedStyleOf(element);
  const { left, top, width, height } = rectOf(element);
  return {
    values: STYLE_PROPERTIES.map((name) => styleValue_.call(style, name)),
    box: { left: left + scrollX, top: top + scrollY, width: Math.round(width), height: Math.round(height) },
    pointer: pointerStateOf(element),
  };
}

const pointerStateOf = (element) =>
  `${matches(element, HOVERED)}${matches(element, ':focus-within')}${matches(element, ACTIVE)}`;

// Serializing 1,000 rules takes almost 2 ms. Scripts change the rules of small sheets, which are their own.
const MOST_RULES_WRITTEN = 2000;

/**
 * The style sheets, to notice changes of elements beyond MOST_STYLED: for each sheet the number of its rules, or their
 * text.
 * @param {boolean} written  with the text of the rules, smallest sheets first @returns {Map<CSSStyleSheet, string>}
 */
function rulesNow(written) {
  const sheets = [...watching.roots].flatMap(sheetsOf).map((sheet) => ({ sheet, rules: rulesOf(sheet) }));
  sheets.sort((one, other) => one.rules.length - other.rules.length);
  let rulesLeft = written ? MOST_RULES_WRITTEN : 0;
  const now = new Map();
  for (const { sheet, rules } of sheets) {
    rulesLeft -= rules.length;
    now.set(
      sheet,
      `${rules.length} ${sheet.disabled} ${rulesLeft >= 0 ? [...rules].map((rule) => rule.cssText).join('') : ''}`,
    );
  }
  return now;
}

const sheetsOf = (root) => [
  ...(nodeType(root) === 9 ? styleSheetsOfDocument_ : styleSheetsOfRoot_).call(root),
  ...(nodeType(root) === 9 ? adoptedOfDocument_ : adoptedOfRoot_).call(root),
];

/**
 * @param {CSSStyleSheet} sheet
 * @returns {ArrayLike<CSSRule> & Iterable<CSSRule>} empty for a sheet of another origin
 */
function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return [];
  }
}

function haveRulesChanged() {
  const now = rulesNow(baseline.styles.size === MOST_STYLED);
  return now.size !== baseline.sheets.size || [...now].some(([sheet, text]) => baseline.sheets.get(sheet) !== text);
}

/** @param {Set<Element>} classed  the elements whose class changed */
function styleEffects(classed) {
  const effects = [];
  const inside = new Set();
  const { effects: orders, moved } = orderEffects();
  for (const [element, was] of baseline.styles) {
    if (!isConnected_.call(element) || isEndless(element) || isAnimatedBefore(element)) continue;
    const now = elementStyle(element);
    const notes = STYLE_PROPERTIES.filter((_, index) => was.values[index] !== now.values[index]);
    const isResized = was.box.width !== now.box.width || was.box.height !== now.box.height;
    if (isResized && !notes.length && !firstElementChild_.call(element)) notes.push('size');
    const parent = parentNode(element);
    const inherited = parent && inside.has(parent);
    if (notes.length) inside.add(element);
    if (!notes.length || inherited || (moved.has(element) && notes.join() === 'transform')) continue;
    // Hovering changes styles of elements by itself, but not that of the body.
    const own =
      tagOf(element) !== 'BODY' && !classed.has(element) && (was.pointer !== now.pointer || matches(element, HOVERED));
    const bold = notes.includes('font-weight') && Number(now.values[STYLE_PROPERTIES.indexOf('font-weight')]) >= 600;
    // it is fading out, or dimmed while something loads
    const fades = Number(now.values[OPACITY_INDEX]) < Number(was.values[OPACITY_INDEX]);
    const way = notes.join() === 'transform' && !isResized ? wayFrom(was.box, now.box) : '';
    const what = way ? `moved ${way}` : bold ? 'now bold' : `looks changed (${notes.join(', ')})`;
    effects.push(elementEffect(element, what, own || fades));
  }
  if (!effects.length && !orders.length && haveRulesChanged())
    effects.push({ text: 'style rules changed', weak: false });
  return [...limitEffects(orders), ...limitEffects(effects)];
}

/** How far a box was moved, `120 px right, 40 px down`. @param {Place} was @param {Place} now */
function wayFrom(was, now) {
  const [right, down] = [Math.round(now.left - was.left), Math.round(now.top - was.top)];
  return [
    right && `${Math.abs(right)} px ${right > 0 ? 'right' : 'left'}`,
    down && `${Math.abs(down)} px ${down > 0 ? 'down' : 'up'}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * The elements that are seen in another order than before, as after sorting by `transform`, `order` or `top`: several
 * of the same parent, which have moved.
 * @returns {{effects: Effect[], moved: Set<Element>}} effects: one for each parent
 */
function orderEffects() {
  /** @type {Map<Node, {element: Element, was: Place, now: Place}[]>} */
  const families = new Map();
  for (const [element, { box }] of baseline.styles) {
    if (!box.width || !box.height || !isConnected_.call(element) || isEndless(element) || isAnimatedBefore(element))
      continue;
    const now = elementStyle(element).box;
    const parent = flatParent(element);
    if (now.width && now.height) families.set(parent, [...(families.get(parent) ?? []), { element, was: box, now }]);
  }
  const effects = [];
  const moved = new Set();
  for (const [parent, family] of families) {
    const before = family.toSorted((one, other) => inReadingOrder(one.was, other.was));
    const after = family.toSorted((one, other) => inReadingOrder(one.now, other.now));
    const others = after.filter(
      ({ element, was, now }, index) => element !== before[index].element && wayFrom(was, now) !== '',
    );
    if (others.length < 2) continue; // one that was moved across others
    for (const { element } of others) moved.add(element);
    const at = after.indexOf(others[0]);
    const above = at && roleAndNameOf(after[at - 1].element);
    const { role, name } = roleAndNameOf(/** @type {Element} */ (parent));
    const first = roleAndNameOf(others[0].element).role === 'row' ? 'first row' : 'first';
    const where = `now ${above ? `after ${above.role} ${quote(cut(above.name, 40))}` : first}`;
    const around = name ? ` in ${role} ${quote(cut(name, 40))}` : '';
    effects.push(elementEffect(others[0].element, `${where}${around}; ${others.length} of ${after.length} moved`));
  }
  return { effects, moved };
}

/** @param {Place} one @param {Place} other */
const inReadingOrder = (one, other) => Math.round(one.top) - Math.round(other.top) || one.left - other.left;
