// The cache between readings of a document, by which the next reading visits only what may have changed (see stale.js)
// and returns only the lines that did. Other documents and shadow roots are always read completely.

// Fewer elements are read as fast as they are compared. Analysing a rule takes an eighth of the time of reading an
// element, once for as long as the rules stay the same.
const FEW = 100;
const RULES_FOR_AN_ELEMENT = 8;

/**
 * @typedef {{parts: (string | Line)[], flags: number, inRow: boolean, descriptionUses: DescriptionUse[] | null, made:
 *   number}} Memo  what visiting an element added to the line around it, and in which reading. It is deleted as soon as
 *   anything in the element may be read differently, whether or not the element is visited meanwhile
 * @typedef {{description: string, wasShown: boolean, adds: boolean}} DescriptionUse  whether it had been shown before
 *   in that reading, and is added now
 * @typedef {object} ReadingCache
 * @property {Map<Element, Memo>} memos @property {Map<Question<unknown>, Map<Element, unknown>>} answers  see remember
 * @property {Line[]} behind  lines behind a modal dialog or an overlay @property {Element | null} marked  as an overlay
 * @property {Map<Element, string>} openers  see openersIn
 * @property {DescriptionUse[]} descriptionUses @property {boolean} isTrackable  whether all changes can be noticed
 * @property {Set<Element>} stale  elements that lost their memo since the last reading, and their ancestors
 * @property {WeakMap<Element, number>} changed  the number of the reading after which a whole subtree may have changed
 *   @property {number} changes  the number of such changes since the last reading
 * @property {number} since  memos made up to that reading are invalid in the element being visited @property {Element |
 *   null} visited  the innermost element being visited
 * @property {boolean} lostElements  whether elements were removed since the last reading
 * @property {Set<Element>} styled  elements with a dependent style attribute
 * @property {(Line | string)[]} owners  the line that each row of text belongs to; text between lines stands for itself
 *   @property {number} serial  of that text, 0 while only searches have read the document
 * @property {number} readings  how many have filled it @property {ShownText | null} shown  the text last searched
 * @property {Element[]} pending  custom elements whose internals were not asked for
 * @property {number} fullReadingMs  the duration of the complete reading that filled this cache
 * @property {ReadingContext | null} around
 */

/** @type {ReadingCache | null} */
let currentCache = null;
/** The number of readings begun. */
let readingCount = 0;

/** @returns {ReadingCache} */
const newCache = () => ({
  memos: new Map(),
  answers: new Map(),
  behind: [],
  marked: null,
  openers: NOTHING_OPENS,
  descriptionUses: [],
  isTrackable: true,
  stale: new Set(),
  changed: new WeakMap(),
  changes: 0,
  since: 0,
  visited: null,
  lostElements: false,
  styled: new Set(),
  owners: [],
  serial: 0,
  readings: 0,
  shown: null,
  fullReadingMs: 0,
  pending: [],
  around: null,
});

/**
 * Begins a reading, with the cache if it belongs to the text that the caller has or to none, else with an empty one.
 * @param {number} base  the serial of the text that the caller has, 0 for none
 * @param {boolean} sameRules  the style rules may be assumed to be unchanged @returns {ReadingCache | null} null: the
 *   document is not cached
 */
function beginCached(base, sameRules) {
  if (resumeCached(base, sameRules)) return currentCache;
  if (!isWorthCaching()) return null;
  catchUp(); // what changed before this reading is no news for the next
  currentCache = newCache();
  watchStale(currentCache);
  if (currentCache.isTrackable) return currentCache;
  dropCache();
  return null;
}

/**
 * Begins a reading with the cache, or drops it if it is invalid.
 * @param {number} base  the serial of the text that the cache must belong to, unless it belongs to none
 * @param {boolean} sameRules @returns {ReadingCache | null} null: it was dropped
 */
function resumeCached(base, sameRules) {
  const holds =
    currentCache !== null &&
    (currentCache.serial === base || currentCache.serial === 0) &&
    isCacheValid(currentCache, sameRules);
  readingCount++; // changes from now on are newer than what the last reading made
  if (holds) {
    Object.assign(currentCache, { descriptionUses: [], since: 0, visited: null });
    for (const line of currentCache.behind) line.behind = '';
    return currentCache;
  }
  dropCache();
  forget(); // the caches of queries about single elements
  return null;
}

function isWorthCaching() {
  const elements = elementsByTag_.call(document, '*').length;
  // In a document with designMode on, Chrome reports nothing as inert, but only once some rule has changed.
  if (elements < FEW || isDesignMode(document)) return false;
  const rules = countRules();
  return rules < Infinity && (elements >= FEW + rules / RULES_FOR_AN_ELEMENT || areSheetsUnchanged());
}

