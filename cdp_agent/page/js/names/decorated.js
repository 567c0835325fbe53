// Text that is not to be read letter by letter: superscript ("10²" is not 102), struck out (a former price "€10"), or
// drawn as a glyph of an icon font. While text is collected, marks (control characters) stand around such text;
// `resolveDecorationMarks` then replaces them: `10^2`, `~~€10~~`. White space is collapsed and marks are resolved per
// run of text, since the result depends on the neighbours.

const SUPERSCRIPT_START = '\x04';
const SUBSCRIPT_START = '\x05';
const SCRIPT_END = '\x06';
const STRUCK_START = '\x0e';
const STRUCK_END = '\x0f';
const ICON_FONT_START = '\x10';
const ICON_FONT_END = '\x11';
// Characters for private use have a meaning only in the font that draws them: an icon.
const PRIVATE_USE = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/;
const ALL_PRIVATE_USE = new RegExp(PRIVATE_USE, 'g');
const HAS_DECORATION_MARKS = /[\x04-\x06\x0e-\x11\ue000-\uf8ff\udb80-\udbff]/;

const DECORATING_TAGS = {
  __proto__: null,
  SUP: SUPERSCRIPT_START,
  SUB: SUBSCRIPT_START,
  DEL: STRUCK_START,
  S: STRUCK_START,
  STRIKE: STRUCK_START,
};
const ICON_FONT =
  /^[^,]*(?:\b[Ii]cons?\b|[a-z]Icons?\b|[Aa]wesome|[Ii]co[Mm]oon|[Gg]lyph|[Ii]onicon|[Cc]odicon|Material Symbols)/;
const DECORATING_STYLE =
  /line-through|vertical-align:\s*(?:super|sub)\b|font-family:[^;]*(?:icon|symbol|awesome|glyph)/i;

/**
 * How the text of an element is decorated: by its tag, or by its computed style where a style rule or its style
 * attribute may decorate it.
 * @param {Concern} concern  selections.decorated @param {boolean} mayHaveStyle  whether it may have a style attribute
 * @returns {string} the start mark of the decoration, "" for none
 */
function decorationOf(element, tag, concern, mayHaveStyle = true) {
  const mark = DECORATING_TAGS[tag];
  if (mark !== undefined) return mark;
  if (!mayHaveStyle || !DECORATING_STYLE.test(attr(element, 'style') ?? '')) {
    // Where a style sheet cannot be read, it may apply to any element: then only inline elements that begin with text
    // are checked.
    if (concern.selection.every ? !(INLINE_TAGS.has(tag) && holdsText(element)) : !mayApply(concern, element))
      return '';
  }
  const style = computedStyleOf(element);
  if (style.textDecorationLine.includes('line-through')) return STRUCK_START;
  if (ICON_FONT.test(style.fontFamily)) return ICON_FONT_START;
  if (style.display !== 'inline') return '';
  return style.verticalAlign === 'super' ? SUPERSCRIPT_START : style.verticalAlign === 'sub' ? SUBSCRIPT_START : '';
}

function holdsText(element) {
  const child = firstChild_.call(element);
  return child !== null && nodeType_.call(child) === 3;
}

const DECORATION_ENDS = {
  __proto__: null,
  [SUPERSCRIPT_START]: SCRIPT_END,
  [SUBSCRIPT_START]: SCRIPT_END,
  [STRUCK_START]: STRUCK_END,
  [ICON_FONT_START]: ICON_FONT_END,
};

const withDecorationMarks = (text, mark) => (hasText(text) ? mark + text + DECORATION_ENDS[mark] : text);

/**
 * Whether the line-through of an ancestor also strikes out this element: not if it is an inline block, floated or
 * positioned.
 */
function inheritsLineThrough(element) {
  const style = computedStyleOf(element);
  return (
    !style.display.startsWith('inline-') &&
    style.float === 'none' &&
    style.position !== 'absolute' &&
    style.position !== 'fixed'
  );
}

/**
 * Text with the text-transform of its element applied, as accessible names have it.
 * @param {Element} element  contains the text @param {typeof NOTHING_SELECTED} selections  of the element's tree
 */
