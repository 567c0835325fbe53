// Formulas in one line: what MathML says by where things stand is said by signs, `x^2`, `(a+b)/2`, `√x`. Where the author
// left the TeX of it, that is what is read.

const TEX = 'annotation[encoding="application/x-tex"],annotation[encoding="text/x-latex"],annotation[encoding="TeX"]';
const DISPLAY_STYLE = /^\{\\(?:display|text|script)style\s+(.*)\}$/s;
const DEEPEST_FORMULA = 100;
const NEVER_SEEN = new Set(['annotation', 'annotation-xml', 'mphantom', 'mprescripts', 'none', 'maligngroup', 'malignmark']);
// U+2061 to U+2064: applied to, times, separated from, plus; they are not seen.
const INVISIBLE_OPERATORS = /[\u2061-\u2064]/g;
const isAtom = (text) => /^(?:[\p{L}\p{N}.,%′'∞…]+|[^\s\w])$/u.test(text);

/** A formula as one line of text, "" for an empty one. @param {Element} math */
function mathText(math) {
  const label = collapse(attr(math, 'aria-label') ?? '');
  if (label) return label;
  const tex = selectAll(math, TEX)[0];
  if (!tex) return formula(math, 0);
  const source = collapse(textContent(tex));
  return source && `$${DISPLAY_STYLE.exec(source)?.[1].trim() ?? source}$`;
}

/** @param {Element} element @returns {string} */
function formula(element, depth) {
  const tag = tagOf(element);
  if (NEVER_SEEN.has(tag)) return '';
  const first = firstElementChild_.call(element);
  if (!first || depth > DEEPEST_FORMULA) return collapse(textContent(element).replace(INVISIBLE_OPERATORS, ''));
  const parts = [];
  for (let child = first; child; child = nextElementSibling_.call(child)) parts.push(() => formula(child, depth + 1));
  const [a, b, c] = parts;
  switch (tag) {
    case 'semantics': case 'maction': return a();
    case 'mfrac': return b ? `${asOne(a())}/${asOne(b())}` : a();
    case 'msup': case 'mover': return scripted(a, null, b);
    case 'msub': case 'munder': return scripted(a, b, null);
    case 'msubsup': case 'munderover': return scripted(a, b, c);
    case 'msqrt': return `√${asOne(joined(parts))}`;
    case 'mroot': return b ? `${asOne(a())}^(1/${asOne(b())})` : a();
    case 'mfenced': return `${attr(element, 'open') ?? '('}${inSequence(parts, ',')}${attr(element, 'close') ?? ')'}`;
    case 'mtable': return `[${inSequence(parts, ';')}]`;
    case 'mtr': case 'mlabeledtr': return inSequence(parts, ',');
    default: return joined(parts);
  }
}

/** @param {() => string} base @param {(() => string) | null | undefined} below @param {(() => string) | null | undefined} above */
function scripted(base, below, above) {
  const [low, high] = [below?.() ?? '', above?.() ?? ''];
  return asOne(base()) + (low && `_${asOne(low)}`) + (high && `^${asOne(high)}`);
}

const asOne = (text) => (text === '' || isAtom(text) ? text : `(${text})`);

const inSequence = (parts, separator) => parts.map((part) => part()).join(`${separator} `);

/** What stands in a row; a space between names and numbers that would run into one. @param {(() => string)[]} parts */
function joined(parts) {
  let text = '';
  for (const part of parts) {
    const next = part();
    text += /[\p{L}\p{N}]$/u.test(text) && beginsWord(next) ? ` ${next}` : next;
  }
  return text;
}
