// What fields make of keys that are typed into whatever has the focus: whether they change the text, so that the next
// key has to wait for them, and whether what was typed stays. Listeners of this world hear each key's press and what
// came of it.

/**
 * A run of keys into one field. began: when; opening: the keys that opened it, which it should hold; base: what it held
 * before; from, to: what was selected; typed: what the keys are to enter; isUncertain: something came by other means;
 * before, after: text and caret before and after the last key; grouped: see Terms
 * @typedef {{field: Element, began: number, opening: string, base: string, from: number, to: number, typed: string,
 *   isUncertain: boolean, before: string, after: string | null, grouped: boolean | null}} Run
 * @typedef {{label: string, held: string, wanted: string, type: string}} Lost
 */

/**
 * opening: the last keys, which went where no text can be entered; local: of the field of the last run; lost: the
 * fields that did not keep what was typed; formats: a field has changed what a key entered; isHolding: keys are held
 * back until it is waited for; heldKeys: those that came meanwhile
 * @typedef {{run: Run | null, opening: string, local: number, lost: Lost[], formats: boolean, isHolding: boolean,
 *   heldKeys: string[], notify: (() => void) | null}} Typing
 * @type {Typing | null}
 */
let typing = null;

const TYPING_EVENTS = ['keydown', 'beforeinput', 'keyup'];
/** Heard when the page has reacted. */
const TYPED_EVENTS = ['keydown', 'input', 'keyup'];

/** Begins to watch what is typed. */
function watchTyping() {
  typing = { run: null, opening: '', local: 0, lost: [], formats: false, isHolding: false, heldKeys: [], notify: null };
  const views = ownDocuments().map((each) => defaultView_.call(each));
  listen(views, TYPING_EVENTS, onTyping, true);
  listen(views, TYPED_EVENTS, onTyped);
}

/** @param {any} event */
function onTyping(event) {
  if (!typing || !isTrusted_(event)) return;
  const { heldKeys, run } = typing;
  const isPress = event.type === 'keydown';
  if (isPress && run && run.after !== null && stateOf(run.field) !== run.after) holdKeys();
  if (event.type === 'keyup' ? heldKeys.includes(event.key) : isPress && typing.isHolding) {
    if (isPress) heldKeys.push(event.key);
    event.stopImmediatePropagation();
    event.preventDefault();
  } else if (isPress) noteKeyPress(event.key);
  else if (event.type === 'beforeinput' && run && event.data !== run.typed.at(-1)) run.isUncertain = true; // of an IME
}

/** Notes what the page has made of a key, unless it hides that event. @param {any} event */
function onTyped(event) {
  const run = typing?.run;
  if (!run || !run.typed || !isTrusted_(event) || !isConnected_.call(run.field)) return;
  if (event.type === 'keydown' && !defaultPrevented_.call(event)) return; // its text is still to come
  run.after = stateOf(run.field);
  const at = run.from + run.typed.length;
  const isPlain = run.after === `${at} ${at} ${wantedOf(run)}` || selectionStartOf(run.field) === null;
  const isSwallowed = event.type === 'keydown' && run.after === run.before; // the page may act on it some time later
  if (isSwallowed || (run.after !== run.before && !isPlain)) holdKeys();
}

/** @param {string} key */
function noteKeyPress(key) {
  const field = focusedElement();
  let { run } = typing;
  const isNext = run && run.field === field && key.length === 1;
  // what a page has taken out of a field, as fields for tags do, is not looked for in it
  if (run && (!isNext || isEmptied(run))) {
    if (!isNext) endRun();
    run = typing.run = null;
  }
  if (!run && key.length === 1 && field && isJudged(field)) run = typing.run = beginRun(field);
  typing.opening = run || key.length > 1 || takesText(field) ? '' : typing.opening + key;
  if (!run) return;
  run.grouped = groupedBy(fieldText(field, 'typed'), run.typed, run.grouped);
  run.typed += key;
  run.before = stateOf(field);
}

/**
 * Whether the page has taken the text out of the field; one for numbers also shows nothing for what is none yet.
 * @param {Run} run
 */
const isEmptied = ({ field, began, typed }) =>
  typed !== '' &&
  selectionStartOf(field) !== null &&
  fieldText(field, 'typed') === '' &&
  hasChangedBeside(field, began);