/** Ends a reading. @param {Output} out @returns {number} the serial of its text, 0: the cache was dropped */
function endCached(cache, out) {
  if (!keepCache(cache)) return 0;
  cache.owners = out.owners;
  cache.serial = readingCount;
  for (let i = 0; i < cache.owners.length; i++) {
    const owner = cache.owners[i];
    if (typeof owner !== 'string') [owner.at, owner.serial] = [i, readingCount];
  }
  cache.behind = reading.behind;
  return cache.serial;
}

/**
 * Ends a reading without text: what was visited is cached, for the last text.
 * @returns {boolean} whether there is still a cache
 */
function keepCache(cache) {
  if (!cache.isTrackable || reading.queue.length) {
    dropCache();
    return false;
  }
  cache.pending = reading.internals.map((id) => elementsOfIds.get(id)?.deref());
  cache.stale = new Set();
  cache.changes = 0;
  cache.readings++;
  cache.lostElements = false;
  return true;
}

/** Has no cache made of a reading whose changes cannot all be noticed. */
function preventCaching() {
  if (reading.cache) reading.cache.isTrackable = false;
}

function dropCache() {
  if (!currentCache) return;
  currentCache = null;
  observe(document);
}

/**
 * The document, while only some of its elements are visited: then selectors are matched lazily by element.
 * @type {Document | null}
 */
let sparseRoot = null;

/** The elements with notable attributes. @param {Node} root @returns {{has: (element: Element) => boolean}} */
function notableIn(root) {
  if (root !== sparseRoot) return new Set(selectAll(root, NOTABLE_SELECTOR));
  const asked = (notableInDocument ??= new LazySelection(sparseRoot, [[1, NOTABLE_SELECTOR]]));
  return { has: (element) => Boolean(asked.get(element)) };
}

/** Visits an element of a cached document, or reuses its memo. */
function visitCached(element, line, flags, depth, isOwned) {
  const { cache } = reading;
  const inRow = line.role === 'row';
  const memo = cache.memos.get(element);
  const { since, visited } = cache;
  const newest = Math.max(since, cache.changed.get(element) ?? 0);
  if (
    memo &&
    memo.made > newest &&
    memo.flags === flags &&
    memo.inRow === inRow &&
    replayDescriptions(memo.descriptionUses)
  ) {
    for (const part of memo.parts) line.kids.push(part);
    return;
  }
  const from = (line.sealed = line.kids.length);
  const usesBefore = cache.descriptionUses.length;
  cache.since = newest;
  cache.visited = element;
  visitAnew(element, line, flags, depth, isOwned);
  cache.since = since;
  cache.visited = visited;
  memoize(element, line.kids, from, flags, inRow, usesBefore);
}

function memoize(element, kids, from, flags, inRow, usesBefore) {
  const { cache } = reading;
  const size = kids.length - from;
  // Plain texts and single links are visited as fast as they are looked up.
  if (size === 0 || (size === 1 && (typeof kids[from] === 'string' || kids[from].tag === 'A'))) {
    cache.memos.delete(element);
    return;
  }
  const descriptionUses = cache.descriptionUses.length > usesBefore ? cache.descriptionUses.slice(usesBefore) : null;
  cache.memos.set(element, { parts: kids.slice(from), flags, inRow, descriptionUses, made: readingCount });
}

/**
 * Whether the same descriptions have been shown before as in the memo's reading; if so, adds those of the memo.
 * @param {DescriptionUse[] | null} descriptionUses
 */
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

/** Whether a description was already shown in this reading; if not and `adds` is true, adds it. */
function wasDescriptionShown(description, adds) {
  const wasShown = reading.describedSoFar.has(description);
  reading.cache?.descriptionUses.push({ description, wasShown, adds: adds && !wasShown });
  if (adds) reading.describedSoFar.add(description);
  return wasShown;
}

/** The output of a reading: its text, or edits of the last text. */
class Output {
  /** @param {(Line | string)[]} before  the owners of the last text @param {number} serial  its serial, 0 for none */
  constructor(before, serial) {
    this.before = before;
    this.serial = serial;
    this.owners = [];
    this.fresh = [];
    this.edits = [];
    this.copied = null; // the last edit, if it is a copy
  }

  get length() {
    return this.owners.length;
  }

  /** @param {string} text  a row of text @param {Line | null} owner  null for text between lines */
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

  /** Whether a line with all its descendants is the same in the last text. @param {Line} line */
  has(line, depth) {
    const isMarkedAlike = line.behind === line.wasBehind && line.unseen === line.wasUnseen;
    return this.serial !== 0 && line.serial === this.serial && line.depth === depth && isMarkedAlike;
  }

  /** Copies a line and its descendants from the last text. @param {Line} line */
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
