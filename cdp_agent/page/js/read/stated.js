// What a document states for programs: JSON-LD, microdata, <meta>, and the state that its scripts begin with.

// `window.STATE = {` or `var __STATE__ = [` in a script: what follows may be JSON.
const ASSIGNED_STATE =
  /(?:\b(?:window|self|globalThis)(?:\.|\[["'])|\b(?:var|let|const)\s+)([\w$]+)(?:["']\])?\s*=\s*(?=[{[])/g;
const LONGEST_STATE = 2_000_000; // characters

/**
 * @returns {{jsonLd: string[], meta: [string, string][], state: [string, string][], microdata: object[]}}
 *   state: names, and texts that begin with a value
 */
function stated() {
  const result = { jsonLd: [], meta: [], state: [], microdata: [] };
  const pending = [document];
  while (pending.length) {
    const inner = pending.pop();
    addStated(inner, result);
    pending.push(...[...selectAll(inner, 'iframe, frame')].map(frameDocument).filter(Boolean).reverse());
  }
  return result;
}

function addStated(document, { jsonLd, meta, state, microdata }) {
  for (const script of selectAll(document, 'script:not([src])')) {
    const type = (attr(script, 'type') ?? '').trim().toLowerCase();
    const text = textContent(script);
    if (type === 'application/ld+json') jsonLd.push(text.slice(0, LONGEST_STATE).toWellFormed());
    else if (type.endsWith('json'))
      state.push([(attr(script, 'id') ?? '').toWellFormed(), text.slice(0, LONGEST_STATE).toWellFormed()]);
    else
      for (const match of text.matchAll(ASSIGNED_STATE))
        state.push([match[1], text.slice(match.index + match[0].length, match.index + LONGEST_STATE).toWellFormed()]);
  }
  for (const element of selectAll(document, 'meta[content]')) {
    const name = attr(element, 'name') ?? attr(element, 'property') ?? attr(element, 'itemprop');
    if (name) meta.push([name.toWellFormed(), attr(element, 'content').toWellFormed()]);
  }
  for (const element of selectAll(document, '[itemscope]:not([itemprop])')) microdata.push(microdataItem(element, 0));
}

/** An item by https://html.spec.whatwg.org/multipage/microdata.html#json */
function microdataItem(element, depth) {
  const properties = {};
  const pending = elementsIn(element);
  const refs = (attr(element, 'itemref') ?? '').split(/\s+/).filter(Boolean);
  for (const id of refs) pending.push(...selectAll(rootOf(element), `[id="${CSS.escape(id)}"]`));
  while (pending.length) {
    const inner = pending.pop();
    const names = (attr(inner, 'itemprop') ?? '').split(/\s+/).filter(Boolean);
    const isItem = hasAttr(inner, 'itemscope');
    const value = names.length
      ? isItem && depth < DEEPEST
        ? microdataItem(inner, depth + 1)
        : microdataValue(inner)
      : null;
    for (const name of names) (properties[name] ??= []).push(value);
    if (!isItem) pending.push(...elementsIn(inner));
  }
  const item = { properties };
  for (const [name, key] of [
    ['itemtype', 'type'],
    ['itemid', 'id'],
  ])
    if (hasAttr(element, name)) item[key] = attr(element, name).trim().toWellFormed();
  return item;
}

/** The elements in an element, the last one first. */
function elementsIn(element) {
  const inner = [];
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child))
    inner.unshift(child);
  return inner;
}

const MICRODATA_ADDRESSES = {
  __proto__: null,
  A: 'href',
  AREA: 'href',
  LINK: 'href',
  IMG: 'src',
  AUDIO: 'src',
  VIDEO: 'src',
  IFRAME: 'src',
  SOURCE: 'src',
  EMBED: 'src',
  OBJECT: 'data',
};

/** https://html.spec.whatwg.org/multipage/microdata.html#values */
function microdataValue(element) {
  const tag = tagOf(element);
  const address = MICRODATA_ADDRESSES[tag];
  if (tag === 'META') return (attr(element, 'content') ?? '').toWellFormed();
  if (address) return absoluteUrl(attr(element, address), element);
  if (tag === 'DATA' || tag === 'METER') return (attr(element, 'value') ?? '').toWellFormed();
  if (tag === 'TIME' && hasAttr(element, 'datetime')) return attr(element, 'datetime').toWellFormed();
  return collapse(textContent(element)).toWellFormed();
}
