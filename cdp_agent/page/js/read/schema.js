// The interactive elements of a page as data. Roles and names are the same as in the snapshot.

const ACTIONABLE_LINE =
  /^ *- ([^\s:"]+)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]"\x01]*(?:"(?:[^"\\]|\\.)*"[^\]"\x01]*)*\])*) \[ref=\x01(\d+)\]/;
const PLAIN_STATE = /\[([a-z]+)(?:=(true|false|mixed))?\]/g;
const SCHEMA_STATES = new Set([
  'checked',
  'disabled',
  'expanded',
  'pressed',
  'selected',
  'required',
  'readonly',
  'focused',
  'invalid',
]);
const FIELD_ROLES = roleSet('textbox searchbox combobox listbox spinbutton slider checkbox radio switch');
const NOT_ACTIONABLE_ROLES = new Set(['iframe', 'page']);
const LONGEST_SCHEMA_TEXT = 100;

/**
 * @typedef {{id: number, remote: false, type: string, role: string, label: string, placeholder: string, text: string,
 *   state: string, box: [number, number, number, number], seen: boolean}} SchemaRow  box: left, top, width, height in
 *   the viewport of this world's root
 * @typedef {{id: number, remote: true, map: number[]}} SchemaGap  the place of the rows of a frame in another session;
 *   map: the matrix from its viewport to this one
 * @param {{next: [number, number]}} options
 * @returns {{rows: (SchemaRow | SchemaGap)[], raw: number, first: number, end: number, remote: number[], internals:
 *   number[], roots: number, gone: number[], endless: boolean, added: AddedCounts, elements: string}} raw: the number
 *   of interactive elements, including those left out
 */
function schema({ next }) {
  const { text, first, end, remote, internals, roots, gone, endless, added, elements } = snapshot({ next, base: null });
  /** @type {(SchemaRow | SchemaGap)[]} */
  const rows = [];
  let raw = 0;
  for (const line of text.split('\n')) {
    const match = ACTIONABLE_LINE.exec(line);
    if (!match) continue;
    const element = elementOf(Number(match[4]));
    if (!element) continue;
    if (line.endsWith('\x02')) rows.push({ id: Number(match[4]), remote: true, map: mapOutOf(element) });
    if (NOT_ACTIONABLE_ROLES.has(match[1])) continue;
    raw++;
    const row = schemaRow(element, match);
    if (row.label || row.placeholder || row.text || FIELD_ROLES.has(row.role)) rows.push(row);
  }
  forget();
  return { rows, raw, first, end, remote, internals, roots, gone, endless, added, elements };
}

/** @param {Element} element @param {RegExpExecArray} match  of its line in the snapshot @returns {SchemaRow} */
function schemaRow(element, [, role, quoted, states, id]) {
  const tag = tagOf(element);
  const name = quoted ? JSON.parse(quoted) : '';
  const field = FIELD_ROLES.has(role);
  const label = name || collapse(attr(element, 'title') ?? '') || (field ? collapse(attr(element, 'name') ?? '') : '');
  const text = field ? valueOf(element, tag, role) : label ? '' : collapse(textContent(element)) || classHintIn(states);
  return {
    id: Number(id),
    remote: false,
    type: tag === 'INPUT' ? inputType(element) : tag.toLowerCase(),
    role,
    seen: isInView(element),
    label: cut(label, LONGEST_SCHEMA_TEXT),
    placeholder: cut(collapse(attr(element, 'placeholder') ?? ''), LONGEST_SCHEMA_TEXT),
    text: cut(text, LONGEST_SCHEMA_TEXT),
    state: stateWords(states),
    box: boxInRoot(element),
  };
}

/** "class=star", if the snapshot shows a class since the element has no name. */
function classHintIn(states) {
  const [hint] = / \[class=(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\]/.exec(states) ?? [''];
  return hint.slice(2, -1);
}

function stateWords(states) {
  const words = [];
  for (const [, name, value] of states.matchAll(PLAIN_STATE)) {
    if (SCHEMA_STATES.has(name)) words.push(value && value !== 'true' ? `${name}=${value}` : name);
  }
  return words.join(' ');
}

/** The box of an element in the viewport of this world's root, including what is scrolled out of view. */
function boxInRoot(element) {
  const levels = levelsOf(element);
  const { left, top, right, bottom } = rectOf(element);
  let box = { left, top, right, bottom };
  for (let i = levels.length - 1; i > 0; i--) box = mapBox(levels[i].outwards, box);
  return /** @type {[number, number, number, number]} */ (
    [box.left, box.top, box.right - box.left, box.bottom - box.top].map(Math.round)
  );
}

/** The matrix (a, b, c, d, e, f) from the viewport of an iframe to that of this world's root. */
function mapOutOf(frame) {
  const matrix = levelsOf(frame)
    .reduce((all, { outwards }) => (outwards ? all.multiply(outwards) : all), new DOMMatrix())
    .multiply(outwardsOf(frame));
  return [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f];
}
