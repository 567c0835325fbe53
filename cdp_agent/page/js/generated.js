// Text that style sheets put before and after elements.

/** @type {Map<Node, ReturnType<typeof selectedIn>>} what is selected in each document and shadow root, for one reading */
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
 * The text of a pseudo-element, with a space on both sides where it is not inline; "" when there is none.
 * @param {Element} element @param {'before' | 'after'} which @param {Concern} concern  selections.before or .after
 */
function generatedText(element, which, concern) {
  if (!mayApply(concern, element)) return '';
  const style = computedStyleOf(element, which === 'before' ? '::before' : '::after');
  const content = style.content;
  if (!content || content === 'none' || content === 'normal' || content === '""') return '';
  const display = style.display;
  if (display === 'none' || style.visibility !== 'visible') return '';
  const text = contentText(element, content, which);
  return text && display !== 'inline' ? ` ${text} ` : text;
}

const CONTENT_TOKEN =
  /\s*(?:"((?:[^"\\]|\\[^])*)"|(\/)|attr\(\s*([\w-]+)[^)]*\)|counter(s?)\(\s*([\w-]+)([^)]*)\)|(open-quote|close-quote)|([\w-]+\([^)]*\))|([^\s"]+))/y;

/** What a computed `content` says; its alternative text (after "/") where it has one. */
function contentText(element, content, which) {
  CONTENT_TOKEN.lastIndex = 0;
  let text = '';
  let padding = '';
  let match;
  while (CONTENT_TOKEN.lastIndex < content.length && (match = CONTENT_TOKEN.exec(content))) {
    if (match[1] !== undefined) text += match[1].replace(/\\([0-9a-f]{1,6})\s?|\\([^])/gi, unescapeCss);
    else if (match[2]) [text, padding] = ['', ' ']; // an alternative text stands for itself: a word, not part of one
    else if (match[3]) text += attr(element, match[3]) ?? '';
    else if (match[5]) text += counterText(element, which, match[5], match[4] === 's', match[6]);
    else if (match[7]) text += match[7] === 'open-quote' ? '“' : '”';
  }
  return text && padding + text + padding;
}

const unescapeCss = (_, hex, character) => (hex ? String.fromCodePoint(Math.min(parseInt(hex, 16), 0x10ffff)) : character);
