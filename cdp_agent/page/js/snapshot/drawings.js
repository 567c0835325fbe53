// How SVG drawings are rendered. The parts are visited like any element; each becomes a line, text, or a plain shape.
// Plain shapes are rendered one by one in small drawings of simple shapes, and where their author gave them an id or
// the like; otherwise they are counted.

const SVG = 'http://www.w3.org/2000/svg';
const SMALLEST_DRAWING = 48; // px: anything smaller is an icon
// px: from this size on, a drawing with clickable elements around it is an editor's canvas
const [CANVAS_WIDTH, CANVAS_HEIGHT] = [200, 150];
const FEW_SHAPES = 30; // of a drawing without a name
const FEW_ON_CANVAS = 60;
const MOST_GROUP_SHAPES = 12; // shapes that draw a single part: a count of more is worth a line
const MOST_SHAPES = 200; // lines of one drawing or group: the rest is counted

const SHAPE_TAGS = new Set('rect circle ellipse polygon polyline line path use image'.split(' '));
const FREE_FORMS = new Set(['path', 'use']); // what logos and icons are made of
const INTERACTIVE_PARTS = 'a,[role],[tabindex],[onclick],[onmousedown],[onpointerdown]';

for (const tag of [...SHAPE_TAGS, 'g', 'a', 'switch', 'text', 'tspan', 'textPath', 'foreignObject'])
  SPECIAL_TAGS[tag] = visitPart;
SPECIAL_TAGS.svg = visitDrawing;

const isPart = (element) => {
  const parent = parentNode_.call(element);
  return (
    parent !== null &&
    nodeType_.call(parent) === 1 &&
    namespaceURI_.call(parent) === SVG &&
    tagName_.call(parent) !== 'foreignObject'
  );
};

/** Visits an <svg>: an icon gets a line when it has a name or can be clicked, a drawing also when it has content. */
function visitDrawing(element, tag, role, parent, flags, depth) {
  if (isPart(element)) {
    remember(VOLATILE, element);
    visitGroup(element, tag, explicitRole(element, tag, attr(element, 'role')) ?? '', parent, flags, depth);
    return;
  }
  const box = getBoundingClientRect_.call(element);
  const isSmall = isSmallBox(box);
  if ((isSmall || flags & UNNAMED_ICON) && !holdsMoreThanShapes(element, flags)) {
    // Only the size of an icon can change without a mutation record: its attributes, text and cursor are tracked like
    // any other's.
    remember(SMALL_DRAWING, element, isSmall);
    if (!(flags & UNNAMED_ICON) || hasOwnAction(element)) visitIcon(element, tag, role, parent, flags);
    return;
  }
  remember(VOLATILE, element); // since the boxes of its parts matter
  const line = drawingLine(element, tag, role, flags);
  if (!isSmall) idOf(element); // so that ids follow document order
  const isClickable = isClickableImage(element, flags);
  visitParts(element, line, flags & ~(IN_CLICKABLE | ITEMS_CLICKABLE), depth);
  finishDrawing(line, parent, { flags, isSmall, isUsed: isClickable, isCanvas: isCanvas(element, box, isClickable) });
}

const isSmallBox = ({ width, height }) => width < SMALLEST_DRAWING || height < SMALLEST_DRAWING;
const isSmallDrawing = (element) => isSmallBox(getBoundingClientRect_.call(element));
const SMALL_DRAWING = { ask: isSmallDrawing };

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
    addGap(parent, flags);
    return;
  }
  line.id = idOf(element);
  parent.kids.push(line);
}

/**
 * Whether an icon, or a drawing in a control, contains something clickable, or text that is not in the control's name.
 */
function holdsMoreThanShapes(element, flags) {
  if (
    selectAll(element, flags & (NO_TEXT | TEXT_IGNORED) ? INTERACTIVE_PARTS : `${INTERACTIVE_PARTS},text,foreignObject`)
      .length
  )
    return true;
  if (!svgPartsListen) return false;
  const parts = selectAll(element, '*');
  for (let i = 0; i < parts.length; i++) if (listening.has(parts[i])) return true;
  return false;
}

/**
 * Whether it is a canvas to draw on: it or an element close around it listens for the mouse, and it is not in a
 * control.
 */
