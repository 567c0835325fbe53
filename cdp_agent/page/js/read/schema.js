// The elements to act on as data, for those who plan by a list of them. Roles and names are those of the snapshot's lines.

const LINE_TO_ACT_ON = /^ *- ([^\s:"]+)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]"\x01]*(?:"(?:[^"\\]|\\.)*"[^\]"\x01]*)*\])*) \[ref=\x01(\d+)\]/;
const PLAIN_STATE = /\[([a-z]+)(?:=(true|false|mixed))?\]/g;
const STATES_TOLD = new Set(['checked', 'disabled', 'expanded', 'pressed', 'selected', 'required', 'readonly', 'focused', 'invalid']);
const FIELD_ROLES = roleSet('textbox searchbox combobox listbox spinbutton slider checkbox radio switch');
const NOT_ACTED_ON = new Set(['iframe', 'page']);
const LONGEST_SCHEMA_TEXT = 100;

/**
 * @typedef {{id: number, remote: false, type: string, role: string, label: string, placeholder: string, text: string, state: string,
 *   box: [number, number, number, number], seen: boolean}} SchemaRow  box: left, top, width, height in the viewport of this world's root
 * @typedef {{id: number, remote: true, map: number[]}} SchemaGap  where the rows of another world belong; map: from its viewport to this one
 * @param {{next: [number, number]}} options
 * @returns {{rows: (SchemaRow | SchemaGap)[], raw: number, first: number, end: number, remote: number[], internals: number[], roots: number, gone: number[],
 *   endless: boolean, elements: string}} raw: how many there were to choose from
 */
function schema({ next }) {
  const { text, first, end, remote, internals, roots, gone, endless, elements } = snapshot({ next, base: null });
  /** @type {(SchemaRow | SchemaGap)[]} */
  const rows = [];
  let raw = 0;
  for (const line of text.split('\n')) {
    const match = LINE_TO_ACT_ON.exec(line);
    if (!match) continue;
    const element = elementOf(Number(match[4]));
    if (!element) continue;
    if (line.endsWith('\x02')) rows.push({ id: Number(match[4]), remote: true, map: mapOutOf(element) });
    if (NOT_ACTED_ON.has(match[1])) continue;
    raw++;
    const row = schemaRow(element, match);
    if (row.label || row.placeholder || row.text || FIELD_ROLES.has(row.role)) rows.push(row);
  }
  forget();
  return { rows, raw, first, end, remote, internals, roots, gone, endless, elements };
}

/** @param {Element} element @param {RegExpExecArray} match  of its line @returns {SchemaRow} */
function schemaRow(element, [, role, quoted, states, id]) {
  const tag = tagOf(element);
  const name = quoted ? JSON.parse(quoted) : '';
  const field = FIELD_ROLES.has(role);
  const label = name || collapse(attr(element, 'title') ?? '') || (field ? collapse(attr(element, 'name') ?? '') : '');
  const text = field ? valueOf(element, tag, role) : label ? '' : collapse(textContent(element)) || calledIn(states);
  return {
    id: Number(id), remote: false, type: tag === 'INPUT' ? inputType(element) : tag.toLowerCase(), role, seen: isInView(element),
    label: cut(label, LONGEST_SCHEMA_TEXT), placeholder: cut(collapse(attr(element, 'placeholder') ?? ''), LONGEST_SCHEMA_TEXT),
    text: cut(text, LONGEST_SCHEMA_TEXT), state: stateWords(states), box: boxInRoot(element),
  };
}

/** What its author called it, where the snapshot tells that for want of anything else: "class=star". */
function calledIn(states) {
  const [hint] = / \[class=(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\]/.exec(states) ?? [''];
  return hint.slice(2, -1);
}

function stateWords(states) {
  const words = [];
  for (const [, name, value] of states.matchAll(PLAIN_STATE)) {
    if (STATES_TOLD.has(name)) words.push(value && value !== 'true' ? `${name}=${value}` : name);
  }
  return words.join(' ');
}

/** What is around all of an element, outside of what is scrolled away, too. */
function boxInRoot(element) {
  const levels = levelsOf(element);
  const { left, top, right, bottom } = rectOf(element);
  let box = { left, top, right, bottom };
  for (let i = levels.length - 1; i > 0; i--) box = mapBox(levels[i].outwards, box);
  return /** @type {[number, number, number, number]} */ ([box.left, box.top, box.right - box.left, box.bottom - box.top].map(Math.round));
}

/** From the viewport inside an iframe to that of this world's root: a, b, c, d, e, f of the matrix. */
function mapOutOf(frame) {
  const matrix = levelsOf(frame).reduce((all, { outwards }) => (outwards ? all.multiply(outwards) : all), new DOMMatrix()).multiply(outwardsOf(frame));
  return [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f];
}
