// What is rendered and still cannot be seen: collapsed, moved off the page, transparent or clipped away; its outermost
// lines are marked as [not-shown]. Only elements are asked that a rule or a style attribute may do that to
// (subjects.js), and what is in a box that cuts off some of its contents. What can be scrolled into view is seen.

const IN_SIGHT = 0; // nor is anything in it cut off
const PARTLY_IN_SIGHT = 1; // each thing in it is asked in its turn
const OUT_OF_SIGHT = 2;

// Flags that hold for everything below an element.
const UNSEEN = 1 << 20;
const IN_CUT_BOX = 1 << 21;

/** The flags of a visible element with those about sight. @param {Element} element @param {number} flags */
function withSight(element, tag, flags) {
  const { unseen, clipping } = reading.selections;
  const { every } = unseen.selection;
  if (flags & UNSEEN || tag === 'BODY' || tag === 'HTML' || namespaceURI_.call(element) !== HTML) return flags;
  const isSubject = flags & IN_CUT_BOX || mayApply(unseen, element) || (every && mayBeUnseen(element));
  if (!isSubject && !mayApply(clipping, element)) return flags;
  const sight = remember(isSubject ? SIGHT : remember(CLIPS_WHOLLY, element) ? CUT : COLLAPSED, element);
  if (sight === OUT_OF_SIGHT) return flags | UNSEEN;
  return sight === IN_SIGHT ? flags & ~IN_CUT_BOX : flags | IN_CUT_BOX;
}

/** Where some rules cannot be read: whether something is uncommon about what an element looks like. */
function mayBeUnseen(element) {
  if (!checkVisibility_.call(element, PAINTED)) return true;
  const { left, right, bottom, width, height } = getBoundingClientRect_.call(element);
  return width < 2 || height < 2 || right <= 0 || bottom + window.scrollY <= 0 || left >= window.innerWidth;
}

const SIGHT = { ask: sightOf, mark: markSubtreeStale };
// The same of an element that may be out of sight only by itself clipping all that is in it: if it cannot be scrolled
// either way, or else only where it has no size.
const CUT = { ask: (element) => (mayCut(element) ? sightOf(element) : IN_SIGHT), mark: markSubtreeStale };
const COLLAPSED = { ask: (element) => (isSizeless(element) ? sightOf(element) : IN_SIGHT), mark: markSubtreeStale };
const CLIPS_WHOLLY = {
  ask: (element) => {
    const { overflowX, overflowY } = computedStyleOf(element);
    return !canScroll(overflowX) && !canScroll(overflowY);
  },
  mark: markSubtreeStale,
  byRulesAlone: true,
};

const HIDDEN = { overflowX: 'hidden', overflowY: 'hidden' };
const isSizeless = (element) => widthInLayout_.call(element) <= 1 || heightInLayout_.call(element) <= 1;
const mayCut = (element) =>
  isSizeless(element) || (firstElementChild_.call(element) !== null && holdsCutOff(element, HIDDEN));

/** @param {Element} element @returns {0 | 1 | 2} */
function sightOf(element) {
  const style = computedStyleOf(element);
  if (style.display === 'contents') return PARTLY_IN_SIGHT;
  const box = getBoundingClientRect_.call(element);
  if (isUnpainted(element, style, box)) return OUT_OF_SIGHT;
  const isFlat = box.width < 1 || box.height < 1 || (box.width <= 1 && box.height <= 1);
  if (isFlat && !(clips(style) && firstChild(element) !== null) && !isScaledToNothing(element)) return PARTLY_IN_SIGHT;
  const rest = isFlat ? OUT_OF_SIGHT : restOfBox(element, box, style.position);
  if (rest === OUT_OF_SIGHT) return holdsSeenControl(element) ? PARTLY_IN_SIGHT : OUT_OF_SIGHT;
  return rest === IN_SIGHT && !holdsCutOff(element, style) ? IN_SIGHT : PARTLY_IN_SIGHT;
}

