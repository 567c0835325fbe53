// Whether the page keeps changing: MutationObservers of this world, which the page cannot see, from `changes()` until
// `stopWatching()`. Only changes that a reader of the snapshot could notice count.

/**
 * @typedef {{observer: MutationObserver, roots: Set<Document | ShadowRoot>, last: number, count: number, own: number,
 *   others: number, recent: Map<Node, number>, touched: WeakSet<Node>, hasContent: boolean}} Watching own: changes of
 *   nodes that change by themselves; others: all other changes; touched: elements whose attributes changed since the
 *   action began; hasContent: the document shows something
 */
/** @type {Watching | null} */
let watching = null;
/** Callbacks of effects.js, which records effects, and wait.js, which waits for a change; set when these are loaded. */
const watchers = {
  /**
   * @type {(record: MutationRecord, target: Node, now: number) => boolean} whether the change came right after the
   *   input of an action
   */
  record: () => false,
  changed: () => {},
  ended: () => {},
};

const contentType_ = getterOf(Document.prototype, 'contentType');
const attributeName_ = getterOf(MutationRecord.prototype, 'attributeName');
const contentDocument_ = getterOf(HTMLIFrameElement.prototype, 'contentDocument');
const contentDocumentOfFrame_ = getterOf(HTMLFrameElement.prototype, 'contentDocument');
const contentDocumentOfObject_ = getterOf(HTMLObjectElement.prototype, 'contentDocument');
const drawingOfEmbed_ = HTMLEmbedElement.prototype.getSVGDocument;

const SMALL = 5000; // elements: up to this many are searched for new shadow roots each time
const OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true };
// Attributes of the geometry and paint of images and drawings: no text changes with them.
const GEOMETRY_ATTRIBUTES = new Set(
  (
    'd x y x1 y1 x2 y2 cx cy r rx ry dx dy width height points transform fill stroke stroke-dashoffset ' +
    'stroke-dasharray ' +
    'stroke-width viewBox offset opacity srcset sizes'
  ).split(' '),
);
const DISPLAY_DECLARATIONS = /(?:^|;)\s*(?:display|visibility|content-visibility|content)\s*:[^;]*/gi;

/**
 * How long nothing has changed, and how much has since the watching began. The first call begins it.
 * @returns {{idle_ms: number, count: number, animating_ms: number, empty: boolean, inputs: number}} animating_ms: how
 *   much longer elements fade in or out, or the page navigates by script; empty: there is an external script, but no
 *   visible content yet; inputs: see countInputs
 */
function changes() {
  if (!watching) {
    setActing(true);
    watching = {
      observer: observerFor(processRecords),
      roots: new Set(),
      last: performance.now(),
      count: 0,
      own: 0,
      others: 0,
      recent: new Map(),
      touched: new WeakSet(),
      hasContent: false,
    };
    watchTree(document);
  } else {
    processRecords(watching.observer.takeRecords());
    for (const root of [...watching.roots]) watchFrames(root);
    const elements = selectAll(document, '*');
    if (elements.length < SMALL) watchRoots(elements);
  }
  const animating_ms = Math.max(remainingAnimationMs(), pendingNavigationMs());
  const hasContent = (watching.hasContent ||= hasMainContent());
  const empty = !hasContent && selectsAny(document, 'script[src]');
  const now = performance.now();
  const { last, count } = watching;
  return { idle_ms: now - last, count, animating_ms, empty, inputs: countInputs() };
}

// Those that Chrome drops while it asks its user something: a text is inserted all the same.
const INPUT_EVENTS = 'keydown keyup pointerover pointerdown pointerup mouseover mousedown mouseup dragenter drop'.split(
  ' ',
);

/**
 * How many events of the mouse and the keyboard the watched documents have had. Chrome counts them itself, listeners or
 * not.
 */
function countInputs() {
  let inputs = 0;
  for (const root of watching.roots) {
    if (nodeType(root) !== 9) continue;
    const counts = defaultView_.call(root)?.performance.eventCounts;
    for (const type of INPUT_EVENTS) inputs += counts?.get(type) ?? 0;
  }
  return inputs;
}

