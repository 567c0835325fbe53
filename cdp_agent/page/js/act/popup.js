// Lists that a page makes itself: what the options of an open list are, wherever in the page they are put.

const OPTIONS = '[role="option" i],[role="menuitem" i],[role="menuitemradio" i],[role="menuitemcheckbox" i],[role="treeitem" i]';
const LIVE_REGIONS = '[aria-live],[role="status" i],[role="alert" i],[role="log" i]'; // about the list, to those who do not see it
const PLAIN_OPTIONS = 'li,a,button,label,td,[tabindex],[data-value],div,span';

/** What was seen before the list was opened. @type {WeakSet<Element>} */
let visibleBefore = new WeakSet();
/** What had the focus then. @type {Element | null} */
let focusedBefore = null;

/**
 * Notes what is seen now. @param {number} id @param {number} last  the option that was chosen before in the same call, or 0
 * @returns {{open: boolean}}  open: its options are there already, and are not just those that it shows as chosen
 */
function beginChoice(id, last) {
  const control = resolveElement(id);
  const chosen = last ? resolveElement(last) : null;
  // What opened as a dialog stays until its button is pressed: what had been seen before is so still.
  if (control && chosen && !ownOptions(control).length && attr(control, 'aria-expanded') === 'true' && isConnected_.call(chosen) && isShown(chosen)) return { open: true };
  visibleBefore = new WeakSet();
  focusedBefore = focusedElement();
  if (!control) return { open: false };
  const own = ownOptions(control);
  const open = own.length > 0 && attr(control, 'aria-expanded')?.toLowerCase() !== 'false';
  for (const root of rootElementsAround(control)) {
    for (const each of selectAllDeep(root, `${OPTIONS},${PLAIN_OPTIONS}`)) if (isShown(each) && !(open && own.includes(each))) visibleBefore.add(each);
  }
  return { open };
}

/** The field in which typing filters the list: the control itself, or the one that got the focus with it; 0 for none. @param {number} id */
function filterField(id) {
  const control = resolveElement(id);
  const focused = focusedElement();
  const gotFocus = focused && control && (focused !== focusedBefore || isInside(focused, control));
  const field = control && (writableTextField(fieldOf(control)) || (gotFocus && writableTextField(focused)));
  return field ? (field === control ? id : internalIdOf(field)) : 0;
}

const writableTextField = (field) => (field && fieldKind(field) === 'typed' && !isReadOnly(field) ? field : null);

/** The documents in which a list of that control may open. */
const rootElementsAround = (control) => levelsOf(control).map((level) => documentElement_.call(level.document));

const isShown = (element) => checkVisibility_.call(element, { visibilityProperty: true, opacityProperty: true }) && rectOf(element).height > 0;
const optionsIn = (element) => selectAllDeep(element, OPTIONS).filter((each) => isShown(each) && !isInZeroSizeBox(each));

/** Whether what is around it clips and has no size: a list for screen readers alone, beside the one that is seen. */
function isInZeroSizeBox(element) {
  for (let around = paintedParent(element); around; around = paintedParent(around)) {
    const { overflowX, overflowY } = computedStyleOf(around);
    const { width, height } = rectOf(around);
    if ((overflowX !== 'visible' && width <= 1) || (overflowY !== 'visible' && height <= 1)) return true;
  }
  return false;
}

/** The lists that were chosen from: many stay open for the next choice, and no attribute says whose they are. @type {WeakMap<Element, Element>} */
const listsOfControls = new WeakMap();

/** The options that are the control's own: in it, in what it controls or owns, or where the last one was chosen. */
function ownOptions(control) {
  const inside = optionsIn(control);
  if (inside.length) return inside;
  const ids = ['aria-controls', 'aria-owns'].flatMap((name) => (attr(control, name) ?? '').split(/\s+/).filter(Boolean));
  const field = onlyVisibleMatch(control, 'input,[role="combobox" i]');
  if (field) ids.push(...['aria-controls', 'aria-owns'].flatMap((name) => (attr(field, name) ?? '').split(/\s+/).filter(Boolean)));
  const named = ids.flatMap((each) => {
    const list = byId(control, each);
    return list && isShown(list) ? optionsIn(list) : [];
  });
  const last = listsOfControls.get(control);
  return named.length || !last || !isConnected_.call(last) ? named : optionsIn(last);
}