const clips = ({ overflowX, overflowY }) => overflowX !== 'visible' || overflowY !== 'visible';
/** Whether an element was laid out with a size, which a transform made nothing of. */
const isScaledToNothing = (element) => widthInLayout_.call(element) > 1 && clientHeight_.call(element) > 1;
const widthInLayout_ = getterOf(HTMLElement.prototype, 'offsetWidth');
const heightInLayout_ = getterOf(HTMLElement.prototype, 'offsetHeight');

const SLIVER = 8; // pixels that may be cut off without anything being gone

/**
 * Whether some of what is in an element may be cut off: by it, or by a clip around it where it sticks out. What can be
 * scrolled one way is not: it rather cuts off the ends of lines in the other.
 */
function holdsCutOff(element, { overflowX, overflowY }) {
  if (canScroll(overflowX) || canScroll(overflowY)) return false;
  const sticksOut =
    scrollWidth_.call(element) > clientWidth_.call(element) + SLIVER ||
    scrollHeight_.call(element) > clientHeight_.call(element) + SLIVER;
  if (!sticksOut || overflowX !== 'visible') return sticksOut;
  for (let around = notableAround(element); around; around = notableAround(around))
    if (clipFactsOf(around).clips) return true;
  return false;
}

/** Whether a style leaves nothing of an element to be seen, wherever it is. @param {DOMRect} box */
function isUnpainted(element, style, box) {
  const { opacity, filter, clip, clipPath, textIndent, position } = style;
  if (Number(opacity) < 0.05 || (filter !== 'none' && /opacity\(0(?:\.0\d*)?%?\)/.test(filter))) return true;
  if (clipPath !== 'none' && isCutToNothing(clipPath, box)) return true;
  if (clip !== 'auto' && (position === 'absolute' || position === 'fixed')) {
    const [top, right, bottom, left] = clip.slice(5).split(',').map(parseFloat);
    if (right - left <= 1 || bottom - top <= 1) return true;
  }
  // what is not painted so is text alone: an image may have taken its place
  if (parseFloat(textIndent) > -200 || firstElementChild_.call(element) !== null) return false;
  const { before, after } = selectionsFor(element);
  const isBare = style.backgroundImage === 'none' && !mayApply(before, element) && !mayApply(after, element);
  return isBare && /, 0\)$/.test(style.backgroundColor);
}

/** @param {string} path  a computed clip-path @param {DOMRect} box */
function isCutToNothing(path, { width, height }) {
  const [, shape, lengths] = /^([a-z]+)\(([^)]*)\)/.exec(path) ?? [];
  if (shape === 'circle' || shape === 'ellipse') return /^0(?:px|%)?(?:\s|$)/.test(lengths);
  if (shape === 'polygon') {
    const corners = lengths.split(',').map((corner) => corner.trim().split(' '));
    return [0, 1].some((axis) => new Set(corners.map((corner) => parseFloat(corner[axis]))).size === 1);
  }
  if (shape !== 'inset') return false;
  const [top, right = top, bottom = top, left = right] = lengths.split(' round ')[0].split(' ');
  const cut = (side, whole) => (parseFloat(side) * (side.endsWith('%') ? whole : 100)) / 100;
  return cut(top, height) + cut(bottom, height) >= height || cut(left, width) + cut(right, width) >= width;
}

const MOST_CONTROLS = 8;

/** Whether a control in an element lies outside of it, where it is seen: the handle of a drawer. */
function holdsSeenControl(element) {
  const controls = selectAll(element, TABBABLE);
  for (let i = 0; i < controls.length && i < MOST_CONTROLS; i++) {
    const box = getBoundingClientRect_.call(controls[i]);
    if (box.width < 1 || box.height < 1 || !checkVisibility_.call(controls[i], PAINTED)) continue;
    if (restOfBox(controls[i], box, computedStyleOf(controls[i]).position) !== OUT_OF_SIGHT) return true;
  }
  return false;
}

