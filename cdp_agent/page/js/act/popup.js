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
 * @returns {{open: boolean, shown: string}}  open: its options are shown already, and not only those that are selected;
 *   shown: what the control shows as chosen
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
    return { open: true, shown: displayedValueOf(control) };
  visibleBefore = new WeakSet();
  focusedBefore = focusedElement();
  if (!control) return { open: false, shown: '' };
  const own = ownOptions(control);
  const open = own.length > 0 && attr(control, 'aria-expanded')?.toLowerCase() !== 'false';
  for (const root of rootElementsAround(control)) {
    for (const each of selectAllDeep(root, `${OPTIONS},${PLAIN_OPTIONS}`))
      if (isShown(each) && !(open && own.includes(each))) visibleBefore.add(each);
  }
  return { open, shown: displayedValueOf(control) };
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

/** @returns {Choice} */
const choiceOf = (option) => ({
  text: optionText(option),
  // looked up only where texts are the same
  get group() {
    return optionGroupOf(option);
  },
  value: attr(option, 'data-value') ?? attr(option, 'value') ?? attr(option, 'id') ?? '',
  unnamed: !hasAttr(option, 'data-value') && !hasAttr(option, 'value'),
  disabled: attr(option, 'aria-disabled')?.toLowerCase() === 'true' || matches(option, ':disabled'),
});

/** The name of the group of options that an option stands in, or its heading: many libraries give it no role. */
function optionGroupOf(option) {
  const group = closest(option, '[role="group" i]');
  const name = group ? roleAndNameOf(group).name : '';
  if (name) return name;
  const parent = paintedParent(option);
  return headingBefore(option) || (parent && attr(parent, 'role') !== 'listbox' ? headingBefore(parent) : '');
}

/** The text of the last sibling before an element, or before the options in front of it, that is no option itself. */
function headingBefore(element) {
  let sibling = previousElementSibling_.call(element);
  while (sibling && matches(sibling, OPTIONS)) sibling = previousElementSibling_.call(sibling);
  return sibling && isShown(sibling) && !selectAllDeep(sibling, OPTIONS).length ? collapse(innerText(sibling)) : '';
}

/**
 * Finds the matching option, and waits until it appears.
 * @param {number} id  of the control @param {string} wanted @param {By} by @param {number} wait_ms
 * @returns {Promise<Found>}
 * @typedef {{state: 'found' | 'ambiguous' | 'unknown', local: number, text: string, chosen: boolean, disabled: boolean,
 *   options: string[], total: number, differences: string[], loading: boolean, sure: boolean, meant: string[]}} Found
 *   differences: see differencesOf; sure: no option that is not rendered yet can match better; meant: the full texts of
 *   the matching options
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
    differences: [],
    loading: false,
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
    const loading = isLoading(choices) || isBusy(control, options);
    const timeout_ms = loading ? LOADING_MS : wait_ms;
    if (performance.now() - began > timeout_ms || (found.length > 1 && steady && hasHadTime)) {
      const among = found.length ? found.map((i) => choices[i]) : choices;
      return {
        ...answer,
        loading,
        differences: differencesOf(choices, found),
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

/** Whether a control says that its list is busy, by itself or by what its options stand in. */
function isBusy(control, options) {
  const named = (attr(control, 'aria-controls') ?? '').split(/\s+/).map((each) => each && byId(control, each));
  return [control, ...named, ...options.slice(0, 1)].some((each) => each && closest(each, '[aria-busy="true" i]'));
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

/**
 * What there is before an option is clicked, to see then that it was chosen. shown: what the control showed when
 * its list opened, and shows now; list: where the option stands; times: how often the page has the text beside that;
 * others: what the other options are
 * @typedef {{text: string, shown: string[], list: Element | null, times: number, others: string[]}} BeforeChoice
 * @type {BeforeChoice}
 */
let choosing = { text: '', shown: [], list: null, times: 0, others: [] };

/**
 * @param {number} id  of the control @param {number} option_id @param {string} text @param {string} opened  what the
 *   control showed when its list opened
 */
function beforeChoice(id, option_id, text, opened) {
  const [control, option] = [resolveElement(id), resolveElement(option_id)];
  if (!control || !option) return;
  const list = closest(option, '[role="listbox" i],[role="menu" i]') ?? paintedParent(option);
  const others = openOptions(control).map((each) => optionText(each).toLowerCase());
  choosing = { text: text.toLowerCase(), shown: [opened, displayedValueOf(control)], list, times: 0, others };
  choosing.times = timesBesideList(control);
}

/** How often the page has the text that is being chosen, the list of the option aside. */
function timesBesideList(control) {
  const times = (element) => textContent(element).toLowerCase().split(choosing.text).length - 1;
  const inPage = rootElementsAround(control).reduce((sum, root) => sum + times(root), 0);
  return choosing.list && isConnected_.call(choosing.list) ? inPage - times(choosing.list) : inPage;
}

/**
 * How a page shows that an option was chosen, as soon as it does: shown: by the control itself; otherwise: by its mark,
 * by another text of the control, or by the text anywhere else; part: the control shows a part of the text; ended: a
 * menu is closed, which shows nothing.
 * @param {number} id  of the control @param {number} option_id @param {number} wait_ms
 * @returns {Promise<'shown' | 'otherwise' | 'part' | 'ended' | 'nowhere'>}
 */
async function howChosen(id, option_id, wait_ms) {
  const { text, shown, others } = choosing;
  for (const began = performance.now(); ; await nextFrame()) {
    const control = resolveElement(id);
    if (!control || !isConnected_.call(control)) return 'ended';
    const now = displayedValueOf(control).toLowerCase();
    if (now.includes(text)) return 'shown';
    const option = resolveElement(option_id);
    const isThere = option && isConnected_.call(option) && isShown(option);
    // Some controls show another text than that of the option, but not that of another option.
    const isAnother = others.includes(now) && !text.includes(now);
    const isNew = now && !isAnother && !shown.some((each) => each.toLowerCase() === now);
    if ((isThere && isChosen(option)) || isNew || displayedBeside(id).toLowerCase().includes(text)) return 'otherwise';
    if (performance.now() - began <= wait_ms) continue;
    if (now && text.includes(now) && !isThere) return 'part';
    if (!isAnother && timesBesideList(control) > choosing.times) return 'otherwise';
    return isThere || isList(control) ? 'nowhere' : 'ended';
  }
}

/** Whether a control is to show what is chosen, unlike the button of a menu. */
function isList(control) {
  const { role } = roleAndNameOf(control);
  return role === 'combobox' || role === 'listbox' || fieldKind(control) === 'typed';
}

/** What a click on an option would do beside choosing it. @param {number} id @returns {'plain' | 'link' | 'ticked'} */
function optionKind(id) {
  const option = resolveElement(id);
  if (!option) return 'plain';
  if (closest(option, 'a[href]') || selectAllDeep(option, 'a[href]').length) return 'link';
  const list = closest(option, '[role="listbox" i]');
  const isOfSeveral = list && isAttrTrue(list, 'aria-multiselectable');
  return isOfSeveral && isChosen(option) ? 'ticked' : 'plain';
}
