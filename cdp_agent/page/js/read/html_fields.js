// Fields as html.js writes them: what they are, what they are called where no text beside them says it, and what they hold.

/** Their name, unless a label that is seen says it already. */
function unseenName(element) {
  for (const label of labelsOf(element)) if (visibilityOf(label) === VISIBLE && hasText(textContent(label))) return '';
  return nameOf(element);
}

function writeValue(kind, element, value, placeholder = '') {
  const name = unseenName(element);
  const shown = value || placeholder === name ? '' : placeholder;
  writing.out.push(`<f t="${kind}"${xmlAttr('n', name)}${xmlAttr('v', value)}${xmlAttr('p', shown)}/>`);
  writing.words++;
}

const FIELD_KINDS = { __proto__: null, file: 'file', range: 'slider', password: 'password' };

/** @type {HtmlWriter} */
function writeField(element, tag, flags, depth) {
  const type = tag === 'INPUT' ? inputType(element) : 'text';
  if (type === 'hidden') return;
  if (tag === 'TEXTAREA' && !isSecret(element) && areaValue(element).includes('\n')) {
    writeValue('input', element, '');
    writeLines(cleanPreformatted(areaValue(element)));
    return;
  }
  if (type === 'checkbox' || type === 'radio') writeBox(element, tag, flags, depth);
  else if (type === 'submit' || type === 'reset' || type === 'button' || type === 'image') writeText(` ${xmlLine(nameOf(element))} `);
  else writeValue(FIELD_KINDS[type] ?? 'input', element, valueOf(element, tag, ''), collapse(placeholderOf(element)));
}

/** @type {HtmlWriter} a check box, a radio button, a switch: native or by its role */
function writeBox(element, tag, flags, depth) {
  const state = String(checkedOf(element, tag, internalsOf.get(element)?.states ?? null) ?? 'false');
  const kind = tag === 'INPUT' ? inputType(element) : /radio/i.test(attr(element, 'role') ?? '') ? 'radio' : 'checkbox';
  const mark = withheld.has(element) ? '-' : state === 'true' ? '1' : state === 'mixed' ? '-' : '0';
  const name = tag === 'INPUT' || !hasText(textContent(element)) ? unseenName(element) : '';
  writing.out.push(`<x t="${kind}" s="${mark}"${xmlAttr('n', name)}/>`);
  writing.words++;
  if (tag !== 'INPUT' && !name) writeContents(element, tag, flags, depth);
}

/** @type {HtmlWriter} a menu shows what is selected, a list all there is */
function writeSelect(element, tag) {
  if (!isListSelect(element)) {
    writeValue('select', element, valueOf(element, tag, ''));
    return;
  }
  writeValue('select', element, '');
  if (isSecret(element)) return;
  for (const option of selectOptions(element)) {
    if (visibilityOf(option) !== VISIBLE) continue;
    writing.out.push(`<opt s="${isSelectedOption(option) ? 1 : 0}">${xmlLine(optionLabel(option))}</opt>`);
  }
}

/** @type {HtmlWriter} sliders, meters and progress bars that are not inputs */
function writeGauge(element, tag, flags, depth) {
  if (tag === 'INPUT') {
    writeField(element, tag, flags, depth);
    return;
  }
  const role = roleOf(element, tag);
  const kind = role === 'progressbar' ? 'progress' : role || 'meter';
  writeValue(kind, element, valueOf(element, tag, role));
  if (tag !== 'PROGRESS' && tag !== 'METER') writeContents(element, tag, flags, depth);
}
