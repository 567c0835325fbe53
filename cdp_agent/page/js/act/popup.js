// Lists that pages build themselves: finding the options of an open list, wherever in the page they are.

const OPTIONS =
  '[role="option" i],[role="menuitem" i],[role="menuitemradio" i],[role="menuitemcheckbox" i],[role="treeitem" i]';
// announcements about the list for screen readers
const LIVE_REGIONS = '[aria-live],[role="status" i],[role="alert" i],[role="log" i]';
const PLAIN_OPTIONS = 'li,a,button,label,td,[tabindex],[data-value],div,span';

/** The elements that were visible before the list was opened. @type {WeakSet<Element>} */
let visibleBefore = new WeakSet();
/** The element that had the focus at that time. @type {Element | null} */
let focusedBefore = null;

/**
 * Records what is visible before a list is opened. @param {number} id @param {number} last  the option chosen before in
 * the same call, or 0
 * @returns {{open: boolean}}  open: its options are shown already, and not only those that are selected
 */
function beginChoice(id, last) {
  const control = resolveElement(id);
  const chosen = last ? resolveElement(last) : null;
  // A list in a dialog stays open until its button is pressed: the record from before it was opened remains valid.
  if (
    control &&
    chosen &&
    !ownOptions(control).length &&
    attr(control, 'aria-expanded') === 'true' &&
    isConnected_.call(chosen) &&
    isShown(chosen)
  )
    return { open: true };
  visibleBefore = new WeakSet();
  focusedBefore = focusedElement();
  if (!control) return { open: false };
  const own = ownOptions(control);
  const open = own.length > 0 && attr(control, 'aria-expanded')?.toLowerCase() !== 'false';
  for (const root of rootElementsAround(control)) {
    for (const each of selectAllDeep(root, `${OPTIONS},${PLAIN_OPTIONS}`))
      if (isShown(each) && !(open && own.includes(each))) visibleBefore.add(each);
  }
  return { open };
}

/**
 * The field in which typing filters the list: the control itself, or the one that got the focus with it; 0 if there is
 * none.
 * @param {number} id
 */
function filterField(id) {
  const control = resolveElement(id);
  const focused = focusedElement();
  const gotFocus = focused && control && (focused !== focusedBefore || isInside(focused, control));
  const field = control && (writableTextField(fieldOf(control)) || (gotFocus && writableTextField(focused)));
  return field ? (field === control ? id : internalIdOf(field)) : 0;
}

const writableTextField = (field) => (field && fieldKind(field) === 'typed' && !isReadOnly(field) ? field : null);

/** The root elements of the documents in which the control's list may open. */
const rootElementsAround = (control) => levelsOf(control).map((level) => documentElement_.call(level.document));

const isShown = (element) =>
  checkVisibility_.call(element, { visibilityProperty: true, opacityProperty: true }) && rectOf(element).height > 0;
const optionsIn = (element) =>
  selectAllDeep(element, OPTIONS).filter((each) => isShown(each) && !isInZeroSizeBox(each));

/** Whether a container of no size clips it: a copy of the list for screen readers only. */
function isInZeroSizeBox(element) {
  for (let around = paintedParent(element); around; around = paintedParent(around)) {
    const { overflowX, overflowY } = computedStyleOf(around);
    const { width, height } = rectOf(around);
    if ((overflowX !== 'visible' && width <= 1) || (overflowY !== 'visible' && height <= 1)) return true;
  }
  return false;
}

/**
 * The list in which an option was chosen, by control: many stay open for the next choice, and no attribute links them.
 * @type {WeakMap<Element, Element>}
 */
const listsOfControls = new WeakMap();

/** The options of the control: inside it, in what it controls or owns by ARIA, or in the list of its last choice. */
function ownOptions(control) {
  const inside = optionsIn(control);
  if (inside.length) return inside;
  const ids = ['aria-controls', 'aria-owns'].flatMap((name) =>
    (attr(control, name) ?? '').split(/\s+/).filter(Boolean),
  );
  const field = onlyVisibleMatch(control, 'input,[role="combobox" i]');
  if (field)
    ids.push(
      ...['aria-controls', 'aria-owns'].flatMap((name) => (attr(field, name) ?? '').split(/\s+/).filter(Boolean)),
    );
  const named = ids.flatMap((each) => {
    const list = byId(control, each);
    return list && isShown(list) ? optionsIn(list) : [];
  });
  const last = listsOfControls.get(control);
  return named.length || !last || !isConnected_.call(last) ? named : optionsIn(last);
}

