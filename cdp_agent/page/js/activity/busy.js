// What the page says is under way: marks of being busy that were not there when the watching began. Here is also what
// counts as such a mark, for those who look for others (act/screen.js, act/layers.js).

const IS_BUSY = '[aria-busy="true" i]';
const MARKED_BUSY =
  `${IS_BUSY},` +
  'progress:not([value]),[role="progressbar" i]:not([aria-valuenow]):not([aria-valuetext]),' +
  'img[src*="spin" i][src$=".gif" i],img[src*="load" i][src$=".gif" i]';
const LOADING_CLASS = /^(?!.*lazy)(.*[-_])?(spinn(ers?|ing)|spin|load(ers?|ing)|skeletons?|shimmers?)($|[-_\d])/i;
const BUSY_CLASS = /(^|[-_])(busy|pending|processing|submitting|saving)($|[-_\d])/i; // also of what is no mark by itself
/** What may have a LOADING_CLASS. */
const NAMED_LOADING = ['spin', 'load', 'skeleton', 'shimmer'].map((name) => `[class*="${name}" i]`).join();
const PRESSABLE =
  'button,input[type="submit" i],input[type="button" i],a[href],summary,[role="button" i],[role="menuitem" i],' +
  '[role="link" i],[role="tab" i]';
const LARGEST_SPINNER = 200; // pixels
const LONGEST_PHRASE = 60; // characters
const STANDS_STILL_MS = 500;
const MOST_NODES = 300; // of those that changed
const MOST_TEXTS = 1000;
const MOST_MARKS = 5;

const ELLIPSIS = /(?:…|\.\.\.)\s*\)?$/;
// "Saving…", "Uploading 3 files…"; but not "Something else…", nor what was cut off: "Running shoes for wom…"
const GERUND = /^[^\p{L}]*(?:still |now )?(?!\p{L}*thing(?!\p{L}))\p{L}{2,}ing(?:[\s:]+[^\s]+){0,3}$/iu;
// "Uploading 45 %", "processing | 0.5 s"; but not "Heading 1"; "Rating 4/5" is told apart by standing still.
const PROGRESS = /^[^\p{L}]*\p{L}{2,}ing\b[^\p{L}]*\d[\d,:| ]*[.%/s][\d.,:/|% s]*$/iu;
const WAITING = new RegExp(
  '^[^\\p{L}]*(?:' +
    ('loading|fetching|scrolling|please wait|one moment|just a (?:moment|second)|wird geladen|lädt|bitte warten|' +
      'chargement|veuillez patienter|cargando|espere|por favor espere|carregando|aguarde|caricamento|attendere|' +
      'laden|even geduld|laddar|' +
      'indlæser|laster|ladataan|ładowanie|wczytywanie|načítání|yükleniyor|загрузка|подождите|加载中|载入中|請稍候|请稍候|' +
      '読み込み中|処理中|로딩 중|로드 중|처리 중') +
    ')(?!\\p{L})',
  'iu',
);

/** Whether a text asks to wait, as "Loading…" does. @param {string} text */
const saysToWait = (text) =>
  text.length <= LONGEST_PHRASE && WAITING.test(text) && (ELLIPSIS.test(text) || text.split(' ').length < 4);

/** Whether a text says that something is under way. @param {string} text */
function saysUnderWay(text) {
  if (!text || text.length > LONGEST_PHRASE) return false;
  const phrase = text.replace(ELLIPSIS, '');
  return saysToWait(text) || (phrase === text ? isProgress(text) : GERUND.test(phrase));
}

/** Whether it says how far something is, which moves. @param {string} text */
function isProgress(text) {
  if (!PROGRESS.test(text)) return false;
  const now = performance.now();
  const since = watching.progress.get(text) ?? now;
  watching.progress.set(text, since);
  return now - since < STANDS_STILL_MS;
}

/**
 * The marks that came since the watching began, in words.
 * @param {boolean} isNew  the document is new, so that all its marks count
 */
function busyMarks(isNew) {
  if (!watching.marks) {
    watching.isNew = isNew;
    watching.marks = new Set(isNew ? [] : elementsMarkedBusy());
    if (!isNew) return [];
    for (const root of watching.roots) noteCame(root);
  }
  const marks = new Set();
  const pressed = pressedMark();
  if (pressed) marks.add(pressed);
  for (const element of elementsMarkedBusy())
    if (!watching.marks.has(element) && isOnScreen(element)) marks.add(nameOfMark(element));
  for (const text of phrasesThatCame()) if (marks.size < MOST_MARKS) marks.add(text);
  return [...marks].slice(0, MOST_MARKS);
}

/** @returns {Generator<Element>} */
function* elementsMarkedBusy() {
  for (const root of watching.roots) {
    for (const element of selectAll(root, MARKED_BUSY)) if (isSeen(element)) yield element;
    for (const animation of root.getAnimations?.() ?? []) {
      const mark = animation.playState === 'running' ? spinnerOf(animation.effect) : null;
      if (mark && isSeen(mark)) yield mark;
    }
  }
}

/**
 * The spinner or placeholder that an endless animation draws: what is named so, or something small that turns and was
 * not there from the beginning, as what is decorative is.
 * @returns {Element | null}
 */
