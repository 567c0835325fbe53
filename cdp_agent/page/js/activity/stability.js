// How long nothing has changed in the page, and whether it shows anything yet: a reader of the journal.

const contentDocument_ = getterOf(HTMLIFrameElement.prototype, 'contentDocument');
const contentDocumentOfFrame_ = getterOf(HTMLFrameElement.prototype, 'contentDocument');
const contentDocumentOfObject_ = getterOf(HTMLObjectElement.prototype, 'contentDocument');
const drawingOfEmbed_ = HTMLEmbedElement.prototype.getSVGDocument;

/**
 * How long nothing has changed, and how much has since the watching began. The first call begins it.
 * @param {boolean} [isNew]  whether the watching began with the document
 * @returns {{idle_ms: number, count: number, animating_ms: number, empty: boolean, inputs: number, busy: string[],
 *   title: string}} animating_ms: how much longer elements fade in or out, or the page goes elsewhere by script; empty:
 *   there is an external script, but no visible content yet; inputs: see countInputs; busy: see busyMarks
 */
function changes(isNew = false) {
  watch();
  const animating_ms = Math.max(remainingAnimationMs(), pendingNavigationMs());
  const hasContent = (watching.hasContent ||= hasMainContent());
  const empty = !hasContent && selectsAny(document, 'script[src]');
  const { last, count } = journal;
  const idle_ms = performance.now() - last;
  const busy = busyMarks(isNew);
  return { idle_ms, count, animating_ms, empty, inputs: countInputs(), busy, title: documentTitle() };
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

/** Whether no other window can script the watched document, and all of its elements are in one tree. */
const isAlone = () => opener === null && parent === self && window.length === 0 && watching?.roots.size === 1;

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
