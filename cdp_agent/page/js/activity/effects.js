// Effects of an action that no line of the snapshot shows: styles, classes, drawings, canvases, scrolling, the caret.
// They are read from what the page shows anyway.

/**
 * @typedef {{text: string, weak: boolean}} Effect  weak: the mouse or the focus alone may have caused it
 * @typedef {{causes: typeof journal.causes, styles: Map<Element, Look>, sheets: Map<CSSStyleSheet, string>,
 *   canvases: Map<Element, string | null>, classes: Map<Element, string>, redrawn: Map<Element, Map<string, string |
 *   null>>, marked: Element[], added: Set<Node>, scrolled: Set<Node>, scrollPositions: Map<Element, string>, selection:
 *   string, animated: Element[], printed: boolean, edited: Set<Element>, begun: number, inputAt: number}} Baseline  the
 *   state before the action, and what was recorded since; causes: the counts of the journal; inputAt: when the latest
 *   input of the action came
 */
/** @type {Baseline | null} */
let baseline = null;

const MOST_EFFECTS = 4; // of one kind
// Classes whose names mean something to a reader, and those of hovering, focus and transitions.
const MEANINGFUL_CLASS =
  /^(is|has)-|(^|[-_])(selected|active|errors?|(in)?valid|open(ed)?|closed|collapsed|expanded|(dis|en)abled|checked|current|done|completed?|success|warning|danger|loading|busy|liked|starred|pinned|marked|highlight(ed)?|visible|shown|hidden|on|off|dark|light)($|[-_])/i;
const OPEN_STATE_CLASS = /(^|[-_])(open|opened|closed|collapsed|expanded|visible|shown|hidden)($|[-_])/i;
const TRANSIENT_CLASS =
  /ripple|focus|hover|press|touch|pristine|dirty|wave|enter|leav|appear|transition|animat|(^|[-_])ink/i;
const MARK_TAGS = new Set(['B', 'STRONG', 'I', 'EM', 'MARK', 'U', 'S', 'DEL', 'INS']);

const selectionStart = reader(HTMLInputElement, 'selectionStart');
const selectionEnd = reader(HTMLInputElement, 'selectionEnd');
const areaStart = reader(HTMLTextAreaElement, 'selectionStart');
const areaEnd = reader(HTMLTextAreaElement, 'selectionEnd');
const scrollLeft = reader(Element, 'scrollLeft');

/**
 * Starts to record the effects of an action, until the watching ends.
 * @returns {ReturnType<typeof changes> & {unreadable: boolean}} unreadable: some canvas cannot be read
 */
function beginEffects() {
  const result = changes();
  endEffects();
  watching.touched = new WeakSet();
  const styles = elementStylesNow();
  const animated = documentAnimations_
    .call(document)
    .map((animation) => animation.effect?.target)
    .filter(Boolean);
  baseline = {
    causes: { ...journal.causes },
    styles,
    sheets: rulesNow(styles.size === MOST_STYLED),
    canvases: canvasesNow(),
    classes: new Map(),
    redrawn: new Map(),
    marked: [],
    added: new Set(),
    scrolled: new Set(),
    scrollPositions: new Map(),
    selection: selectionNow(),
    animated,
    printed: false,
    edited: new Set(),
    begun: performance.now(),
    inputAt: Infinity,
  };
  recordScrollPositions([scrollerOf(document)]);
  listen([window], ['scroll'], recordScroll, true);
  listen([window], ['beforeprint'], recordPrint);
  listen([window], ACTION_EVENTS, recordActionEvent, true);
  return { ...result, unreadable: [...baseline.canvases.values()].includes(null) };
}

hooks.inputAt = () => baseline && baseline.inputAt;
hooks.record = (record, target) => {
  if (baseline) recordMutation(record, target);
};
hooks.ended = endEffects;

function endEffects() {
  if (!baseline) return;
  for (const record of [recordScroll, recordPrint, recordActionEvent]) unlisten(record);
  baseline = null;
}

const ACTION_EVENTS = ['mousedown', 'mouseup', 'keydown', 'drop'];

/** @param {Event} event */
function recordActionEvent(event) {
  catchUp();
  notePressed(event);
  if (baseline) baseline.inputAt = performance.now();
}

function recordPrint() {
  if (baseline) baseline.printed = true;
  resolveChangeWaiter();
}

const recordScroll = (event) => baseline?.scrolled.add(event.target);

