// Selecting options of native lists, and matching options by text. For lists that pages build themselves see popup.js.

const optionValue = reader(HTMLOptionElement, 'value');
const setSelectedIndex_ = Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'selectedIndex').set;
const setSelected_ = Object.getOwnPropertyDescriptor(HTMLOptionElement.prototype, 'selected').set;
const radioInput = 'input[type="radio" i],[role="radio" i]';

/**
 * group: the label of the options' group that it stands in; hidden: it is not shown when the list is open; unnamed: its
 *   value is only its id
 * @typedef {'text' | 'value' | 'index'} By
 * @typedef {{text: string, value: string, disabled: boolean, hidden?: boolean, group?: string,
 *   unnamed?: boolean}} Choice
 */

/**
 * The indices of the choices that match. By text: those with exactly this text, else those with this group and text as
 * "Group > Text"; else, ignoring case and what is hidden, those with this text, else those that begin with it, else
 * those that contain it. Of several, those that can be chosen. @param {Choice[]} choices @param {string} wanted
 * @param {By} by @returns {number[]} one if it is unambiguous, several candidates, or none
 */
function matchingChoices(choices, wanted, by) {
  const where = (test) => choices.flatMap((choice, i) => (test(choice) ? [i] : []));
  if (by === 'index') return choices[Number(wanted)] ? [Number(wanted)] : [];
  if (by === 'value')
    return selectableOf(
      choices,
      where((choice) => choice.value === wanted),
    );
  const text = collapse(wanted);
  const lower = text.toLowerCase();
  const exact = where((choice) => choice.text === text);
  if (exact.length || !lower) return selectableOf(choices, exact);
  const label = (choice) => choice.text.toLowerCase();
  for (const test of [
    (c) => lower.includes('>') && pathOf(c).toLowerCase() === lower.replace(/\s*>\s*/, ' > '),
    (c) => label(c) === lower,
    (c) => !c.hidden && label(c).startsWith(lower),
    (c) => !c.hidden && label(c).includes(lower),
  ]) {
    const matching = where(test);
    if (matching.length) return selectableOf(choices, matching);
  }
  return [];
}

/** Of several matches, those that can be chosen; only one where they are the same option twice in the same group. */
function selectableOf(choices, indices) {
  const selectable = indices.filter((i) => !choices[i].disabled && !choices[i].hidden);
  const among = selectable.length ? selectable : indices.slice(0, 1);
  const sameAsFirst = (i) => isSameChoice(choices[i], choices[among[0]]);
  return among.every(sameAsFirst) ? among.slice(0, 1) : among;
}

const isSameChoice = (one, other) =>
  one.text === other.text && one.value === other.value && (one.group ?? '') === (other.group ?? '');

/** The choice as its group and its text. @param {Choice} choice */
const pathOf = (choice) => (choice.group ? `${choice.group} > ${choice.text}` : choice.text);

/**
 * What tells apart choices of which several have the same text; none if their texts do.
 * @param {Choice[]} choices @param {number[]} indices @returns {string[]} for each of the first
 */
function differencesOf(choices, indices) {
  if (new Set(indices.map((i) => choices[i].text)).size === indices.length) return [];
  return indices.slice(0, MOST_OPTIONS).map((i) => {
    const { group, value } = choices[i];
    return [
      group ? `in ${quote(group)}` : '',
      value && !choices[i].unnamed ? `value ${quote(value)}` : '',
      `index ${i}`,
    ]
      .filter(Boolean)
      .join(', ');
  });
}

/**
 * The kind of list that an element is, and its control: the element may be a label or a wrapper.
 * @param {number} id @returns {{kind: 'native' | 'datalist' | 'custom' | 'other', local: number, said: RoleAndName,
 *   instead: string}}
 */
function listKind(id) {
  const element = resolveElement(id);
  const label = element ? roleAndNameOf(element) : { role: '', name: '' };
  const control = element && controlOf(element);
  if (!control) return { kind: 'other', local: id, said: label, instead: 'take a new snapshot' };
  const answer = { local: control === element ? id : internalIdOf(control), said: label, instead: '' };
  if (tagOf(control) === 'SELECT') return { kind: 'native', ...answer };
  if (tagOf(control) === 'INPUT' && datalistOf(control)) return { kind: 'datalist', ...answer };
  const instead = insteadOfSelecting(control);
  return { kind: instead ? 'other' : 'custom', ...answer, instead };
}

