// The walk: one pass over the flat tree that turns elements into lines. See fold.js for what becomes of a line once its
// children are known.

/**
 * @typedef {object} Line  an element that is worth a line, if folding leaves it one
 * @property {Element} element @property {string} tag @property {string} role @property {string} name
 * @property {string} states @property {number} id  0: no ref @property {string} value @property {string} target
 * @property {(string | Line)[]} kids  texts (with BREAK where a block begins or ends) and lines @property {boolean} named  by its content
 * @property {boolean} unsure  has a ref only if nothing in it has one @property {boolean} remote  a frame read by another session
 * @property {boolean} isPlace  holds the place of what the queue will bring @property {number} sealed  text before this kid takes no more in
 * @property {number} serial  the number of the text that it was in last, 0 for none @property {number} at  its line there
 * @property {number} size  lines, with those in it @property {number} depth
 * @property {boolean} inert  shut off by a modal dialog, with all that is in it @property {boolean} wasInert  and so in the text that it is in
 */

// What holds for everything below an element.
const ARIA_DISABLED = 1;
const SILENT = 2; // text says nothing here, see assistive.js: only what can be clicked is of use
const POINTER = 4; // inside something clickable: a pointer cursor is inherited and adds nothing
const POINTER_DUE = 8; // a pointer cursor set on a list or table: the items are what is clicked
const NO_TEXT = 16; // text is not painted (visibility), or already in a name
const UNNAMED_ICON = 32; // inside a control: a picture without a name is an icon
const STRUCK = 64; // what is said is struck out
const ARIA_HIDDEN = 128; // kept from assistive technology: mere paint is decoration
const IN_NAMED = 256; // inside a control that has a name: so is it there

// Deeper than this the walk continues from a queue, since pages can nest deeper than the stack allows.
const DEEPEST = 400;

const SKIPPED = new Set(
  ('SCRIPT STYLE TEMPLATE NOSCRIPT HEAD META LINK TITLE BASE PARAM SOURCE TRACK DATALIST COL COLGROUP RP WBR defs symbol clipPath mask ' +
    'linearGradient radialGradient pattern marker filter metadata style script title desc animate animateTransform set').split(' '),
);

// More than this is not read: it would fill the memory of whoever reads it, or take longer than they wait.
const MOST_SAID = 50_000_000; // characters
const LONGEST_READING_MS = 8000;
const ELEMENTS_BETWEEN_LOOKS = 1024;

/** How much this reading has told, how many elements it has visited, and until when it may go on. */
let spent = { said: 0, visited: 0, until: 0 };

/** @param {string} text  that goes out to the reader */
function spendText(text) {
  if ((spent.said += text.length) > MOST_SAID) throw tooLarge(`it says more than ${MOST_SAID / 1e6} million characters`);
}

function spendTime() {
  if (++spent.visited % ELEMENTS_BETWEEN_LOOKS === 0 && performance.now() > spent.until) {
    throw tooLarge(`after ${LONGEST_READING_MS / 1000} s ${spent.visited} of its elements were read`);
  }
}

/** frames/world.py tells it from a defect by how it begins. */
const tooLarge = (why) => new Error(`too large: ${why}`);

/** All of one reading's state; replaced at the start of each. */
let reading = newReading();

function newReading() {
  spent = { said: 0, visited: 0, until: performance.now() + LONGEST_READING_MS };
  return {
    queue: [], frames: [], remote: [], omitted: [], internals: [], told: new Set(),
    selections: NOTHING_SELECTED, owners: new Map(), marked: new Set(), modals: [], inert: [], focused: null, selected: null, active: null,
    page: { origin: '', hasBase: false }, notes: null,
  };
}

const newLine = (element, tag, role) => ({
  element, tag, role, name: '', states: '', id: 0, value: '', target: '', kids: [], named: false, unsure: false, remote: false, isPlace: false,
  sealed: 0, serial: 0, at: 0, size: 0, depth: 0, inert: false, wasInert: false,
});

