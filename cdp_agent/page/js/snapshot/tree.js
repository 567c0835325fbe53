// One walk over the flat tree, which turns elements into lines. See fold.js for what happens to a line once its
// children are known.

/**
 * @typedef {object} Line  an element that gets a line, unless folding removes it
 * @property {Element} element @property {string} tag @property {string} role @property {string} name
 * @property {string} states @property {number} id  0: no ref @property {string} value @property {string} target
 * @property {(string | Line)[]} kids  texts (with BREAK where a block begins or ends) and lines
 * @property {(string | Line)[] | null} cells  the kids of a row before they were joined @property {boolean}
 *   namedByContent  its name is its content
 * @property {boolean} maybeClickable  has a ref only if nothing in it has one @property {boolean} remote  a frame read
 *   by another session
 * @property {boolean} isDeferred  stands for an element in the queue @property {number} sealed  no text is appended to
 *   the kids before this index
 * @property {number} serial  the serial of the last text with this line, 0 for none @property {number} at  its row
 *   there
 * @property {number} size  the number of rows, with those of its descendants @property {number} depth
 * @property {string} behind  " [inert]" behind a modal dialog, " [covered]" behind an overlay, with all that is in it
 * @property {string} wasBehind  the same in the last text with this line
 * @property {boolean} unseen  out of sight, with all that is in it, see sight.js
 * @property {boolean} wasUnseen  the same in the last text with this line
 * @property {ShownPlace | null} shown  its place in the last text that was searched
 */

// Flags that hold for everything below an element.
const ARIA_DISABLED = 1;
const TEXT_IGNORED = 2; // text is redundant here, see assistive.js: only clickable elements matter
const IN_CLICKABLE = 4; // inside something clickable: a pointer cursor is inherited and adds nothing
const ITEMS_CLICKABLE = 8; // inside a list or table with a pointer cursor: its items are what is clicked
const NO_TEXT = 16; // text is not painted (visibility), or already in a name
const UNNAMED_ICON = 32; // inside a control: a picture without a name is an icon
const STRUCK = 64; // text is struck through
const ARIA_HIDDEN = 128; // hidden from assistive technology: a graphic without text is decoration
const PREFORMATTED = 512; // in a <pre>, which shows the line breaks of its text
const IN_NAMED_CONTROL = 256; // inside a control that has a name, as is what it contains

// Deeper than this the walk continues from a queue, since pages can nest deeper than the stack allows.
const DEEPEST = 400;

const SKIPPED = new Set(
  (
    'SCRIPT STYLE TEMPLATE NOSCRIPT HEAD META LINK TITLE BASE PARAM SOURCE TRACK DATALIST COL COLGROUP RP WBR defs ' +
    'symbol clipPath mask ' +
    'linearGradient radialGradient pattern marker filter metadata style script title desc animate animateTransform set'
  ).split(' '),
);

// A larger page is not read: the text would fill the reader's memory, or take longer than a reader waits.
const MOST_TEXT = 50_000_000; // characters
const LONGEST_READING_MS = 8000;
const ELEMENTS_BETWEEN_LOOKS = 1024;

/** The length of the text of this reading, the number of elements visited, and its time limit. */
let spent = { textLength: 0, visited: 0, until: 0 };

/** Counts text that is returned to the reader. @param {string} text */
function spendText(text) {
  if ((spent.textLength += text.length) > MOST_TEXT)
    throw tooLarge(`it says more than ${MOST_TEXT / 1e6} million characters`);
}

function spendTime() {
  if (++spent.visited % ELEMENTS_BETWEEN_LOOKS === 0 && performance.now() > spent.until) {
    throw tooLarge(`after ${LONGEST_READING_MS / 1000} s ${spent.visited} of its elements were read`);
  }
}

/** frames/world.py recognizes this error by its first words. */
const tooLarge = (why) => new Error(`too large: ${why}`);

/** The state of the current reading; replaced at the start of each. */
let reading = newReading();