/** Forgets the scrolling that `aim` did to show the element. @param {Element} element */
function forgetScrolls(element) {
  if (!baseline) return;
  baseline.scrolled.clear();
  const around = [];
  for (let node = element; node; node = paintedParent(node)) around.push(node);
  recordScrollPositions([scrollerOf(document), ...around]);
}

/**
 * A scroll event comes with the next frame, which may be long after the scrolling: what is at its recorded position has
 * not scrolled since.
 */
function recordScrollPositions(elements) {
  for (const element of elements) if (element) baseline.scrollPositions.set(element, roundedScroll(element).join());
}

/**
 * What scrolls the page; null while the document has no elements.
 * @param {Document} document
 * @returns {Element | null}
 */
const scrollerOf = (document) => document.scrollingElement ?? documentElement_.call(document);

const roundedScroll = (element) => [Math.round(scrollLeft(element)), Math.round(scrollTop(element))];

/**
 * Called for each change while the page is watched.
 * @param {MutationRecord} record
 * @param {any} target
 */
function recordMutation(record, target) {
  const type = type_.call(record);
  if (type !== 'attributes') recordEdited(target);
  if (type === 'attributes') {
    const name = attributeName_.call(record);
    if (name === 'class' && !baseline.classes.has(target)) baseline.classes.set(target, oldValue_.call(record) ?? '');
    else if (namespaceURI_.call(target) === SVG && (GEOMETRY_ATTRIBUTES.has(name) || name === 'style'))
      recordRedraw(target, name, oldValue_.call(record));
  } else if (type === 'childList') {
    const added = addedNodes_.call(record);
    const removed = removedNodes_.call(record);
    const had = new Set([...removed].map((node) => nodeType(node) === 1 && tagOf(node)));
    for (const node of added) recordAdded(node, had);
  }
}

function recordEdited(node) {
  const element = nodeType(node) === 1 ? node : parentNode(node);
  if (element && nodeType(element) === 1 && !isEndless(node) && isEditable(element)) baseline.edited.add(element);
}

/**
 * Records the old value of a drawing's attribute. Libraries set all attributes anew, most of them to the same value.
 */
function recordRedraw(part, name = '', old = null) {
  const oldValues = baseline.redrawn.get(part) ?? new Map();
  baseline.redrawn.set(part, oldValues);
  if (name && !oldValues.has(name)) oldValues.set(name, old);
}

const isRedrawn = ([part, oldValues]) =>
  baseline.added.has(part) || [...oldValues].some(([name, old]) => attr(part, name) !== old);

/**
 * @param {Set<string | false>} had  the tags of the nodes that it replaces: a mark that replaces a mark is no change
 */
function recordAdded(node, had) {
  baseline.added.add(node);
  if (nodeType(node) !== 1) return;
  if (namespaceURI_.call(node) === SVG) recordRedraw(node);
  else if (MARK_TAGS.has(tagOf(node)) && !had.has(tagOf(node))) baseline.marked.push(node);
}

/**
 * Forgets what was added and removed so far: it belongs to the steps before the press, such as opening a list and
 * scrolling to an option.
 */
function forgetTransient() {
  if (!baseline) return;
  catchUp();
  baseline.added.clear();
  baseline.marked = [];
  forgetPassing(baseline.begun);
}

/**
 * The effects of the action so far.
 * @param {boolean} styles  no line has changed: also report changed styles, which costs most, and what changed lines
 *   would show
 * @param {boolean} hovered  the action only moves the mouse, so that classes of hovered elements are weak effects
 * @returns {{effects: Effect[], causes: typeof journal.causes, log: string[]}} causes: how many changes had which
 *   cause; log: these in words
 */
function effectsNow(styles, hovered) {
  catchUp();
  if (!baseline) return { effects: [], causes: journal.causes, log: [] };
  const { action, page, unknown } = journal.causes;
  const before = baseline.causes;
  return {
    effects: withSharedCaches(() => effectsSoFar(styles, hovered)),
    causes: { action: action - before.action, page: page - before.page, unknown: unknown - before.unknown },
    log: changesInWords(),
  };
}

const MOST_LOGGED = 20;

/** The latest changes with their causes. */
function changesInWords() {
  return journal.entries.slice(-MOST_LOGGED).map(({ node, at, cause }) => {
    const when = baseline.inputAt < Infinity ? ` ${Math.round(at - baseline.inputAt)} ms after the input` : '';
    const whose = { action: 'the action', page: 'the page by itself', unknown: 'unknown' }[cause.by];
    return `${nodeInWords(node)} changed${when}; cause: ${whose} (${cause.why}${rhythmOf(node, cause)})`;
  });
}

