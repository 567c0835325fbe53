// Which aria-hidden text counts as text of the page. Text counts when it is painted, or visually hidden for screen
// readers (clipped to a pixel or moved off screen). aria-hidden only keeps painted text from screen readers, so it
// removes nothing unless the text is not painted either (it is transparent, for example), or a visually hidden sibling
// repeats it for screen readers. The snapshot, search and Markdown all use `isTextRedundant`.

const NOT_REDUNDANT = 0;
const REDUNDANT = 1;
// and nothing in it is reachable by keyboard either, as in copies that a page makes to measure their size
const HIDDEN_FROM_EVERYONE = 2;

/**
 * Whether the text in an element does not count as text of the page, see above.
 * @param {Element} element
 * @returns {0 | 1 | 2}
 */
function isTextRedundant(element) {
  return attr(element, 'aria-hidden')?.toLowerCase() === 'true' ? remember(REDUNDANCY, element) : NOT_REDUNDANT;
}

const REDUNDANCY = { ask: redundancyOf };

/** @param {Element} element  an aria-hidden one @returns {0 | 1 | 2} */
function redundancyOf(element) {
  if (isClippedAway(element) || isVisuallyHidden(element))
    return holdsTabbable(element) ? REDUNDANT : HIDDEN_FROM_EVERYONE;
  return hasVisuallyHiddenTwin(element) || hasOnlyUnpaintedText(element) ? REDUNDANT : NOT_REDUNDANT;
}

/** Whether the keyboard can reach something in it. A custom element may hold something reachable in its shadow root. */
const holdsTabbable = (element) =>
  selectsAny(element, TABBABLE) || [element, ...selectAll(element, '*')].some((each) => tagOf(each).includes('-'));

const TABBABLE =
  ':is(a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],' +
  '[contenteditable]):not([tabindex^="-"]),input[type="file" i]';

/**
 * Whether an element is a field that nobody can see, hear or focus: the native field behind a custom drop-down list or
 * switch, which exists for form submission and validation. File inputs do not count, since files are set on them
 * directly.
 */
function isHiddenFromEveryone(element, tag) {
  if (tag !== 'INPUT' || attr(element, 'aria-hidden')?.toLowerCase() !== 'true' || attr(element, 'tabindex') !== '-1')
    return false;
  if (inputType(element) === 'file') return false;
  return !checkVisibility_.call(element, { opacityProperty: true }) || isVisuallyHidden(element);
}

const canScroll = (overflow) => overflow === 'auto' || overflow === 'scroll';

const TEXT_NODES = 4; // NodeFilter.SHOW_TEXT
const PAINTED = { opacityProperty: true, visibilityProperty: true };

/**
 * Whether an element contains text, none of it painted, as in the copy of a label that keeps a gap in an outline open.
 */
function hasOnlyUnpaintedText(element) {
  if (!hasText(textContent_.call(element))) return false;
  const texts = documentOf(element).createTreeWalker(element, TEXT_NODES);
  let isTextFound = false;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!hasText(dataOf(text))) continue;
    if (checkVisibility_.call(parentNode(text), PAINTED)) return false;
    isTextFound = true;
  }
  return isTextFound;
}

const MOST_SIBLINGS = 8; // on either side

/**
 * Whether a visually hidden sibling has the same text for screen readers, as with prices, counts and rendered formulas.
 */
function hasVisuallyHiddenTwin(element) {
  const words = lettersOf(element);
  const hasFormulas = elementsByTag_.call(documentOf(element), 'math').length > 0;
  return [previousElementSibling_, nextElementSibling_].some(
    (next) =>
      (hasFormulas && isFormula(next.call(element))) ||
      (words !== '' && hasVisuallyHiddenSibling(element, next, words)),
  );
}

function hasVisuallyHiddenSibling(element, next, words) {
  let sibling = next.call(element);
  for (let i = 0; sibling && i < MOST_SIBLINGS; i++, sibling = next.call(sibling)) {
    if (isVisuallyHidden(sibling) && lettersOf(sibling) === words) return true;
  }
  return false;
}

/**
 * Whether an element holds a formula as visually hidden MathML; the rendered formula beside it has other letters in
 * each library, or none.
 * @param {Element | null} sibling
 */
const isFormula = (sibling) => sibling !== null && selectsAny(sibling, 'math') && isVisuallyHidden(sibling);

const lettersOf = (element) =>
  textContent(element)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Whether an element is clipped to nothing or moved off screen, so that only screen readers get its text. */
function isVisuallyHidden(element) {
  const style = computedStyleOf(element);
  const { position } = style;
  if (position !== 'absolute' && position !== 'fixed') return false;
  const { clip, clipPath, overflow } = style;
  const box = getBoundingClientRect_.call(element);
  if (box.width <= 1 && box.height <= 1) return overflow !== 'visible' || clip !== 'auto' || clipPath !== 'none';
  if (/^rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)$/.test(clip) || /^inset\((50|100)%\)$/.test(clipPath))
    return true;
  const view = defaultView_.call(documentOf(element));
  return Boolean(view) && (box.right + view.scrollX < FAR_AWAY || box.bottom + view.scrollY < FAR_AWAY);
}

const FAR_AWAY = -500; // px
