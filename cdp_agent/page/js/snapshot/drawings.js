// Drawings: what of an SVG is told. Its parts are visited like any element, and each is a line, or nothing but paint, or
// text. Paint is told one by one in small drawings of plain shapes, and where its author marked it; else it is counted.

const SVG = 'http://www.w3.org/2000/svg';
const SMALLEST_DRAWING = 48; // px: less is an icon
const [CANVAS_WIDTH, CANVAS_HEIGHT] = [200, 150]; // px: from here on something clickable around a drawing is its editor
const FEW_SHAPES = 30; // of a drawing without a name
const FEW_ON_CANVAS = 60;
const MOST_PAINT = 12; // shapes that a part looks like: more are something to be told of
const MOST_SHAPES = 200; // lines of one drawing or group: the rest is counted

const SHAPE_TAGS = new Set('rect circle ellipse polygon polyline line path use image'.split(' '));
const FREE_FORMS = new Set(['path', 'use']); // what logos and icons are made of
const ACTING_PARTS = 'a,[role],[tabindex],[onclick],[onmousedown],[onpointerdown]';

for (const tag of [...SHAPE_TAGS, 'g', 'a', 'switch', 'text', 'tspan', 'textPath', 'foreignObject']) SPECIAL_TAGS[tag] = visitPart;
SPECIAL_TAGS.svg = visitDrawing;

const isPart = (element) => {
  const parent = parentNode_.call(element);
  return parent !== null && nodeType_.call(parent) === 1 && namespaceURI_.call(parent) === SVG && tagName_.call(parent) !== 'foreignObject';
};

/** An <svg>: an icon is a line when it has a name or takes clicks, a drawing also when there is something in it. */
function visitDrawing(element, tag, role, parent, flags, depth) {
  if (isPart(element)) {
    reading.notes?.always.add(element);
    visitGroup(element, tag, explicitRole(element, tag, attr(element, 'role')) ?? '', parent, flags, depth);
    return;
  }
  const box = getBoundingClientRect_.call(element);
  const isSmall = isSmallBox(box);
  if ((isSmall || flags & UNNAMED_ICON) && !holdsMoreThanPaint(element, flags)) {
    // Of what tells an icon, its size alone may change untold and unseen: attributes, text and cursors are followed like any other.
    reading.notes?.icons.set(element, isSmall);
    if (!(flags & UNNAMED_ICON) || actsByItself(element)) visitIcon(element, tag, role, parent, flags);
    return;
  }
  reading.notes?.always.add(element); // for the boxes of what is in it
  const line = drawingLine(element, tag, role, flags);
  if (!isSmall) idOf(element); // in the order of the page
  const isClickable = isClickableImage(element, flags);
  visitParts(element, line, flags & ~(POINTER | POINTER_DUE), depth);
  finishDrawing(line, parent, { flags, isSmall, isUsed: isClickable, isCanvas: isCanvas(element, box, isClickable) });
}

const isSmallBox = ({ width, height }) => width < SMALLEST_DRAWING || height < SMALLEST_DRAWING;
const isSmallDrawing = (element) => isSmallBox(getBoundingClientRect_.call(element));

function drawingLine(element, tag, role, flags) {
  const line = newLine(element, tag, role && role !== 'none' ? role : 'img');
  line.name = flags & ARIA_HIDDEN || role === 'none' ? '' : shownName(element, role || 'img');
  line.states = statesOf(element, tag, line.role, { ariaDisabled: false, focused: reading.focused });
  return line;
}

function visitIcon(element, tag, role, parent, flags) {
  const line = drawingLine(element, tag, role, flags);
  if (line.role === 'img' && isActionInControl(element, flags)) {
    visitActionInControl(line, parent);
    return;
  }
  if (!line.name && !isClickableImage(element, flags)) {
    leaveGap(parent, flags);
    return;
  }
  line.id = idOf(element);
  parent.kids.push(line);
}

/** Whether an icon, or a drawing in a control, holds what takes clicks, or text that the control's name does not say. */
function holdsMoreThanPaint(element, flags) {
  if (selectAll(element, flags & (NO_TEXT | SILENT) ? ACTING_PARTS : `${ACTING_PARTS},text,foreignObject`).length) return true;
  if (!partsListen) return false;
  const parts = selectAll(element, '*');
  for (let i = 0; i < parts.length; i++) if (listening.has(parts[i])) return true;
  return false;
}