function newReading() {
  spent = { textLength: 0, visited: 0, until: performance.now() + LONGEST_READING_MS };
  return {
    queue: [],
    frames: [],
    remote: [],
    omitted: [],
    internals: [],
    describedSoFar: new Set(),
    selections: NOTHING_SELECTED,
    owners: new Map(),
    notable: new Set(),
    moved: new Set(),
    modals: [],
    behind: [],
    focused: null,
    selected: null,
    active: null,
    page: { origin: '', hasBase: false },
    overlay: null,
    marked: null,
    openers: NOTHING_OPENS,
    cache: null,
  };
}

const newLine = (element, tag, role) => ({
  element,
  tag,
  role,
  name: '',
  states: '',
  id: 0,
  value: '',
  target: '',
  kids: [],
  cells: null,
  namedByContent: false,
  maybeClickable: false,
  remote: false,
  isDeferred: false,
  sealed: 0,
  serial: 0,
  at: 0,
  size: 0,
  depth: 0,
  behind: '',
  wasBehind: '',
  unseen: false,
  wasUnseen: false,
  shown: null,
});

/** Appends text to a line's kids; adjacent texts are joined here, and tidied when the line is finished. */
function addText(line, text) {
  const kids = line.kids;
  const last = kids.length - 1;
  if (last >= line.sealed && typeof kids[last] === 'string') kids[last] += text;
  else kids.push(text);
}

/** Adds a text node, with its line breaks where the page shows them. */
function addTextNode(line, node, flags) {
  if (flags & (NO_TEXT | TEXT_IGNORED)) return;
  const text = strikeIfStruck(dataOf(node), flags);
  addText(line, text.includes('\n') && keepsRows(node, text, flags) ? text.replace(/\r?\n/g, ROW_BREAK) : text);
}

/** White space alone counts in a <pre> only: between tags it hardly ever is meant as text. */
function keepsRows(node, text, flags) {
  if (flags & PREFORMATTED) return true;
  const parent = parentNode(node);
  return /\S/.test(text) && nodeType(parent) === 1 && LINES_KEPT.test(computedStyleOf(parent).whiteSpaceCollapse);
}

const strikeIfStruck = (text, flags) => (flags & STRUCK ? withDecorationMarks(text, STRUCK_START) : text);

/** Enters a document or shadow root, which has its own style sheets, aria-owns owners and notable elements. */
function inRoot(root, visit) {
  const outer = reading;
  reading = { ...outer, ...rootFacts(root), cache: null };
  visit();
  reading = outer;
}

/** @type {Map<Node, object>} cached for one reading: a slot leads back into the tree around its shadow root */
let factsOfRoots = new Map();

function rootFacts(root) {
  let facts = factsOfRoots.get(root);
  if (!facts) factsOfRoots.set(root, (facts = readRoot(root)));
  return facts;
}

function readRoot(root) {
  const isDocument = nodeType(root) === 9;
  let selection = selections.get(root);
  if (!selection) selections.set(root, (selection = selectedIn(root)));
  const facts = { selections: selection, owners: ownersIn(root), notable: notableIn(root), moved: movedIn(root) };
  facts.openers = openersIn(root, selection.reveals);
  facts.focused = focusedIn(root);
  facts.selected = selectedInEditor(root, facts.focused);
  facts.active = activeIn(root);
  if (isDocument) {
    const url = documentURL_.call(root);
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0];
    facts.overlay = overlayIn(root);
    facts.marked = facts.overlay?.marked ?? null;
    facts.page = {
      origin: origin ? `${origin}/` : '\0',
      hasBase: [...elementsByTag_.call(root, 'base')].some((base) => hasAttr(base, 'href')),
    };
  }
  return facts;
}

