// Elements whose line is not made from their children: fields, frames, media.

/**
 * @type {Record<string, (element: Element, tag: string, role: string, line: Line, flags: number, depth: number) =>
 *   void>}
 */
const SPECIAL_TAGS = {
  __proto__: null,
  INPUT: visitField,
  TEXTAREA: visitField,
  SELECT: visitSelect,
  PROGRESS: visitField,
  METER: visitField,
  IFRAME: visitFrame,
  FRAME: visitFrame,
  IMG: visitImage,
  AREA: visitImage,
  CANVAS: visitMedia,
  VIDEO: visitMedia,
  AUDIO: visitMedia,
  OBJECT: visitMedia,
  EMBED: visitMedia,
  BR: (element, tag, role, line, flags) => flags & NO_TEXT || addText(line, flags & PREFORMATTED ? ROW_BREAK : ' '),
  math: visitMath,
};

function fieldLine(element, tag, role, flags) {
  const line = newLine(element, tag, role);
  if (role !== 'progressbar' && role !== 'meter') line.id = idOf(element);
  line.name = shownName(element, role);
  line.states = statesOf(element, tag, role, {
    ariaDisabled: Boolean(flags & ARIA_DISABLED),
    focused: reading.focused,
  });
  line.states += descriptionState(element, role, line.name) + fieldDetails(element, tag, role, line.name);
  if (reading.focused === element) line.states += selectionState(element, tag);
  if (line.name === '') line.states += hintOf(element);
  return line;
}

function visitField(element, tag, role, parent, flags) {
  if (tag === 'INPUT' && inputType(element) === 'hidden') return;
  const line = fieldLine(element, tag, role, flags);
  line.value =
    tag === 'TEXTAREA' && !isSecret(element) ? cleanPreformatted(areaValue(element)) : valueOf(element, tag, role);
  if (reading.owners.size) {
    for (const owned of ownedBy(element, reading.owners)) visitElement(owned, line, flags, 0, true);
    line.kids = tidy(line.kids);
  }
  parent.kids.push(line);
}

// A short list is rendered option by option, a long one in a single line.
const MOST_OPTION_LINES = 30;
const LONGEST_OPTIONS = 1500; // characters

/** The line of a list without its options. */
function selectLine(element, tag, role, flags) {
  const line = fieldLine(element, tag, role, flags);
  line.value = valueOf(element, tag, role);
  return line;
}

function visitSelect(element, tag, role, parent, flags) {
  const line = selectLine(element, tag, role, flags);
  parent.kids.push(line);
  if (isSecret(element)) return;
  const options = [...selectOptions(element)];
  const isList = isListSelect(element);
  const isOnPage = isList || (isOpenSelect(element) && isBaseSelect(element));
  if (isOnPage || options.length <= MOST_OPTION_LINES) {
    for (const option of options)
      if (isOffered(option)) groupOf(option, line).kids.push(optionLine(option, flags, isOnPage));
    return;
  }
  const names = options.filter(isOffered).map((option) => cut(collapse(optionLabel(option)), 100));
  let text = '';
  let shown = 0;
  while (shown < names.length && text.length < LONGEST_OPTIONS)
    text += (shown ? ' | ' : '') + escapeBars(names[shown++]);
  if (shown < names.length) text += ` | … ${names.length - shown} more`;
  line.kids.push({ ...newLine(element, tag, 'options'), value: text });
}

/** The line of the option's <optgroup>, added at its first option; without an <optgroup>, the line of the list. */
function groupOf(option, list) {
  const parent = parentNode(option);
  if (tagOf(parent) !== 'OPTGROUP') return list;
  const last = list.kids.at(-1);
  if (last?.element === parent) return last;
  const group = newLine(parent, 'OPTGROUP', 'group');
  group.name = flatten(attr(parent, 'label') ?? '');
  list.kids.push(group);
  return group;
}

const isOffered = (option) => !hasAttr(option, 'hidden') && computedStyleOf(option).display !== 'none';

/** An option has a ref if it is displayed on the page; those of a closed list are chosen through the list. */
function optionLine(option, flags, isOnPage) {
  const line = newLine(option, 'OPTION', 'option');
  if (isOnPage) line.id = idOf(option);
  line.name = flatten(optionLabel(option));
  line.states = statesOf(option, 'OPTION', 'option', {
    ariaDisabled: Boolean(flags & ARIA_DISABLED),
    focused: reading.focused,
  });
  return line;
}

/** The document in a frame, if it is accessible from this world. @returns {Document | null} */
function frameDocument(element) {
  const inner = contentDocumentOf(element);
  if (inner) recordRoot(inner);
  return inner;
}