/** Whether it is drawn on: the mouse is listened to by itself or closely around it, and it is no picture of a control. */
function isCanvas(element, box, isClickable) {
  if (box.width < CANVAS_WIDTH || box.height < CANVAS_HEIGHT) return false;
  let isHeard = isClickable || computedStyleOf(element).touchAction === 'none';
  for (let at = flatParent(element), up = 0; at && up < 4; at = flatParent(at), up++) {
    if (WHOLE.has(roleOf(at))) return false;
    isHeard ||= listening.has(at) || (matches(at, MARKED_SELECTOR) && asksForClicks(at) !== NOT_CLICKABLE);
  }
  return isHeard;
}

function visitParts(element, line, flags, depth) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) visitElement(child, line, flags, depth + 1);
  if (reading.owners.size && reading.marked.has(element)) {
    for (const owned of ownedBy(element, reading.owners)) visitElement(owned, line, flags, depth + 1, true);
  }
}

function visitPart(element, tag, role, parent, flags, depth) {
  if (namespaceURI_.call(element) !== SVG) visitTransparent(element, tag, parent, flags, depth);
  else if (tag === 'foreignObject') visitContents(element, tag, parent, flags, depth);
  else if (isWritten(tag)) visitText(element, tag, role, parent, flags, depth);
  else if (SHAPE_TAGS.has(tag)) parent.kids.push(partLine(element, tag, role, flags));
  else visitGroup(element, tag, role, parent, flags, depth);
}

const isWritten = (tag) => tag === 'text' || tag === 'tspan' || tag === 'textPath';

/** Text by itself is a line without a ref, until it is known what it belongs to; one that holds links falls into its parts. */
function visitText(element, tag, role, parent, flags, depth) {
  const line = partLine(element, tag, role, flags);
  if (line.id === 0 && selectAll(element, ACTING_PARTS).length) {
    visitNodes(firstChild(element), line, flags, depth);
    parent.kids.push(...withTexts(line));
    return;
  }
  if (line.id === 0) {
    if (flags & (NO_TEXT | SILENT) || !says(line.name)) return;
    if (line.role === tag) line.role = 'text';
  }
  parent.kids.push(line);
}

/** A part with all that it says of itself; a ref where it takes clicks, or is a shape or group with a name. */
function partLine(element, tag, role, flags) {
  const isMarked = reading.marked.has(element);
  const line = newLine(element, tag, role === '' || role === 'none' || role === 'graphics-symbol' ? tag : role);
  const clickable = clickableOf(element, role, isMarked);
  line.unsure = clickable === PERHAPS;
  if (mayBeNamed(element, tag, role, isMarked) && (clickable || !(flags & ARIA_HIDDEN))) line.name = shownName(element, role);
  if (line.name === '' && tag === 'image') line.role = tag;
  if (clickable || (line.name && SHAPE_TAGS.has(tag))) line.id = idOf(element);
  if (isMarked || clickable || reading.focused === element) {
    line.states = statesOf(element, tag, role, { ariaDisabled: Boolean(flags & ARIA_DISABLED) && clickable !== NOT_CLICKABLE, focused: reading.focused });
    line.states += descriptionState(element, role, line.name);
  }
  if (role === 'link') line.target = linkTargetText(element, tag, reading.page);
  else if (RANGE_ROLES.has(role)) line.value = valueOf(element, tag, role);
  // What is only paint has but what it is marked by: it is told if it is.
  if (SHAPE_TAGS.has(tag)) line.states += line.id ? hintOfPart(element, line.name !== '') + fillOf(element) : identityOf(element);
  return line;
}

const mayBeNamed = (element, tag, role, isMarked) =>
  isMarked || firstElementChild_.call(element) !== null || isWritten(tag) || tag === 'use' || NAMED_BY_CONTENT.has(role) || hasAttr(element, 'xlink:title');

function clickableOf(element, role, isMarked) {
  if (INTERACTIVE.has(role)) return CLICKABLE;
  const asks = isMarked ? asksForClicks(element) : NOT_CLICKABLE;
  if (asks === CLICKABLE || hasCursor(element, isMarked)) return CLICKABLE;
  return listening.has(element) ? PERHAPS : asks;
}