/** Adds text to what a line contains; runs are joined here and tidied when the line is finished. */
function addText(line, text) {
  const kids = line.kids;
  const last = kids.length - 1;
  if (last >= line.sealed && typeof kids[last] === 'string') kids[last] += text;
  else kids.push(text);
}

const asTold = (text, flags) => (flags & STRUCK ? decorated(text, STRUCK_FROM) : text);

/** Enters a document or shadow root: its style sheets, owners and marked elements are its own. */
function inRoot(root, visit) {
  const outer = reading;
  reading = { ...outer, ...rootFacts(root), notes: null };
  visit();
  reading = outer;
}

/** @type {Map<Node, object>} for one reading: a slot leads back into the tree around its shadow root */
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
  const facts = { selections: selection, owners: ownersIn(root), marked: markedIn(root) };
  facts.focused = focusedIn(root);
  facts.selected = selectedInEditor(root, facts.focused);
  facts.active = activeIn(root);
  if (isDocument) {
    const url = documentURL_.call(root);
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0];
    facts.page = { origin: origin ? `${origin}/` : '\0', hasBase: [...elementsByTag_.call(root, 'base')].some((base) => hasAttr(base, 'href')) };
  }
  return facts;
}

/** @param {Element} element @param {string} tag @param {Line} line  what its contents go into */
function visitContents(element, tag, line, flags, depth) {
  const text = !(flags & (NO_TEXT | SILENT));
  const replacement = replacementOf(element, tag, reading.selections);
  if (replacement) {
    if (text && replacement.alternative) addText(line, asTold(replacement.alternative, flags));
    return;
  }
  if (text) {
    const before = generatedText(element, 'before', reading.selections.before);
    if (before) addText(line, asTold(before, flags));
  }
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  if (shadow) inRoot(shadow, () => visitNodes(firstChild(shadow), line, flags, depth));
  else if (tag === 'SLOT') visitSlot(element, line, flags, depth);
  else if (tag === 'DETAILS' && !isOpen(element)) {
    const summary = closestChild(element, 'SUMMARY');
    if (summary) visitElement(summary, line, flags, depth + 1);
  } else visitNodes(firstChild(element), line, flags, depth);
  if (reading.owners.size && reading.marked.has(element)) {
    for (const owned of ownedBy(element, reading.owners)) visitElement(owned, line, flags, depth + 1, true);
  }
  if (text) {
    const after = generatedText(element, 'after', reading.selections.after);
    if (after) addText(line, asTold(after, flags));
  }
}

function visitNodes(first, line, flags, depth) {
  for (let node = first; node; node = nextSibling_.call(node)) {
    const type = nodeType_.call(node);
    if (type === 3) {
      if (!(flags & (NO_TEXT | SILENT))) addText(line, asTold(dataOf(node), flags));
    } else if (type === 1) visitElement(node, line, flags, depth + 1);
  }
}

function visitSlot(slot, line, flags, depth) {
  const assigned = assignedNodes_.call(slot);
  if (!assigned.length) {
    visitNodes(firstChild(slot), line, flags, depth);
    return;
  }
  const visit = () => {
    for (const node of assigned) {
      if (nodeType(node) === 1) visitElement(node, line, flags, depth + 1);
      else if (nodeType(node) === 3 && !(flags & (NO_TEXT | SILENT))) addText(line, asTold(dataOf(node), flags));
    }
  };
  inRoot(rootOf(assigned[0]), visit); // what is assigned is styled and marked in the tree it comes from
}

/** The shadow root of a possible host, where it has one. @returns {ShadowRoot | null} */
function shadowOf(element) {
  const shadow = rootOfHost(element);
  if (shadow) noteRoot(shadow);
  reading.notes?.[shadow ? 'always' : 'hosts'].add(element);
  return shadow;
}

function visitElement(element, line, flags, depth, isOwned = false) {
  if (reading.notes && depth <= DEEPEST) visitKept(element, line, flags, depth, isOwned);
  else visitAnew(element, line, flags, depth, isOwned);
}

