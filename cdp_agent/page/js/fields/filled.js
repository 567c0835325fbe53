// What a field holds after it was filled in, compared with what was entered.

/** The text that the field holds; of a code editor, the lines that are rendered. */
function fieldText(field, kind) {
  if (kind === 'code') return visibleCodeLines(codeEditorOf(field)).join('\n');
  if (tagOf(field) === 'INPUT') return wholeInputValue(field);
  if (tagOf(field) === 'TEXTAREA') return wholeAreaValue(field);
  // the page may have ended the editing in the meantime
  return field.editContext ? field.editContext.text : richText(field);
}

/** The texts that we have entered into fields and editors of this document. @type {WeakMap<Element, string>} */
const enteredTexts = new WeakMap();

function recordEntered(element, text) {
  enteredTexts.set(element, text);
  hooks.holdsOnlyEnteredText = holdsOnlyEnteredText;
  recordTypedInto(element);
}

/** Whether a field contains exactly the text that was entered. */
const holdsOnlyEnteredText = (element) =>
  enteredTexts.has(element) && enteredTexts.get(element) === fieldText(element, fieldKind(element));

const wholeInputValue = reader(HTMLInputElement, 'value');
const wholeAreaValue = reader(HTMLTextAreaElement, 'value');

/**
 * Compares what the field holds with the wanted text. This is done here so that a secret does not leave the page.
 * @param {number} id @param {string | null} wanted  null: what the field was prepared for
 * @returns {Promise<Filled>}
 * @typedef {{match: Match | 'gone', value: string | null, length: number, most: number, type: string,
 *   astray: boolean, taken: Taken}} Filled most: how many characters the field takes, if it holds the first ones of the
 *   text for that; -1: that is not why; astray: keys were about to reach another element, and were suppressed; taken:
 *   see takenFrom
 */
async function fillResult(id, wanted) {
  cancelKeyupWait();
  const astray = keyWatch.astray;
  unwatchKeys();
  stopWatchingEntering();
  const field = resolveElement(id);
  wanted ??= entering?.wanted ?? '';
  /** @type {Filled} */
  const gone = {
    match: 'gone',
    value: null,
    length: 0,
    most: -1,
    type: '',
    astray,
    taken: field && takenFrom(field) ? 'taken' : '',
  };
  if (!field || !isConnected_.call(field)) return gone;
  const kind = fieldKind(field);
  let now = heldText(field);
  // Editors render their text in the next frame, or a later one.
  const isEditor = kind === 'code' || kind === 'rich';
  for (let frame = 0; isEditor && !astray && frame < 5 && matchOf(field, kind, now, wanted) !== 'same'; frame++) {
    await nextFrame();
    if (!isConnected_.call(field)) return gone;
    now = heldText(field);
  }
  noteTextAdded(field, now);
  if (!isSecret(field)) recordEntered(field, now);
  const match = matchOf(field, kind, now, wanted);
  if (entering?.field.deref() === field) entering.stood ||= isMeant(match);
  return {
    match,
    value: isSecret(field) ? null : beginningOf(now),
    length: now.length,
    most: match === 'other' && isCut(field, now, wanted) ? now.length : -1,
    type: tagOf(field) === 'INPUT' ? inputType(field) : '',
    astray,
    taken: takenFrom(field),
  };
}

/**
 * The listener that waits for the last key of a fill.
 * @type {{onKeyup: () => void, resolve: (answer: {filled: null}) => void} | null}
 */
let keyupWait = null;

/**
 * The `fillResult` on the `keyup` at which the field holds exactly the text; null if there is none. Must be called
 * before the key is sent, since a call after input is answered only when the page has painted.
 * @param {number} id @param {string} wanted @returns {Promise<{filled: Filled | null}>}
 */
function fillResultAfterKey(id, wanted) {
  cancelKeyupWait();
  const element = resolveElement(id);
  const field = element && fieldOf(element);
  if (!field || fieldKind(field) !== 'typed') return Promise.resolve({ filled: null });
  return new Promise((resolve) => {
    const views = levelsOf(field).map((level) => defaultView_.call(level.document));
    const onKeyup = async () => {
      if (matchOf(field, 'typed', heldText(field), wanted) !== 'same') return;
      unlisten(onKeyup);
      keyupWait = null; // else `fillResult` would end the wait without an answer
      resolve({ filled: await fillResult(internalIdOf(field), wanted) });
    };
    keyupWait = { onKeyup, resolve };
    // In the bubbling phase, after the page's own handlers.
    listen(views, ['keyup'], onKeyup);
  });
}

function cancelKeyupWait() {
  if (keyupWait) unlisten(keyupWait.onKeyup);
  keyupWait?.resolve({ filled: null }); // has no effect if it has resolved
  keyupWait = null;
}

/**
 * What the text that a field holds means, compared to the wanted one.
 * @param {Element} field @param {string} kind @param {string} now @param {string} wanted
 * @param {boolean | null} grouped  see Terms
 * @returns {Match}
 */
function matchOf(field, kind, now, wanted, grouped = hasGroupedUnits(field)) {
  const type = tagOf(field) === 'INPUT' ? inputType(field) : '';
  if (kind === 'set') wanted = toInputValue(type, wanted.trim());
  if (kind === 'set' && type === 'color') wanted = wanted.toLowerCase();
  const normalized = (text) =>
    kind === 'rich'
      ? normalizeEditorText(text)
      : kind === 'typed' || kind === 'set'
        ? text.replace(/\r\n?/g, '\n')
        : text.replace(/\s+/g, ' ').trim();
  const terms = { type, locale: localeOf(field), grouped };
  return meaningOf(normalized(wanted), normalized(now), terms);
}

/** The language of the field's surroundings, else that of the browser. @param {Element} field */
function localeOf(field) {
  const language = attr(closestFlat(field, '[lang]') ?? field, 'lang') || navigator.language;
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return navigator.language; // what is there names no language
  }
}

/**
 * Whether a text has the decimal mark of a field, as its language and the keyboard that it asks for tell.
 * @param {number} id @param {string} text
 */
function hasDecimalMark(id, text) {
  const field = resolveElement(id);
  if (!field) return false;
  const isNumeric = ['decimal', 'numeric'].includes(attr(field, 'inputmode')?.toLowerCase() ?? '');
  return isNumeric || text.includes(decimalMarkOf(localeOf(field)));
}

/** Whether a field holds the beginning of the text, as many characters as it takes. */
function isCut(field, now, wanted) {
  const bare = (text) => text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();
  const isField = tagOf(field) === 'INPUT' || tagOf(field) === 'TEXTAREA';
  if (!isField || rows.has(field) || now.length !== maxLengthOf(field)) return false;
  const [held, whole] = [bare(now), bare(wanted)];
  return wanted.startsWith(now) || (held !== '' && held.length < whole.length && whole.startsWith(held));
}
