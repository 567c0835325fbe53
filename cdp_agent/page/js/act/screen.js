// What a scrolling box shows at its present position: whether its rows are drawn there, and what says that more is to
// come. Lists draw only what is in view, many of them some time after the scrolling.

const MOST_LOADING = 5;
const MOST_SURVEYED = 20_000; // nodes: a box with more of them in view draws them all

/**
 * The screen of a box, or none if it is gone.
 * @typedef {{position: number, shown: number, content: number, snaps: boolean, blank: number, loading: string[],
 *   awaited: boolean, words: number, idle_ms: number}} ScreenOfBox  blank: the largest share of the view in which
 *   nothing is drawn; loading: what says that something is loading, in words; awaited: any of that is not given up yet;
 *   words: a fingerprint of the texts in view; idle_ms: for how long nothing has changed in it
 * @param {number} id @param {Axis} axis
 * @returns {ScreenOfBox[]}
 */
function screenOf(id, axis) {
  const box = elementOf(id);
  if (!box) return [];
  const snaps = computedStyleOf(box).scrollSnapType !== 'none';
  const { blank, marks, words } = survey(box, axis);
  const loading = [...new Set(marks.values())].slice(0, MOST_LOADING);
  const awaited = [...marks.keys()].some((mark) => !endlessMarks.has(mark));
  return [{ ...extentOf(box, axis), snaps, blank, loading, awaited, words, idle_ms: idleMsIn(box) }];
}

/** Marks that were waited for in vain: some are a part of the page's looks. @type {WeakSet<Element>} */
const endlessMarks = new WeakSet();

/** Boxes in which nothing has changed by scrolling, where they are blank: nothing will be drawn there. */
const blankBoxes = new WeakSet();

/** Gives up what was waited for in vain in a box, in this document. @param {number} id @param {Axis} axis */
function giveUpScreen(id, axis) {
  const box = elementOf(id);
  if (!box) return;
  const { blank, marks } = survey(box, axis);
  for (const mark of marks.keys()) endlessMarks.add(mark);
  if (blank && idleMsIn(box) >= NEVER_MS) blankBoxes.add(box);
}

const isPageBox = (box) => box === scrollingElement_.call(documentOf(box)) || box === body_.call(documentOf(box));

const NEVER_MS = 1e9;

/** For how long nothing has changed in a box, NEVER_MS if nothing has; not counting what changes by itself. */
function idleMsIn(box) {
  catchUp();
  const latest = journal.entries.findLast(({ node, cause }) => cause !== RESTLESS && holdsNode(box, node));
  return latest ? performance.now() - latest.at : NEVER_MS;
}

/** Whether a node is in a box, or in a shadow root or frame in it. @param {Node} node */
function holdsNode(box, node) {
  for (let at = node; at;) {
    if (at === box) return true;
    const type = nodeType(at);
    if (type === 9) {
      if (at === documentOf(box)) return isPageBox(box);
      at = defaultView_.call(at)?.frameElement ?? null;
    } else at = parentNode(at) ?? (isShadowRoot(at) ? host_.call(at) : null);
  }
  return false;
}

/** The rectangle through which a box shows its content, in the viewport of its document. @returns {Box} */
function viewOfBox(box) {
  if (isPageBox(box)) return viewportOf(viewOf(box));
  const { left, top } = rectOf(box);
  const x = left + clientLeft(box);
  const y = top + clientTop(box);
  return { left: x, top: y, right: x + clientWidth_.call(box), bottom: y + clientHeight_.call(box) };
}

/**
 * @param {Element} box @param {Axis} axis
 * @returns {{blank: number, marks: Map<Element, string>, words: number}}  marks: elements that say that something is
 *   loading, in words
 */
function survey(box, axis) {
  const view = viewOfBox(box);
  const [from, to] = axis === 'y' ? [view.top, view.bottom] : [view.left, view.right];
  const state = { view, axis, share: (to - from) / 2, drawn: [], marks: new Map(), words: 0, left: MOST_SURVEYED };
  const roots = [isPageBox(box) ? box : (flatParent(box) ?? box)];
  for (const root of watching?.roots ?? []) if (nodeType(root) === 11 && holdsNode(box, root)) roots.push(root);
  for (const root of roots) noteLoadingMarks(root, state);
  const busy = closestFlat(box, IS_BUSY);
  if (busy) state.marks.set(busy, nameOfMark(busy));
  surveyChildren(box, state);
  const blank = state.left <= 0 || blankBoxes.has(box) ? 0 : longestGap(state.drawn, from, to) / (to - from);
  return { blank, marks: state.marks, words: state.words };
}

/** The length of the longest part of a range that no interval covers. @param {[number, number][]} drawn */
function longestGap(drawn, from, to) {
  let longest = 0;
  let reached = from;
  for (const [start, end] of drawn.sort((a, b) => a[0] - b[0])) {
    longest = Math.max(longest, Math.min(start, to) - reached);
    reached = Math.max(reached, end);
  }
  return Math.max(longest, to - reached);
}

