// The name and the description of a line.

// The content of these roles is shown as lines below theirs, or is too long for a name.
const SHOWN_BY_CHILD_LINES = roleSet('row cell columnheader rowheader paragraph listitem definition term gridcell');

/** Sets the name of a line. To save time, it is computed only where the element may have one. */
function setLineName(line, flags, isNotable) {
  const { element, tag, role } = line;
  const mayBeNamed = isNotable || NATIVE_NAMES[tag] !== undefined || tag.includes('-');
  if (NAMED_BY_CONTENT.has(role) && !SHOWN_BY_CHILD_LINES.has(role)) {
    line.name = isNotable || !holdsOnlyText(element) ? shownName(element, role) : plainName(element, tag, role);
    line.namedByContent =
      line.name !== '' && !(isNotable && hasAriaName(element)) && !(tag === 'BUTTON' && labelsOf(element).length);
  } else if (mayBeNamed && (role !== '' || hasAriaName(element))) {
    line.name = NAMED_BY_CONTENT.has(role)
      ? hasAriaName(element)
        ? shownName(element, role)
        : ''
      : shownName(element, role);
  } else if (tag === 'SUMMARY') {
    line.name = shownName(element, role);
    line.namedByContent = line.name !== '';
  }
  if (line.namedByContent && line.name.length > LONGEST_NAME) {
    // The part that is cut off is shown by the lines below.
    line.name = cut(line.name, BEGINNING_OF_NAME);
    line.namedByContent = false;
  }
  if (flags & STRUCK && line.namedByContent) line.name = `~~${line.name}~~`;
  if (line.id && isNotable) line.states += descriptionState(element, role, line.name);
  else if (isNotable && hasAttr(element, 'title')) line.states += tooltipState(element, line.name);
}

const BEGINNING_OF_NAME = 120;

/** ` [description="…"]` for the tooltip of an element without a ref, unless its text contains the tooltip. */
function tooltipState(element, name = '') {
  const title = cut(collapse(attr(element, 'title') ?? ''), 200);
  if (!title || title === name || collapse(textContent(element)).includes(title) || wasDescriptionShown(title, true))
    return '';
  return ` [description=${quote(title)}]`;
}

/** The name of an element that contains only text and has no attributes that change its name. */
function plainName(element, tag, role) {
  if ((tag !== 'A' && tag.charCodeAt(0) !== 72) /* H1…H6 */ || replacementOf(element, tag, reading.selections))
    return shownName(element, role);
  const text =
    generatedText(element, 'before', reading.selections.before) +
    textContent(element) +
    generatedText(element, 'after', reading.selections.after);
  return flatten(
    withTextTransform(
      HAS_DECORATION_MARKS.test(text) ? resolveDecorationMarks(text) : text,
      element,
      reading.selections,
    ),
  );
}

const CONTAINER_ROLES = roleSet('dialog alertdialog group radiogroup region form tabpanel');

/**
 * Whether all elements of aria-describedby are inside the element and visible: the lines below show their text then.
 */
function containsItsDescription(element) {
  const describing = describingElements(element);
  return (
    describing.length > 0 &&
    describing.every((found) => contains_.call(element, found) && visibilityOf(found) === VISIBLE)
  );
}

/** ` [description="…"]` where it adds something to the name; a tooltip that several elements share is shown once. */
function descriptionState(element, role, name) {
  if (!hasAttr(element, 'title') && !hasAttr(element, 'aria-describedby') && !hasAttr(element, 'aria-description'))
    return '';
  const description = cut(descriptionOf(element, name), 200);
  if (!description || name.includes(description)) return '';
  const isReference = hasAttr(element, 'aria-describedby');
  if (isReference && CONTAINER_ROLES.has(role) && containsItsDescription(element)) return '';
  // If a link is named in words, its target tells more than its tooltip.
  if (role === 'link' && !isReference && /\p{L}/u.test(name)) return '';
  if (wasDescriptionShown(description, !isReference)) return '';
  return ` [description=${quote(description)}]`;
}