const VISIBLE_WITHOUT_TEXT = new Set(
  'IMG svg CANVAS VIDEO AUDIO IFRAME FRAME OBJECT EMBED INPUT BUTTON SELECT TEXTAREA PROGRESS METER HR math'.split(' '),
);
const MOST_SHELL_ELEMENTS = 500; // elements: before it starts, an application has links, scripts, and a box or two

const MAIN = 'main,[role="main" i]';

/** Whether the document has visible content, and not only around its main part. */
function hasMainContent() {
  const body = body_.call(document);
  if (body === null || !hasVisibleContent(body, { left: MOST_SHELL_ELEMENTS })) return false;
  const main = selectFirst(body, MAIN);
  if (
    main === null ||
    computedStyleOf(main).display === 'none' ||
    hasVisibleContent(main, { left: MOST_SHELL_ELEMENTS })
  )
    return true;
  return selectAll(body, MAIN).length > 1 || selectAll(body, '*').length >= MOST_SHELL_ELEMENTS;
}

/**
 * @param {Element} element
 * @param {{left: number}} budget  how many elements to look at: where there are more, there is content
 * @returns {boolean}
 */
function hasVisibleContent(element, budget) {
  if (budget.left-- <= 0) return true;
  const tag = tagOf(element);
  if (tag === 'NOSCRIPT' || computedStyleOf(element).display === 'none') return false;
  if (VISIBLE_WITHOUT_TEXT.has(tag) || rootOfHost(element)) return true;
  for (let node = firstChild(element); node; node = nextSibling_.call(node)) {
    const type = nodeType_.call(node);
    if (type === 3 ? hasText(dataOf(node)) : type === 1 && hasVisibleContent(node, budget)) return true;
  }
  return false;
}

const SCRIPTING_SELECTOR =
  'script,iframe,frame,object,embed,fencedframe,[href^="javascript:" i],[action^="javascript:" i],' +
  '[formaction^="javascript:" i]';

/** Whether the document appears to have no scripts, and no window that could script it. */
const seemsScriptless = () =>
  contentType_.call(document) === 'text/html' &&
  opener === null &&
  parent === self &&
  !selectsAny(document, SCRIPTING_SELECTOR);

const LATEST_MS = 300; // what changed within that time before a wait was cut off goes on

/** Ends the watching. @param {boolean} gaveUp  the latest changes never stop: ignore these nodes in future */
function stopWatching(gaveUp) {
  if (!watching) return;
  if (gaveUp) {
    const now = performance.now();
    for (const [node, at] of watching.recent) if (now - at < LATEST_MS) ignore(node, at, LATEST_MS);
  }
  watching.observer.disconnect();
  for (const root of watching.roots) observeIdleChanges(root);
  setActing(false);
  watchers.ended();
  watchers.changed();
  watching = null;
}

/** @param {MutationRecord[]} records */
function processRecords(records) {
  if (!watching) return;
  const now = performance.now();
  for (const record of records) {
    const target = target_.call(record);
    const isPrompt = watchers.record(record, target, now);
    if (type_.call(record) === 'attributes') watching.touched.add(target);
    const own = ownRestlessness(target, now);
    if (own) watching.own++;
    if (own && !isPrompt) own.at = now; // else it is the action's, and no sign that the node goes on
    if (own?.ignored || !isVisibleChange(record, target)) continue;
    if (!own) watching.others++;
    watching.recent.delete(target);
    watching.recent.set(target, now);
    watching.last = now;
    watching.count++;
    if (type_.call(record) === 'childList') for (const node of addedNodes_.call(record)) watchTree(node);
    watchers.changed();
  }
  if (watching.recent.size > 400) watching.recent = new Map([...watching.recent].slice(-200));
}

function isVisibleChange(record, target) {
  if (type_.call(record) !== 'attributes') return true;
  const name = attributeName_.call(record);
  if (GEOMETRY_ATTRIBUTES.has(name)) return false;
  const before = oldValue_.call(record) ?? '';
  const after = attr(target, name) ?? '';
  if (name !== 'style') return before !== after;
  return (before.match(DISPLAY_DECLARATIONS) ?? []).join() !== (after.match(DISPLAY_DECLARATIONS) ?? []).join();
}