function visitAnew(element, line, flags, depth, isOwned) {
  spendTime();
  const tag = tagOf(element);
  if (SKIPPED.has(tag)) return;
  if (reading.owners.size && !isOwned && reading.owners.has(element)) return;
  if (depth > DEEPEST) {
    const place = { ...newLine(element, '', ''), isPlace: true };
    line.kids.push(place);
    reading.queue.push([element, place, flags, reading]);
    return;
  }
  if (reading.notes && namespaceURI_.call(element) === SVG) noteDrawn(reading.notes, element, tag);
  const visibility = tag === 'AREA' ? VISIBLE : visibilityOf(element);
  if (visibility === GONE) return;
  const isMarked = reading.marked.has(element);
  if ((isMarked || mayApply(reading.selections.unpainted, element)) && computedStyleOf(element).contentVisibility === 'hidden') return;
  if (isMarked) {
    if (attr(element, 'aria-hidden')?.toLowerCase() === 'true') {
      const said = isSaidElsewhere(element);
      if (said === FOR_NOBODY) return;
      // A dialog keeps the whole page around it from assistive technology: that is none the more decoration.
      if (said) flags |= ARIA_HIDDEN | SILENT;
      else if (!selectsAny(element, REACHED)) flags |= ARIA_HIDDEN;
    }
    const disabled = attr(element, 'aria-disabled')?.toLowerCase();
    if (disabled) flags = disabled === 'true' ? flags | ARIA_DISABLED : flags & ~ARIA_DISABLED;
    if (hasAttr(element, 'inert')) flags |= ARIA_DISABLED;
  }
  if (visibility === UNSEEN_SELF) {
    visitContents(element, tag, line, flags | NO_TEXT, depth);
    return;
  }
  if (flags & NO_TEXT && !(flags & UNNAMED_ICON)) flags &= ~NO_TEXT; // visible again below visibility: hidden
  if (flags & STRUCK && !isStruckToo(element)) flags &= ~STRUCK;
  visitSeen(element, tag, line, flags, depth, isMarked);
}

/** An element that is rendered and seen. */
function visitSeen(element, tag, line, flags, depth, isMarked) {
  if (reading.notes) noteUntold(reading.notes, element, tag);
  if (isMarked && isForNobody(element, tag)) return;
  if (tag.includes('-') && mayHaveInternals(element)) reading.internals.push(idOf(element));
  if (flags & IN_EDITOR) {
    visitEdited(element, tag, line, flags, depth, isMarked);
    return;
  }
  const role = roleOf(element, tag);
  const special = SPECIAL_TAGS[tag];
  if (special) {
    special(element, tag, role, line, flags, depth);
    return;
  }
  const code = isMarked ? codeKind(element) : undefined;
  if (code) {
    visitCodeEditor(element, code, line, flags, depth);
    return;
  }
  if ((isMarked || tag === 'BODY') && isEditor(element, tag, role)) {
    visitEditor(element, tag, role, line, flags, depth);
    return;
  }
  let cursor = flags & POINTER && !isItemOfList(element, tag, flags) ? undefined : ownCursor(element, isMarked, reading.selections);
  let clickable = isMarked ? asksForClicks(element) : NOT_CLICKABLE;
  if (listening.has(element)) {
    if (LISTEN_FOR_ITEMS.has(tag)) flags |= POINTER_DUE;
    else clickable ||= PERHAPS;
  }
  if ((tag === 'SUMMARY' && isSummaryOfDetails(element)) || (tag === 'LABEL' && standsForControl(element))) clickable = CLICKABLE;
  if (tag === 'LABEL' && clickable !== CLICKABLE && isBesideControl(element)) {
    if (POINTING.has(cursor) && isCoveredByControl(element)) flags |= POINTER; // over its parts it means the control
    cursor = undefined;
    clickable = NOT_CLICKABLE;
  }
  if (cursor !== undefined && POINTING.has(cursor)) {
    if (PASSES_CLICKS_ON.has(tag)) flags |= POINTER_DUE;
    else if (firstChild(element) !== null || !isFace(element)) clickable = CLICKABLE;
  } else if (flags & POINTER_DUE && !PASSES_CLICKS_ON.has(tag)) {
    clickable = CLICKABLE;
  }
  const isEmpty = clickable === PERHAPS && firstChild(element) === null;
  const isVeil = isEmpty && computedStyleOf(element).pointerEvents === 'none'; // a control's means to show its focus, as is:
  if (isVeil || (isEmpty && flags & POINTER && !hasCursorOfItsOwn(element))) clickable = NOT_CLICKABLE;
  const isInteractive = INTERACTIVE.has(role) && role !== 'gridcell';
  if (!isInteractive && !clickable && !isVeil && !(flags & (ARIA_HIDDEN | UNNAMED_ICON | IN_NAMED)) && isOnlyPaint(element, tag)) clickable = CLICKABLE;
  if (!isInteractive && !clickable && (role === '' || role === 'none' || INLINE_ROLES.has(role))) {
    visitTransparent(element, tag, line, flags, depth);
    return;
  }
  visitLine(element, tag, role === 'none' ? '' : role, line, flags, depth, isInteractive ? CLICKABLE : clickable, isMarked);
}