function rhythmOf(node, cause) {
  const behaviour = cause === RESTLESS && behaviours.get(node);
  if (!behaviour) return '';
  const { endless, times, longest } = behaviour;
  return endless ? ' without end' : `, ${times} times while nobody acted, at most ${Math.round(longest)} ms apart`;
}

function nodeInWords(node) {
  const element = /** @type {Element | null} */ (nodeType(node) === 1 ? node : parentNode(node));
  if (!element || nodeType(element) !== 1) return 'the document';
  const id = idsOfElements.get(element);
  const ref = id === undefined ? '' : ` [ref=\x01${id}]`;
  const words = cut(headingOrFirstText(element), 40);
  return `${tagOf(element).toLowerCase()}${ref}${words ? ` ${quote(words)}` : ''}`;
}

/** @returns {Effect[]} */
function effectsSoFar(styles, hovered) {
  const effects = [
    ...classEffects(styles, hovered),
    ...markEffects(),
    ...redrawEffects(styles),
    ...canvasEffects(),
    ...scrollEffects(),
    ...selectionEffects(),
  ];
  if (baseline.printed) effects.push({ text: 'the page asked to be printed: pdf writes it to a file', weak: false });
  if (styles) effects.push(...editorEffects(), ...styleEffects(hovered ? new Set() : new Set(baseline.classes.keys())));
  return effects;
}

/** An effect in the form of a snapshot's line: `- button "Pay" [ref=\x017]: class now "selected"`. */
function elementEffect(element, what, weak = false) {
  const { role, name } = roleAndNameOf(element);
  const id = idsOfElements.get(element);
  const words = name || cut(headingOrFirstText(element), 40);
  return {
    text: `- ${role}${words ? ` ${quote(words)}` : ''}${id === undefined ? '' : ` [ref=\x01${id}]`}: ${what}`,
    weak,
  };
}

/** Whether a reader can identify the element: by its ref, name or text. */
const isIdentifiable = (element) =>
  idsOfElements.has(element) || roleAndNameOf(element).name !== '' || headingOrFirstText(element) !== '';

/**
 * @param {boolean} all  also classes of opening and closing, which changed lines would show, and elements that cannot
 *   be identified
 * @param {boolean} hovered
 */
function classEffects(all, hovered) {
  const effects = [];
  for (const [element, old] of baseline.classes) {
    if (!isConnected_.call(element) || isEndless(element) || baseline.added.has(element) || isInAdded(element))
      continue;
    const had = new Set(old.split(/\s+/));
    const has = new Set((attr(element, 'class') ?? '').split(/\s+/));
    const isMeaningful = (name) =>
      MEANINGFUL_CLASS.test(name) && !TRANSIENT_CLASS.test(name) && (all || !OPEN_STATE_CLASS.test(name));
    const notes = [
      ...[...has].filter((name) => !had.has(name) && isMeaningful(name)).map((name) => `now "${name}"`),
      ...[...had].filter((name) => !has.has(name) && isMeaningful(name)).map((name) => `no longer "${name}"`),
    ];
    if (!notes.length || !(all || isIdentifiable(element)) || visibilityOf(element) === NOT_RENDERED) continue;
    effects.push(
      elementEffect(element, `class ${notes.join(', ')}`, hasFaded(element) || (hovered && matches(element, HOVERED))),
    );
  }
  return limitEffects(effects);
}

/** Whether it is faded out: most elements that fade are removed then. */
const hasFaded = (element) => computedStyleOf(element).opacity === '0';

/** New elements that mark text. Within editors, the snapshot's text has the marks. */
function markEffects() {
  const shown = baseline.marked.filter(
    (element) =>
      isConnected_.call(element) &&
      !(isEditable(element) && WRITTEN_MARKS.has(tagOf(element))) &&
      collapse(textContent(element)) &&
      !isInAdded(element),
  );
  return limitEffects(
    shown.map((element) => ({
      text: `${tagOf(element).toLowerCase()}: now ${quote(cut(collapse(textContent(element)), 80))}`,
      weak: false,
    })),
  );
}

const WRITTEN_MARKS = new Set(['B', 'STRONG', 'I', 'EM', 'S', 'DEL']);

/** Whether an element around it was added as well: the snapshot then has lines for it. */
const isInAdded = (element) => {
  for (let node = flatParent(element); node; node = flatParent(node)) if (baseline.added.has(node)) return true;
  return false;
};

