// MathML as one line of text, with operators for the layout: `x^2`, `(a+b)/2`, `√x`. If the author provided TeX as an
// annotation or as alternative text, that is used instead.

const TEX = 'annotation[encoding="application/x-tex"],annotation[encoding="text/x-latex"],annotation[encoding="TeX"]';
const LIKE_TEX = /[\\^_{]/; // in an alternative text, which may be spoken words
const DISPLAY_STYLE = /^\{\\(?:display|text|script)style\s+(.*)\}$/s;
const DEEPEST_FORMULA = 100;
const MATHML_NOT_RENDERED = new Set([
  'annotation',
  'annotation-xml',
  'mphantom',
  'mprescripts',
  'none',
  'maligngroup',
  'malignmark',
]);
// U+2061 to U+2064: function application, invisible times, invisible separator, invisible plus.
const INVISIBLE_OPERATORS = /[\u2061-\u2064]/g;
const isAtom = (text) => /^(?:[\p{L}\p{N}.,%′'∞…]+|[^\s\w])$/u.test(text);

/** A formula as one line of text, "" for an empty one. @param {Element} math */
function mathText(math) {
  const label = collapse(attr(math, 'aria-label') ?? '');
  if (label) return label;
  const tex = selectAll(math, TEX)[0];
  const source = collapse(tex ? textContent(tex) : (attr(math, 'alttext') ?? ''));
  if (!tex && !LIKE_TEX.test(source)) return formula(math, 0);
  return source && `$${DISPLAY_STYLE.exec(source)?.[1].trim() ?? source}$`;
}

/** The text of a MathML element. @param {Element} element @returns {string} */
function formula(element, depth) {
  const tag = tagOf(element);
  if (MATHML_NOT_RENDERED.has(tag)) return '';
  const first = firstElementChild_.call(element);
  if (!first || depth > DEEPEST_FORMULA) return collapse(textContent(element).replace(INVISIBLE_OPERATORS, ''));
  const parts = [];
  for (let child = first; child; child = nextElementSibling_.call(child)) parts.push(() => formula(child, depth + 1));
  const [a, b, c] = parts;
  switch (tag) {
    case 'semantics':
    case 'maction':
      return a();
    case 'mfrac':
      return b ? `${parenthesized(a())}/${parenthesized(b())}` : a();
    case 'msup':
    case 'mover':
      return withScripts(a, null, b);
    case 'msub':
    case 'munder':
      return withScripts(a, b, null);
    case 'msubsup':
    case 'munderover':
      return withScripts(a, b, c);
    case 'msqrt':
      return `√${parenthesized(joined(parts))}`;
    case 'mroot':
      return b ? `${parenthesized(a())}^(1/${parenthesized(b())})` : a();
    case 'mfenced':
      return `${attr(element, 'open') ?? '('}${inSequence(parts, ',')}${attr(element, 'close') ?? ')'}`;
    case 'mtable':
      return `[${inSequence(parts, ';')}]`;
    case 'mtr':
    case 'mlabeledtr':
      return inSequence(parts, ',');
    default:
      return joined(parts);
  }
}

/**
 * A base with sub- and superscript.
 * @param {() => string} base
 * @param {(() => string) | null | undefined} below
 * @param {(() => string) | null | undefined} above
 */
function withScripts(base, below, above) {
  const [low, high] = [below?.() ?? '', above?.() ?? ''];
  return parenthesized(base()) + (low && `_${parenthesized(low)}`) + (high && `^${parenthesized(high)}`);
}

const parenthesized = (text) => (text === '' || isAtom(text) ? text : `(${text})`);

const inSequence = (parts, separator) => parts.map((part) => part()).join(`${separator} `);

/**
 * The parts of a row in sequence, with a space between names or numbers that would run together.
 * @param {(() => string)[]} parts
 */
function joined(parts) {
  let text = '';
  for (const part of parts) {
    const next = part();
    text += /[\p{L}\p{N}]$/u.test(text) && beginsWord(next) ? ` ${next}` : next;
  }
  return text;
}
