// What came of an action that no line of the snapshot shows: looks, classes, drawings, pictures, scrolling, the caret, and
// what came and went meanwhile. Nothing is asked of the page for it but what it shows anyway.

/**
 * @typedef {{text: string, weak: boolean}} Effect  weak: the mouse and the focus alone may do that
 * @typedef {{at: number, looks: Map<Element, string[]>, sheets: Map<CSSStyleSheet, string>, canvases: Map<Element, string | null>, classes: Map<Element, string>,
 *   drawn: Map<Element, Map<string, string | null>>, marked: Element[], added: Map<Node, number>, gone: {blocks: string[], from: Node, at: number}[], scrolled: Set<Node>, selection: string,
 *   moving: Element[], printed: boolean, edited: Set<Element>, filled: Map<Node, number>, actedAt: number, prompt: boolean}} Before  prompt: text changed as soon as the mouse or a key had acted, or where nothing had changed for long
 */
/** @type {Before | null} */
let before = null;

const LOOKED_AT = 200; // elements
const PROPERTIES =
  'color background-color background-image border-top-color font-weight font-style text-decoration-line opacity transform filter box-shadow fill stroke visibility'.split(' ');
const OPACITY = PROPERTIES.indexOf('opacity');
const MOST_TOLD = 4; // of one kind
const LONGEST_GONE = 120;
const PROMPT_MS = 20; // what comes so soon is the action's doing, even if it only counts
const PAINTED_MS = 16; // what is gone before is never seen
// Classes that say something to whoever reads them, and those of the mouse, the focus and the way something comes and goes.
const MEANS = /^(is|has)-|(^|[-_])(selected|active|error|errors|invalid|valid|open|opened|closed|collapsed|expanded|disabled|enabled|checked|current|done|complete|completed|success|warning|danger|loading|busy|liked|starred|pinned|marked|highlight|highlighted|visible|shown|hidden|on|off|dark|light)($|[-_])/i;
const OPENS = /(^|[-_])(open|opened|closed|collapsed|expanded|visible|shown|hidden)($|[-_])/i;
const PASSING = /ripple|focus|hover|press|touch|pristine|dirty|wave|enter|leav|appear|transition|animat|(^|[-_])ink/i;
const MARKING = new Set(['B', 'STRONG', 'I', 'EM', 'MARK', 'U', 'S', 'DEL', 'INS']);

const styleValue_ = CSSStyleDeclaration.prototype.getPropertyValue;
const selectionStart = reader(HTMLInputElement, 'selectionStart');
const selectionEnd = reader(HTMLInputElement, 'selectionEnd');
const areaStart = reader(HTMLTextAreaElement, 'selectionStart');
const areaEnd = reader(HTMLTextAreaElement, 'selectionEnd');
const scrollLeft = reader(Element, 'scrollLeft');

/** From now on what comes is an action's effect, until the watching ends. @returns {ReturnType<typeof changes> & {unreadable: boolean}} */
function beginEffects() {
  const so = changes();
  endEffects();
  setActing(true);
  watching.touched = new WeakSet();
  const looks = looksNow();
  const moving = documentAnimations_.call(document).map((animation) => animation.effect?.target).filter(Boolean);
  before = {
    at: performance.now(), looks, sheets: rulesNow(looks.size === LOOKED_AT), canvases: canvasesNow(), classes: new Map(), drawn: new Map(),
    marked: [], added: new Map(), gone: [], scrolled: new Set(), selection: selectionNow(), moving, printed: false, edited: new Set(), filled: new Map(), actedAt: Infinity, prompt: false,
  };
  addEventListener_.call(window, 'scroll', noteScroll, true);
  addEventListener_.call(window, 'beforeprint', notePrinting);
  for (const type of ACTING) addEventListener_.call(window, type, noteActing, true);
  return { ...so, unreadable: [...before.canvases.values()].includes(null) };
}

watchers.record = (record, target, now) => {
  if (before) noteRecord(record, target, now);
};
watchers.ended = endEffects;

function endEffects() {
  setActing(false);
  if (!before) return;
  removeEventListener_.call(window, 'scroll', noteScroll, true);
  removeEventListener_.call(window, 'beforeprint', notePrinting);
  for (const type of ACTING) removeEventListener_.call(window, type, noteActing, true);
  before = null;
}

const ACTING = ['mousedown', 'mouseup', 'keydown', 'drop'];

function noteActing() {
  if (before) before.actedAt = performance.now();
}