/** How much of a box of an element is left by the clips around it and the edges of the page. @returns {0 | 1 | 2} */
function restOfBox(element, box, position) {
  const { rest, area, isFixed } = leftByClips(element, box, position);
  return rest === OUT_OF_SIGHT
    ? rest
    : /** @type {0 | 1 | 2} */ (Math.max(rest, restIn(area, pageArea(element, isFixed))));
}

/** @typedef {{left: number, top: number, right: number, bottom: number}} Area */

/** @param {Area} box @param {Area} area */
function restIn(box, area) {
  if (area.right - area.left < 1 || area.bottom - area.top < 1) return OUT_OF_SIGHT;
  if (box.right <= area.left || box.left >= area.right || box.bottom <= area.top || box.top >= area.bottom)
    return OUT_OF_SIGHT;
  const isWhole = box.left > area.left - 1 && box.right < area.right + 1 && box.top > area.top - 1;
  return isWhole && box.bottom < area.bottom + 1 ? IN_SIGHT : PARTLY_IN_SIGHT;
}

/**
 * How much of a box the elements around leave that clip what is in them, wherever they have been scrolled to.
 * @param {Area} box @param {string} position  of the element
 * @returns {{rest: number, area: Area, isFixed: boolean}} area: where it is, or what it is scrolled in; isFixed: to the
 *   window
 */
function leftByClips(element, box, position) {
  let { left, top, right, bottom } = box;
  let rest = IN_SIGHT;
  const next = (inner) => (OUT_OF_FLOW.has(position) ? flatParent(inner) : notableAround(inner));
  for (let around = next(element); around; around = next(around)) {
    const facts = clipFactsOf(around);
    const { across, along } = facts;
    if (facts.isPage) break;
    if (facts.position === '') continue; // it has no box
    const isPassed = position === 'fixed' || (position === 'absolute' && facts.position === 'static');
    if (isPassed && !holdsPositioned(around, facts)) continue;
    position = facts.position;
    if (!facts.clips) continue;
    const clip = (facts.box ??= getBoundingClientRect_.call(around));
    const [scrollsX, scrollsY] = [canScroll(across) && clip.width > 1, canScroll(along) && clip.height > 1];
    const area = {
      left: across === 'visible' ? -Infinity : scrollsX ? clip.left - Math.max(scrollLeft_.call(around), 0) : clip.left,
      right: across === 'visible' || scrollsX ? Infinity : clip.right,
      top: along === 'visible' ? -Infinity : scrollsY ? clip.top - scrollTop_.call(around) : clip.top,
      bottom: along === 'visible' || scrollsY ? Infinity : clip.bottom,
    };
    if (scrollsX && scrollLeft_.call(around) < 0) area.left = -Infinity; // from right to left
    rest = Math.max(rest, restIn({ left, top, right, bottom }, area));
    if (rest === OUT_OF_SIGHT) break;
    if (scrollsX) ({ left, right } = clip);
    if (scrollsY) ({ top, bottom } = clip);
  }
  return { rest, area: { left, top, right, bottom }, isFixed: position === 'fixed' };
}

/**
 * @typedef {{position: string, across: string, along: string, clips: boolean, isPage: boolean, holds: boolean | null,
 *   box: Area | null, around: Element | null}} ClipFacts  position: '' without a box; across, along: its overflow in x
 *   and y; box: its own, for the root that of the page; around: see notableAround; both once asked for
 * @type {Map<Element, ClipFacts>} of one reading
 */
let clipFacts = new Map();

/** What an element does to the boxes in it. @returns {ClipFacts} */
function clipFactsOf(element) {
  let facts = clipFacts.get(element);
  if (facts) return facts;
  const { display, position, overflowX: across, overflowY: along } = computedStyleOf(element);
  const tag = tagOf(element);
  const isPage = tag === 'BODY' || tag === 'HTML';
  const isClip = !isPage && display !== 'inline' && (across !== 'visible' || along !== 'visible');
  facts = {
    position: display === 'contents' ? '' : position,
    across,
    along,
    clips: isClip,
    isPage,
    holds: null,
    box: null,
    around: null,
  };
  clipFacts.set(element, facts);
  return facts;
}

