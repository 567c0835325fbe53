// How html.js writes form fields: kind and value, and the name where no visible label shows it.

/** The name of a field, "" if a visible label shows it. */
function nameNotShownByLabel(element) {
  for (const label of labelsOf(element)) if (visibilityOf(label) === VISIBLE && hasText(textContent(label))) return '';
  return nameOf(element);
}

function writeFieldTag(kind, element, value, placeholder = '') {
  const name = nameNotShownByLabel(element);
  const shown = value || placeholder === name ? '' : placeholder;
  serialization.out.push(`<f t="${kind}"${xmlAttr('n', name)}${xmlAttr('v', value)}${xmlAttr('p', shown)}/>`);
  serialization.words++;
}

const FIELD_KINDS = { __proto__: null, file: 'file', range: 'slider', password: 'password' };

/** @type {HtmlWriter} */
function writeField(element, tag, flags, depth) {
  const type = tag === 'INPUT' ? inputType(element) : 'text';
  if (type === 'hidden') return;
  if (tag === 'TEXTAREA' && !isSecret(element) && areaValue(element).includes('\n')) {
    writeFieldTag('input', element, '');
    writePreformatted(cleanPreformatted(areaValue(element)));
    return;
  }
  if (type === 'checkbox' || type === 'radio') writeCheckable(element, tag, flags, depth);
  else if (type === 'submit' || type === 'reset' || type === 'button' || type === 'image')
    writeInputButton(element, tag, flags, depth);
  else
    writeFieldTag(FIELD_KINDS[type] ?? 'input', element, valueOf(element, tag, ''), collapse(placeholderOf(element)));
}

/** @type {HtmlWriter} */
function writeInputButton(element, tag, flags, depth) {
  if (serialization.asData) writeTag('g', ' t="button"', element, tag, flags, depth);
  writeText(` ${xmlLine(nameOf(element))} `);
}

/** @type {HtmlWriter} a checkbox, radio button or switch, by its tag or its role */
function writeCheckable(element, tag, flags, depth) {
  const state = String(checkedOf(element, tag, internalsOf.get(element)?.states ?? null) ?? 'false');
  const kind = tag === 'INPUT' ? inputType(element) : /radio/i.test(attr(element, 'role') ?? '') ? 'radio' : 'checkbox';
  const mark = userDataFields.has(element) ? '-' : state === 'true' ? '1' : state === 'mixed' ? '-' : '0';
  const name = tag === 'INPUT' || !hasText(textContent(element)) ? nameNotShownByLabel(element) : '';
  serialization.out.push(`<x t="${kind}" s="${mark}"${xmlAttr('n', name)}/>`);
  serialization.words++;
  if (tag !== 'INPUT' && !name) writeContents(element, tag, flags, depth);
}

/** @type {HtmlWriter} a drop-down list with its selected option, a listbox with all options */
function writeSelect(element, tag) {
  if (!isListSelect(element)) {
    writeFieldTag('select', element, valueOf(element, tag, ''));
    return;
  }
  writeFieldTag('select', element, '');
  if (isSecret(element)) return;
  for (const option of selectOptions(element)) {
    if (visibilityOf(option) !== VISIBLE) continue;
    serialization.out.push(`<opt s="${isSelectedOption(option) ? 1 : 0}">${xmlLine(optionLabel(option))}</opt>`);
  }
}

/** @type {HtmlWriter} sliders, meters and progress bars */
function writeRange(element, tag, flags, depth) {
  if (tag === 'INPUT') {
    writeField(element, tag, flags, depth);
    return;
  }
  const role = roleOf(element, tag);
  const kind = role === 'progressbar' ? 'progress' : role || 'meter';
  writeFieldTag(kind, element, valueOf(element, tag, role));
  if (tag !== 'PROGRESS' && tag !== 'METER') writeContents(element, tag, flags, depth);
}
