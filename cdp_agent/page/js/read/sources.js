// From a piece of a line's text to the nodes that it is from.

/** Finds the source nodes of a part of a line's text. Lines do not store them, so the line's element is read again. */
class SourceFinder {
  constructor() {
    /**
     * @type {Map<(string | Line)[], Map<number, {compactText: CompactText, first: number, places: number[]}>>} by the
     *   kids of a line and the first text of a stretch, -1 for all of them: where the texts from `first` on begin, -1:
     *   not found
     */
    this.found = new Map();
  }

  /**
   * @param {TextOrigin} origin
   * @returns {[Node, Node]} the first and the last node; the line's element twice if they are not found
   */
  sourcesOf({ element, kids, at }, from, length) {
    if (at < 0 || !isConnected_.call(element)) return [element, element]; // a removed element cannot be read
    let { compactText, first, places } = this.textsBeside(element, kids, at);
    if (places[at - first] < 0) ({ compactText, first, places } = this.textsOf(element, kids, -1, WHOLE));
    const place = places[at - first];
    if (place < 0) return [element, element];
    const text = /** @type {string} */ (kids[at]);
    const start = place + compacted(text.slice(0, from)).length;
    const wanted = compacted(text.slice(from, from + length)).length;
    return [compactText.nodeAt(start), compactText.nodeAt(start + Math.max(wanted, 1) - 1)];
  }

  /** The texts between the lines that a text is between: mostly a small part of the line. */
  textsBeside(element, kids, at) {
    let first = at;
    while (first > 0 && typeof kids[first - 1] === 'string') first--;
    let end = at + 1;
    while (end < kids.length && typeof kids[end] === 'string') end++;
    const [after, afterPath] = nearestInside(element, kids, first - 1, -1);
    const [before, beforePath] = nearestInside(element, kids, end, 1);
    return this.textsOf(element, kids, first, { after, afterPath, before, beforePath }, kids.slice(first, end));
  }

  /** @param {Stretch} stretch  of the element, with these texts */
  textsOf(element, kids, key, stretch, texts = kids) {
    let ofLine = this.found.get(kids);
    if (!ofLine) this.found.set(kids, (ofLine = new Map()));
    let found = ofLine.get(key);
    if (!found) {
      const compactText = new CompactText(readVisibleText(element, { stretch }));
      ofLine.set(key, (found = { compactText, first: Math.max(key, 0), places: placesIn(compactText, texts) }));
    }
    return found;
  }
}

/**
 * The element of the next line that is inside of an element, and its path there.
 * @param {(string | Line)[]} kids @param {number} step  1 or -1 @returns {[Element | null, Set<Node>]}
 */
function nearestInside(element, kids, from, step) {
  for (let i = from; i >= 0 && i < kids.length; i += step) {
    const kid = kids[i];
    if (typeof kid === 'string') continue;
    const path = new Set();
    let node = kid.element;
    for (; node && node !== element; node = flatParent(node)) path.add(node);
    if (node && path.size) return [kid.element, path];
  }
  return [null, new Set()];
}

/**
 * Where each text of a line begins, -1 if not found. Texts are in order, between the lines beside them.
 * @param {CompactText} compactText
 * @param {(string | Line)[]} kids
 */
function placesIn(compactText, kids) {
  const lines = kids.map((kid) => (typeof kid === 'string' ? null : compactText.rangeOf(kid.element)));
  const ends = new Array(kids.length);
  for (let i = kids.length - 1, end = compactText.text.length; i >= 0; i--) {
    ends[i] = end;
    end = lines[i]?.[0] ?? end;
  }
  let cursor = 0;
  return kids.map((kid, i) => {
    if (typeof kid !== 'string') {
      cursor = Math.max(cursor, lines[i]?.[1] ?? 0);
      return -1;
    }
    const wanted = compacted(kid);
    const at = compactText.text.slice(cursor, ends[i]).indexOf(wanted);
    if (at < 0) return -1;
    cursor += at + wanted.length;
    return cursor - wanted.length;
  });
}

/** A text without white space and separators, for comparing. */
class CompactText {
  /** @param {VisibleText} text */
  constructor({ pieces, sources }) {
    this.text = '';
    this.starts = [];
    this.sources = sources;
    /** @type {Map<Node, [number, number]>} node → its first and end offset */
    this.ranges = new Map();
    for (let i = 0; i < pieces.length; i++) {
      const start = this.text.length;
      this.starts.push(start);
      this.text += compacted(pieces[i]);
      if (this.text.length > start)
        this.ranges.set(sources[i], [this.ranges.get(sources[i])?.[0] ?? start, this.text.length]);
    }
  }

  nodeAt(letter) {
    return this.sources[lastAtMost(this.starts, letter)];
  }

  /** @param {Node} node @returns {[number, number] | undefined} the first and end offset of all text in it */
  rangeOf(node) {
    /** @type {[number, number] | undefined} */
    let range;
    const pending = [node];
    while (pending.length) {
      const each = pending.pop();
      const own = this.ranges.get(each);
      if (own) range = range ? [Math.min(range[0], own[0]), Math.max(range[1], own[1])] : own;
      const inner = nodeType(each) === 1 ? (rootOfHost(each) ?? contentDocumentOf(each)) : null;
      for (const parent of inner ? [inner, each] : [each])
        for (let child = firstChild(parent); child; child = nextSibling(child)) pending.push(child);
    }
    return range;
  }
}

/** The text without white space and separators, so that texts with different spacing are equal. */
const compacted = (text) => text.replace(/[\s|\x14]+/g, '');