function isCanvas(element, box, isClickable) {
  if (box.width < CANVAS_WIDTH || box.height < CANVAS_HEIGHT) return false;
  let isListened = isClickable || computedStyleOf(element).touchAction === 'none';
  for (let at = flatParent(element), up = 0; at && up < 4; at = flatParent(at), up++) {
    if (ATOMIC_ROLES.has(roleOf(at))) return false;
    isListened ||= listening.has(at) || (matches(at, NOTABLE_SELECTOR) && clickableByAttributes(at) !== NOT_CLICKABLE);
  }
  hasDraggable ||= isListened;
  return isListened;
}

function visitParts(element, line, flags, depth) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child))
    visitElement(child, line, flags, depth + 1);
  if (reading.owners.size && reading.notable.has(element)) {
    for (const owned of ownedBy(element, reading.owners)) visitElement(owned, line, flags, depth + 1, true);
  }
}

function visitPart(element, tag, role, parent, flags, depth) {
  if (namespaceURI_.call(element) !== SVG) visitTransparent(element, tag, parent, flags, depth);
  else if (tag === 'foreignObject') visitContents(element, tag, parent, flags, depth);
  else if (isTextTag(tag)) visitText(element, tag, role, parent, flags, depth);
  else if (SHAPE_TAGS.has(tag)) parent.kids.push(partLine(element, tag, role, flags));
  else visitGroup(element, tag, role, parent, flags, depth);
}

const isTextTag = (tag) => tag === 'text' || tag === 'tspan' || tag === 'textPath';

/**
 * Text is a line without a ref until the group it belongs to is known; text with links in it is split into its parts.
 */
function visitText(element, tag, role, parent, flags, depth) {
  const line = partLine(element, tag, role, flags);
  if (line.id === 0 && selectAll(element, INTERACTIVE_PARTS).length) {
    visitNodes(firstChild(element), line, flags, depth);
    parent.kids.push(...withTexts(line));
    return;
  }
  if (line.id === 0) {
    if (flags & (NO_TEXT | TEXT_IGNORED) || !hasText(line.name)) return;
    if (line.role === tag) line.role = 'text';
  }
  parent.kids.push(line);
}

/** The line of a part with its own name and states; with a ref if it can be clicked, or is a shape with a name. */
function partLine(element, tag, role, flags) {
  const isNotable = reading.notable.has(element);
  const line = newLine(element, tag, role === '' || role === 'none' || role === 'graphics-symbol' ? tag : role);
  const clickable = clickableOf(element, role, isNotable);
  line.maybeClickable = clickable === MAYBE_CLICKABLE;
  if (mayBeNamed(element, tag, role, isNotable) && (clickable || !(flags & ARIA_HIDDEN)))
    line.name = shownName(element, role);
  if (line.name === '' && tag === 'image') line.role = tag;
  if (clickable || (line.name && SHAPE_TAGS.has(tag))) line.id = idOf(element);
  if (isNotable || clickable || reading.focused === element) {
    line.states = statesOf(element, tag, role, {
      ariaDisabled: Boolean(flags & ARIA_DISABLED) && clickable !== NOT_CLICKABLE,
      focused: reading.focused,
    });
    line.states += descriptionState(element, role, line.name);
  }
  if (role === 'link') line.target = linkTargetText(element, tag, reading.page);
  else if (RANGE_ROLES.has(role)) line.value = valueOf(element, tag, role);
  // A plain shape has only its identifying attribute: with one it is rendered.
  if (SHAPE_TAGS.has(tag))
    line.states += line.id ? hintOfPart(element, line.name !== '') + fillOf(element) : identityOf(element);
  return line;
}

const mayBeNamed = (element, tag, role, isNotable) =>
  isNotable ||
  firstElementChild_.call(element) !== null ||
  isTextTag(tag) ||
  tag === 'use' ||
  NAMED_BY_CONTENT.has(role) ||
  hasAttr(element, 'xlink:title');

function clickableOf(element, role, isNotable) {
  if (INTERACTIVE.has(role)) return CLICKABLE;
  const asks = isNotable ? clickableByAttributes(element) : NOT_CLICKABLE;
  if (asks === CLICKABLE || hasCursor(element, isNotable)) return CLICKABLE;
  return listening.has(element) ? MAYBE_CLICKABLE : asks;
}

/** Whether it has a clickable cursor other than its parent's: a port on a node has another cursor than the node. */
function hasCursor(element, isNotable) {
  const cursor = hasAttr(element, 'cursor')
    ? computedStyleOf(element).cursor
    : ownCursor(element, isNotable, reading.selections);
  return (
    cursor !== undefined && CLICK_CURSORS.has(cursor) && computedStyleOf(parentNode_.call(element)).cursor !== cursor
  );
}