/** Whether it has a cursor of its own that asks for clicks: a port in a node has another one than the node. */
function hasCursor(element, isMarked) {
  const cursor = hasAttr(element, 'cursor') ? computedStyleOf(element).cursor : ownCursor(element, isMarked, reading.selections);
  return cursor !== undefined && POINTING.has(cursor) && computedStyleOf(parentNode_.call(element)).cursor !== cursor;
}

/** A <g>, <a> or nested <svg>: a line when it is a thing of its own, else what is in it belongs to what is around. */
function visitGroup(element, tag, role, parent, flags, depth) {
  const line = partLine(element, tag, role, flags);
  const isSure = line.id !== 0 && !line.unsure;
  visitParts(element, line, isSure ? flags & ~ARIA_HIDDEN : flags, depth);
  line.kids = withTexts(line);
  const body = bodyOf(line);
  const others = line.kids.filter((kid) => kid !== body && kid.id !== 0);
  const mark = identityOf(element);
  const hasText = line.kids.some(isText);
  const isThing =
    isSure ||
    line.name !== '' ||
    (hasText && (mark || line.unsure || body)) ||
    (!others.length && (line.unsure || (body && (mark || hasAttr(element, 'class')))));
  if (!isThing) {
    for (const kid of line.kids) parent.kids.push(kid);
    return;
  }
  if (line.id === 0) line.id = body ? body.id : idOf(element); // a text over the body may keep clicks from it
  const isNamed = line.name !== '' || hasText;
  line.states += hintOfPart(element, isNamed) || (body ? hintOfPart(body.element, isNamed) : '');
  const paint = line.kids.filter(isPaint);
  const said = nameByText(line).filter((kid) => kid !== body && (!paint.includes(kid) || isMarkedPart(kid)));
  const shown = said.map((kid) => (paint.includes(kid) ? toldPaint(kid) : kid));
  line.kids = bounded(shown, paint.length > MOST_PAINT ? paint : []);
  parent.kids.push(line);
}

/** What is in it, the texts of foreign objects as lines too. @param {Line} line */
const withTexts = (line) => tidy(line.kids).map((kid) => (typeof kid === 'string' ? { ...newLine(line.element, 'text', 'text'), name: kid } : kid));

/** @param {any} kid */
const isText = (kid) => kid.role === 'text' && kid.id === 0;
const isPaint = (kid) => kid.id === 0 && kid.name === '' && kid.kids.length === 0 && SHAPE_TAGS.has(kid.role);

/** Whether the author marked it as a port, say; many libraries give each shape an id. */
const isMarkedPart = (kid) => kid.states !== '' && !kid.states.startsWith(' [id=');

/** The part of a group that takes the clicks and is called nothing: it is what the group looks like. @param {Line} line @returns {Line | undefined} */
function bodyOf({ element, kids }) {
  const isOwn = (kid) => kid.id !== 0 && parentNode_.call(kid.element) === element && (SHAPE_TAGS.has(kid.role) || (kid.role === 'g' && kid.states === ''));
  const own = /** @type {Line[]} */ (kids.filter(isOwn));
  const [first] = own;
  if (!first || first.name !== '' || first.kids.length) return undefined;
  const text = /** @type {Line | undefined} */ (kids.find(isText));
  return own.length === 1 || (text && isBehind(element, first.element, text.element)) ? first : undefined;
}

/** Whether a text is written on a shape. @param {Element} group  that holds both */
function isBehind(group, shape, text) {
  reading.notes?.always.add(group);
  const { x, y } = middleOf(getBoundingClientRect_.call(text));
  const box = getBoundingClientRect_.call(shape);
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
}