/**
 * The visible options: the control's own, else those that appeared since it was opened, else any other elements with
 * text that appeared.
 */
function openOptions(control) {
  const own = ownOptions(control);
  const opened = own.filter((each) => !visibleBefore.has(each));
  if (own.length) return opened.length ? opened : own;
  const appeared = (selector) =>
    rootElementsAround(control)
      .flatMap((root) => selectAllDeep(root, selector))
      .filter((each) => !visibleBefore.has(each) && isShown(each) && !isInZeroSizeBox(each));
  const named = appeared(OPTIONS);
  if (named.length) return named;
  // An element that contains options is a list, not an option.
  const isPlain = (each) =>
    collapse(innerText(each)) &&
    (tagOf(each) === 'LI' || !isInside(each, control)) &&
    !closest(each, LIVE_REGIONS) &&
    !selectAllDeep(each, OPTIONS).length;
  const plain = appeared(PLAIN_OPTIONS).filter(isPlain);
  /** @type {Map<Element, Element[]>} for each element, those nested in it */
  const inside = new Map(plain.map((each) => [each, []]));
  for (const each of plain)
    for (let around = paintedParent(each); around; around = paintedParent(around)) inside.get(around)?.push(each);
  const texts = new Map(plain.map((each) => [each, collapse(innerText(each))]));
  // Of nested elements, the outermost one whose text is that of all elements in it; a list of several texts is no
  // option.
  const outermostOptions = plain.filter((each) =>
    inside.get(each)?.every((other) => texts.get(other) === texts.get(each)),
  );
  const parts = new Set(outermostOptions.flatMap((each) => inside.get(each) ?? []));
  return outermostOptions.filter((each) => !parts.has(each));
}

const LOADING_MS = 4000;
// the accessible name includes slotted text
const optionText = (option) => collapse(attr(option, 'aria-label') ?? innerText(option)) || roleAndNameOf(option).name;
const isAttrTrue = (option, name) => attr(option, name)?.toLowerCase() === 'true';
const isChosen = (option) =>
  ['aria-selected', 'aria-checked'].some((name) => isAttrTrue(option, name)) || hasCheckedBox(option);
const CHECKED_BOX = 'input[type="checkbox" i]:checked,[role="checkbox" i][aria-checked="true" i]';
/** Whether a check box in the option is checked. */
const hasCheckedBox = (option) => selectAllDeep(option, CHECKED_BOX).length > 0;

/**
 * Whether the option was selected before. Many lists put `aria-selected` on the option that Enter would choose, and
 * only the control shows which one is selected.
 */
function wasChosen(option, control) {
  if (isAttrTrue(option, 'aria-checked') || hasCheckedBox(option)) return true;
  if (!isAttrTrue(option, 'aria-selected')) return false;
  if (displayedValueOf(control).toLowerCase().includes(optionText(option).toLowerCase())) return true;
  const list = closest(option, '[role="listbox" i]');
  if (!list || !isAttrTrue(list, 'aria-multiselectable')) return false;
  return !isHighlighted(option, control) || isNamedAround(control, option);
}

const HIGHLIGHTED = /(?:^|[-_\s])(?:highlight(?:ed)?|active|focus(?:ed)?|hover(?:ed)?)(?=$|[-_\s])/i;

/** Whether it is the option that Enter or a click would choose, which some lists mark by `aria-selected`, too. */
function isHighlighted(option, control) {
  const isActive = [control, focusedElement()].some(
    (each) => each && attr(each, 'aria-activedescendant') === (attr(option, 'id') ?? ''),
  );
  return isActive || matches(option, HOVERED) || HIGHLIGHTED.test(attr(option, 'class') ?? '');
}

/** Whether the option's text stands near the control, outside of any list. */
function isNamedAround(control, option) {
  const text = optionText(option).toLowerCase();
  const hasSameText = (each) => tagOf(each) !== 'OPTION' && isShown(each) && ownText(each) === text;
  for (let box = control, i = 0; box && i < MOST_ANCESTORS && !isInside(option, box); i++, box = paintedParent(box)) {
    if (hasSameText(box) || selectAllDeep(box, '*').some(hasSameText)) return true;
  }
  return false;
}

