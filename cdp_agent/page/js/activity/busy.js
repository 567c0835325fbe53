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
/** What has a name of its own that says what it does, or is. */
const CHOOSABLE = `${PRESSABLE},option,[role="option" i],[role^="menuitem" i],[role="treeitem" i]`;
const HEADING = 'h1,h2,h3,h4,h5,h6,[role="heading" i]';
/** What lays out one thing, with its state among the rest. */
const RECORD = 'tr,[role="row" i],li,dl';
/** Animations in a drawing. */
const ENDLESS = '[repeatCount="indefinite"],[repeatDur="indefinite"]';
const LARGEST_SPINNER = 200; // pixels
const LARGEST_DOT = 24; // pixels
const FEWEST_DOTS = 3;
const LONGEST_PHRASE = 60; // characters
const LONGEST_PART = 160; // characters: a part of the page that is there only to say that something is under way
const STANDS_STILL_MS = 500;
const MOST_NODES = 300; // of those that changed
const MOST_TEXTS = 1000;
const MOST_MARKS = 5;

const ELLIPSIS = /(?:…|\.\.\.)\s*\)?$/;
const HOURGLASS = /^[^\d]*[⏳⌛][^\d]*$/u; // but not "⏳ 2 days left"
// "Saving…", "Uploading 3 files…"; but not "Something else…", nor what was cut off: "Running shoes for wom…"
const GERUND = /^[^\p{L}]*(?:still |now )?(?!\p{L}*thing(?!\p{L}))\p{L}{2,}ing(?:\s+[^\s]+){0,3}$/iu;
// "Processing", "Generating response", "Saving your changes"; but not "Processing fee", "Loading dock"
const WORK = new RegExp(
  '^[^\\p{L}\\d]*(?:still |now )?(?:' +
    ('analy[sz]|apply|authenticat|calculat|check|comput|connect|convert|creat|delet|download|export|fetch|generat|' +
      'import|initiali[sz]|load|prepar|process|publish|redirect|refresh|remov|render|sav|scroll|search|send|submit|' +
      'summari[sz]|sync|synchroni[sz]|think|transcrib|translat|updat|upload|validat|verify|wait|work') +
    ')ing(?: (?:an?|the|this|your|for|on|to|with|more|changes|content|items|page|response|answer|reply|data|files?|' +
    'image|message|order|payment|report|request|results?)(?!\\p{L})(?: [^\\s]+){0,2})?[^\\p{L}\\d]*$',
  'iu',
);
// "Uploading 45 %", "processing | 0.5 s"; but not "Heading 1"; "Rating 4/5" is told apart by standing still.
const PROGRESS = /^[^\p{L}]*\p{L}{2,}ing\b[^\p{L}]*\d[\d,:| ]*[.%/s][\d.,:/|% s]*$/iu;
const WAITING = new RegExp(
  '^[^\\p{L}]*(?:' +
    ('please wait|one moment|just a (?:moment|second)|wird geladen|lädt|bitte warten|' +
      'chargement|veuillez patienter|cargando|espere|por favor espere|carregando|aguarde|caricamento|attendere|' +
      'laden|even geduld|laddar|' +
      'indlæser|laster|ladataan|ładowanie|wczytywanie|načítání|yükleniyor|загрузка|подождите|加载中|载入中|請稍候|请稍候|' +
      '読み込み中|処理中|로딩 중|로드 중|처리 중') +
    ')(?!\\p{L})',
  'iu',
);
const LOADING = /^[^\p{L}]*(?:loading|fetching|scrolling)(?!\p{L})/iu;
// "Processing your order, please wait", "Please wait while we …"
const ASKING = /\bplease wait(?: while\b.*|[\s.!…]*$)/i;

/** Whether a text asks to wait, as "Loading…" does. @param {string} text */
const saysToWait = (text) =>
  text.length <= LONGEST_PHRASE &&
  (ASKING.test(text) ||
    (WAITING.test(text) && (ELLIPSIS.test(text) || text.split(' ').length < 4)) ||
    (LOADING.test(text) && (ELLIPSIS.test(text) || WORK.test(text))));

/** Whether a text says that something is under way. @param {string} text */
function saysUnderWay(text) {
  if (!text || text.length > LONGEST_PHRASE) return false;
  const phrase = text.replace(ELLIPSIS, '');
  return saysToWait(text) || HOURGLASS.test(text) || (phrase === text ? isProgress(text) : GERUND.test(phrase));
}

/** Whether a text may say that something is under way, or be the state of a thing. @param {string} text */
const saysWork = (text) => text.length <= LONGEST_PHRASE && WORK.test(text);

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
    watching.title = isNew ? '' : documentTitle();
    if (!isNew) return [];
    for (const root of watching.roots) noteCame(root);
  }
  const marks = new Set();
  const pressed = pressedMark();
  if (pressed) marks.add(pressed);
  for (const element of elementsMarkedBusy())
    if (!watching.marks.has(element) && isOnScreen(element)) marks.add(nameOfMark(element));
  for (const text of phrasesThatCame()) if (marks.size < MOST_MARKS) marks.add(text);
  const title = documentTitle();
  if (title !== watching.title && parent === self && saysUnderWay(title.split(TITLE_PARTS)[0]))
    marks.add(`title "${title}"`);
  return [...marks].slice(0, MOST_MARKS);
}