function notePrinting() {
  if (before) before.printed = true;
  wakeWaiter();
}

const noteScroll = (event) => before?.scrolled.add(event.target);

/** Aiming has scrolled the page: that is ours. */
const forgetScrolls = () => before?.scrolled.clear();

/** What the observer of stability.js saw. @param {MutationRecord} record @param {any} target @param {number} now */
function noteRecord(record, target, now) {
  const type = type_.call(record);
  if (type !== 'attributes') noteWords(target, now);
  if (type === 'attributes') {
    const name = attributeName_.call(record);
    if (name === 'class' && !before.classes.has(target)) before.classes.set(target, oldValue_.call(record) ?? '');
    else if (namespaceURI_.call(target) === SVG && (GEOMETRY.has(name) || name === 'style')) noteRedrawn(target, name, oldValue_.call(record));
  } else if (type === 'childList') {
    const added = addedNodes_.call(record);
    const removed = removedNodes_.call(record);
    if (added.length) {
      const had = new Set([...removed].map((node) => nodeType(node) === 1 && tagOf(node)));
      for (const node of added) noteAdded(node, now, had);
      before.filled.set(target, now);
      before.gone = before.gone.filter(({ from, at }) => from !== target || at !== now); // replaced
    } else if (before.filled.get(target) !== now) for (const node of removed) noteRemoved(node, target, now); // else replaced
  }
}

function noteWords(target, now) {
  const element = nodeType(target) === 1 ? target : parentNode(target);
  if (!element || nodeType(element) !== 1 || restless.has(target)) return;
  if (before.actedAt === Infinity) noteByItself(target, now);
  else if (now - before.actedAt < PROMPT_MS || wasStill(target, before.actedAt)) before.prompt ||= collapse(textContent(element)) !== '';
  else noteLate(target, now);
  if (isEditable(element)) before.edited.add(element);
}

/** Libraries set all attributes anew, most of them to what they were. */
function noteRedrawn(part, name = '', old = null) {
  const were = before.drawn.get(part) ?? new Map();
  before.drawn.set(part, were);
  if (name && !were.has(name)) were.set(name, old);
}

const isRedrawn = ([part, were]) => before.added.has(part) || [...were].some(([name, old]) => attr(part, name) !== old);

/** @param {Set<string | false>} had  the tags of what gave way to it: marks that take the place of marks are no news */
function noteAdded(node, now, had) {
  before.added.set(node, now);
  if (nodeType(node) !== 1) return;
  if (namespaceURI_.call(node) === SVG) noteRedrawn(node);
  else if (MARKING.has(tagOf(node)) && !had.has(tagOf(node))) before.marked.push(node);
}

function noteRemoved(node, from, now) {
  const since = before.added.get(node);
  before.added.delete(node);
  if (since === undefined || now - since < PAINTED_MS || before.gone.length >= 20 || !mayShow(node)) return;
  const blocks = [...new Set(goneText(node, 0).split(BREAK).map(collapse).filter(Boolean))];
  if (blocks.some((text) => /\p{L}{2}/u.test(text))) before.gone.push({ blocks, from, at: now });
}

/** What has come and gone by now is the doing of what led to the press: of a list that was opened and scrolled to an option. */
function forgetPassing() {
  if (!before) return;
  changesSoFar();
  before.added.clear();
  before.marked = [];
  before.gone = [];
}

/** With BREAK where a block begins or ends, as its tag says: what is in no document has no style. */
function goneText(node, depth) {
  if (nodeType(node) === 3) return cut(dataOf(node), LONGEST_GONE);
  if (!mayShow(node) || depth > DEEPEST_NAME) return '';
  let text = '';
  for (let child = firstChild(node); child && text.length < 2 * LONGEST_GONE; child = nextSibling(child)) text += goneText(child, depth + 1);
  return BLOCK_TAGS.has(tagOf(node)) ? BREAK + text + BREAK : text;
}

/** Whether a node's text may have been seen: not that of comments, scripts and styles. */
const mayShow = (node) => (nodeType(node) === 1 ? !SKIPPED.has(tagOf(node)) : nodeType(node) === 3);

/**
 * What came of the action so far.
 * @param {boolean} looks  no line has changed: what lines would show counts, and how things look, which costs most
 * @param {boolean} hovered  by an action that only moves the mouse: classes of what is under it are the mouse's doing @returns {{effects: Effect[], gone: string[][], prompt: boolean}} gone: texts that came and went, block by block
 */