/** The text in the element's own text nodes, in lower case. */
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
 * Finds the matching option, and waits until it appears.
 * @param {number} id  of the control @param {string} wanted @param {By} by @param {number} wait_ms
 * @returns {Promise<Found>}
 * @typedef {{state: 'found' | 'ambiguous' | 'unknown', local: number, text: string, chosen: boolean, disabled: boolean,
 *   options: string[], total: number, sure: boolean, meant: string[]}} Found  sure: no option that is not rendered yet
 *   can match better; meant: the full texts of the matching options
 */
async function findOption(id, wanted, by, wait_ms) {
  const control = resolveElement(id);
  /** @type {Found} */
  const answer = {
    state: 'unknown',
    local: 0,
    text: '',
    chosen: false,
    disabled: false,
    options: [],
    total: 0,
    sure: true,
    meant: [],
  };
  const began = performance.now();
  for (let last = ''; control;) {
    const options = openOptions(control);
    const choices = options.map(choiceOf);
    const found = matchingChoices(choices, wanted, by);
    const texts = choices.map((choice) => choice.text).join('\n');
    const steady = texts === last;
    last = texts;
    const isExact =
      found.length === 1 && (by !== 'text' || choices[found[0]].text.toLowerCase() === collapse(wanted).toLowerCase());
    const matchedTexts = found.map((i) => choices[i].text);
    const sure = isExact || !isVirtualized(control, options);
    const hasHadTime = performance.now() - began > wait_ms / 4;
    if (found.length === 1 && (isExact || (steady && (sure || hasHadTime)))) {
      const option = options[found[0]];
      const { text, disabled } = choices[found[0]];
      const list = closest(option, '[role="listbox" i]');
      if (list) listsOfControls.set(control, list);
      return {
        ...answer,
        sure,
        meant: matchedTexts,
        state: 'found',
        local: internalIdOf(option),
        text,
        chosen: wasChosen(option, control),
        disabled,
      };
    }
    // "Loading…"
    const timeout_ms = choices.length && choices.every((choice) => choice.disabled) ? LOADING_MS : wait_ms;
    if (performance.now() - began > timeout_ms || (found.length > 1 && steady && hasHadTime)) {
      const among = found.length ? found.map((i) => choices[i]) : choices;
      return {
        ...answer,
        sure,
        meant: matchedTexts,
        state: found.length ? 'ambiguous' : 'unknown',
        options: shortTexts(among),
        total: among.length,
      };
    }
    // once the list is stable, look less often: looking at each frame would slow down the page
    await (steady ? timersDone(50) : nextFrame());
  }
  return answer;
}

/** The scroll containers around the options of an open list, from the inside out. */
function* scrollersAround(control, options) {
  for (
    let box = options.length ? paintedParent(options[0]) : null;
    box && !isInside(control, box);
    box = paintedParent(box)
  ) {
    if (scrollHeight(box) > clientHeight(box) + 1 && computedStyleOf(box).overflowY !== 'visible') yield box;
  }
}

const MOST_EMPTY_OPTIONS = 1.5; // times the height of an option

/**
 * Whether the list renders only some of its options, judged by its scroll height: the others are rendered when it is
 * scrolled.
 */
function isVirtualized(control, options) {
  const [box] = scrollersAround(control, options);
  if (!box) return false;
  const first = rectOf(options[0]);
  const above = first.top - rectOf(box).top + scrollTop(box);
  const below = scrollHeight(box) - (above + rectOf(options.at(-1)).bottom - first.top);
  return Math.max(above, below) > first.height * MOST_EMPTY_OPTIONS;
}

/**
 * Scrolls the open list by a view, since virtualized lists render only the options in view.
 * @param {number} id @param {boolean} toTop  scroll to the beginning instead
 * @returns {Promise<boolean>} false: nothing was left to scroll
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

/** @param {number} id  of a control @returns {boolean} whether the list of its last choice is no longer visible */
function isListClosed(id) {
  const control = resolveElement(id);
  const list = control && listsOfControls.get(control);
  return Boolean(list && !(isConnected_.call(list) && isShown(list)));
}

/** @param {number} id  of an option @returns {boolean} whether it is marked as selected, or is gone with its list */
function isChosenNow(id) {
  const option = resolveElement(id);
  return !option || !isConnected_.call(option) || !isShown(option) || isChosen(option);
}