/** Watches a document or shadow root, or an added node: the shadow roots in it and the documents of its frames. */
function watchTree(node) {
  const type = nodeType(node);
  if (type === 9 || type === 11) {
    if (watching.roots.has(node)) return;
    watching.roots.add(node);
    watching.observer.observe(node, OBSERVED);
  } else if (type !== 1) return;
  else if (rootOfHost(node)) watchTree(rootOfHost(node));
  if (type === 1 && !firstElementChild_.call(node)) {
    watchFrame(node);
    return;
  }
  const elements = selectAll(node, '*');
  for (let i = 0; i < elements.length; i++) {
    const root = rootOfHost(elements[i]);
    if (root) watchTree(root);
  }
  watchFrames(node);
}

/**
 * Watches shadow roots attached to existing elements, which no observer reports.
 * @param {NodeListOf<Element>} elements
 */
function watchRoots(elements) {
  for (let i = 0; i < elements.length; i++) {
    const inner = rootOfHost(elements[i]);
    if (!inner) continue;
    if (!watching.roots.has(inner)) countChange();
    watchTree(inner);
  }
}

function countChange() {
  watching.last = performance.now();
  watching.count++;
  watching.others++;
  watchers.changed();
}

function watchFrames(root) {
  const frames = selectAll(root, 'iframe, frame, object, embed');
  for (let i = 0; i < frames.length; i++) watchFrame(frames[i]);
}

function watchFrame(element) {
  const inner = contentDocumentOf(element);
  if (!inner || watching.roots.has(inner)) return;
  watchTree(inner);
  countChange();
}

/**
 * The document of a frame, an object or an SVG embed, if it is in this process and of this origin.
 * @returns {Document | null}
 */
function contentDocumentOf(element) {
  switch (tagOf(element)) {
    case 'IFRAME':
      return contentDocument_.call(element);
    case 'FRAME':
      return contentDocumentOfFrame_.call(element);
    case 'OBJECT':
      return contentDocumentOfObject_.call(element);
    case 'EMBED':
      return drawingOfEmbed_.call(element);
    default:
      return null;
  }
}

/** Whether it shows a document, even one that cannot be accessed from here. */
const isFrame = (element, tag) =>
  tag === 'IFRAME' || tag === 'FRAME' || ((tag === 'OBJECT' || tag === 'EMBED') && contentDocumentOf(element) !== null);

// Animations of these change no text, but scripts often wait for their end to change something.
const ENTRANCE_PROPERTIES = new Set(
  (
    'opacity visibility display transform translate scale height max-height width max-width left right top bottom ' +
    'margin-left margin-right margin-top margin-bottom grid-template-rows grid-template-columns'
  ).split(' '),
);

/** Milliseconds until all finite transitions and animations of appearing and disappearing elements have ended. */
function remainingAnimationMs() {
  let longest = 0;
  for (const animation of document.getAnimations()) {
    if (animation.playState !== 'running') continue;
    if (animation instanceof CSSTransition && !ENTRANCE_PROPERTIES.has(animation.transitionProperty)) continue;
    const target = animation.effect?.target;
    // The hover or focus effect of a control says nothing about the page.
    if (!target || (matches(target, `${HOVERED}, ${ACTIVE}, :focus`) && !isChangedByPage(target))) continue;
    const { endTime, iterations } = animation.effect.getComputedTiming();
    if (iterations !== Infinity && Number(endTime) <= 1000)
      longest = Math.max(longest, Number(endTime) - Number(animation.currentTime));
  }
  return longest;
}

const CONTROL =
  'button,input,textarea,select,a[href],area[href],label,summary,[role="button" i],[role="menuitem" i],[role="link" i]';

/**
 * Whether the page changed the element or one around it, up to the nearest control, as with a dialog that closes under
 * the mouse.
 */
function isChangedByPage(target) {
  for (let node = target; node; node = flatParent(node)) {
    if (watching.touched.has(node)) return true;
    if (matches(node, CONTROL)) return false;
  }
  return false;
}

const ASKED_AGAIN_AFTER = 50; // ms

/**
 * While the page navigates by the Navigation API, this asks for another check after a while: its new content is still
 * to come.
 */
const pendingNavigationMs = () => (window.navigation?.transition ? ASKED_AGAIN_AFTER : 0);