function effectsNow(looks, hovered) {
  if (!before) return { effects: [], gone: [], prompt: false };
  changesSoFar();
  const effects = describing(() => effectsSoFar(looks, hovered));
  return { effects, gone: before.gone.map(({ blocks }) => blocks), prompt: before.prompt };
}

/** @returns {Effect[]} */
function effectsSoFar(looks, hovered) {
  const effects = [...classEffects(looks, hovered), ...markEffects(), ...drawnEffects(looks), ...canvasEffects(), ...scrollEffects(), ...selectionEffects()];
  if (before.printed) effects.push({ text: 'the page asked to be printed: pdf writes it to a file', weak: false });
  if (looks) effects.push(...editorEffects(), ...lookEffects(hovered ? new Set() : new Set(before.classes.keys())));
  return effects;
}

/** As the snapshot writes it: `- button "Pay" [ref=\x017]: class now "selected"`. */
function told_(element, what, weak = false) {
  const { role, name } = roleAndNameOf(element);
  const id = idsOfElements.get(element);
  const words = name || cut(headingOrFirstText(element), 40);
  return { text: `- ${role}${words ? ` ${quote(words)}` : ''}${id === undefined ? '' : ` [ref=\x01${id}]`}: ${what}`, weak };
}

/** Whether there is anything to tell the element by. */
const isTold = (element) => idsOfElements.has(element) || roleAndNameOf(element).name !== '' || headingOrFirstText(element) !== '';

/** @param {boolean} all  also those that open and show, of which there are lines elsewhere, and such that nobody knows @param {boolean} hovered */
function classEffects(all, hovered) {
  const found = [];
  for (const [element, old] of before.classes) {
    if (!isConnected_.call(element) || restless.has(element) || before.added.has(element) || isInAdded(element)) continue;
    const had = new Set(old.split(/\s+/));
    const has = new Set((attr(element, 'class') ?? '').split(/\s+/));
    const says = (name) => MEANS.test(name) && !PASSING.test(name) && (all || !OPENS.test(name));
    const notes = [
      ...[...has].filter((name) => !had.has(name) && says(name)).map((name) => `now "${name}"`),
      ...[...had].filter((name) => !has.has(name) && says(name)).map((name) => `no longer "${name}"`),
    ];
    if (!notes.length || !(all || isTold(element)) || visibilityOf(element) === GONE) continue;
    found.push(told_(element, `class ${notes.join(', ')}`, hasFaded(element) || (hovered && matches(element, HOVERED))));
  }
  return atMost(found);
}

/** Most that has is taken away then. */
const hasFaded = (element) => computedStyleOf(element).opacity === '0';

/** Marks that show something. In an editor they are told with the text. */
function markEffects() {
  const shown = before.marked.filter((element) => isConnected_.call(element) && !(isEditable(element) && WRITTEN_MARKS.has(tagOf(element))) && collapse(textContent(element)) && !isInAdded(element));
  return atMost(shown.map((element) => ({ text: `${tagOf(element).toLowerCase()}: now ${quote(cut(collapse(textContent(element)), 80))}`, weak: false })));
}

const WRITTEN_MARKS = new Set(['B', 'STRONG', 'I', 'EM', 'S', 'DEL']);

/** Whether more came with it: then that is told, line by line. */
const isInAdded = (element) => {
  for (let node = flatParent(element); node; node = flatParent(node)) if (before.added.has(node)) return true;
  return false;
};

/** @param {boolean} all  also what nobody knows */
function drawnEffects(all) {
  const redrawn = [...before.drawn].filter(isRedrawn).map(([element]) => element);
  const found = redrawn.filter((element) => isConnected_.call(element) && !restless.has(element) && !isInAdded(element) && !isMoving_(element));
  const effects = found.flatMap((element) => {
    const holder = holderOfIcon(element);
    if (holder) return visibilityOf(holder) === GONE ? [] : [told_(holder, 'its icon redrawn')];
    const drawing = closestFlat(element, 'svg') ?? element;
    const isKnown = isTold(element);
    if (!all && !isKnown && isSmallDrawing(drawing)) return [];
    const part = isKnown ? element : drawing;
    return [told_(part, before.added.has(part) ? 'drawn' : 'redrawn')];
  });
  return atMost([...new Map(effects.map((each) => [each.text, each])).values()]);
}