/** The next element around that clips or is out of the flow, or the page's: the others do nothing to what flows. */
function notableAround(element) {
  const parent = flatParent(element);
  let around = parent;
  while (around) {
    const facts = clipFactsOf(around);
    if (facts.clips || facts.isPage || OUT_OF_FLOW.has(facts.position)) break;
    around = facts.around ?? flatParent(around);
  }
  if (around && around !== parent) clipFactsOf(parent).around = around;
  return around;
}

/** Whether an element places what is fixed or absolute in it, though it is not positioned. @param {ClipFacts} facts */
function holdsPositioned(element, facts) {
  if (facts.holds === null) {
    const { transform, filter, translate, scale, rotate, contain, willChange } = computedStyleOf(element);
    facts.holds =
      [transform, filter, translate, scale, rotate].some((value) => value !== 'none') ||
      /paint|layout|strict|content/.test(contain) ||
      /transform|filter/.test(willChange);
  }
  return facts.holds;
}

/** Where scrolling the page brings what is in it, or where something fixed is. @returns {Area} */
function pageArea(element, isFixed) {
  const page = documentOf(element);
  const { scrollX, scrollY, innerWidth, innerHeight } = defaultView_.call(page);
  if (isFixed) return { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const [root, body] = [documentElement_.call(page), body_.call(page)];
  const facts = clipFactsOf(root);
  if (facts.box) return facts.box;
  const { overflowX, direction } = computedStyleOf(root);
  const across = overflowX === 'visible' && body ? clipFactsOf(body).across : overflowX;
  const area = { left: -scrollX, top: -scrollY, right: Infinity, bottom: Infinity };
  // downwards, scrolling is often only stopped while something is open
  if (across === 'hidden' || across === 'clip') [area.left, area.right] = [0, innerWidth];
  else if (direction === 'rtl') area.left = -Infinity;
  return (facts.box = area);
}

/** Whether the boxes around an element that clip leave nothing of it: inactive slides, closed panels. */
function isClippedAway(element) {
  const { display, position } = computedStyleOf(element);
  if (display === 'contents') return false;
  return leftByClips(element, getBoundingClientRect_.call(element), position).rest === OUT_OF_SIGHT;
}

/**
 * Visits what begins to be out of sight, and marks its lines; text in a line of its own. Words in a sentence and what
 * is there for screen readers alone are not marked.
 */
function visitUnseen(element, tag, line, flags, depth, isNotable) {
  const inside = newLine(element, tag, line.role);
  visitVisible(element, tag, inside, flags, depth, isNotable);
  const kids = tidy(inside.kids);
  const isOfReaders = edgeAround(element, tag) !== BREAK || isVisuallyHidden(element);
  const own = linesOf(kids).filter((kid) => !hasOtherFace(kid.element, kid.tag));
  const isMarked = !hasOtherFace(element, tag) && (!isOfReaders || own.some((kid) => kid.id || holdsControls(kid)));
  const isGroup = isMarked && textsOf(kids).length > 0;
  for (const kid of linesOf(kids)) kid.unseen = isMarked && !isGroup;
  if (isGroup) {
    const group = { ...newLine(element, tag, 'generic'), kids: joinShort(kids, false), unseen: true };
    line.kids.push(group);
  } else {
    for (const kid of inside.kids) {
      if (typeof kid === 'string') addText(line, kid);
      else line.kids.push(kid);
    }
  }
}

/** Whether a field is the native one behind a styled face, and takes clicks and keys in its place. */
const hasOtherFace = (element, tag) =>
  tag === 'SELECT' ||
  tag === 'TEXTAREA' ||
  (tag === 'INPUT' && (FACED_INPUTS.has(inputType(element)) || roleOf(element, tag) === 'combobox'));

const FACED_INPUTS = new Set(['checkbox', 'radio', 'file', 'range', 'color', 'date']);