const LISTS = 'select,[role="combobox" i],[role="listbox" i]';

function controlOf(element) {
  const tag = tagOf(element);
  if (tag === 'OPTION') return closest(element, 'select') ?? element;
  const control = controlOfLabel(element);
  if (control) return control;
  if (tag === 'SELECT' || tag === 'INPUT' || hasAttr(element, 'role') || hasAttr(element, 'aria-haspopup'))
    return element;
  return onlyVisibleMatch(element, LISTS) ?? element;
}

function insteadOfSelecting(control) {
  forget();
  const role = roleOf(control);
  if (role === 'radio' || role === 'radiogroup' || hasSeveralRadios(control))
    return 'it is made of radio buttons: use check on one of them';
  if (role === 'checkbox' || role === 'switch') return 'use check or uncheck';
  if (role === 'tab' || role === 'tablist') return 'click the tab';
  if (role === 'link' || role === 'option' || role === 'menuitem') return 'click it';
  return tagOf(control) === 'TEXTAREA' && role !== 'combobox' ? 'fill it with text' : '';
}

const hasSeveralRadios = (control) => selectAllDeep(control, radioInput).length > 1;

/** @returns {Choice[]} */
function nativeChoices(list) {
  return [...selectOptions(list)].map((option) => {
    const group = closest(option, 'optgroup');
    return {
      text: collapse(optionLabel(option)),
      value: optionValue(option),
      disabled: matches(option, ':disabled'),
      hidden: isNotDisplayed(option) || (group !== null && isNotDisplayed(group)),
      group: group ? collapse(attr(group, 'label') ?? '') : '',
    };
  });
}

const isNotDisplayed = (element) => computedStyleOf(element).display === 'none';

/** Whether a list says that its options are yet to come: it has only disabled ones, or one that ends in dots. */
function isLoading(choices) {
  const open = choices.filter((choice) => !choice.disabled && choice.text);
  return choices.length > 0 && (!open.length || (open.length === 1 && /(?:…|\.{3})$/.test(open[0].text)));
}

/**
 * Selects options of a native list. The popup is drawn outside of the page, where input events do not reach it on all
 * systems. Therefore the options are set by script, followed by the usual events, which are not trusted ones. Pages
 * that load options when the list gets the focus or is pressed are told of both.
 * @param {number} id @param {string[]} wanted  the texts, values or indices of all options to select @param {By} by
 * @param {number} wait_ms  how long to wait for the options
 * @returns {Promise<Chosen>}
 * @typedef {{state: 'chosen' | 'otherwise' | 'before' | 'unknown' | 'ambiguous' | 'disabled' | 'hidden' | 'single' |
 *   'replaced' | 'gone', refusal: Obstacle | null, wanted: string, shown: string, options: string[], total: number,
 *   differences: string[], loading: boolean}} Chosen  options: all options, or the candidates; differences: see
 *   differencesOf; replaced: the list left the page when it was told
 */
async function chooseNative(id, wanted, by, wait_ms) {
  const list = resolveElement(id);
  /** @type {Chosen} */
  const answer = {
    state: 'gone',
    refusal: null,
    wanted: '',
    shown: '',
    options: [],
    total: 0,
    differences: [],
    loading: false,
  };
  if (!list) return answer;
  const why = await fieldObstacle(list, wait_ms);
  if (why) return { ...answer, refusal: obstacle(why, null, list) };
  if (wanted.length > 1 && !selectIsMultiple(list)) return { ...answer, state: 'single' };
  // A native list hidden behind a custom one passes the focus to that, which then opens.
  const { why: covered } = pickPoint(list, levelsOf(list));
  if (!covered || covered === 'outside') moveFocus(list);
  const began = performance.now();
  for (let looks = 0; isConnected_.call(list); looks++) {
    const choices = nativeChoices(list);
    const found = wanted.map((each) => matchingChoices(choices, each, by));
    const bad = found.findIndex((each) => each.length !== 1);
    if (bad < 0) return selectNativeOptions(list, found.flat(), choices, answer);
    const loading = isLoading(choices);
    const timeout_ms = loading ? LOADING_MS : wait_ms;
    if (found[bad].length > 1 || performance.now() - began > timeout_ms) {
      const shown = choices.flatMap((choice, i) => (choice.hidden ? [] : [i]));
      const among = found[bad].length ? found[bad] : shown;
      return {
        ...answer,
        loading,
        state: found[bad].length ? 'ambiguous' : 'unknown',
        wanted: wanted[bad],
        options: shortTexts(among.map((i) => choices[i])),
        total: among.length,
        differences: found[bad].length ? differencesOf(choices, among) : [],
      };
    }
    if (looks === 1) pressByScript(list);
    await (looks < 2 ? nextFrame() : timersDone(50));
  }
  return answer;
}