function withTextTransform(text, element, selections) {
  if (!selections.transformsCase || !/\p{L}/u.test(text)) return text;
  switch (computedStyleOf(element).textTransform) {
    case 'uppercase':
      return text.toUpperCase();
    case 'lowercase':
      return text.toLowerCase();
    case 'capitalize':
      return text.replace(/(^|[^\p{L}\p{N}\p{M}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
    default:
      return text;
  }
}

const SCRIPT_RUNS = /([\x04\x05])([^\x04-\x06]*)\x06?/g;
// Regular expressions with `\p` are in functions instead of constants: compiling them costs each world 0.6 ms, and few
// pages need them.
const endsWord = (text) => /[\p{L}\p{N})\]]$/u.test(text);
const beginsWord = (text) => /^[\p{L}\p{N}]/u.test(text);
const ENDS_IN_DIGIT = /\d$/;
const BEGINS_WITH_DIGIT = /^\d/;
const FRACTION = /^[/⁄∕]/; // as in 3 1/2
// Ordinal and other suffixes stay joined: 5th, 2nd, 1er, ACME™. Exponents get a "^".
const beginsWithExpression = (text) => /^\s*\p{L}\s*[-+−±·×*/=]/u.test(text); // as in n+1
const isExponent = (text) => /^\s*(?:[-+−]?\d|\p{L}\s*$|[-+−])/u.test(text) || beginsWithExpression(text);

/** Replaces all marks in the text of one line. @param {string} text  without BREAK */
function resolveDecorationMarks(text) {
  let line = text;
  while (/[\x04\x05]/.test(line)) line = line.replace(SCRIPT_RUNS, resolveScriptMark);
  line = line
    .replace(/\x0f([^\S\x03]*)\x0e/g, '$1')
    .replace(/\x0e(\s*)([^\x0e\x0f]*?)(\s*)\x0f/g, (_, before, words, after) =>
      words ? `${before}~~${words}~~${after}` : before + after,
    );
  return withoutIconFontText(line);
}

/**
 * The text of a super- or subscript with "^", "_" or a space where it would otherwise run into the word or number
 * beside it.
 */
function resolveScriptMark(match, mark, inner, at, whole) {
  const before = whole
    .slice(0, at)
    .replace(/[\x0e\x0f]/g, '')
    .slice(-1);
  const after = whole
    .slice(at + match.length)
    .replace(/^[\x06\x0e\x0f]+/, '')
    .slice(0, 1);
  const [sign, end] = scriptSigns(mark, before, inner.replace(/[\x0e\x0f]/g, ''), after);
  return sign + (sign ? inner.trimStart() : inner) + end;
}

/**
 * What to write before and after a super- or subscript.
 * @param {string} before  the character before it @param {string} after  the character after it @returns {[string,
 *   string]}
 */
function scriptSigns(mark, before, inner, after) {
  const isDigits = ENDS_IN_DIGIT.test(before) && BEGINS_WITH_DIGIT.test(inner.trimStart());
  const isSetOff = mark === SUPERSCRIPT_START ? endsWord(before) && isExponent(inner) : isDigits;
  const runsOn = isSetOff ? beginsWord(after) : ENDS_IN_DIGIT.test(inner) && BEGINS_WITH_DIGIT.test(after);
  const sign = !isSetOff ? '' : FRACTION.test(after) ? ' ' : mark === SUPERSCRIPT_START ? '^' : '_';
  if (sign === '^' && beginsWithExpression(inner)) return ['^(', runsOn ? ') ' : ')'];
  return [sign, runsOn ? ' ' : ''];
}

const ICON_HINT = '[icon=';

/**
 * Removes text drawn by an icon font. If a line has no other text, a word that names an icon (a ligature) becomes
 * `[icon=word]`.
 */
function withoutIconFontText(line) {
  const rest = line.replace(/\x10[^\x11]*\x11?/g, '');
  if (rest !== line && !hasText(rest))
    return line.replace(/\x10([^\x11]*)\x11?/g, (_, word) => (hasText(word) ? hintState('icon', word).slice(1) : ' '));
  return rest.replace(ALL_PRIVATE_USE, '');
}
