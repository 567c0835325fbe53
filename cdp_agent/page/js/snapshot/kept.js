// What the last reading of a document made of its elements, so that the next one visits only what may have changed
// since (stale.js says what that is) and tells only the lines that did. Other documents and shadow roots are read anew.

// Fewer elements are read as fast as they are compared. To find out what a rule may do takes an eighth of the time of an element,
// once for as long as the rules stay the same.
const FEW = 100;
const RULES_FOR_AN_ELEMENT = 8;

/**
 * @typedef {{parts: (string | Line)[], flags: number, inRow: boolean, descriptionUses: DescriptionUse[] | null, made: number}} Memo  what a visit put into
 *   the line around, and in which reading. There is one only for as long as nothing in the element may be read differently, whether it is
 *   visited meanwhile or hidden
 * @typedef {{description: string, wasShown: boolean, adds: boolean}} DescriptionUse  whether it was told before, and is from then on
 * @typedef {object} ReadingCache
 * @property {Map<Element, Memo>} memos @property {Set<Element>} volatile  what changes without telling: sizes, values, shadow roots
 * @property {Map<Element, boolean>} emptyGraphics empty elements, and what their looks said of them @property {Map<Element, boolean>} checkboxVisuals those with the cursor of a link, and whether a box lies over them
 * @property {Map<Element, boolean>} clickAreas  what may be clickable, and whether it takes room @property {Map<Element, boolean>} icons  drawings told as such, and whether they are small
 * @property {Map<Element, string>} hints  what has no name, and what it is told by instead @property {Map<Element, null>} orphanLabels  labels of no control
 * @property {Map<Element, string>} checkStates  boxes to tick, and how they were @property {Map<Element, string>} decorated  how rules set text off
 * @property {Map<Element, string | null>} svgClasses  parts of drawings, and their classes @property {Map<Element, string | null>} hrefs  and where they lead
 * @property {boolean} animated  whether drawings are
 * @property {Map<Element, number>} redundancy @property {Line[]} inert  lines that were so
 * @property {Set<Element>} hosts  that may be given a shadow root @property {DescriptionUse[]} descriptionUses @property {boolean} isTrackable
 * @property {Set<Element>} stale  what lost its memo since the last reading, with all that it is in
 * @property {WeakMap<Element, number>} changed  after which reading everything in it may have become another @property {number} changes  how many since the last reading
 * @property {number} since  of what is being visited: memos that were made up to that reading do not hold @property {Element | null} visited  the innermost of it
 * @property {Set<Element>} styled  whose own style depends on more than the style sheets
 * @property {(Line | string)[]} owners  of the lines of text; text between lines is its own @property {number} serial @property {Element[]} pending  what was not asked about
 * @property {number} fullReadingMs  ms of the reading that these began with
 * @property {ReadingContext | null} around
 */

/** @type {ReadingCache | null} */
let currentCache = null;
/** How many were begun. */
let readingCount = 0;

/** @returns {ReadingCache} */
const newCache = () => ({
  memos: new Map(), volatile: new Set(), emptyGraphics: new Map(), checkboxVisuals: new Map(), clickAreas: new Map(), icons: new Map(), hints: new Map(), orphanLabels: new Map(), checkStates: new Map(), decorated: new Map(), svgClasses: new Map(), hrefs: new Map(), animated: false, redundancy: new Map(), inert: [], hosts: new Set(), descriptionUses: [], isTrackable: true, stale: new Set(), changed: new WeakMap(), changes: 0,
  since: 0, visited: null, styled: new Set(), owners: [], serial: 0, fullReadingMs: 0, pending: [], around: null,
});

/**
 * Begins a reading: with what is kept when the reader knows that text, else anew.
 * @param {number} base  the number of the text that the reader has, 0 for none
 * @param {boolean} sameRules  the style rules may be taken for the same @returns {ReadingCache | null} null: too small to be kept
 */
function beginCached(base, sameRules) {
  if (resumeCached(base, sameRules)) return currentCache;
  if (!isWorthCaching()) return null;
  currentCache = newCache();
  watchStale(currentCache);
  if (currentCache.isTrackable) return currentCache;
  dropCache();
  return null;
}

/**
 * Begins a reading with what is kept, else forgets it.
 * @param {number} [base]  of that text alone @param {boolean} [sameRules] @returns {ReadingCache | null} null: it does not hold
 */
function resumeCached(base = currentCache?.serial, sameRules = false) {
  const holds = currentCache !== null && currentCache.serial !== 0 && currentCache.serial === base && isCacheValid(currentCache, sameRules);
  readingCount++; // what changes from now on is newer than what the last reading made
  if (holds) {
    Object.assign(currentCache, { descriptionUses: [], since: 0, visited: null });
    return currentCache;
  }
  dropCache();
  forget(); // what was asked of single elements meanwhile
  return null;
}

function isWorthCaching() {
  const elements = elementsByTag_.call(document, '*').length;
  // Of a document that is edited as a whole, Chrome says that nothing in it is inert, but only once some rule has changed.
  if (elements < FEW || isDesigned(document)) return false;
  const rules = countRules();
  return rules < Infinity && (elements >= FEW + rules / RULES_FOR_AN_ELEMENT || areSheetsUnchanged());
}