/** The options that are seen now: the control's own, else those that came since, else whatever came that has a text of its own. */
function openOptions(control) {
  const own = ownOptions(control);
  const opened = own.filter((each) => !visibleBefore.has(each));
  if (own.length) return opened.length ? opened : own;
  const appeared = (selector) =>
    rootElementsAround(control).flatMap((root) => selectAllDeep(root, selector)).filter((each) => !visibleBefore.has(each) && isShown(each) && !isInZeroSizeBox(each));
  const named = appeared(OPTIONS);
  if (named.length) return named;
  // A list whose options are still unfolding is none of them.
  const isPlain = (each) => collapse(innerText(each)) && (tagOf(each) === 'LI' || !isInside(each, control)) && !closest(each, LIVE_REGIONS) && !selectAllDeep(each, OPTIONS).length;
  const plain = appeared(PLAIN_OPTIONS).filter(isPlain);
  /** @type {Map<Element, Element[]>} those of them that are inside of each */
  const inside = new Map(plain.map((each) => [each, []]));
  for (const each of plain) for (let around = paintedParent(each); around; around = paintedParent(around)) inside.get(around)?.push(each);
  const texts = new Map(plain.map((each) => [each, collapse(innerText(each))]));
  // Of nested ones the outermost that holds one text, and no list of them.
  const outermostOptions = plain.filter((each) => inside.get(each)?.every((other) => texts.get(other) === texts.get(each)));
  const parts = new Set(outermostOptions.flatMap((each) => inside.get(each) ?? []));
  return outermostOptions.filter((each) => !parts.has(each));
}

const LOADING_MS = 4000;
const optionText = (option) => collapse(attr(option, 'aria-label') ?? innerText(option)) || told(option).name; // as what slots show
const isAttrTrue = (option, name) => attr(option, name)?.toLowerCase() === 'true';
const isChosen = (option) => ['aria-selected', 'aria-checked'].some((name) => isAttrTrue(option, name)) || hasCheckedBox(option);
const CHECKED_BOX = 'input[type="checkbox" i]:checked,[role="checkbox" i][aria-checked="true" i]';
/** Whether a box in it says that it is chosen. */
const hasCheckedBox = (option) => selectAllDeep(option, CHECKED_BOX).length > 0;

/** Whether it was chosen before: many lists mark as selected what Enter would choose, and say so in the control alone. */
function wasChosen(option, control) {
  if (isAttrTrue(option, 'aria-checked') || hasCheckedBox(option)) return true;
  if (!isAttrTrue(option, 'aria-selected')) return false;
  if (displayedValueOf(control).toLowerCase().includes(optionText(option).toLowerCase())) return true;
  const list = closest(option, '[role="listbox" i]');
  if (!list || !isAttrTrue(list, 'aria-multiselectable')) return false;
  return !isHighlighted(option, control) || isNamedAround(control, option);
}

const HIGHLIGHTED = /(?:^|[-_\s])(?:highlight(?:ed)?|active|focus(?:ed)?|hover(?:ed)?)(?=$|[-_\s])/i;

/** Whether it is what Enter or the mouse would choose, as some say with `aria-selected`, too. */
function isHighlighted(option, control) {
  const isActive = [control, focusedElement()].some((each) => each && attr(each, 'aria-activedescendant') === (attr(option, 'id') ?? ''));
  return isActive || matches(option, HOVERED) || HIGHLIGHTED.test(attr(option, 'class') ?? '');
}

/** Whether what stands around the control, outside of any list, names the option. */
function isNamedAround(control, option) {
  const text = optionText(option).toLowerCase();
  const hasSameText = (each) => tagOf(each) !== 'OPTION' && isShown(each) && ownText(each) === text;
  for (let box = control, i = 0; box && i < MOST_ANCESTORS && !isInside(option, box); i++, box = paintedParent(box)) {
    if (hasSameText(box) || selectAllDeep(box, '*').some(hasSameText)) return true;
  }
  return false;
}

/** What stands in an element itself, in small letters. */
function ownText(element) {
  let text = '';
  for (let node = firstChild(element); node; node = nextSibling(node)) if (nodeType(node) === 3) text += dataOf(node);
  return collapse(text).toLowerCase();
}

const choiceOf = (option) => ({
  text: optionText(option),
  value: attr(option, 'data-value') ?? attr(option, 'value') ?? attr(option, 'id') ?? '',
  disabled: attr(option, 'aria-disabled')?.toLowerCase() === 'true' || matches(option, ':disabled'),
});