/** @param {boolean} all  also drawings that cannot be identified */
function redrawEffects(all) {
  const redrawn = [...baseline.redrawn].filter(isRedrawn).map(([element]) => element);
  const shown = redrawn.filter(
    (element) => isConnected_.call(element) && !isEndless(element) && !isInAdded(element) && !isAnimatedBefore(element),
  );
  const effects = shown.flatMap((element) => {
    const holder = iconOwner(element);
    if (holder) return visibilityOf(holder) === NOT_RENDERED ? [] : [elementEffect(holder, 'its icon redrawn')];
    const drawing = closestFlat(element, 'svg') ?? element;
    const isIdentified = isIdentifiable(element);
    if (!all && !isIdentified && isSmallDrawing(drawing)) return [];
    const part = isIdentified ? element : drawing;
    return [elementEffect(part, baseline.added.has(part) ? 'drawn' : 'redrawn')];
  });
  return limitEffects([...new Map(effects.map((each) => [each.text, each])).values()]);
}

/** The element with a ref whose icon this is, if the icon has no ref or name itself. @returns {Element | null} */
function iconOwner(element) {
  const icon = closestFlat(element, 'svg');
  if (!icon || idsOfElements.has(element) || !isSmallDrawing(icon) || roleAndNameOf(icon).name) return null;
  let holder = flatParent(icon);
  for (let i = 0; holder && i < MOST_ICON_OWNERS && !idsOfElements.has(holder); i++) holder = flatParent(holder);
  return holder && idsOfElements.has(holder) ? holder : null;
}

const MOST_ICON_OWNERS = 4;

function editorEffects() {
  const hosts = new Set(
    [...baseline.edited]
      .filter((element) => isConnected_.call(element))
      .map(fieldOf)
      .filter(Boolean),
  );
  return limitEffects(
    [...hosts].map((host) => elementEffect(host, `text now ${quote(cut(collapse(textContent(host)), 200))}`)),
  );
}

function scrollEffects() {
  const effects = [];
  for (const node of baseline.scrolled) {
    const element = nodeType(node) === 9 ? scrollerOf(/** @type {Document} */ (node)) : /** @type {Element} */ (node);
    // What nobody sees scrolls too: what is for screen readers with the focus of its field, what watches for sizes.
    if (!element || !isConnected_.call(element) || hasNoSize(element) || !isSeen(element)) continue;
    const place = roundedScroll(element);
    if (baseline.scrollPositions.get(element) === place.join()) continue;
    const what = `scrolled to ${place[1]} of ${scrollHeight(element)} px${place[0] ? `, ${place[0]} px right` : ''}`;
    effects.push(nodeType(node) === 9 ? { text: `the page: ${what}`, weak: false } : elementEffect(element, what));
  }
  return limitEffects(effects);
}

/** The selected text, or the position of the caret in a field or an editor. */
function selectionNow() {
  const field = focusedElement();
  const tag = field ? tagOf(field) : '';
  if (tag === 'TEXTAREA') return `${areaStart(field)}-${areaEnd(field)} ${idOf(field)}`;
  if (tag === 'INPUT')
    return TYPED_INPUT_TYPES.has(inputType(field))
      ? `${selectionStart(field)}-${selectionEnd(field)} ${idOf(field)}`
      : '';
  const selection = getSelection_.call(field ? documentOf(field) : document);
  if (!selection || selection.rangeCount === 0) return '';
  const text = cut(collapse(String(selection)), 80);
  if (text) return quote(text);
  return field && isEditable(field) ? `caret ${selection.focusOffset} ${nodePath(selection.focusNode)}` : '';
}

const nodePath = (node) => {
  const place = [];
  for (let inner = node; inner && place.length < 30; inner = parentNode(inner)) {
    let index = 0;
    for (let other = firstChild(parentNode(inner) ?? inner); other && other !== inner; other = nextSibling(other))
      index++;
    place.push(index);
  }
  return place.join('.');
};

function selectionEffects() {
  const now = selectionNow();
  if (now === baseline.selection || !now) return [];
  if (now.startsWith('"')) return [{ text: `selected: ${now}`, weak: false }];
  return [{ text: 'the caret moved', weak: true }];
}

function limitEffects(effects) {
  const ordered = [...effects.filter(({ weak }) => !weak), ...effects.filter(({ weak }) => weak)];
  return ordered.length <= MOST_EFFECTS
    ? ordered
    : [
        ...ordered.slice(0, MOST_EFFECTS),
        { text: `${ordered.length - MOST_EFFECTS} more like these`, weak: ordered[MOST_EFFECTS].weak },
      ];
}