/** @returns {Generator<Element>} */
function* elementsMarkedBusy() {
  for (const root of watching.roots) {
    for (const element of selectAll(root, `${MARKED_BUSY},${ENDLESS}`)) {
      const mark = matches(element, ENDLESS) ? spinningDrawingOf(element) : element;
      if (mark && isSeen(mark)) yield mark;
    }
    const running = (root.getAnimations?.() ?? []).filter(({ playState }) => playState === 'running');
    for (const { effect } of running) {
      const mark = spinnerOf(effect);
      if (mark && isSeen(mark)) yield mark;
    }
    if (running.length >= FEWEST_DOTS && !watching.isNew) yield* typingMarks(running);
  }
  const body = body_.call(document);
  if (body && WAITS.has(computedStyleOf(body).cursor)) yield body;
}

const TITLE_PARTS = / [|·•–—-] /;
const WAITS = new Set(['wait', 'progress']);
const ownerSVGElement_ = getterOf(SVGElement.prototype, 'ownerSVGElement');

/** @param {Element} animation  an endless one in a drawing @returns {Element | null} */
function spinningDrawingOf(animation) {
  const drawing = namespaceURI_.call(animation) === SVG ? ownerSVGElement_.call(animation) : null;
  return drawing && !watching.isNew && isAtMost(drawing, LARGEST_SPINNER) ? drawing : null;
}

/**
 * What has small things in it that move endlessly, as the dots of somebody who types do.
 * @param {Animation[]} running
 */
function* typingMarks(running) {
  /** @type {Map<Element, Set<string | Element>>} */
  const dots = new Map();
  for (const { effect } of running) {
    const { target, pseudoElement } = /** @type {KeyframeEffect} */ (effect);
    const around = target && flatParent(target);
    if (!around || isFinite_(effect) || !isAtMost(target, LARGEST_DOT)) continue;
    dots.set(around, (dots.get(around) ?? new Set()).add(pseudoElement ?? target));
  }
  for (const [element, { size }] of dots) if (size >= FEWEST_DOTS && isSeen(element)) yield element;
}

function isAtMost(element, size) {
  const { width, height } = getBoundingClientRect_.call(element);
  return width > 0 && width <= size && height <= size;
}

/**
 * The spinner or placeholder that an endless animation draws: what is named so, or something small that turns and was
 * not there from the beginning, as what is decorative is.
 * @returns {Element | null}
 */
function spinnerOf(effect) {
  const target = effect?.target;
  if (!target || isFinite_(effect)) return null;
  let element = target;
  for (let height = 0; element && height < 3; height++, element = flatParent(element))
    if (busyClassesOf(element).length > 0) return element;
  if (watching.isNew) return null;
  const turns = effect.getKeyframes().some((frame) => /rotate/.test(frame.transform ?? '') || frame.rotate);
  return turns && isAtMost(target, LARGEST_SPINNER) ? target : null;
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
      if (tellsOfWork(phrase, element, node) && isSeen(element) && isOnScreen(element))
        yield nameOfText(element, phrase);
    }
  }
}

/**
 * Whether a text that came says that something is under way. The name of what can be pressed or chosen says what that
 * does, unless it had another name before, or cannot be used: "Sharing…" opens a dialog. Words that may be a state as
 * well, such as "Processing", say it where they are not what is told of one thing among others.
 * @param {string} phrase @param {Element} element  whose text it is @param {Node} node  what came, with the text in it
 */
function tellsOfWork(phrase, element, node) {
  const isSure = saysUnderWay(phrase);
  if (!isSure && !saysWork(phrase)) return false;
  const control = closestFlat(element, CHOOSABLE) ?? (computedStyleOf(element).cursor === 'pointer' ? element : null);
  if (control) return isNewIn(control, element, node) || matches(control, UNUSABLE);
  if (closestFlat(element, HEADING)) return saysToWait(phrase);
  const part = nodeType(node) === 9 ? body_.call(node) : node;
  return isSure || (flatten(textContent(part)).length <= LONGEST_PART && standsAlone(phrase, element));
}

const UNUSABLE = ':disabled,[aria-disabled="true" i]';

/** Whether what came with a text is less than the control that it names. */
function isNewIn(control, element, node) {
  if (nodeType(node) === 3) return true;
  for (let around = element; around !== control; around = flatParent(around)) if (around === node) return true;
  return false;
}

/** Whether nothing else is said in the line that a text is in, nor in its row of a table or a list. */
function standsAlone(phrase, element) {
  let inner = null;
  for (let around = element; around; inner = around, around = flatParent(around)) {
    const text = flatten(textContent(around));
    if (text !== phrase && text !== '')
      return inner !== null && !matches(around, RECORD) && !isLine(computedStyleOf(around)) && !isInline(inner);
  }
  return true;
}

const isLine = ({ display, flexDirection }) => display.endsWith('flex') && flexDirection.startsWith('row');

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
  if (tagOf(element) === 'BODY' && !matches(element, IS_BUSY)) return 'a wait cursor';
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
  const says =
    now !== label &&
    (ELLIPSIS.test(now) || saysUnderWay(now) || saysWork(now) || (matches(element, UNUSABLE) && GERUND.test(now)));
  if (!says && busyClassesOf(element).every((name) => classes.has(name))) return '';
  return `${kindOfMark(element)}${now && ` "${now}"`}`;
}

const labelOfControl = (element) =>
  flatten(
    attr(element, 'aria-label') ?? (tagOf(element) === 'INPUT' ? inputValue(element) : textContent(element)),
  ).slice(0, LONGEST_PHRASE);
