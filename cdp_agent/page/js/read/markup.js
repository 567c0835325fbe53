// The HTML of the page or of one element, without scripts, styles, comments and event handlers.

const MARKUP_LEFT_OUT = new Set('SCRIPT STYLE LINK META NOSCRIPT TEMPLATE BASE'.split(' '));
const VOID_TAGS = new Set('AREA BR COL EMBED HR IMG INPUT PARAM SOURCE TRACK WBR'.split(' '));
const ATTRIBUTES_LEFT_OUT = /^(on.*|style|nonce|integrity|srcdoc)$/i;
const MARKUP_MOST_NESTED = 200;
const LONGEST_ATTRIBUTE = 300;
const MOST_ATTRIBUTES = 300; // of one element
const attributes_ = getterOf(Element.prototype, 'attributes');

/**
 * Shadow roots are written as `<template shadowrootmode>`, documents of same-process iframes inside the iframe's tag,
 * other frames as "\x02id\x02".
 * @param {{next: [number, number], frame: string, within: {frame: string, id: number} | null}} options  within: the
 *   element, null for the document
 * @returns {{html: string, first: number, end: number, remote: number[], internals: number[], roots: number, gone:
 *   number[]}}
 */
function cleanHtml({ next, frame, within }) {
  const first = reserveIds(next);
  forget();
  reading = newReading();
  const element = within && within.frame === frame ? elementOf(within.id) : documentElement_.call(document);
  const out = [];
  if (element) writeMarkup(element, out, 0, false);
  const { remote } = reading;
  forget();
  return { html: out.join('').toWellFormed(), first, end: nextId, remote, internals: [], ...currentRoots() };
}

function writeMarkup(element, out, depth, pre) {
  const tag = tagOf(element);
  if (MARKUP_LEFT_OUT.has(tag)) return;
  const name = tag.toLowerCase();
  spendTime();
  const begins = `<${name}${attributesOf(element)}>`;
  spendText(begins);
  out.push(begins);
  if (VOID_TAGS.has(tag)) return;
  if (depth > MARKUP_MOST_NESTED) out.push(escaped(collapse(textContent(element))));
  else writeInside(element, tag, out, depth + 1, pre || tag === 'PRE' || tag === 'TEXTAREA');
  out.push(`</${name}>`);
}

function writeInside(element, tag, out, depth, pre) {
  const shadow = mayHost(tag) ? shadowOf(element) : null;
  if (shadow) {
    out.push('<template shadowrootmode="open">');
    writeMarkupNodes(shadow, out, depth, pre);
    out.push('</template>');
  }
  if (isFrame(element, tag)) {
    const inner = frameDocument(element);
    const root = inner && documentElement_.call(inner);
    if (root) writeMarkup(root, out, depth, false);
    else if (!inner) {
      const id = idOf(element);
      reading.remote.push(id);
      out.push(`\x02${id}\x02`);
    }
    return;
  }
  writeMarkupNodes(element, out, depth, pre);
}

function writeMarkupNodes(parent, out, depth, pre) {
  for (let node = firstChild(parent); node; node = nextSibling(node)) {
    const type = nodeType(node);
    if (type === 1) writeMarkup(node, out, depth, pre);
    else if (type === 3) {
      const raw = withoutControls(textContent(node));
      const text = escaped(pre || keepsLines(parent, raw) ? raw : raw.replace(/\s+/g, ' '));
      spendText(text);
      out.push(text);
    }
  }
}

const keepsLines = (parent, text) =>
  BROKEN_LINE.test(text) && nodeType(parent) === 1 && LINES_KEPT.test(computedStyleOf(parent).whiteSpaceCollapse);

function attributesOf(element) {
  let text = '';
  let many = 0;
  for (const { name, value } of attributes_.call(element)) {
    if (++many > MOST_ATTRIBUTES) return `${text} …`;
    if (ATTRIBUTES_LEFT_OUT.test(name) || (name === 'value' && isSecret(element))) continue;
    const short = cut(collapse(beginningOf(value)), LONGEST_ATTRIBUTE);
    text += short ? ` ${name}="${escaped(short).replaceAll('"', '&quot;')}"` : ` ${name}`;
  }
  return text;
}

const withoutControls = (text) => text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
