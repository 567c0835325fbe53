// How html.js writes pictures, drawings, videos and what else is embedded, with their addresses.

const imageSource = reader(HTMLImageElement, 'src');
const imageCurrentSource = reader(HTMLImageElement, 'currentSrc');
const LEAST_IMAGE_PX = 48; // smaller images without alternative text are decoration
const INLINE_SOURCE = /^(?:data|blob):/i;
const LAZY_SOURCES = ['data-src', 'data-lazy-src', 'data-original', 'data-srcset', 'data-lazy-srcset'];
const IMAGE_AS_TEXT = /<img\b[^>]*?\s(?:data-)?src\s*=\s*["']?([^"'\s>]+)/i;

/**
 * The address of an image that a script loads once it is seen: by the usual attributes, of it or of the sources of its
 * picture, else by the markup for browsers without scripts that follows it. "" if there is none.
 */
function lazySource(image) {
  const parent = parentNode(image);
  const isPicture = parent && nodeType(parent) === 1 && tagOf(parent) === 'PICTURE';
  const sources = isPicture ? selectAll(parent, 'source') : [];
  for (const place of [image, ...sources]) {
    const names = place === image ? LAZY_SOURCES : [...LAZY_SOURCES, 'srcset'];
    for (const name of names) {
      const [first] = (attr(place, name) ?? '').trim().split(/\s/); // of a srcset, the first candidate
      if (first && !first.includes('{')) return absoluteUrl(first.replace(/,$/, ''), image);
    }
  }
  const next = nextElementSibling_.call(image);
  const fallback = next && tagOf(next) === 'NOSCRIPT' ? IMAGE_AS_TEXT.exec(textContent(next)) : null;
  return fallback ? absoluteUrl(fallback[1], image) : '';
}

/** @type {HtmlWriter} */
function writeImage(element, tag, flags) {
  if (flags & HTML_TEXT_HIDDEN) return;
  const shown = tag === 'IMG' ? imageCurrentSource(element) || imageSource(element) : '';
  const isThere = shown !== '' && !INLINE_SOURCE.test(shown) && !hasAttr(element, 'data-src');
  const lazy = tag !== 'IMG' || isThere ? '' : lazySource(element);
  let alt = replacementOf(element, tag, reading.selections)?.alternative ?? attr(element, 'alt');
  if (alt === null || !alt.trim()) {
    alt = attr(element, 'aria-label') ?? '';
    const box = getBoundingClientRect_.call(element);
    const isSmall = !lazy && (box.width < LEAST_IMAGE_PX || box.height < LEAST_IMAGE_PX);
    if (
      !alt &&
      ((attr(element, 'alt') !== null && !serialization.asData) || roleOf(element, tag) === 'none' || isSmall)
    ) {
      writeText(' '); // separates the words before and after it
      return;
    }
  }
  writeImageTag(alt, lazy || shown);
}

function writeImageTag(alt, source) {
  serialization.out.push(`<img${xmlAttr('a', alt)}${xmlAttr('s', INLINE_SOURCE.test(source) ? '' : source)}/>`);
  if (hasText(alt)) serialization.words++;
}

/** @type {HtmlWriter} any element with role=img: its name as alternative text */
function writeRoleImage(element, tag, flags, depth) {
  if (tag === 'IMG') writeImage(element, tag, flags, depth);
  else if (tag === 'svg') writeSvg(element, tag, flags, depth);
  else {
    const name = nameOf(element);
    if (name) writeImageTag(name, '');
    else writeContents(element, tag, flags, depth);
  }
}

/** @type {HtmlWriter} an SVG: its name, and the text in it */
function writeSvg(element) {
  const name = nameOf(element, 'img');
  if (hasText(name)) writeImageTag(name, '');
  else writeText(' ');
  writeSvgText(element);
}

function writeSvgText(element) {
  for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child)) {
    const tag = tagName_.call(child);
    if (SKIPPED.has(tag) || visibilityOf(child) === NOT_RENDERED) continue;
    if (tag !== 'text' && tag !== 'foreignObject') writeSvgText(child);
    else if (visibilityOf(child) === VISIBLE) {
      const words = tag === 'text' ? nameOf(child) : textContent(child);
      if (hasText(words)) writeText(` ${xmlLine(words)} `);
    }
  }
}

const mediaSource = reader(HTMLMediaElement, 'currentSrc');

/** @type {HtmlWriter} a video or audio: its name, address and tracks; a plug-in may show a document */
function writeMedia(element, tag, flags, depth) {
  if (isFrame(element, tag)) {
    writeFrame(element, tag, flags, depth);
    return;
  }
  const isMedia = tag === 'VIDEO' || tag === 'AUDIO';
  const children = isMedia ? [...selectAll(element, 'source[src],track[src]')] : [];
  const [first] = children.filter((child) => tagOf(child) === 'SOURCE');
  const raw = attr(element, tag === 'OBJECT' ? 'data' : 'src') ?? (first && attr(first, 'src'));
  const source = (isMedia && mediaSource(element)) || (raw ? absoluteUrl(raw, element) : '');
  writeEmbedded(tag.toLowerCase(), attr(element, 'aria-label') ?? attr(element, 'title'), source);
  for (const track of children)
    if (tagOf(track) === 'TRACK')
      writeEmbedded(
        attr(track, 'kind') || 'subtitles',
        attr(track, 'label') ?? attr(track, 'srclang'),
        absoluteUrl(attr(track, 'src'), track),
      );
}

/** @param {string | null} name @param {string} source */
function writeEmbedded(kind, name, source) {
  const address = INLINE_SOURCE.test(source) ? '' : source;
  const words = flatten(name ?? '');
  if (words || address) serialization.out.push(`<f t="${kind}"${xmlAttr('n', words)}${xmlAttr('s', address)}/>`);
}

/** @type {HtmlWriter} */
function writeObject(element, tag, flags, depth) {
  if (showsFallback(element)) writeTransparent(element, tag, flags, depth);
  else writeMedia(element, tag, flags, depth);
}

/** @type {HtmlWriter} a canvas: its name and its fallback content */
function writeCanvas(element, tag, flags, depth) {
  writeMedia(element, tag, flags, depth);
  writeTransparent(element, tag, flags, depth);
}