/** @param {Element} field @returns {Run} */
function beginRun(field) {
  const base = fieldText(field, 'typed');
  const [from, to] = [selectionStartOf(field) ?? base.length, selectionEndOf(field) ?? base.length];
  const { opening } = typing;
  const began = performance.now();
  typing.local = internalIdOf(field);
  return {
    field,
    began,
    opening,
    base,
    from,
    to,
    typed: '',
    isUncertain: false,
    before: '',
    after: null,
    grouped: null,
  };
}

/** @param {Run} run */
function wantedOf({ field, opening, base, from, to, typed }) {
  const before = base.slice(0, from);
  const isOpenedWith = !opening || matchOf(field, 'typed', before.slice(-opening.length), opening) !== 'other';
  return (isOpenedWith && before ? before : opening) + typed + base.slice(to);
}

/**
 * Whether what a person types there is what the field is to hold: not so in fields that only receive the keys. Rich
 * text editors complete what is typed; one that a key has opened is a cell's.
 */
const isJudged = (field) =>
  (fieldKind(field) === 'typed' || (fieldKind(field) === 'rich' && typing.opening !== '')) &&
  !isSecret(field) &&
  !isReadOnly(field) &&
  isLargeEnoughToSee(field);

/** Notes if the field of the run does not hold what was typed. */
function endRun() {
  const { run, lost } = typing;
  if (!run || run.isUncertain || !isConnected_.call(run.field)) return;
  const [held, wanted] = [fieldText(run.field, 'typed'), wantedOf(run)];
  const isCompleted = held.startsWith(wanted) && selectionEndOf(run.field) === held.length;
  // a mask may put the text in the place of a zero or a template
  const typed = run.opening + run.typed;
  const kind = fieldKind(run.field);
  const isKept = [wanted, typed].some((text) => isMeant(matchOf(run.field, kind, held, text, run.grouped)));
  // the keys did something else
  const isUsed = held === run.base && hasChangedBeside(run.field, run.began);
  if (isCompleted || isKept || isUsed) return;
  const type = tagOf(run.field) === 'INPUT' ? inputType(run.field) : '';
  lost.push({ label: elementPreview(run.field), held, wanted: typing.formats ? typed : wanted, type });
}

/** Holds back keys from now on until the field is waited for, once. */
function holdKeys() {
  if (typing.formats) return;
  [typing.formats, typing.isHolding] = [true, true];
  typing.notify?.();
}

/**
 * Resolves when a field has changed what a key entered, or nothing more is typed.
 * @returns {Promise<{local: number}>} the field that the next keys have to wait for, or 0
 */
async function fieldFormats() {
  if (!typing?.formats)
    await new Promise((resolve) => {
      if (typing) typing.notify = () => resolve(null);
    });
  return { local: typing?.local ?? 0 };
}

/** Whether keys are held back. */
const isHoldingKeys = () => typing?.isHolding ?? false;

/** Lets keys pass again. @returns {number} how many were held back, which are to be sent again */
function releaseKeys() {
  const count = typing?.heldKeys.length ?? 0;
  if (typing) [typing.isHolding, typing.heldKeys] = [false, []];
  return count;
}

/** The fields so far that do not hold what was typed into them, while no keys are held back. @returns {Lost[]} */
function lostSoFar() {
  if (!typing || typing.isHolding) return [];
  endRun();
  typing.run = null;
  return typing.lost;
}

/**
 * The field that has the focus if it opened too late for the keys of a text, of which it holds none or some.
 * @param {string} text @returns {Lost[]}
 */
function openedTooLate(text) {
  const field = focusedElement();
  if (!takesText(field) || isSecret(field)) return [];
  const held = fieldText(field, fieldKind(field));
  const lines = text.split(/[\n\t]/);
  if (lines.some((line) => isMeant(matchOf(field, fieldKind(field), held, line)))) return [];
  return [{ label: elementPreview(field), held, wanted: text, type: '' }];
}

/** Ends the watching. @returns {Lost[]} */
function typedResult() {
  unlisten(onTyping);
  unlisten(onTyped);
  if (!typing) return [];
  endRun();
  const { lost, notify } = typing;
  typing = null;
  notify?.();
  return lost;
}