function noteLoadingMarks(root, { view, marks }) {
  for (const element of selectAll(root, `${MARKED_BUSY},${NAMED_LOADING}`)) {
    // Of a part that is named so, such as "list-loading", much text is what was loaded before.
    const isMark =
      matches(element, MARKED_BUSY) ||
      (isNamedLoading(element) && collapse(textContent(element)).length <= LONGEST_PHRASE);
    if (isMark && isSeen(element) && overlap(rectOf(element), view)) marks.set(element, nameOfMark(element));
  }
}

/** Notes where something is drawn below an element, in the view. @returns {boolean} whether anything is */
function surveyChildren(element, state) {
  let hasContent = false;
  for (const child of flatChildNodes(element)) {
    if (state.left-- <= 0) return true;
    const type = nodeType(child);
    if (type === 3 ? surveyText(child, state) : type === 1 && surveyElement(child, state)) hasContent = true;
  }
  return hasContent;
}

function* flatChildNodes(element) {
  const assigned = tagOf(element) === 'SLOT' ? assignedNodes_.call(element) : [];
  if (assigned.length) yield* assigned;
  else for (let child = firstChild(rootOfHost(element) ?? element); child; child = nextSibling(child)) yield child;
}

function surveyElement(element, state) {
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return false;
  const rect = rectOf(element);
  const isEmpty = rect.width === 0 || rect.height === 0;
  if (!isEmpty && !overlap(rect, state.view) && !overflows(element, state.axis)) return false;
  const [start, end] = state.axis === 'y' ? [rect.top, rect.bottom] : [rect.left, rect.right];
  const isSmall = end - start <= state.share;
  if (!isEmpty && isSmall && STAYS_IN_PLACE.has(computedStyleOf(element).position)) return false;
  const hasContent = !isEmpty && VISIBLE_WITHOUT_TEXT.has(tag) ? true : surveyChildren(element, state);
  // The room around the text of a row belongs to the row; a box around many rows says nothing.
  if (hasContent && !isEmpty && (isSmall || VISIBLE_WITHOUT_TEXT.has(tag))) state.drawn.push([start, end]);
  return hasContent;
}

/** Whether what is in an element may stand outside of it: some lists draw all rows below a box as high as the view. */
const overflows = (element, axis) => scrollSizeOf(element, axis) > clientSizeOf(element, axis) + 1;

// A header that does not scroll says nothing of what does. (Some lists draw all rows in one sticky box.)
const STAYS_IN_PLACE = new Set(['fixed', 'sticky']);

function surveyText(text, state) {
  const { view, axis, drawn, marks } = state;
  const words = dataOf(text);
  if (!/[\p{L}\p{N}]/u.test(words)) return false; // "…" stands for a row that is drawn later
  const range = documentOf(text).createRange();
  Range.prototype.selectNode.call(range, text);
  let isInView = false;
  for (const rect of Range.prototype.getClientRects.call(range)) {
    if (!overlap(rect, view)) continue;
    isInView = true;
    drawn.push(axis === 'y' ? [rect.top, rect.bottom] : [rect.left, rect.right]);
  }
  if (isInView) state.words = fingerprint(state.words, words);
  if (isInView && saysToWait(collapse(words))) marks.set(parentNode(text), quote(collapse(words)));
  return isInView;
}

/** A number that goes on from another, other texts being likely to give another number. @param {string} text */
function fingerprint(sum, text) {
  for (let i = 0; i < Math.min(text.length, LONGEST_PHRASE); i++) sum = (31 * sum + text.charCodeAt(i)) | 0;
  return sum;
}

const MORE_NAME =
  /(^|[^\p{L}])(more|older|newer|earlier|next|mehr|weitere|plus|suivant|más|siguiente|mais|próxima|altri|meer|ещё|далее)(?!\p{L})|更多|下一页|もっと|次へ|더 보기/iu;
const BUTTONS = 'button,[role="button" i],a[href],input[type="button" i],input[type="submit" i]';
const LONGEST_MORE_NAME = 40; // characters
const MOST_NAMED = 3;

/**
 * What to try where the scrolling has come to an end: controls in view that may load more, and other boxes that scroll.
 * @param {{next: [number, number], id: number, axis: Axis}} options  id: 0 if nothing scrolls
 * @returns {{first: number, end: number, more: string[], boxes: string[]}} labels
 */
function waysOn({ next, id, axis }) {
  const first = reserveIds(next);
  const box = id ? elementOf(id) : null;
  const view = viewportOf(window);
  const around = box && !isPageBox(box) ? (flatParent(box) ?? box) : document;
  const isMore = (element) =>
    collapse(textContent(element)).length <= LONGEST_MORE_NAME &&
    isRendered(element) &&
    overlap(rectOf(element), view) !== null &&
    MORE_NAME.test(describe(element).name);
  const more = [...selectAll(around, BUTTONS)].filter(isMore).slice(-MOST_NAMED);
  const boxes = scrollersIn(documentElement_.call(document), axis)
    .filter((element) => element !== box)
    .slice(0, MOST_NAMED);
  forget();
  const labels = [more, boxes].map((elements) => elements.map(labelOfBox));
  forget();
  return { first, end: nextId, more: labels[0], boxes: labels[1] };
}