/**
 * Visits a <g>, <a> or nested <svg>: it gets a line if it is an object of its own, else its contents go to the line
 * around.
 */
function visitGroup(element, tag, role, parent, flags, depth) {
  const line = partLine(element, tag, role, flags);
  const isSure = line.id !== 0 && !line.maybeClickable;
  visitParts(element, line, isSure ? flags & ~ARIA_HIDDEN : flags, depth);
  line.kids = withTexts(line);
  const body = bodyOf(line);
  const others = line.kids.filter((kid) => kid !== body && kid.id !== 0);
  const mark = identityOf(element);
  const containsText = line.kids.some(isText);
  const hasOwnLine =
    isSure ||
    line.name !== '' ||
    (containsText && (mark || line.maybeClickable || body)) ||
    (!others.length && (line.maybeClickable || (body && (mark || hasAttr(element, 'class')))));
  if (!hasOwnLine) {
    for (const kid of line.kids) parent.kids.push(kid);
    return;
  }
  // not the text's own id: a text over the shape may keep clicks from it
  if (line.id === 0) line.id = body ? body.id : idOf(element);
  const isNamed = line.name !== '' || containsText;
  line.states += hintOfPart(element, isNamed) || (body ? hintOfPart(body.element, isNamed) : '');
  const plainShapes = line.kids.filter(isPlainShape);
  const remaining = nameByText(line).filter((kid) => kid !== body && (!plainShapes.includes(kid) || isMarkedPart(kid)));
  const shown = remaining.map((kid) => (plainShapes.includes(kid) ? shapeLine(kid) : kid));
  line.kids = limitShapes(shown, plainShapes.length > MOST_GROUP_SHAPES ? plainShapes : []);
  parent.kids.push(line);
}

/** The children of a line, with the texts of foreign objects as lines too. @param {Line} line */
const withTexts = (line) =>
  tidy(line.kids).map((kid) =>
    typeof kid === 'string' ? { ...newLine(line.element, 'text', 'text'), name: inOneRow(kid) } : kid,
  );

/** @param {any} kid */
const isText = (kid) => kid.role === 'text' && kid.id === 0;
const isPlainShape = (kid) => kid.id === 0 && kid.name === '' && kid.kids.length === 0 && SHAPE_TAGS.has(kid.role);

/**
 * Whether its author marked it, for example as a port. An id alone does not count, since many libraries give each shape
 * one.
 */
const isMarkedPart = (kid) => kid.states !== '' && !kid.states.startsWith(' [id=');

/**
 * The body of a group: its nameless part that takes the clicks, which draws the group.
 * @param {Line} line
 * @returns {Line | undefined}
 */
function bodyOf({ element, kids }) {
  const isOwn = (kid) =>
    kid.id !== 0 &&
    parentNode_.call(kid.element) === element &&
    (SHAPE_TAGS.has(kid.role) || (kid.role === 'g' && kid.states === ''));
  const own = /** @type {Line[]} */ (kids.filter(isOwn));
  const [first] = own;
  if (!first || first.name !== '' || first.kids.length) return undefined;
  const text = /** @type {Line | undefined} */ (kids.find(isText));
  return own.length === 1 || (text && isBehind(element, first.element, text.element)) ? first : undefined;
}

/** Whether a text is painted over a shape. @param {Element} group  contains both */
function isBehind(group, shape, text) {
  remember(VOLATILE, group);
  const { x, y } = middleOf(getBoundingClientRect_.call(text));
  const box = getBoundingClientRect_.call(shape);
  return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
}