/** What is acted on by an icon that nobody could be told of by itself. @returns {Element | null} */
function holderOfIcon(element) {
  const icon = closestFlat(element, 'svg');
  if (!icon || idsOfElements.has(element) || !isSmallDrawing(icon) || roleAndNameOf(icon).name) return null;
  let holder = flatParent(icon);
  for (let i = 0; holder && i < MOST_HOLDERS && !idsOfElements.has(holder); i++) holder = flatParent(holder);
  return holder && idsOfElements.has(holder) ? holder : null;
}

const MOST_HOLDERS = 4;

const isMoving_ = (element) => before.moving.some((each) => isInside(element, each));

/** @returns {Map<Element, string | null>} the pictures in canvases that are seen; null: the page may not give them away */
function canvasesNow() {
  const found = new Map();
  for (const root of watching?.roots ?? [document]) {
    for (const canvas of selectAll(root, 'canvas')) if (found.size < 8 && checkVisibility_.call(canvas)) found.set(canvas, pictureOf(canvas));
  }
  return found;
}

const LARGEST_SIDE = 512; // pixels: drawn smaller, a thin line is still there
const shrunk = { canvas: null };

function pictureOf(canvas) {
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
    // One that is drawn by WebGL shows itself only while it is drawn.
    return pixels.some(Boolean) ? `${width}x${height} ${hashOf(pixels)}` : null;
  } catch {
    shrunk.canvas = null; // tainted for good by a picture of another origin
    return null;
  }
}

function hashOf(words) {
  let hash = 2166136261;
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words[i], 16777619);
  return hash;
}

/** Where the canvases are that do not give their picture away. @returns {([number, number, number, number] | null)[]} boxes in the tab's document; null: out of view */
function hiddenPictures() {
  /** @type {([number, number, number, number] | null)[]} */
  const boxes = [];
  for (const [canvas, picture] of before?.canvases ?? []) {
    if (picture !== null || !isConnected_.call(canvas)) continue;
    const levels = levelsOf(canvas);
    const seen = seenOf(levels);
    let box = seen && overlap(rectOf(canvas), seen);
    for (const { outwards } of levels.slice(1).reverse()) box = box && mapBox(outwards, box);
    boxes.push(box && [box.left + scrollX, box.top + scrollY, box.right - box.left, box.bottom - box.top]);
  }
  return boxes;
}

function canvasEffects() {
  if (!before.canvases.size) return [];
  const now = canvasesNow();
  return [...before.canvases].filter(([canvas, was]) => now.has(canvas) && now.get(canvas) !== was && (was !== null || now.get(canvas) !== null)).map(([canvas]) => told_(canvas, 'its picture changed'));
}

function editorEffects() {
  const hosts = new Set([...before.edited].filter((element) => isConnected_.call(element)).map(fieldOf).filter(Boolean));
  return atMost([...hosts].map((host) => told_(host, `text now ${quote(cut(collapse(textContent(host)), 200))}`)));
}

function scrollEffects() {
  const found = [];
  for (const node of before.scrolled) {
    const element = nodeType(node) === 9 ? (/** @type {Document} */ (node).scrollingElement ?? documentElement_.call(node)) : node;
    if (!isConnected_.call(element) || hasNoSize(element)) continue; // what only screen readers have scrolls when its field gets the focus
    const place = [Math.round(scrollLeft(element)), Math.round(scrollTop(element))];
    const what = `scrolled to ${place[1]} of ${scrollHeight(element)} px${place[0] ? `, ${place[0]} px right` : ''}`;
    found.push(nodeType(node) === 9 ? { text: `the page: ${what}`, weak: false } : told_(element, what));
  }
  return atMost(found);
}

/** What is selected, or where the caret is in what can be edited. */
function selectionNow() {
  const field = focusedElement();
  const tag = field ? tagOf(field) : '';
  if (tag === 'TEXTAREA') return `${areaStart(field)}-${areaEnd(field)} ${idOf(field)}`;
  if (tag === 'INPUT') return TYPED.has(inputType(field)) ? `${selectionStart(field)}-${selectionEnd(field)} ${idOf(field)}` : '';
  const selection = getSelection_.call(field ? documentOf(field) : document);
  if (!selection || selection.rangeCount === 0) return '';
  const text = cut(collapse(String(selection)), 80);
  if (text) return quote(text);
  return field && isEditable(field) ? `caret ${selection.focusOffset} ${placeOfNode(selection.focusNode)}` : '';
}

const placeOfNode = (node) => {
  const place = [];
  for (let each = node; each && place.length < 30; each = parentNode(each)) {
    let index = 0;
    for (let other = firstChild(parentNode(each) ?? each); other && other !== each; other = nextSibling(other)) index++;
    place.push(index);
  }
  return place.join('.');
};