/** @param {Element} element @param {string} tag @param {Line} line  gets the contents */
function visitContents(element, tag, line, flags, depth) {
  const text = !(flags & (NO_TEXT | TEXT_IGNORED));
  const replacement = replacementOf(element, tag, reading.selections);
  if (replacement) {
    if (text && replacement.alternative) addText(line, strikeIfStruck(replacement.alternative, flags));
    return;
  }
  if (text) {
    const number = tag === 'LI' ? itemNumber(element) : '';
    const before = number + generatedText(element, 'before', reading.selections.before);
    if (before) addText(line, strikeIfStruck(before, flags));
  }
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  const seen = nodesAsSeen(element);
  if (shadow) inRoot(shadow, () => visitInside(shadow, seen, line, flags, depth));
  else if (tag === 'SLOT') visitSlot(element, seen, line, flags, depth);
  else if (tag === 'DETAILS' && !isOpen(element)) {
    const summary = closestChild(element, 'SUMMARY');
    if (summary) visitElement(summary, line, flags, depth + 1);
  } else visitInside(element, seen, line, flags, depth);
  if (reading.owners.size && reading.notable.has(element)) {
    for (const owned of ownedBy(element, reading.owners)) visitElement(owned, line, flags, depth + 1, true);
  }
  if (text) {
    const after = generatedText(element, 'after', reading.selections.after);
    if (after) addText(line, strikeIfStruck(after, flags));
  }
}

function visitNodes(first, line, flags, depth) {
  for (let node = first; node; node = nextSibling_.call(node)) {
    const type = nodeType_.call(node);
    if (type === 3) addTextNode(line, node, flags);
    else if (type === 1) visitElement(node, line, flags, depth + 1);
  }
}

/** @param {Node[] | null} seen  the nodes in the parent in another order than that of the document */
function visitInside(parent, seen, line, flags, depth) {
  if (!seen) {
    visitNodes(firstChild(parent), line, flags, depth);
    return;
  }
  for (const node of seen) {
    if (nodeType(node) === 1) visitElement(node, line, flags, depth + 1);
    else if (nodeType(node) === 3) addTextNode(line, node, flags);
  }
}

function visitSlot(slot, seen, line, flags, depth) {
  const assigned = assignedNodes_.call(slot);
  if (!assigned.length) visitInside(slot, seen, line, flags, depth);
  // slotted nodes are styled in the tree that they come from
  else inRoot(rootOf(assigned[0]), () => visitInside(slot, seen ?? assigned, line, flags, depth));
}

/** The shadow root of a possible host, if it has one. @returns {ShadowRoot | null} */
function shadowOf(element) {
  const shadow = rootOfHost(element);
  if (shadow) recordRoot(shadow);
  remember(shadow ? VOLATILE : OPEN_ROOT, element, null);
  return shadow;
}

function visitElement(element, line, flags, depth, isOwned = false) {
  if (reading.cache && depth <= DEEPEST) visitCached(element, line, flags, depth, isOwned);
  else visitAnew(element, line, flags, depth, isOwned);
}

function visitAnew(element, line, flags, depth, isOwned) {
  spendTime();
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return;
  if (reading.owners.size && !isOwned && reading.owners.has(element)) return;
  if (depth > DEEPEST) {
    const place = { ...newLine(element, '', ''), isDeferred: true };
    line.kids.push(place);
    reading.queue.push([element, place, flags, reading]);
    return;
  }
  rememberSvgPart(element, tag);
  const visibility = tag === 'AREA' ? VISIBLE : visibilityOf(element);
  if (visibility === NOT_RENDERED) return;
  const isNotable = reading.notable.has(element);
  hasDraggable ||= tag === 'CANVAS' || (isNotable && matches(element, DRAGGABLE));
  if (
    (isNotable || mayApply(reading.selections.unpainted, element)) &&
    computedStyleOf(element).contentVisibility === 'hidden'
  )
    return;
  if (isNotable) {
    if (attr(element, 'aria-hidden')?.toLowerCase() === 'true') {
      const redundancy = isTextRedundant(element);
      if (redundancy === HIDDEN_FROM_EVERYONE) return;
      // A modal dialog hides the whole page around it from assistive technology, which does not make that decoration.
      if (redundancy) flags |= ARIA_HIDDEN | TEXT_IGNORED;
      else if (!selectsAny(element, TABBABLE)) flags |= ARIA_HIDDEN;
    }
    const disabled = attr(element, 'aria-disabled')?.toLowerCase();
    if (disabled) flags = disabled === 'true' ? flags | ARIA_DISABLED : flags & ~ARIA_DISABLED;
    if (hasAttr(element, 'inert')) flags |= ARIA_DISABLED;
  }
  if (visibility === SELF_INVISIBLE) {
    visitContents(element, tag, line, flags | NO_TEXT, depth);
    return;
  }
  if (flags & NO_TEXT && !(flags & UNNAMED_ICON)) flags &= ~NO_TEXT; // visible again below visibility: hidden
  if (flags & STRUCK && !inheritsLineThrough(element)) flags &= ~STRUCK;
  const withinSight = withSight(element, tag, flags);
  const visit = withinSight & ~flags & UNSEEN ? visitUnseen : visitVisible;
  visit(element, tag, line, withinSight, depth, isNotable);
}