const middleOf = ({ left, top, right, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/**
 * Makes the texts of a line its name, or leaves the texts beside its name.
 * @param {Line} line
 * @returns {(string | Line)[]} its remaining kids
 */
function nameByText(line) {
  const text = /** @type {Line[]} */ (line.kids.filter(isText)).map((kid) => kid.name).join(' ');
  if (line.name === '' && text.length <= LONGEST_CLICKABLE_NAME) {
    line.name = text;
    return line.kids.filter((kid) => !isText(kid));
  }
  const kids = /** @type {Line[]} */ (line.kids);
  return kids
    .filter((kid) => !isText(kid) || !line.name.includes(kid.name))
    .map((kid) => (isText(kid) ? kid.name : kid));
}

/**
 * Adds the line of a drawing to its parent.
 * @param {Line} line
 * @param {Line} parent
 * @param {{flags: number, isSmall: boolean, isUsed: boolean, isCanvas: boolean}} how  isUsed: it can be clicked
 */
function finishDrawing(line, parent, { flags, isSmall, isUsed, isCanvas }) {
  const all = withTexts(line);
  const plainShapes = all.filter(isPlainShape);
  const things = all.filter((kid) => !isPlainShape(kid) && !isText(kid));
  if (flags & UNNAMED_ICON) {
    parent.kids.push(...things);
    return;
  }
  const texts = all.filter(isText);
  const isIllustration = !things.length && !isCanvas;
  if (isIllustration && texts.length && !line.name && (isSmall || flags & IN_CLICKABLE)) {
    for (const { name } of texts) parent.kids.push(BREAK, name, BREAK);
    return;
  }
  const isSimple =
    !isSmall &&
    !(flags & IN_CLICKABLE) &&
    !line.name &&
    plainShapes.length + texts.length <= FEW_SHAPES &&
    plainShapes.every((kid) => !FREE_FORMS.has(kid.tag));
  const isShapeShown = (kid) =>
    isSimple ||
    (!isIllustration &&
      (kid.states !== '' || (isCanvas && plainShapes.length <= FEW_ON_CANVAS && !FREE_FORMS.has(kid.tag))));
  const withRefs = isSimple || (isCanvas && !things.length && texts.length <= FEW_ON_CANVAS);
  const shown = (kid) =>
    isText(kid) ? (withRefs ? { ...kid, id: idOf(kid.element) } : kid.name) : isPlainShape(kid) ? shapeLine(kid) : kid;
  const rendered = all.filter((kid) => !isPlainShape(kid) || isShapeShown(kid)).map(shown);
  const kids = isCanvas ? withConnections(rendered) : rendered;
  if (!kids.length && !line.name && !isUsed && !isCanvas && (plainShapes.length || isSmall || flags & IN_CLICKABLE))
    return;
  line.id = idOf(line.element);
  line.kids = limitShapes(
    joinShort(kids, false),
    kids.length || isCanvas ? plainShapes.filter((kid) => !isShapeShown(kid)) : [],
  );
  parent.kids.push(line);
}

const shapeLine = (kid) => ({
  ...kid,
  id: idOf(kid.element),
  states: (kid.states || hintOfPart(kid.element, false)) + fillOf(kid.element),
});

/**
 * At most `MOST_SHAPES` kids, and a line that counts the rest.
 * @param {(string | Line)[]} kids
 * @param {Line[]} plainShapes  shapes to be counted too
 */
function limitShapes(kids, plainShapes = []) {
  const rest = kids.slice(MOST_SHAPES);
  const counts = [...countByKind(rest, ' more'), ...countByKind(plainShapes, '')];
  if (!counts.length) return kids;
  const { element, tag } = [...rest, ...plainShapes].find((kid) => typeof kid !== 'string');
  return [...kids.slice(0, MOST_SHAPES), { ...newLine(element, tag, 'shapes'), value: counts.join(' | ') }];
}

/** `12 rect`, `3 path`: the number of each kind. */
function countByKind(kids, more) {
  const counts = new Map();
  for (const kid of kids) {
    const kind = typeof kid === 'string' ? 'text' : kid.role;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count}${more} ${kind}`);
}

const IDENTIFYING = /^(id|data-.+|.+-id|port|node|edge)$/;
const OF_FRAMEWORKS = /^data-(v-|reactid|ng|sveltekit|emotion|styled)/;

/** ` [id=north]`: the attribute by which an author or library identifies one part among many; "" for none. */
function identityOf(element) {
  const names = attributeNames_.call(element);
  for (const name of hasAttr(element, 'port') ? ['port', ...names] : names) {
    if (!IDENTIFYING.test(name) || OF_FRAMEWORKS.test(name)) continue;
    const value = collapse(attr(element, name));
    if (value) return ` [${name}=${quote(cut(value, LONGEST_HINT))}]`;
  }
  return '';
}

/** The identifying attribute of a part; without one, the classes of a part without a name. */
function hintOfPart(element, isNamed) {
  const mark = identityOf(element);
  return mark || isNamed ? mark : hintState('class', readableClasses(element) || attr(element, 'class'));
}

function fillOf(shape) {
  const fill = attr(shape, 'fill');
  return fill && fill !== 'none' && /^#?\w+$/.test(fill) ? ` [fill=${fill}]` : '';
}