function spinnerOf(effect) {
  const target = effect?.target;
  if (!target || effect.getComputedTiming().iterations !== Infinity) return null;
  let element = target;
  for (let height = 0; element && height < 3; height++, element = flatParent(element))
    if (busyClassesOf(element).length > 0) return element;
  if (watching.isNew) return null;
  const { width, height } = getBoundingClientRect_.call(target);
  const turns = effect.getKeyframes().some((frame) => /rotate/.test(frame.transform ?? '') || frame.rotate);
  return turns && width <= LARGEST_SPINNER && height <= LARGEST_SPINNER ? target : null;
}

const classNamesOf = (element) =>
  (attr(element, 'class') ?? '').split(/\s+/).map((name) => name.replace(/([a-z])([A-Z])/g, '$1-$2'));
const busyClassesOf = (element) =>
  classNamesOf(element).filter((name) => LOADING_CLASS.test(name) || BUSY_CLASS.test(name));
const isNamedLoading = (element) => classNamesOf(element).some((name) => LOADING_CLASS.test(name));

const SEEN = { opacityProperty: true, visibilityProperty: true };
const isSeen = (element) => checkVisibility_.call(element, SEEN);

/** Whether part of it is in the viewport: beyond it, lists show that they would load more. */
function isOnScreen(element) {
  const view = defaultView_.call(documentOf(element));
  if (!view) return false;
  const { top, bottom, left, right } = getBoundingClientRect_.call(element);
  return bottom >= 0 && right >= 0 && top <= view.innerHeight && left <= view.innerWidth;
}

/** Keeps in mind a node whose texts may be new. @param {Node} node */
function noteCame(node) {
  if (watching.came.size >= MOST_NODES) watching.came.delete(watching.came.values().next().value);
  watching.came.add(node);
}

const createTreeWalker_ = Document.prototype.createTreeWalker;

/** Texts and labels that came and say that something is under way. @returns {Generator<string>} */
function* phrasesThatCame() {
  for (const node of watching.came) {
    if (nodeType(node) !== 9 && !isInShownDocument(node)) continue;
    for (const { element, text } of phrasesIn(node)) {
      const phrase = flatten(text);
      if (saysUnderWay(phrase) && isSeen(element) && isOnScreen(element)) yield nameOfText(element, phrase);
    }
  }
}

/** @param {Node} node @returns {Generator<{element: Element, text: string}>} */
function* phrasesIn(node) {
  let left = MOST_TEXTS;
  if (nodeType(node) === 3) yield* phrasesOf(node);
  const walker = createTreeWalker_.call(documentOf(node), node, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  for (let each = walker.currentNode; each && left > 0; each = walker.nextNode(), left--) {
    if (nodeType(each) === 3 && each !== node) yield* phrasesOf(each);
    else if (nodeType(each) === 1)
      for (const name of LABELS) if (hasAttr(each, name)) yield { element: each, text: attr(each, name) };
  }
}

/** What a text node says, and what it says together with those beside it: "processing", " | ", "0.5", "s". */
function* phrasesOf(node) {
  const parent = parentNode(node);
  const element = parent && nodeType(parent) === 11 ? host_.call(parent) : parent;
  if (!element) return;
  yield { element, text: dataOf(node) };
  let text = '';
  for (let child = firstChild(parent); child && text.length <= LONGEST_PHRASE; child = nextSibling(child))
    if (nodeType(child) === 3) text += dataOf(child);
  yield { element, text };
}

const LABELS = ['aria-label', 'alt', 'title'];

function nameOfText(parent, text) {
  const control = closestFlat(parent, PRESSABLE);
  return control === null ? `"${text}"` : `${kindOfMark(control)} "${text}"`;
}

function nameOfMark(element) {
  const text = flatten(textContent(element));
  const isName = matches(element, PRESSABLE) || (text.length <= LONGEST_PHRASE && /\p{L}{2}/u.test(text));
  const name = flatten(attr(element, 'aria-label') ?? (isName ? text : '')).slice(0, LONGEST_PHRASE);
  const how = matches(element, IS_BUSY) ? ' (aria-busy)' : '';
  const kind = how || matches(element, `${PRESSABLE},progress,[role]`) ? kindOfMark(element) : 'a spinner';
  return `${kind}${name && ` "${name}"`}${how}`;
}

const kindOfMark = (element) => attr(element, 'role') || tagOf(element).toLowerCase();

/** Keeps in mind what the action presses, as it was before. @param {Event} event */
function notePressed(event) {
  const target = event.composedPath()[0];
  if (!watching || watching.pressed || event.type === 'drop' || nodeType(target) !== 1) return;
  const element = closestFlat(target, PRESSABLE);
  if (element) watching.pressed = { element, label: labelOfControl(element), classes: new Set(busyClassesOf(element)) };
}

/** What the action pressed, if that says that it is not over: `button "Saving…"`; else "". */
function pressedMark() {
  const { element, label, classes } = watching.pressed ?? {};
  if (!element || !isInShownDocument(element) || !isSeen(element)) return '';
  const now = labelOfControl(element);
  const isDisabled = matches(element, ':disabled,[aria-disabled="true" i]');
  const says = now !== label && (ELLIPSIS.test(now) || saysUnderWay(now) || (isDisabled && GERUND.test(now)));
  if (!says && busyClassesOf(element).every((name) => classes.has(name))) return '';
  return `${kindOfMark(element)}${now && ` "${now}"`}`;
}

const labelOfControl = (element) =>
  flatten(tagOf(element) === 'INPUT' ? inputValue(element) : textContent(element)).slice(0, LONGEST_PHRASE);
