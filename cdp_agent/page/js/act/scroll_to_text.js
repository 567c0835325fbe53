// Finds a text in the page as it is now, and brings it into view.

const MOST_OCCURRENCES = 500;
const MOST_BRINGS = 3;
const TEXT_BREAK = '\0'; // between the text nodes of a joined text

/**
 * @typedef {'view' | 'ahead' | 'aside' | 'behind'} Whereabouts  aside: outside of the box
 * @typedef {{element: Element, range: Range, start: number, place: Whereabouts}} Occurrence  element: the innermost one
 *   that contains it; start: where it begins along the axis
 */

/**
 * Brings the nearest occurrence of a text into view: first one that is in the box's view or ahead.
 * @param {{next: [number, number], id: number, axis: Axis, text: string, sign: 1 | -1, inside: boolean, behind:
 *   boolean}} options  id: the box that is scrolled, 0 for none; inside: only in the box; behind: also where the
 *   scrolling has come from
 * @returns {Promise<{first: number, end: number, id: number, label: string, moved: boolean, seen: boolean, elsewhere:
 *   string}>} id: the element with the text, 0 if there is none (any more); moved: something was scrolled;
 *   seen: it is in view; elsewhere: where the text is behind, or hidden, in words
 */
async function findText({ next, id, axis, text, sign, inside, behind }) {
  const first = reserveIds(next);
  const box = id ? elementOf(id) : null;
  const way = { box, axis, sign, inside, pattern: patternOf(text), word: collapse(text).toLowerCase().split(' ')[0] };
  const wanted = collapse(text).toLowerCase();
  let moved = false;
  for (let brings = 0; ; brings++) {
    const { shown, hidden } = occurrencesOf(way);
    const found = shown.find(({ place }) => behind || place !== 'behind');
    const seen = found !== undefined && isRangeInView(found);
    if (found && !seen && brings < MOST_BRINGS) {
      moved = true;
      bringRangeIntoView(found);
      await nextTwoFrames(); // scrolling may have replaced the element
      continue;
    }
    forget();
    const answer = {
      id: found ? idOf(found.element) : 0,
      label: found ? labelOfText(found.element, wanted) : '',
      elsewhere: found ? '' : whereElse(shown[0], hidden, axis),
    };
    forget();
    return { first, moved, seen, ...answer, end: nextId };
  }
}

/**
 * An expression for the words of a text, whatever elements they are split over, in a text that is joined of text nodes.
 * @param {string} text
 */
function patternOf(text) {
  const words = collapse(text).split(' ');
  const escaped = (letter) => letter.replace(/[\\^$.*+?()[\]{}|]/, '\\$&');
  const between = '[\\0\\u00ad\\u200b]*';
  return new RegExp(words.map((word) => [...word].map(escaped).join(between)).join('[\\s\\0]+'), 'giu');
}

/** @returns {{shown: Occurrence[], hidden: Element | null}} shown: the nearest first; hidden: one that is not shown */
function occurrencesOf({ box, axis, sign, inside, pattern, word }) {
  const view = box && viewOfBox(box);
  const [from, to] = !view ? [0, 0] : axis === 'y' ? [view.top, view.bottom] : [view.left, view.right];
  const shown = [];
  let hidden = null;
  for (const root of watching?.roots ?? [document]) {
    const scope = inside && rootOf(box) === root ? box : root;
    if (inside && scope === root && !holdsNode(box, root)) continue;
    for (const { element, range } of textsMatching(scope, pattern, word)) {
      const rect = Range.prototype.getBoundingClientRect.call(range);
      if (rect.width < 2 || rect.height < 2 || isUnseen(element)) {
        hidden ??= element;
        continue;
      }
      const [start, end] = axis === 'y' ? [rect.top, rect.bottom] : [rect.left, rect.right];
      const isAhead = sign > 0 ? end > from : start < to;
      const isInBox = box && documentOf(box) === documentOf(element) && holdsNode(box, element);
      /** @type {Whereabouts} */
      const place = !isInBox ? 'aside' : start < to && end > from ? 'view' : isAhead ? 'ahead' : 'behind';
      shown.push({ element, range, start, place });
    }
  }
  const rank = { view: 0, ahead: 1, aside: 2, behind: 3 };
  const along = ({ start, place }) => (place === 'behind' ? -sign : sign) * start;
  shown.sort((a, b) => rank[a.place] - rank[b.place] || (a.place === 'aside' ? 0 : along(a) - along(b)));
  return { shown, hidden };
}