/** Ends it. @param {Output} out @returns {number} the number of this text, 0: it is not kept */
function endCached(cache, out) {
  if (!keepCache(cache)) return 0;
  cache.owners = out.owners;
  cache.serial = readingCount;
  for (let i = 0; i < cache.owners.length; i++) {
    const owner = cache.owners[i];
    if (typeof owner !== 'string') [owner.at, owner.serial] = [i, readingCount];
  }
  cache.inert = reading.inert;
  return cache.serial;
}

/** Ends a reading that is told in no text: what was visited is kept, the text before stays the one that is known. @returns {boolean} whether anything is */
function keepCache(cache) {
  if (!cache.isTrackable || reading.queue.length) {
    dropCache();
    return false;
  }
  cache.pending = reading.internals.map((id) => elementsOfIds.get(id)?.deref());
  cache.stale = new Set();
  cache.changes = 0;
  return true;
}

function dropCache() {
  if (currentCache) unwatchStale();
  currentCache = null;
}

/** The document, while only some of its elements are visited: then each is asked alone what others ask of all at once. @type {Document | null} */
let sparseRoot = null;

/** The elements with attributes that single them out. @param {Node} root @returns {{has: (element: Element) => boolean}} */
function notableIn(root) {
  if (root !== sparseRoot) return new Set(selectAll(root, NOTABLE_SELECTOR));
  const asked = new LazySelection(sparseRoot, [[1, NOTABLE_SELECTOR]]);
  return { has: (element) => asked.get(element) !== 0 };
}

/** Visits an element of a document that is kept, or takes what the last visit made of it. */
function visitCached(element, line, flags, depth, isOwned) {
  const { cache } = reading;
  const inRow = line.role === 'row';
  const memo = cache.memos.get(element);
  const { since, visited } = cache;
  const newest = Math.max(since, cache.changed.get(element) ?? 0);
  if (memo && memo.made > newest && memo.flags === flags && memo.inRow === inRow && replayDescriptions(memo.descriptionUses)) {
    for (const part of memo.parts) line.kids.push(part);
    return;
  }
  const from = (line.sealed = line.kids.length);
  const describedSoFar = cache.descriptionUses.length;
  cache.since = newest;
  cache.visited = element;
  visitAnew(element, line, flags, depth, isOwned);
  cache.since = since;
  cache.visited = visited;
  memoize(element, line.kids, from, flags, inRow, describedSoFar);
}

function memoize(element, kids, from, flags, inRow, describedSoFar) {
  const { cache } = reading;
  const size = kids.length - from;
  // Text by itself, and single links, are visited as fast as they are looked up.
  if (size === 0 || (size === 1 && (typeof kids[from] === 'string' || kids[from].tag === 'A'))) {
    cache.memos.delete(element);
    return;
  }
  const descriptionUses = cache.descriptionUses.length > describedSoFar ? cache.descriptionUses.slice(describedSoFar) : null;
  cache.memos.set(element, { parts: kids.slice(from), flags, inRow, descriptionUses, made: readingCount });
}

/** Whether the same descriptions as then are said, and not said, before these; if so, they are said now. @param {DescriptionUse[] | null} descriptionUses */
function replayDescriptions(descriptionUses) {
  if (!descriptionUses) return true;
  const { cache, describedSoFar } = reading;
  const added = [];
  for (const { description, wasShown, adds } of descriptionUses) {
    if (describedSoFar.has(description) !== wasShown) {
      for (const each of added) describedSoFar.delete(each);
      return false;
    }
    if (adds) {
      describedSoFar.add(description);
      added.push(description);
    }
  }
  for (const descriptionUse of descriptionUses) cache.descriptionUses.push(descriptionUse);
  return true;
}

/** Whether a description was told already in this reading; if not and `adds`, it is now. */
function wasDescriptionShown(description, adds) {
  const wasShown = reading.describedSoFar.has(description);
  reading.cache?.descriptionUses.push({ description, wasShown, adds: adds && !wasShown });
  if (adds) reading.describedSoFar.add(description);
  return wasShown;
}

/** The lines of a reading: their texts, or what became of the text before. */
class Output {
  /** @param {(Line | string)[]} before  the owners of the text before @param {number} serial  its number, 0 when there is none */
  constructor(before, serial) {
    this.before = before;
    this.serial = serial;
    this.owners = [];
    this.fresh = [];
    this.edits = [];
    this.copied = null; // the last edit, while it is a copy
  }

  get length() {
    return this.owners.length;
  }

  /** @param {string} text @param {Line | null} owner  null for text between lines */
  push(text, owner) {
    spendText(text);
    this.owners.push(owner ?? text);
    if (!owner && this.copied && this.before[this.copied[0] + this.copied[1]] === text) {
      this.copied[1]++;
      return;
    }
    this.fresh.push(text);
    this.copied = null;
  }

  /** Whether a line and all that is in it stood in the text before as they would stand now. @param {Line} line */
  has(line, depth) {
    return this.serial !== 0 && line.serial === this.serial && line.depth === depth && line.inert === line.wasInert;
  }

  /** The same lines as before. @param {Line} line */
  copy(line) {
    this.flush();
    const { at, size } = line;
    for (let i = at; i < at + size; i++) this.owners.push(this.before[i]);
    if (this.copied && this.copied[0] + this.copied[1] === at) this.copied[1] += size;
    else this.edits.push((this.copied = [at, size]));
  }

  flush() {
    if (this.fresh.length) this.edits.push(this.fresh.join('\n'));
    this.fresh = [];
  }
}