/** Visits an element that is rendered and visible. */
function visitVisible(element, tag, line, flags, depth, isNotable) {
  rememberVolatile(element, tag);
  if (isNotable && isHiddenFromEveryone(element, tag)) return;
  if (tag.includes('-') && mayHaveInternals(element)) reading.internals.push(idOf(element));
  if (flags & IN_EDITOR) {
    visitEdited(element, tag, line, flags, depth, isNotable);
    return;
  }
  if (tag === 'PRE' && LINES_KEPT.test(computedStyleOf(element).whiteSpaceCollapse)) flags |= PREFORMATTED;
  const role = roleOf(element, tag);
  if (tag in SPECIAL_TAGS) {
    const usesBefore = reading.cache?.descriptionUses.length;
    SPECIAL_TAGS[tag](element, tag, role, line, flags, depth);
    if (FIELDS.has(tag)) rememberField(element, line, usesBefore);
    return;
  }
  const code = isNotable ? codeKind(element) : undefined;
  if (code) {
    visitCodeEditor(element, code, line, flags, depth);
    return;
  }
  if ((isNotable || tag === 'BODY') && isEditor(element, tag, role)) {
    visitEditor(element, tag, role, line, flags, depth);
    return;
  }
  let cursor =
    flags & IN_CLICKABLE && !mayBeOption(element, tag, flags)
      ? undefined
      : ownCursor(element, isNotable, reading.selections);
  let clickable = isNotable ? clickableByAttributes(element) : NOT_CLICKABLE;
  if (listening.has(element)) {
    if (LISTEN_FOR_ITEMS.has(tag)) flags |= ITEMS_CLICKABLE;
    else clickable ||= MAYBE_CLICKABLE;
  }
  if (reading.openers.size && reading.openers.has(element)) clickable = CLICKABLE;
  if ((tag === 'SUMMARY' && isSummaryOfDetails(element)) || (tag === 'LABEL' && isLabelOfHiddenControl(element)))
    clickable = CLICKABLE;
  if (tag === 'LABEL' && clickable !== CLICKABLE && controlHasOwnLine(element)) {
    // a click on anything in it is a click on the control
    if (CLICK_CURSORS.has(cursor) && isShownAsControlName(element)) flags |= IN_CLICKABLE;
    cursor = undefined;
    clickable = NOT_CLICKABLE;
  }
  if (cursor !== undefined && CLICK_CURSORS.has(cursor)) {
    if (CLICKED_BY_ITEM.has(tag)) flags |= ITEMS_CLICKABLE;
    else if (firstChild(element) !== null || !remember(CHECKBOX_VISUAL, element)) clickable = CLICKABLE;
  } else if (flags & ITEMS_CLICKABLE && !CLICKED_BY_ITEM.has(tag)) {
    clickable = CLICKABLE;
  }
  const isEmpty = clickable === MAYBE_CLICKABLE && firstChild(element) === null;
  // a control uses it to show its focus, as is:
  const isFocusRing = isEmpty && computedStyleOf(element).pointerEvents === 'none';
  if (isFocusRing || (isEmpty && flags & IN_CLICKABLE && !hasCursorOfItsOwn(element))) clickable = NOT_CLICKABLE;
  const isInteractive = INTERACTIVE.has(role) && role !== 'gridcell';
  if (
    !isInteractive &&
    !clickable &&
    !isFocusRing &&
    !(flags & (ARIA_HIDDEN | UNNAMED_ICON | IN_NAMED_CONTROL)) &&
    isEmptyGraphic(element, tag)
  )
    clickable = CLICKABLE;
  const isPlain = role === '' || role === 'none' || INLINE_ROLES.has(role);
  if (!isInteractive && !clickable && isPlain && element !== reading.marked) {
    visitTransparent(element, tag, line, flags, depth);
    return;
  }
  visitLine(
    element,
    tag,
    role === 'none' ? '' : role,
    line,
    flags,
    depth,
    isInteractive ? CLICKABLE : clickable,
    isNotable,
  );
}