function visitFrame(element, tag, role, parent, flags, depth) {
  const line = newLine(element, tag, 'iframe');
  line.id = idOf(element);
  line.name = nameOf(element, 'iframe');
  if (reading.focused === element) line.states = ' [focused]';
  if (reading.marked === element) line.states += ' [overlay]';
  parent.kids.push(line);
  const inner = frameDocument(element);
  if (!inner) {
    reading.remote.push(line.id);
    line.remote = true;
    return;
  }
  reading.frames.push([line.id, documentURL_.call(inner)]);
  const root = documentElement_.call(inner);
  if (!root) {
    reading.omitted.push([`iframe ${quote(line.name)}`, 'its document is empty']);
    return;
  }
  const pdf = pdfIn(inner);
  if (pdf) reading.omitted.push([`the text of the PDF in iframe ${quote(line.name)}`, `goto ${pdf} to read it`]);
  inRoot(inner, () => {
    const content = newLine(root, 'HTML', '');
    visitElement(root, content, flags & ARIA_DISABLED, depth + 1);
    line.kids = withFrontFirst(tidy(content.kids), inner);
  });
}

function visitImage(element, tag, role, parent, flags) {
  if (role === 'none') {
    if (!isClickableImage(element, flags)) {
      addGap(parent, flags);
      return;
    }
    role = 'img';
  }
  const line = newLine(element, tag, role || 'img');
  line.name = nameOf(element, role);
  const isAction = isActionInControl(element, flags);
  if (isAction && line.role === 'img') {
    visitActionInControl(line, parent);
    return;
  }
  if (!isAction && flags & UNNAMED_ICON) return; // its name is part of the control's
  if ((flags & ARIA_HIDDEN || (line.name === '' && tag === 'IMG')) && !isClickableImage(element, flags)) {
    addGap(parent, flags);
    return;
  }
  line.id = idOf(element);
  if (role === 'link') line.target = linkTargetText(element, tag, reading.page);
  line.states =
    statesOf(element, tag, role, { ariaDisabled: false, focused: reading.focused }) +
    descriptionState(element, role, line.name);
  parent.kids.push(line);
}

/** Puts a space in place of a picture that is not rendered, which separates the words beside it. */
function addGap(line, flags) {
  if (!(flags & (NO_TEXT | TEXT_IGNORED))) addText(line, ' ');
}

/** Whether a click on a picture does something else than a click on the control around it. */
const isActionInControl = (element, flags) => Boolean(flags & (IN_CLICKABLE | UNNAMED_ICON)) && hasOwnAction(element);

const hasOwnAction = (element) =>
  (listening.has(element) || (reading.notable.has(element) && clickableByAttributes(element) === CLICKABLE)) &&
  (nextElementSibling_.call(element) !== null ||
    previousElementSibling_.call(element) !== null ||
    hasText(textContent(parentNode(element))));

/** Adds an action in a control, such as the cross that removes a chip. */
function visitActionInControl(line, parent) {
  line.id = idOf(line.element);
  line.role = 'generic';
  if (line.name === '') line.states += hintOf(line.element);
  parent.kids.push(line);
}

function isClickableImage(element, flags) {
  if (flags & (IN_CLICKABLE | UNNAMED_ICON)) return hasOwnAction(element);
  const isNotable = reading.notable.has(element);
  if (isNotable && clickableByAttributes(element)) return true;
  const cursor = ownCursor(element, isNotable, reading.selections);
  return (
    (cursor !== undefined && CLICK_CURSORS.has(cursor)) || listening.has(element) || Boolean(flags & ITEMS_CLICKABLE)
  );
}

const isPaused = reader(HTMLMediaElement, 'paused');

/** Visits a formula: it is text of the sentence around it, unless it is displayed as a block. */
function visitMath(element, tag, role, line, flags) {
  if (flags & (NO_TEXT | TEXT_IGNORED)) return;
  const edge = computedStyleOf(element).display.startsWith('block') ? BREAK : '';
  addText(line, `${edge}${strikeIfStruck(mathText(element), flags)}${edge}`);
}

/**
 * Visits media, canvas and plug-ins, with their tag as the role; fallback content is rendered for a canvas, or where a
 * plug-in has failed.
 */
function visitMedia(element, tag, role, parent, flags, depth) {
  if (isFrame(element, tag)) {
    visitFrame(element, tag, role, parent, flags, depth);
    return;
  }
  if (tag === 'OBJECT' && showsFallback(element)) {
    visitTransparent(element, tag, parent, flags, depth);
    return;
  }
  if (flags & UNNAMED_ICON) return;
  const line = newLine(element, tag, role && role !== 'none' ? role : tag.toLowerCase());
  line.id = idOf(element);
  line.name = flatten(attr(element, 'aria-label') ?? '') || nameOf(element, role);
  if (tag === 'VIDEO' || tag === 'AUDIO') line.states = isPaused(element) ? ' [paused]' : ' [playing]';
  if (reading.focused === element) line.states += ' [focused]';
  line.target = linkTargetText(element, tag, reading.page);
  if (tag === 'CANVAS') visitNodes(firstChild(element), line, flags, depth);
  finishLine(line, parent);
}
