// What a line is called, and what else is said of it.

// Their content is their text, or too much of it for a name.
const NOT_NAMED_HERE = roleSet('row cell columnheader rowheader paragraph listitem definition term gridcell');

/** Finds the name of a line, where it may have one at little cost. */
function nameLine(line, flags, isNotable) {
  const { element, tag, role } = line;
  const mayBeNamed = isNotable || NATIVE_NAMES[tag] !== undefined || tag.includes('-');
  if (NAMED_BY_CONTENT.has(role) && !NOT_NAMED_HERE.has(role)) {
    line.name = isNotable || !holdsOnlyText(element) ? shownName(element, role) : plainName(element, tag, role);
    line.namedByContent = line.name !== '' && !(isNotable && hasAriaName(element)) && !(tag === 'BUTTON' && labelsOf(element).length);
  } else if (mayBeNamed && (role !== '' || hasAriaName(element))) {
    line.name = NAMED_BY_CONTENT.has(role) ? (hasAriaName(element) ? shownName(element, role) : '') : shownName(element, role);
  } else if (tag === 'SUMMARY') {
    line.name = shownName(element, role);
    line.namedByContent = line.name !== '';
  }
  if (line.namedByContent && line.name.length > LONGEST_NAME) {
    // What would be cut from the name stands below it.
    line.name = cut(line.name, BEGINNING_OF_NAME);
    line.namedByContent = false;
  }
  if (flags & STRUCK && line.namedByContent) line.name = `~~${line.name}~~`;
  if (line.id && isNotable) line.states += descriptionState(element, role, line.name);
  else if (isNotable && hasAttr(element, 'title')) line.states += tooltipState(element, line.name);
}

const BEGINNING_OF_NAME = 120;

/** ` [description="…"]` for the tooltip of what cannot be acted on, unless its text says the same. */
function tooltipState(element, name = '') {
  const title = cut(collapse(attr(element, 'title') ?? ''), 200);
  if (!title || title === name || collapse(textContent(element)).includes(title) || wasDescriptionShown(title, true)) return '';
  return ` [description=${bracketed(title)}]`;
}

/** The name of something that holds nothing but text, and no attribute that says otherwise. */
function plainName(element, tag, role) {
  if ((tag !== 'A' && tag.charCodeAt(0) !== 72) /* H1…H6 */ || replacementOf(element, tag, reading.selections)) return shownName(element, role);
  const text = generatedText(element, 'before', reading.selections.before) + textContent(element) + generatedText(element, 'after', reading.selections.after);
  return flatten(cased(DECORATED.test(text) ? written(text) : text, element, reading.selections));
}

const HOLDERS = roleSet('dialog alertdialog group radiogroup region form tabpanel');

/** Whether what describes it is in it and seen: the lines below say that. */
function describesItself(element) {
  const describing = describingElements(element);
  return describing.length > 0 && describing.every((found) => contains_.call(element, found) && visibilityOf(found) === VISIBLE);
}

/** ` [description="…"]` where it adds something; a tooltip that many elements share is said once. */
function descriptionState(element, role, name) {
  if (!hasAttr(element, 'title') && !hasAttr(element, 'aria-describedby') && !hasAttr(element, 'aria-description')) return '';
  const description = cut(descriptionOf(element, name), 200);
  if (!description || name.includes(description)) return '';
  const isReference = hasAttr(element, 'aria-describedby');
  if (isReference && HOLDERS.has(role) && describesItself(element)) return '';
  // Where a link leads says more than its tooltip, if it has a name in words.
  if (role === 'link' && !isReference && /\p{L}/u.test(name)) return '';
  if (wasDescriptionShown(description, !isReference)) return '';
  return ` [description=${bracketed(description)}]`;
}

/** In quotes, and without the bracket that would end the state early. */
const bracketed = (text) => quote(text).replaceAll(']', '\\u005d');