/** Whether it may be an option of a list inside the element that opens the list. */
const mayBeOption = (element, tag, flags) =>
  tag === 'LI' && !(flags & (IN_NAMED_CONTROL | UNNAMED_ICON)) && computedStyleOf(element).pointerEvents !== 'none';

/** Whether its cursor differs from its parent's, like that of a slider's handle in a track that takes clicks. */
const hasCursorOfItsOwn = (element) => computedStyleOf(element).cursor !== computedStyleOf(flatParent(element)).cursor;

// The text itself says these; a line of their own would split the sentence.
const INLINE_ROLES = new Set(
  'strong emphasis code deletion insertion subscript superscript mark time suggestion document rowgroup'.split(' '),
);

/** Adds the contents directly to the line around, separated if the element is a block. */
function visitTransparent(element, tag, line, flags, depth) {
  const isRuby = tag === 'RT' && !(flags & (NO_TEXT | TEXT_IGNORED)) && hasText(textContent(element));
  const edge = isRuby ? '' : edgeAround(element, tag);
  const mark = flags & NO_TEXT ? '' : decorationIn(element, tag);
  if (edge) addText(line, edge);
  if (isRuby) addText(line, '(');
  if (mark === STRUCK_START) flags |= STRUCK;
  else if (mark) addText(line, mark);
  if (tag === 'LABEL' && isShownAsControlName(element)) flags |= NO_TEXT | UNNAMED_ICON;
  visitContents(element, tag, line, flags, depth);
  if (mark && mark !== STRUCK_START) addText(line, DECORATION_ENDS[mark]);
  if (reading.notable.has(element) && !(flags & (NO_TEXT | TEXT_IGNORED))) addText(line, markedStates(element));
  if (isRuby) addText(line, ')');
  if (edge) addText(line, edge);
}

/** The states of an element whose text is in the line around. */
function markedStates(element) {
  const states = stateText('current', attr(element, 'aria-current'));
  const isText = INLINE_TAGS.has(tagOf(element)) || firstElementChild_.call(element) === null;
  return hasAttr(element, 'title') && isText && hasText(textContent(element)) ? states + tooltipState(element) : states;
}

/** `decorationOf`, remembered where a rule may decide it. */
function decorationIn(element, tag) {
  const mark = decorationOf(element, tag, reading.selections.decorated);
  if (mark && !(tag in DECORATING_TAGS)) remember(DECORATION_MARK, element, mark);
  return mark;
}

const DECORATION_MARK = {
  ask: (element) => decorationOf(element, tagOf(element), selectionsFor(element).decorated),
  byRulesAlone: true,
};

/** Whether the control of a <label> has a line of its own. */
function controlHasOwnLine(label) {
  const control = controlOfLabel(label);
  if (
    control === null ||
    tagOf(control) === 'BUTTON' ||
    isHiddenFromEveryone(control, tagOf(control)) ||
    isTextRedundant(control) === HIDDEN_FROM_EVERYONE
  )
    return false;
  // otherwise the control is in its shadow root, without that name
  const isItself = !tagOf(control).includes('-') || !NO_ROLES.has(roleOf(control));
  return isItself && visibilityOf(control) === VISIBLE;
}

const NO_ROLES = new Set(['', 'none', 'generic']);

/** Whether the text of a <label> is shown as the name of its control. */
function isShownAsControlName(label) {
  if (!controlHasOwnLine(label)) return false;
  const control = controlOfLabel(label);
  if (labelsOf(control)[0] !== label && isMeantForAnother(label)) return false;
  const text = collapse(textContent(label));
  if (hasAttr(control, 'aria-label') || hasAttr(control, 'aria-labelledby'))
    return hasText(text) && shownName(control, roleOf(control)).includes(text);
  return labelsOf(control).length > 0 && (hasText(text) || shownName(control, roleOf(control)) !== '');
}