const middleOf = ({ left, top, right, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** Texts become its name, or are what it says beside its name. @param {Line} line @returns {(string | Line)[]} its kids */
function nameByText(line) {
  const text = /** @type {Line[]} */ (line.kids.filter(isText)).map((kid) => kid.name).join(' ');
  if (line.name === '' && text.length <= LONGEST_CLICKABLE_NAME) {
    line.name = text;
    return line.kids.filter((kid) => !isText(kid));
  }
  const kids = /** @type {Line[]} */ (line.kids);
  return kids.filter((kid) => !isText(kid) || !line.name.includes(kid.name)).map((kid) => (isText(kid) ? kid.name : kid));
}

/** @param {Line} line @param {Line} parent @param {{flags: number, isSmall: boolean, isUsed: boolean, isCanvas: boolean}} how */
function finishDrawing(line, parent, { flags, isSmall, isUsed, isCanvas }) {
  const all = withTexts(line);
  const paint = all.filter(isPaint);
  const things = all.filter((kid) => !isPaint(kid) && !isText(kid));
  if (flags & UNNAMED_ICON) {
    parent.kids.push(...things);
    return;
  }
  const texts = all.filter(isText);
  const isIllustration = !things.length && !isCanvas;
  if (isIllustration && texts.length && !line.name && (isSmall || flags & POINTER)) {
    for (const { name } of texts) parent.kids.push(BREAK, name, BREAK);
    return;
  }
  const isSimple = !isSmall && !(flags & POINTER) && !line.name && paint.length + texts.length <= FEW_SHAPES && paint.every((kid) => !FREE_FORMS.has(kid.tag));
  const isTold = (kid) => isSimple || (!isIllustration && (kid.states !== '' || (isCanvas && paint.length <= FEW_ON_CANVAS && !FREE_FORMS.has(kid.tag))));
  const withRefs = isSimple || (isCanvas && !things.length && texts.length <= FEW_ON_CANVAS);
  const shown = (kid) => (isText(kid) ? (withRefs ? { ...kid, id: idOf(kid.element) } : kid.name) : isPaint(kid) ? toldPaint(kid) : kid);
  const told = all.filter((kid) => !isPaint(kid) || isTold(kid)).map(shown);
  const kids = isCanvas ? withJoints(told) : told;
  if (!kids.length && !line.name && !isUsed && !isCanvas && (paint.length || isSmall || flags & POINTER)) return;
  line.id = idOf(line.element);
  line.kids = bounded(joinShort(kids, false), kids.length || isCanvas ? paint.filter((kid) => !isTold(kid)) : []);
  parent.kids.push(line);
}

const toldPaint = (kid) => ({ ...kid, id: idOf(kid.element), states: (kid.states || hintOfPart(kid.element, false)) + fillOf(kid.element) });

/** At most so many of them, and a line that counts the rest. @param {(string | Line)[]} kids @param {Line[]} paint  to be counted too */
function bounded(kids, paint = []) {
  const rest = kids.slice(MOST_SHAPES);
  const counts = [...counted(rest, ' more'), ...counted(paint, '')];
  if (!counts.length) return kids;
  const { element, tag } = [...rest, ...paint].find((kid) => typeof kid !== 'string');
  return [...kids.slice(0, MOST_SHAPES), { ...newLine(element, tag, 'shapes'), value: counts.join(' | ') }];
}

/** `12 rect`, `3 path`: how many there are of each kind. */
function counted(kids, more) {
  const counts = new Map();
  for (const kid of kids) {
    const kind = typeof kid === 'string' ? 'text' : kid.role;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count}${more} ${kind}`);
}

const IDENTIFYING = /^(id|data-.+|.+-id|port|node|edge)$/;
const OF_FRAMEWORKS = /^data-(v-|reactid|ng|sveltekit|emotion|styled)/;

/** ` [id=north]`: what an author or a library marks one part among many by; "" for none. */
function identityOf(element) {
  const names = attributeNames_.call(element);
  for (const name of hasAttr(element, 'port') ? ['port', ...names] : names) {
    if (!IDENTIFYING.test(name) || OF_FRAMEWORKS.test(name)) continue;
    const value = collapse(attr(element, name));
    if (value) return ` [${name}=${quotedForState(cut(value, LONGEST_HINT))}]`;
  }
  return '';
}

/** What a part is marked by, else what its author calls its kind where it has no name. */
function hintOfPart(element, isNamed) {
  const mark = identityOf(element);
  return mark || isNamed ? mark : hintState('class', readableClasses(element) || attr(element, 'class'));
}

function fillOf(shape) {
  const fill = attr(shape, 'fill');
  return fill && fill !== 'none' && /^#?\w+$/.test(fill) ? ` [fill=${fill}]` : '';
}
