// Text that says something else than its letters in a row do: raised ("10²" is not 102), struck out ("€10" that no longer
// holds), or drawn as the glyph of an icon font. While text is gathered, marks stand around it; `written` makes of them what
// is read: `10^2`, `~~€10~~`. White space is tidied and marks are resolved per run of text, since neighbours decide.

const RAISED = '\x04';
const LOWERED = '\x05';
const LEVEL = '\x06';
const STRUCK_FROM = '\x0e';
const STRUCK_TO = '\x0f';
const GLYPHS_FROM = '\x10';
const GLYPHS_TO = '\x11';
// Private characters mean nothing but to the font that draws them: there a glyph stands for an icon.
const PRIVATE = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/;
const PRIVATE_ALL = new RegExp(PRIVATE, 'g');
const DECORATED = /[\x04-\x06\x0e-\x11\ue000-\uf8ff\udb80-\udbff]/;

const DECORATING_TAGS = { __proto__: null, SUP: RAISED, SUB: LOWERED, DEL: STRUCK_FROM, S: STRUCK_FROM, STRIKE: STRUCK_FROM };
const ICON_FONT = /^[^,]*(?:\b[Ii]cons?\b|[a-z]Icons?\b|[Aa]wesome|[Ii]co[Mm]oon|[Gg]lyph|[Ii]onicon|[Cc]odicon|Material Symbols)/;
const DECORATING_STYLE = /line-through|vertical-align:\s*(?:super|sub)\b|font-family:[^;]*(?:icon|symbol|awesome|glyph)/i;

/**
 * How the text of an element is set off: by its tag, or by a rule or its own style where there may be one.
 * @param {Concern} concern  selections.decorated @returns {string} one of the marks that begin something, "" for none
 */
function decorationOf(element, tag, concern) {
  const mark = DECORATING_TAGS[tag];
  if (mark !== undefined) return mark;
  if (!DECORATING_STYLE.test(attr(element, 'style') ?? '')) {
    // Where a sheet cannot be read, any element may be meant: then those are asked that stand in a line of text and hold some.
    if (concern.selection.every ? !(INLINE_TAGS.has(tag) && holdsText(element)) : !mayApply(concern, element)) return '';
  }
  const style = computedStyleOf(element);
  if (style.textDecorationLine.includes('line-through')) return STRUCK_FROM;
  if (ICON_FONT.test(style.fontFamily)) return GLYPHS_FROM;
  if (style.display !== 'inline') return '';
  return style.verticalAlign === 'super' ? RAISED : style.verticalAlign === 'sub' ? LOWERED : '';
}

function holdsText(element) {
  const child = firstChild_.call(element);
  return child !== null && nodeType_.call(child) === 3;
}

const END_OF_DECORATION = { __proto__: null, [RAISED]: LEVEL, [LOWERED]: LEVEL, [STRUCK_FROM]: STRUCK_TO, [GLYPHS_FROM]: GLYPHS_TO };

const decorated = (text, mark) => (hasText(text) ? mark + text + END_OF_DECORATION[mark] : text);

/** Whether what strikes out the element around strikes out this one too: boxes of their own are left alone. */
function isStruckToo(element) {
  const style = computedStyleOf(element);
  return !style.display.startsWith('inline-') && style.float === 'none' && style.position !== 'absolute' && style.position !== 'fixed';
}

/** Text as its style sheet writes it, which names are held to. @param {Element} element  that it stands in @param {typeof NOTHING_SELECTED} selections  in the tree of that */
function cased(text, element, selections) {
  if (!selections.transformsCase || !/\p{L}/u.test(text)) return text;
  switch (computedStyleOf(element).textTransform) {
    case 'uppercase': return text.toUpperCase();
    case 'lowercase': return text.toLowerCase();
    case 'capitalize': return text.replace(/(^|[^\p{L}\p{N}\p{M}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
    default: return text;
  }
}

const LEVELS = /([\x04\x05])([^\x04-\x06]*)\x06?/g;
// With `\p` in functions, and not ready beside them: to take them in costs each world 0.6 ms, and few pages need any.
const endsWord = (text) => /[\p{L}\p{N})\]]$/u.test(text);
const beginsWord = (text) => /^[\p{L}\p{N}]/u.test(text);
const ENDS_IN_DIGIT = /\d$/;
const BEGINS_WITH_DIGIT = /^\d/;
const FRACTION = /^[/⁄∕]/; // 3 1/2
// Suffixes of numbers and names run on: 5th, 2nd, 1er, ACME™. What is raised to a power does not.
const beginsTerms = (text) => /^\s*\p{L}\s*[-+−±·×*/=]/u.test(text); // n+1
const isPower = (text) => /^\s*(?:[-+−]?\d|\p{L}\s*$|[-+−])/u.test(text) || beginsTerms(text);

/** Text with its marks resolved, for one line. @param {string} text  without BREAK */
function written(text) {
  let line = text;
  while (/[\x04\x05]/.test(line)) line = line.replace(LEVELS, writtenLevel);
  line = line.replace(/\x0f([^\S\x03]*)\x0e/g, '$1').replace(/\x0e(\s*)([^\x0e\x0f]*?)(\s*)\x0f/g, (_, before, words, after) => (words ? `${before}~~${words}~~${after}` : before + after));
  return withoutGlyphs(line);
}

/** A mark between what would run into one word or number; a space after it for the same reason. */
function writtenLevel(match, mark, inner, at, whole) {
  const before = whole.slice(0, at).replace(/[\x0e\x0f]/g, '').slice(-1);
  const after = whole.slice(at + match.length).replace(/^[\x06\x0e\x0f]+/, '').slice(0, 1);
  const [sign, end] = signsAround(mark, before, inner.replace(/[\x0e\x0f]/g, ''), after);
  return sign + (sign ? inner.trimStart() : inner) + end;
}

/** @param {string} before  the character there @param {string} after @returns {[string, string]} */
function signsAround(mark, before, inner, after) {
  const isDigits = ENDS_IN_DIGIT.test(before) && BEGINS_WITH_DIGIT.test(inner.trimStart());
  const isSetOff = mark === RAISED ? endsWord(before) && isPower(inner) : isDigits;
  const runsOn = isSetOff ? beginsWord(after) : ENDS_IN_DIGIT.test(inner) && BEGINS_WITH_DIGIT.test(after);
  const sign = !isSetOff ? '' : FRACTION.test(after) ? ' ' : mark === RAISED ? '^' : '_';
  if (sign === '^' && beginsTerms(inner)) return ['^(', runsOn ? ') ' : ')'];
  return [sign, runsOn ? ' ' : ''];
}

const ICON_HINT = '[icon=';

/** Without what an icon font draws, or only the word that it draws the icon for. */
function withoutGlyphs(line) {
  const rest = line.replace(/\x10[^\x11]*\x11?/g, '');
  if (rest !== line && !hasText(rest)) return line.replace(/\x10([^\x11]*)\x11?/g, (_, word) => (hasText(word) ? hintState('icon', word).slice(1) : ' '));
  return rest.replace(PRIVATE_ALL, '');
}