/** Whether it may be an option of a list that opens in what is clicked to open it. */
const isItemOfList = (element, tag, flags) => tag === 'LI' && !(flags & (IN_NAMED | UNNAMED_ICON)) && computedStyleOf(element).pointerEvents !== 'none';

/** See `isFaceOfControl`; the answer is compared at the next reading. */
function isFace(element) {
  const answer = isFaceOfControl(element);
  reading.notes?.faces.set(element, answer);
  return answer;
}

/** Such as the handle of a slider, of which the track takes clicks. */
const hasCursorOfItsOwn = (element) => computedStyleOf(element).cursor !== computedStyleOf(flatParent(element)).cursor;

// Said by the words themselves; a line of their own would cut the sentence in pieces.
const INLINE_ROLES = new Set(
  ('strong emphasis code deletion insertion subscript superscript mark time suggestion document rowgroup').split(' '),
);

/** Contents go straight into the line around; a block stands apart. */
function visitTransparent(element, tag, line, flags, depth) {
  const edge = edgeAround(element, tag);
  const mark = flags & NO_TEXT ? '' : decorationIn(element, tag);
  if (edge) addText(line, edge);
  if (mark === STRUCK_FROM) flags |= STRUCK;
  else if (mark) addText(line, mark);
  if (tag === 'LABEL' && isCoveredByControl(element)) flags |= NO_TEXT | UNNAMED_ICON;
  visitContents(element, tag, line, flags, depth);
  if (mark && mark !== STRUCK_FROM) addText(line, END_OF_DECORATION[mark]);
  if (reading.marked.has(element) && !(flags & (NO_TEXT | SILENT))) addText(line, markedStates(element));
  if (edge) addText(line, edge);
}

/** What is told of an element whose text stands in the line around. */
function markedStates(element) {
  const states = flag('current', attr(element, 'aria-current'));
  const isText = INLINE_TAGS.has(tagOf(element)) || firstElementChild_.call(element) === null;
  return hasAttr(element, 'title') && isText && says(textContent(element)) ? states + tooltipState(element) : states;
}

/** See `decorationOf`; where a rule may decide it, the answer is compared at the next reading. */
function decorationIn(element, tag) {
  const mark = decorationOf(element, tag, reading.selections.decorated);
  if (mark && !(tag in DECORATING_TAGS)) reading.notes?.decorated.set(element, mark);
  return mark;
}

