// What only some perceive. Text is text of the page when somebody does: it is painted, or it is there for screen readers,
// clipped to a pixel or moved out of sight. So aria-hidden, which keeps what is painted from screen readers, takes nothing
// away, unless nobody sees it either (it is transparent, say), or the same words stand beside it for screen readers. The
// snapshot, search and Markdown all go by `isSaidElsewhere`.

const SAID_HERE = 0;
const SAID_ELSEWHERE = 1;
const FOR_NOBODY = 2; // nor does the keyboard get to anything in it, as in copies that a page makes to measure

/** Whether what an element holds is no text of the page, see above. @param {Element} element @returns {0 | 1 | 2} */
function isSaidElsewhere(element) {
  if (attr(element, 'aria-hidden')?.toLowerCase() !== 'true') return SAID_HERE;
  /** @type {0 | 1 | 2} */
  let answer = SAID_HERE;
  if (isClippedAway(element) || isForScreenReaders(element)) answer = holdsReached(element) ? SAID_ELSEWHERE : FOR_NOBODY;
  else if (hasSpokenTwin(element) || saysNothingSeen(element)) answer = SAID_ELSEWHERE;
  reading.notes?.saidElsewhere.set(element, answer);
  return answer;
}

/** Whether there is something that the keyboard gets to, or may be: what components hold is in roots of their own. */
const holdsReached = (element) => selectsAny(element, REACHED) || [element, ...selectAll(element, '*')].some((each) => tagOf(each).includes('-'));

const REACHED = ':is(a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable]):not([tabindex^="-"]),input[type="file" i]';

/**
 * Whether an element is a field that nobody sees, hears or gets to: the one behind a drop-down list or a switch that is
 * drawn, by which forms are sent and checked. Files are still given to such a field.
 */
function isForNobody(element, tag) {
  if (tag !== 'INPUT' || attr(element, 'aria-hidden')?.toLowerCase() !== 'true' || attr(element, 'tabindex') !== '-1') return false;
  if (inputType(element) === 'file') return false;
  return !checkVisibility_.call(element, { opacityProperty: true }) || isForScreenReaders(element);
}

/** Whether a box around it that clips shows nothing of an element, nor can be scrolled to it: slides that wait, panels that are shut. */
function isClippedAway(element) {
  const nearest = clipAround(element);
  if (!nearest || computedStyleOf(element).display === 'contents') return false;
  let { left, top, right, bottom } = getBoundingClientRect_.call(element);
  for (let clip = nearest; clip; clip = clip.outer) {
    const { box, across, along } = clip;
    if (canScroll(across) && box.width) ({ left, right } = box);
    else if (across !== 'visible' && (right <= box.left || left >= box.right)) return true;
    if (canScroll(along) && box.height) ({ top, bottom } = box);
    else if (along !== 'visible' && (bottom <= box.top || top >= box.bottom)) return true;
  }
  return false;
}

const canScroll = (overflow) => overflow === 'auto' || overflow === 'scroll';

/** @typedef {{box: DOMRect, across: string, along: string, outer: Clip | null}} Clip  a box that clips what is in it, how, and the next one around */
/** What clips the contents of an element, for one reading: most of what is asked about has the same things around. @type {Map<Element, Clip | null>} */
let clipsOf = new Map();

/** @returns {Clip | null} the nearest */
function clipAround(element) {
  const passed = [];
  let clip = null;
  for (let around = flatParent(element); around && tagOf(around) !== 'BODY'; around = flatParent(around)) {
    const known = clipsOf.get(around);
    if (known !== undefined) {
      clip = known;
      break;
    }
    passed.push(around);
  }
  while (passed.length) {
    const around = passed.pop();
    const { overflowX: across, overflowY: along } = computedStyleOf(around);
    if (across !== 'visible' || along !== 'visible') clip = { box: getBoundingClientRect_.call(around), across, along, outer: clip };
    clipsOf.set(around, clip);
  }
  return clip;
}

const TEXT_NODES = 4; // NodeFilter.SHOW_TEXT
const PAINTED = { opacityProperty: true, visibilityProperty: true };

/** Whether there is text in it and none is painted, as in the copy of a label that keeps a gap in an outline open. */
function saysNothingSeen(element) {
  if (!says(textContent_.call(element))) return false;
  const texts = documentOf(element).createTreeWalker(element, TEXT_NODES);
  let isSaid = false;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!says(dataOf(text))) continue;
    if (checkVisibility_.call(parentNode(text), PAINTED)) return false;
    isSaid = true;
  }
  return isSaid;
}

const MOST_SIBLINGS = 8; // on either side

/** Whether one of the elements beside it says the same to screen readers alone, as prices, counts and drawn formulas do. */
function hasSpokenTwin(element) {
  const words = lettersOf(element);
  const hasFormulas = elementsByTag_.call(documentOf(element), 'math').length > 0;
  return [previousElementSibling_, nextElementSibling_].some(
    (next) => (hasFormulas && isFormula(next.call(element))) || (words !== '' && isSpokenAlong(element, next, words)),
  );
}

function isSpokenAlong(element, next, words) {
  let sibling = next.call(element);
  for (let i = 0; sibling && i < MOST_SIBLINGS; i++, sibling = next.call(sibling)) {
    if (isForScreenReaders(sibling) && lettersOf(sibling) === words) return true;
  }
  return false;
}

/** A formula as MathML, beside which it is drawn: by each library in other letters, or in none. @param {Element | null} sibling */
const isFormula = (sibling) => sibling !== null && selectsAny(sibling, 'math') && isForScreenReaders(sibling);

const lettersOf = (element) => textContent(element).toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Whether text is clipped to nothing or moved far away, for screen readers only. */
function isForScreenReaders(element) {
  const style = computedStyleOf(element);
  const { position } = style;
  if (position !== 'absolute' && position !== 'fixed') return false;
  const { clip, clipPath, overflow } = style;
  const box = getBoundingClientRect_.call(element);
  if (box.width <= 1 && box.height <= 1) return overflow !== 'visible' || clip !== 'auto' || clipPath !== 'none';
  if (/^rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)$/.test(clip) || /^inset\((50|100)%\)$/.test(clipPath)) return true;
  const view = defaultView_.call(documentOf(element));
  return Boolean(view) && (box.right + view.scrollX < FAR_AWAY || box.bottom + view.scrollY < FAR_AWAY);
}

const FAR_AWAY = -500; // px