/** Whether several elements have the id that a <label> names: it labels the first, and stands beside another one. */
const isMeantForAnother = (label) =>
  hasAttr(label, 'for') && selectAll(rootOf(label), `[id=${JSON.stringify(attr(label, 'for'))}]`).length > 1;

const MODAL_ROLES = roleSet('dialog alertdialog');
// Inside these, a pointer cursor and pictures without a name belong to the control.
const ATOMIC_ROLES = roleSet(
  'button link menuitem menuitemcheckbox menuitemradio option tab checkbox radio switch treeitem',
);

function visitLine(element, tag, role, parent, flags, depth, clickable, isNotable) {
  const line = newLine(element, tag, role);
  const hasRef = clickable !== NOT_CLICKABLE;
  const mark = decorationIn(element, tag);
  if (mark === STRUCK_START) flags |= STRUCK;
  // the label around it names it, but not what it contains
  if (flags & NO_TEXT && labelsOf(element).length) flags &= ~(NO_TEXT | UNNAMED_ICON);
  line.maybeClickable = clickable === MAYBE_CLICKABLE;
  if (hasRef) line.id = idOf(element);
  const context = { ariaDisabled: Boolean(flags & ARIA_DISABLED) && hasRef, focused: reading.focused };
  if (isNotable || hasRef || role === 'heading' || context.focused === element || reading.active === element)
    line.states = statesOf(element, tag, role, context);
  if (MODAL_ROLES.has(role)) line.states += modalState(element, tag);
  if (reading.openers.size) line.states += reading.openers.get(element) ?? '';
  if (element === reading.marked && !line.states.includes(' [modal]')) line.states += ' [overlay]';
  if (GRID_ROLES.has(role)) line.states += rowCountState(element);
  // The outline of a field is often a hidden <fieldset> with a hidden <legend>: that name is of no use to anyone.
  if (role !== 'group' || hasRef || !(flags & ARIA_HIDDEN)) setLineName(line, flags, isNotable);
  if (tag === 'LABEL' && isLabelOfHiddenControl(element))
    line.states += statesOf(controlOfLabel(element), 'INPUT', roleOf(controlOfLabel(element)), context);
  if (role === 'link') line.target = linkTargetText(element, tag, reading.page);
  else if (RANGE_ROLES.has(role)) line.value = valueOf(element, tag, role);
  let inner = flags;
  if (ATOMIC_ROLES.has(role) || (clickable === CLICKABLE && role === '')) inner |= IN_CLICKABLE;
  inner &= ~ITEMS_CLICKABLE | (hasRef ? 0 : ITEMS_CLICKABLE);
  if (hasRef) inner &= ~TEXT_IGNORED; // the text of a hidden control is not its name, but all that identifies it
  if (ATOMIC_ROLES.has(role) && (line.namedByContent || line.name === ''))
    inner |= UNNAMED_ICON | (line.namedByContent ? NO_TEXT : 0);
  else if (ATOMIC_ROLES.has(role)) inner |= IN_NAMED_CONTROL;
  if (mark === ICON_FONT_START && line.namedByContent) {
    line.states += hintState('icon', line.name);
    line.name = attr(element, 'title') ?? '';
  }
  const isGlyph = mark === ICON_FONT_START && !line.namedByContent;
  if (isGlyph) addText(line, ICON_FONT_START);
  if (!(line.namedByContent && holdsOnlyText(element))) visitContents(element, tag, line, inner, depth);
  else if (mayHost(tag)) remember(OPEN_ROOT, element, null);
  if (isGlyph) addText(line, ICON_FONT_END);
  finishLine(line, parent);
}

/** Whether an element contains nothing but text, all of which is in its name. */
function holdsOnlyText(element) {
  const child = firstElementChild_.call(element);
  return child === null && !reading.owners.size && rootOfHost(element) === null;
}
