// Text that style sheets generate: ::before and ::after, and the alternative text of images that replace an element's
// content.

/**
 * @type {Map<Node, ReturnType<typeof selectedIn>>} cache of one reading: which elements the style rules of each
 *   document or shadow root concern
 */
let selections = new Map();

function selectionsFor(element) {
  const root = rootOf(element);
  let found = selections.get(root);
  if (!found) {
    const type = nodeType(root);
    const readable = type === 9 || (type === 11 && isShadowRoot(root));
    found = readable ? selectedIn(root) : NOTHING_SELECTED;
    selections.set(root, found);
  }
  return found;
}

/**
 * The text of a pseudo-element, with a space on both sides where it is not inline; "" for none.
 * @param {Element} element @param {'before' | 'after'} which @param {Concern} concern  selections.before or .after
 */
function generatedText(element, which, concern) {
  if (!mayApply(concern, element) && tagOf(element) !== 'Q') return ''; // whose quotes the browser's own rules add
  const style = computedStyleOf(element, which === 'before' ? '::before' : '::after');
  const content = style.content;
  if (!content || content === 'none' || content === 'normal' || content === '""') return '';
  const display = style.display;
  if (display === 'none' || style.visibility !== 'visible') return '';
  const text = content.length > LONGEST_READ ? beginningOf(content.slice(1)) : contentText(element, content, which);
  return text && display !== 'inline' ? ` ${text} ` : text;
}

const CONTENT_TOKEN =
  /\s*(?:"((?:[^"\\]|\\[^])*)"|(\/)|attr\(\s*([\w-]+)[^)]*\)|counter(s?)\(\s*([\w-]+)([^)]*)\)|(open-quote|close-quote)|([\w-]+\([^)]*\))|([^\s"]+))/y;

/**
 * The text of a computed `content` value; only its alternative text (after "/") where it has one.
 * @param {'before' | 'after' | null} which  null: `content` of the element itself, where counters are not resolved
 */
function contentText(element, content, which) {
  CONTENT_TOKEN.lastIndex = 0;
  let text = '';
  let padding = '';
  let match;
  while (CONTENT_TOKEN.lastIndex < content.length && (match = CONTENT_TOKEN.exec(content))) {
    if (match[1] !== undefined) text += match[1].replace(/\\([0-9a-f]{1,6})\s?|\\([^])/gi, unescapeCss);
    else if (match[2])
      [text, padding] = ['', ' ']; // alternative text replaces all before it, and is a word of its own
    else if (match[3]) text += attr(element, match[3]) ?? '';
    else if (match[5] && which) text += counterText(element, which, match[5], match[4] === 's', match[6]);
    else if (match[7]) text += quoteMark(element, match[7] === 'open-quote');
  }
  return text && padding + text + padding;
}

/** A quotation mark; a quotation in a quotation has single ones. */
function quoteMark(element, opens) {
  if (computedStyleOf(element).quotes === 'none') return '';
  const around = flatParent(element);
  const isInner = around !== null && nodeType(around) === 1 && closest(around, 'q') !== null;
  return opens ? (isInner ? '‘' : '“') : isInner ? '’' : '”';
}

const unescapeCss = (_, hex, character) =>
  hex ? String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff)) : character;

// Controls and replaced elements: `content` does not apply to them.
const NEVER_REPLACED = new Set(
  (
    'BUTTON FIELDSET INPUT TEXTAREA SELECT OPTION OPTGROUP METER PROGRESS CANVAS VIDEO AUDIO IFRAME FRAME OBJECT ' +
    'EMBED'
  ).split(' '),
);
const ONE_IMAGE = /^(?!counters?\(|attr\()[a-z-]+\(/i;

/**
 * The image by which a style sheet replaces the content of an element (`content: url(…)`), or null.
 * @param {typeof NOTHING_SELECTED} selected  of the element's tree
 * @returns {{alternative: string | null} | null} alternative: its alternative text, null where the style sheet gives
 *   none
 */
function replacementOf(element, tag, selected) {
  if (
    !selected.replacesContent ||
    !(mayApply(selected.replaced, element) || attr(element, 'style')?.toLowerCase().includes('content'))
  )
    return null;
  if (NEVER_REPLACED.has(tag) || namespaceURI_.call(element) !== HTML) return null;
  const { content, display } = computedStyleOf(element);
  if (display === 'contents' || !ONE_IMAGE.test(content)) return null;
  const rest = content.slice(endOfFunction(content)).trim();
  if (rest === '') return { alternative: null };
  // Chrome ignores a value of several parts
  return rest.startsWith('/') ? { alternative: contentText(element, rest, null) } : null;
}

function endOfFunction(text) {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '"') quoted = !quoted;
    else if (c === '\\') i++;
    else if (!quoted && c === '(') depth++;
    else if (!quoted && c === ')' && --depth === 0) return i + 1;
  }
  return text.length;
}