/** Whether the control of a <label> has a line of its own. */
function isBesideControl(label) {
  const control = controlOfLabel(label);
  if (control === null || tagOf(control) === 'BUTTON' || isForNobody(control, tagOf(control)) || isSaidElsewhere(control) === FOR_NOBODY) return false;
  const isItself = !tagOf(control).includes('-') || !NO_ROLES.has(roleOf(control)); // else the control is in its shadow root, without that name
  return isItself && visibilityOf(control) === VISIBLE;
}

const NO_ROLES = new Set(['', 'none', 'generic']);

/** Whether its text is seen as the name of the control then. */
function isCoveredByControl(label) {
  if (!isBesideControl(label)) return false;
  const control = controlOfLabel(label);
  const text = collapse(textContent(label));
  if (hasAttr(control, 'aria-label') || hasAttr(control, 'aria-labelledby')) return says(text) && shownName(control, roleOf(control)).includes(text);
  return labelsOf(control).length > 0 && (says(text) || shownName(control, roleOf(control)) !== '');
}

const MODAL_ROLES = roleSet('dialog alertdialog');
// Inside these, a pointer cursor and pictures without a name belong to the control.
const WHOLE = roleSet('button link menuitem menuitemcheckbox menuitemradio option tab checkbox radio switch treeitem');

function visitLine(element, tag, role, parent, flags, depth, clickable, isMarked) {
  const line = newLine(element, tag, role);
  const hasRef = clickable !== NOT_CLICKABLE;
  const mark = decorationIn(element, tag);
  if (mark === STRUCK_FROM) flags |= STRUCK;
  if (flags & NO_TEXT && labelsOf(element).length) flags &= ~(NO_TEXT | UNNAMED_ICON); // the label around it is its name, and not what it holds
  line.unsure = clickable === PERHAPS;
  if (hasRef) line.id = idOf(element);
  const context = { ariaDisabled: Boolean(flags & ARIA_DISABLED) && hasRef, focused: reading.focused };
  if (isMarked || hasRef || role === 'heading' || context.focused === element || reading.active === element) line.states = statesOf(element, tag, role, context);
  if (MODAL_ROLES.has(role)) line.states += modalState(element, tag);
  if (GRID_ROLES.has(role)) line.states += rowsOf(element);
  // The outline of a field is often a <fieldset> that is hidden, with a hidden <legend>: its name is nobody's.
  if (role !== 'group' || hasRef || !(flags & ARIA_HIDDEN)) nameLine(line, flags, isMarked);
  if (tag === 'LABEL' && standsForControl(element)) line.states += statesOf(controlOfLabel(element), 'INPUT', roleOf(controlOfLabel(element)), context);
  if (role === 'link') line.target = targetOf(element, tag, reading.page);
  else if (RANGE_ROLES.has(role)) line.value = valueOf(element, tag, role);
  let inner = flags;
  if (WHOLE.has(role) || (clickable === CLICKABLE && role === '')) inner |= POINTER;
  inner &= ~POINTER_DUE | (hasRef ? 0 : POINTER_DUE);
  if (hasRef) inner &= ~SILENT; // what a hidden control says is not its name, but all there is to tell it by
  if (WHOLE.has(role) && (line.named || line.name === '')) inner |= UNNAMED_ICON | (line.named ? NO_TEXT : 0);
  else if (WHOLE.has(role)) inner |= IN_NAMED;
  if (mark === GLYPHS_FROM && line.named) {
    line.states += hintState('icon', line.name);
    line.name = attr(element, 'title') ?? '';
  }
  const isGlyph = mark === GLYPHS_FROM && !line.named;
  if (isGlyph) addText(line, GLYPHS_FROM);
  if (!(line.named && isPlain(element))) visitContents(element, tag, line, inner, depth);
  else if (reading.notes && mayHost(tag)) reading.notes.hosts.add(element);
  if (isGlyph) addText(line, GLYPHS_TO);
  finish(line, parent);
}

/** Whether there is nothing in it but text: then its name has said it all. */
function isPlain(element) {
  const child = firstElementChild_.call(element);
  return child === null && !reading.owners.size && rootOfHost(element) === null;
}