const SCRIPTED_PRESS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'];

/** Tells a page that a list is pressed, as by a person who opens it: a real press would open the popup over all. */
function pressByScript(list) {
  for (const type of SCRIPTED_PRESS) {
    const event = type.startsWith('pointer') ? PointerEvent : MouseEvent;
    dispatchEvent_.call(list, new event(type, { bubbles: true, composed: true, cancelable: true, detail: 1 }));
  }
}

/** @returns {Choice[]} */
function datalistChoices(field) {
  const options = [...selectAll(datalistOf(field), 'option:not([disabled])')];
  return options.map((option) => ({
    text: collapse(optionLabel(option) || optionValue(option)),
    value: optionValue(option),
    disabled: false,
  }));
}

/**
 * The value that a field gets by one of its datalist's suggestions; null if none matches, or several do.
 * @param {number} id @param {string} wanted @param {By} by @returns {{value: string | null, options: string[], total:
 *   number}}
 */
function suggestion(id, wanted, by) {
  const choices = datalistChoices(resolveElement(id));
  const same = by === 'text' ? matchingChoices(choices, wanted, 'value') : [];
  const found = same.length ? same : matchingChoices(choices, wanted, by);
  return {
    value: found.length === 1 ? choices[found[0]].value : null,
    options: shortTexts(choices),
    total: choices.length,
  };
}

const MOST_OPTIONS = 20;
/**
 * Matches a text against all texts that a virtualized list has shown while it was scrolled.
 * @param {string[]} texts @param {string} wanted @returns {{meant: string[], options: string[]}}  meant: the matching
 *   texts; options: the same, shortened for a message
 */
function matchingTexts(texts, wanted) {
  const choices = texts.map((text) => ({ text, value: '', disabled: false }));
  const found = matchingChoices(choices, wanted, 'text').map((i) => choices[i]);
  return { meant: found.map((choice) => choice.text), options: shortTexts(found) };
}

const shortTexts = (choices) => choices.slice(0, MOST_OPTIONS).map((choice) => cut(choice.text, LONGEST_PREVIEW_NAME));

function dispatchInputAndChange(list) {
  for (const type of ['input', 'change']) dispatchEvent_.call(list, new Event(type, { bubbles: true, composed: true }));
}

/** Selects or unselects one option of a list that allows several, and leaves the others. @param {number} id */
function setOption(id, selected) {
  const option = resolveElement(id);
  const list = option && closest(option, 'select');
  if (!list) return;
  moveFocus(list);
  setSelected_.call(option, selected);
  dispatchInputAndChange(list);
}

async function selectNativeOptions(list, indices, choices, answer) {
  for (const state of /** @type {const} */ (['disabled', 'hidden'])) {
    const refused = indices.find((i) => choices[i][state]);
    if (refused !== undefined) return { ...answer, state, wanted: choices[refused].text };
  }
  const options = [...selectOptions(list)];
  const selectedStates = () => options.map((option) => isSelectedOption(option)).join();
  const before = selectedStates();
  if (selectIsMultiple(list)) options.forEach((option, i) => setSelected_.call(option, indices.includes(i)));
  else setSelectedIndex_.call(list, indices[0]);
  const wanted = indices.map((i) => choices[i].text).join(', ');
  if (selectedStates() === before) return { ...answer, state: 'before', wanted, shown: displayedValueOf(list) };
  const selected = selectedChoices(list);
  dispatchInputAndChange(list);
  await timersDone();
  await timersDone(); // timers that the page has set in its handlers
  if (!isConnected_.call(list)) return { ...answer, state: 'replaced', wanted, shown: wanted };
  // The page may have put other options in the place of those that were there.
  const state = selectedChoices(list) === selected ? 'chosen' : 'otherwise';
  return { ...answer, state, wanted, shown: displayedValueOf(list) };
}

/** The options that are selected by now, to be compared. */
const selectedChoices = (list) =>
  JSON.stringify([...selectedOptions(list)].map((option) => [collapse(optionLabel(option)), optionValue(option)]));