function selectionEffects() {
  const now = selectionNow();
  if (now === before.selection || !now) return [];
  if (now.startsWith('"')) return [{ text: `selected: ${now}`, weak: false }];
  return [{ text: 'the caret moved', weak: true }];
}

/** How the first elements look. @returns {Map<Element, string[]>} */
function looksNow() {
  const looks = new Map();
  for (const root of watching.roots) {
    const elements = selectAll(root, nodeType(root) === 9 ? 'body, body *' : '*');
    for (let i = 0; i < elements.length && looks.size < LOOKED_AT; i++) looks.set(elements[i], lookOf(elements[i]));
  }
  return looks;
}

function lookOf(element) {
  const style = computedStyleOf(element);
  const { width, height } = rectOf(element);
  return [...PROPERTIES.map((name) => styleValue_.call(style, name)), `${Math.round(width)}x${Math.round(height)}`, stateOf(element)];
}

const stateOf = (element) => `${matches(element, HOVERED)}${matches(element, ':focus-within')}${matches(element, ACTIVE)}`;

// To write out 1,000 rules takes almost 2 ms. Scripts change those of small sheets, which are theirs.
const MOST_WRITTEN = 2000;

/**
 * What the style sheets say, for what is further down than is looked at: of each how many rules there are, or the rules themselves.
 * @param {boolean} written  the rules themselves, of the smallest sheets first @returns {Map<CSSStyleSheet, string>}
 */
function rulesNow(written) {
  const known = [...watching.roots].flatMap(sheetsOf).map((sheet) => ({ sheet, rules: rulesOf(sheet) }));
  known.sort((one, other) => one.rules.length - other.rules.length);
  let left = written ? MOST_WRITTEN : 0;
  const now = new Map();
  for (const { sheet, rules } of known) {
    left -= rules.length;
    now.set(sheet, `${rules.length} ${sheet.disabled} ${left >= 0 ? [...rules].map((rule) => rule.cssText).join('') : ''}`);
  }
  return now;
}

const sheetsOf = (root) => [...(nodeType(root) === 9 ? styleSheetsOfDocument_ : styleSheetsOfRoot_).call(root), ...(nodeType(root) === 9 ? adoptedOfDocument_ : adoptedOfRoot_).call(root)];

/** @param {CSSStyleSheet} sheet @returns {ArrayLike<CSSRule> & Iterable<CSSRule>} none of another origin's */
function rulesOf(sheet) {
  try {
    return sheet.cssRules;
  } catch {
    return [];
  }
}

function areRulesOther() {
  const now = rulesNow(before.looks.size === LOOKED_AT);
  return now.size !== before.sheets.size || [...now].some(([sheet, text]) => before.sheets.get(sheet) !== text);
}

/** @param {Set<Element>} classed  whose class changed */
function lookEffects(classed) {
  const found = [];
  const inside = new Set();
  for (const [element, was] of before.looks) {
    if (!isConnected_.call(element) || restless.has(element) || isMoving_(element)) continue;
    const now = lookOf(element);
    const notes = PROPERTIES.filter((_, index) => was[index] !== now[index]);
    if (was.at(-2) !== now.at(-2) && !notes.length && !firstElementChild_.call(element)) notes.push('size');
    const parent = parentNode(element);
    const inherited = parent && inside.has(parent);
    if (notes.length) inside.add(element);
    if (!notes.length || inherited) continue;
    // Under the mouse things look otherwise by themselves; the page around them does not.
    const own = tagOf(element) !== 'BODY' && !classed.has(element) && (was.at(-1) !== now.at(-1) || matches(element, HOVERED));
    const bold = notes.includes('font-weight') && Number(now[PROPERTIES.indexOf('font-weight')]) >= 600;
    const fades = Number(now[OPACITY]) < Number(was[OPACITY]); // it is on its way out then, or waits for what is loading
    found.push(told_(element, bold ? 'now bold' : `looks changed (${notes.join(', ')})`, own || fades));
  }
  if (!found.length && areRulesOther()) found.push({ text: 'style rules changed', weak: false });
  return atMost(found);
}

function atMost(effects) {
  const firm = [...effects.filter(({ weak }) => !weak), ...effects.filter(({ weak }) => weak)];
  return firm.length <= MOST_TOLD ? firm : [...firm.slice(0, MOST_TOLD), { text: `${firm.length - MOST_TOLD} more like these`, weak: firm[MOST_TOLD].weak }];
}