/** Whether nobody sees its text: it is transparent, only for screen readers, or in a collapsed box. */
function isUnseen(element) {
  if (!checkVisibility_.call(element, PAINTED)) return true;
  for (let at = element; at; at = flatParent(at)) if (isVisuallyHidden(at) || isCollapsed(at)) return true;
  return false;
}

function isCollapsed(element) {
  const { overflowX, overflowY } = computedStyleOf(element);
  const { width, height } = getBoundingClientRect_.call(element);
  return (overflowX !== 'visible' && width < 2) || (overflowY !== 'visible' && height < 2);
}

/** @returns {Generator<{element: Element, range: Range}>} where a text is below a node, in document order */
function* textsMatching(scope, pattern, word) {
  const whole = textContent_.call(nodeType(scope) === 9 ? documentElement_.call(scope) : scope);
  if (
    !whole
      .replace(/[\u00ad\u200b]/g, '')
      .toLowerCase()
      .includes(word)
  )
    return; // the expression takes long
  const inDocument = documentOf(scope);
  const walker = inDocument.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  const nodes = [];
  const starts = [];
  const pieces = [];
  let length = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = parentNode(node);
    if (nodeType(parent) === 1 && SKIPPED.has(tagOf(parent))) continue;
    nodes.push(node);
    starts.push(length);
    pieces.push(dataOf(node));
    length += pieces.at(-1).length + 1;
  }
  const joined = pieces.join(TEXT_BREAK);
  let count = 0;
  for (const match of joined.matchAll(pattern)) {
    if (count++ === MOST_OCCURRENCES) return;
    const last = match.index + match[0].length - 1;
    const [a, b] = [lastAtMost(starts, match.index), lastAtMost(starts, last)];
    const range = inDocument.createRange();
    Range.prototype.setStart.call(range, nodes[a], match.index - starts[a]);
    Range.prototype.setEnd.call(range, nodes[b], Math.min(last - starts[b] + 1, pieces[b].length));
    let element = range.commonAncestorContainer;
    if (nodeType(element) === 3) element = parentNode(element);
    if (nodeType(element) === 11) element = isShadowRoot(element) ? host_.call(element) : null;
    if (element && nodeType(element) === 1) yield { element, range };
  }
}

/** Whether all that clips it, up to the viewport of the world's root document, leaves the middle of a text in view. */
function isRangeInView({ element, range }) {
  const middle = middleOf(Range.prototype.getBoundingClientRect.call(range));
  const isIn = ({ left, top, right, bottom }) =>
    middle.x >= left && middle.x <= right && middle.y >= top && middle.y <= bottom;
  const visible = visibleBoxOf(levelsOf(element));
  if (!visible || !isIn(visible)) return false;
  for (let at = element; at; at = flatParent(at)) {
    if (isPageBox(at)) return true;
    if (/auto|scroll|hidden|clip/.test(overflowOf(at, 'y')) && !/inline|contents/.test(computedStyleOf(at).display))
      if (!isIn(viewOfBox(at))) return false;
  }
  return true;
}

function bringRangeIntoView(occurrence) {
  const { element, range } = occurrence;
  boxScrollIntoView_.call(element, { block: 'center', inline: 'nearest', behavior: 'instant' });
  if (!isRangeInView(occurrence))
    scrollPointIntoView(element, () => middleOf(Range.prototype.getBoundingClientRect.call(range)));
}

/** Where a text is that was not brought into view, in words. @param {Occurrence | undefined} behind */
function whereElse(behind, hidden, axis) {
  if (behind) {
    idOf(nearestNamed(behind.element));
    const way = axis === 'y' ? ['above', 'below'] : ['to the left', 'to the right'];
    return `it stands ${way[behind.start < 0 ? 0 : 1]}, in ${elementPreview(nearestNamed(behind.element))}`;
  }
  if (!hidden) return '';
  idOf(hidden);
  return `it stands in ${elementPreview(hidden)}, which is not shown${obstacleDetail('hidden', hidden)}`;
}

const LONGEST_TEXT = 100;

/**
 * A label for the element with the text. If it contains much more, as a list around a row does, only the text itself.
 */
function labelOfText(element, wanted) {
  const named = nearestNamed(element);
  const role = shownRole(named) || 'generic';
  const whole = collapse(textContent(named));
  const labelText = whole.length > LONGEST_TEXT ? collapse(textContent(element)) : whole;
  const place = labelText.toLowerCase().indexOf(wanted);
  const from = place + wanted.length > LONGEST_TEXT ? place : 0;
  return `${role} \x01${idOf(named)} ${quote((from ? '…' : '') + cut(labelText.slice(from), LONGEST_TEXT))}`;
}