/** The selected value as the control displays it. */
function displayedValueOf(control) {
  const tag = tagOf(control);
  if (tag === 'SELECT') return [...selectedOptions(control)].map((option) => collapse(optionLabel(option))).join(', ');
  if (tag === 'INPUT') return inputValue(control);
  if (tag === 'TEXTAREA') return areaValue(control);
  if (closestFlat(control, '[role="listbox" i]') === control)
    return optionsIn(control).filter(isChosen).map(optionText).join(', ');
  const hidden = onlyVisibleMatch(control, 'select'); // a native list that a library displays in its own way
  if (hidden) return displayedValueOf(hidden);
  const inner = onlyVisibleMatch(control, 'input');
  if (inner && inputValue(inner)) return inputValue(inner);
  return selectAllDeep(control, 'li').length ? headingOrFirstText(control) : textOutsideList(control);
}

/** The text of a control without that of the list that is open in it. */
function textOutsideList(control) {
  const text = collapse(innerText(control));
  const list = onlyVisibleMatch(control, '[role="listbox" i]');
  const listed = list ? collapse(innerText(list)) : '';
  const at = listed ? text.lastIndexOf(listed) : -1;
  return at < 0 ? text : collapse(text.slice(0, at) + text.slice(at + listed.length));
}

/** @param {number} id */
const displayedValue = (id) => (resolveElement(id) ? displayedValueOf(resolveElement(id)) : '');

/**
 * The same after a field in which one types has lost the focus, which it then gets back: many empty themselves then.
 * Editors of cells end with that, and are left alone.
 * @param {number} id @param {number} wait_ms  how long to wait for it to change
 */
async function displayedAfterBlur(id, wait_ms) {
  const field = resolveElement(id);
  if (!field || fieldKind(field) !== 'typed' || !hasFocusWithin(field) || closestFlat(field, CELLS_EDITED))
    return displayedValue(id);
  const before = displayedValue(id);
  blur_.call(focusedElement());
  await timersDone();
  await timersDone();
  for (const began = performance.now(); performance.now() - began < wait_ms && displayedValue(id) === before;)
    await nextFrame();
  const shown = displayedValue(id);
  if (isConnected_.call(field)) moveFocus(field);
  return shown;
}

/**
 * The field of an element, if it has a list to choose from, and takes no text that is sent off by choosing.
 * @param {number} id @returns {number} 0 if it is none
 */
function listField(id) {
  const element = resolveElement(id);
  const field = element && fieldOf(element);
  if (!field || fieldKind(field) !== 'typed' || isReadOnly(field) || isSecret(field)) return 0;
  if ((tagOf(field) === 'INPUT' && datalistOf(field)) || closestFlat(field, CELLS_EDITED)) return 0;
  const { role, name } = roleAndNameOf(field);
  const completes = ['list', 'both'].includes(attr(field, 'aria-autocomplete')?.toLowerCase() ?? '');
  if (role !== 'combobox' && !completes && attr(field, 'aria-haspopup')?.toLowerCase() !== 'listbox') return 0;
  const words = [name, attr(field, 'name'), attr(field, 'placeholder')];
  if (closestFlat(field, 'search,[role="search" i]') || words.some((each) => SEARCH_WORDS.test(each ?? ''))) return 0;
  return field === element ? id : internalIdOf(field);
}

const CELLS_EDITED = 'td,[role="gridcell" i],[role="cell" i]';

const MOST_ANCESTORS = 4;

/**
 * The text beside a field that filters a list: it displays the selected option where the field itself stays empty.
 * @param {number} id
 */
function displayedBeside(id) {
  const field = resolveElement(id);
  let box = field && fieldKind(field) === 'typed' ? paintedParent(field) : null;
  for (
    let i = 0;
    box && i < MOST_ANCESTORS && selectAll(box, 'input,select,textarea').length === 1;
    i++, box = paintedParent(box)
  ) {
    const text = textBesideOptions(box, field);
    if (text) return text;
  }
  return '';
}

/** The text in a box, without the options of a field's list. */
function textBesideOptions(box, field) {
  const options = openOptions(field).filter((option) => isInside(option, box));
  let text = collapse(innerText(box));
  for (const option of options) text = collapse(text.replace(collapse(innerText(option)), ' '));
  return text;
}