/**
 * The option that is meant, as soon as it is there.
 * @param {number} id  of the control @param {string} wanted @param {By} by @param {number} wait_ms
 * @returns {Promise<Found>}
 * @typedef {{state: 'found' | 'ambiguous' | 'unknown', local: number, text: string, chosen: boolean, disabled: boolean,
 *   options: string[], total: number, sure: boolean, meant: string[]}} Found  sure: none that the list does not hold yet may be meant
 *   rather; meant: the whole texts of those that may be
 */
async function findOption(id, wanted, by, wait_ms) {
  const control = resolveElement(id);
  /** @type {Found} */
  const answer = { state: 'unknown', local: 0, text: '', chosen: false, disabled: false, options: [], total: 0, sure: true, meant: [] };
  const began = performance.now();
  for (let last = ''; control; ) {
    const options = openOptions(control);
    const choices = options.map(choiceOf);
    const found = matchingChoices(choices, wanted, by);
    const texts = choices.map((choice) => choice.text).join('\n');
    const steady = texts === last;
    last = texts;
    const isExact = found.length === 1 && (by !== 'text' || choices[found[0]].text.toLowerCase() === collapse(wanted).toLowerCase());
    const matchedTexts = found.map((i) => choices[i].text);
    const sure = isExact || !isVirtualized(control, options);
    const hasHadTime = performance.now() - began > wait_ms / 4;
    if (found.length === 1 && (isExact || (steady && (sure || hasHadTime)))) {
      const option = options[found[0]];
      const { text, disabled } = choices[found[0]];
      const list = closest(option, '[role="listbox" i]');
      if (list) listsOfControls.set(control, list);
      return { ...answer, sure, meant: matchedTexts, state: 'found', local: internalIdOf(option), text, chosen: wasChosen(option, control), disabled };
    }
    const timeout_ms = choices.length && choices.every((choice) => choice.disabled) ? LOADING_MS : wait_ms; // "Loading…"
    if (performance.now() - began > timeout_ms || (found.length > 1 && steady && hasHadTime)) {
      const among = found.length ? found.map((i) => choices[i]) : choices;
      return { ...answer, sure, meant: matchedTexts, state: found.length ? 'ambiguous' : 'unknown', options: shortTexts(among), total: among.length };
    }
    await (steady ? timersDone(50) : nextFrame()); // once it stands still, to look at each frame would keep the page from its work
  }
  return answer;
}

/** What scrolls around the options of an open list, from the inside out. */
function* scrollersAround(control, options) {
  for (let box = options.length ? paintedParent(options[0]) : null; box && !isInside(control, box); box = paintedParent(box)) {
    if (scrollHeight(box) > clientHeight(box) + 1 && computedStyleOf(box).overflowY !== 'visible') yield box;
  }
}

const MOST_EMPTY_OPTIONS = 1.5; // times the height of an option

/** Whether a list holds a part of its options alone, by the room that it has: the others come as it is scrolled. */
function isVirtualized(control, options) {
  const [box] = scrollersAround(control, options);
  if (!box) return false;
  const first = rectOf(options[0]);
  const above = first.top - rectOf(box).top + scrollTop(box);
  const below = scrollHeight(box) - (above + rectOf(options.at(-1)).bottom - first.top);
  return Math.max(above, below) > first.height * MOST_EMPTY_OPTIONS;
}

/**
 * Scrolls the open list on, since long lists hold only what is seen.
 * @param {number} id @param {boolean} toTop  to its beginning instead
 * @returns {Promise<boolean>} false: it was there already
 */
async function scrollOptions(id, toTop) {
  const control = resolveElement(id);
  const options = control ? openOptions(control) : [];
  for (const box of scrollersAround(control, options)) {
    const before = scrollTop(box);
    scrollElementBy_.call(box, { top: toTop ? -before : clientHeight(box) * 0.9, behavior: 'instant' });
    await nextTwoFrames();
    if (scrollTop(box) !== before) return true;
  }
  return false;
}

const scrollTop = reader(Element, 'scrollTop');
const scrollHeight = reader(Element, 'scrollHeight');
const clientHeight = reader(Element, 'clientHeight');

/** @param {number} id  of a control @returns {boolean} whether the list that was chosen from is seen no longer */
function isListClosed(id) {
  const control = resolveElement(id);
  const list = control && listsOfControls.get(control);
  return Boolean(list && !(isConnected_.call(list) && isShown(list)));
}

/** @param {number} id  of an option @returns {boolean} whether it says that it is chosen, or is gone with its list */
function isChosenNow(id) {
  const option = resolveElement(id);
  return !option || !isConnected_.call(option) || !isShown(option) || isChosen(option);
}
