// What the last reading of a document made of its elements, so that the next one visits only what may have changed
// since (stale.js says what that is) and tells only the lines that did. Other documents and shadow roots are read anew.

// Fewer elements are read as fast as they are compared. To find out what a rule may do takes an eighth of the time of an element,
// once for as long as the rules stay the same.
const FEW = 100;
const RULES_FOR_AN_ELEMENT = 8;

/**
 * @typedef {{parts: (string | Line)[], flags: number, inRow: boolean, tellings: Telling[] | null, made: number}} Memo  what a visit put into
 *   the line around, and in which reading. There is one only for as long as nothing in the element may be read differently, whether it is
 *   visited meanwhile or hidden
 * @typedef {{description: string, was: boolean, adds: boolean}} Telling  whether it was told before, and is from then on
 * @typedef {object} Notes
 * @property {Map<Element, Memo>} memos @property {Set<Element>} always  what changes without telling: sizes, values, shadow roots
 * @property {Map<Element, boolean>} painted empty elements, and what their looks said of them @property {Map<Element, boolean>} faces those with the cursor of a link, and whether a box lies over them
 * @property {Map<Element, boolean>} roomy  what may be clickable, and whether it takes room @property {Map<Element, boolean>} icons  drawings told as such, and whether they are small
 * @property {Map<Element, string>} hinted  what has no name, and what it is told by instead @property {Map<Element, null>} unlabelling  labels of no control
 * @property {Map<Element, string>} ticked  boxes to tick, and how they were @property {Map<Element, string>} decorated  how rules set text off
 * @property {Map<Element, string | null>} drawn  parts of drawings, and their classes @property {Map<Element, string | null>} leading  and where they lead
 * @property {boolean} animated  whether drawings are
 * @property {Map<Element, number>} saidElsewhere @property {Line[]} inert  lines that were so
 * @property {Set<Element>} hosts  that may be given a shadow root @property {Telling[]} tellings @property {boolean} provable
 * @property {Set<Element>} stale  what lost its memo since the last reading, with all that it is in
 * @property {WeakMap<Element, number>} changed  after which reading everything in it may have become another @property {number} changes  how many since the last reading
 * @property {number} since  of what is being visited: memos that were made up to that reading do not hold @property {Element | null} visited  the innermost of it
 * @property {Set<Element>} styled  whose own style depends on more than the style sheets
 * @property {(Line | string)[]} owners  of the lines of text; text between lines is its own @property {number} serial @property {Element[]} pending  what was not asked about
 * @property {number} anewTook  ms of the reading that these began with
 * @property {Surroundings | null} around
 */

/** @type {Notes | null} */
let kept = null;
/** How many were begun. */
let readings = 0;

/** @returns {Notes} */
const newNotes = () => ({
  memos: new Map(), always: new Set(), painted: new Map(), faces: new Map(), roomy: new Map(), icons: new Map(), hinted: new Map(), unlabelling: new Map(), ticked: new Map(), decorated: new Map(), drawn: new Map(), leading: new Map(), animated: false, saidElsewhere: new Map(), inert: [], hosts: new Set(), tellings: [], provable: true, stale: new Set(), changed: new WeakMap(), changes: 0,
  since: 0, visited: null, styled: new Set(), owners: [], serial: 0, anewTook: 0, pending: [], around: null,
});

/**
 * Begins a reading: with what is kept when the reader knows that text, else anew.
 * @param {number} base  the number of the text that the reader has, 0 for none
 * @param {boolean} sameRules  the style rules may be taken for the same @returns {Notes | null} null: too small to be kept
 */
function beginNotes(base, sameRules) {
  if (resumeNotes(base, sameRules)) return kept;
  if (!isWorthKeeping()) return null;
  kept = newNotes();
  watchStale(kept);
  if (kept.provable) return kept;
  forgetKept();
  return null;
}

/**
 * Begins a reading with what is kept, else forgets it.
 * @param {number} [base]  of that text alone @param {boolean} [sameRules] @returns {Notes | null} null: it does not hold
 */
function resumeNotes(base = kept?.serial, sameRules = false) {
  const holds = kept !== null && kept.serial !== 0 && kept.serial === base && stillHolds(kept, sameRules);
  readings++; // what changes from now on is newer than what the last reading made
  if (holds) {
    Object.assign(kept, { tellings: [], since: 0, visited: null });
    return kept;
  }
  forgetKept();
  forget(); // what was asked of single elements meanwhile
  return null;
}

function isWorthKeeping() {
  const elements = elementsByTag_.call(document, '*').length;
  // Of a document that is edited as a whole, Chrome says that nothing in it is inert, but only once some rule has changed.
  if (elements < FEW || isDesignMode(document)) return false;
  const rules = countRules();
  return rules < Infinity && (elements >= FEW + rules / RULES_FOR_AN_ELEMENT || haveSheetsStayed());
}

/** Ends it. @param {Output} out @returns {number} the number of this text, 0: it is not kept */
function endNotes(notes, out) {
  if (!restNotes(notes)) return 0;
  notes.owners = out.owners;
  notes.serial = readings;
  for (let i = 0; i < notes.owners.length; i++) {
    const owner = notes.owners[i];
    if (typeof owner !== 'string') [owner.at, owner.serial] = [i, readings];
  }
  notes.inert = reading.inert;
  return notes.serial;
}

/** Ends a reading that is told in no text: what was visited is kept, the text before stays the one that is known. @returns {boolean} whether anything is */
function restNotes(notes) {
  if (!notes.provable || reading.queue.length) {
    forgetKept();
    return false;
  }
  notes.pending = reading.internals.map((id) => elementsOfIds.get(id)?.deref());
  notes.stale = new Set();
  notes.changes = 0;
  return true;
}

function forgetKept() {
  if (kept) unwatchStale();
  kept = null;
}

/** The document, while only some of its elements are visited: then each is asked alone what others ask of all at once. @type {Document | null} */
let sparseRoot = null;

/** The elements with attributes that single them out. @param {Node} root @returns {{has: (element: Element) => boolean}} */
function markedIn(root) {
  if (root !== sparseRoot) return new Set(selectAll(root, MARKED_SELECTOR));
  const asked = new AskedAlone(sparseRoot, [[1, MARKED_SELECTOR]]);
  return { has: (element) => asked.get(element) !== 0 };
}

/** Visits an element of a document that is kept, or takes what the last visit made of it. */
function visitKept(element, line, flags, depth, isOwned) {
  const { notes } = reading;
  const inRow = line.role === 'row';
  const memo = notes.memos.get(element);
  const { since, visited } = notes;
  const newest = Math.max(since, notes.changed.get(element) ?? 0);
  if (memo && memo.made > newest && memo.flags === flags && memo.inRow === inRow && retell(memo.tellings)) {
    for (const part of memo.parts) line.kids.push(part);
    return;
  }
  const from = (line.sealed = line.kids.length);
  const told = notes.tellings.length;
  notes.since = newest;
  notes.visited = element;
  visitAnew(element, line, flags, depth, isOwned);
  notes.since = since;
  notes.visited = visited;
  remember(element, line.kids, from, flags, inRow, told);
}

function remember(element, kids, from, flags, inRow, told) {
  const { notes } = reading;
  const size = kids.length - from;
  // Text by itself, and single links, are visited as fast as they are looked up.
  if (size === 0 || (size === 1 && (typeof kids[from] === 'string' || kids[from].tag === 'A'))) {
    notes.memos.delete(element);
    return;
  }
  const tellings = notes.tellings.length > told ? notes.tellings.slice(told) : null;
  notes.memos.set(element, { parts: kids.slice(from), flags, inRow, tellings, made: readings });
}

/** Whether the same descriptions as then are said, and not said, before these; if so, they are said now. @param {Telling[] | null} tellings */
function retell(tellings) {
  if (!tellings) return true;
  const { notes, told } = reading;
  const added = [];
  for (const { description, was, adds } of tellings) {
    if (told.has(description) !== was) {
      for (const each of added) told.delete(each);
      return false;
    }
    if (adds) {
      told.add(description);
      added.push(description);
    }
  }
  for (const telling of tellings) notes.tellings.push(telling);
  return true;
}

/** Whether a description was told already in this reading; if not and `adds`, it is now. */
function wasTold(description, adds) {
  const was = reading.told.has(description);
  reading.notes?.tellings.push({ description, was, adds: adds && !was });
  if (adds) reading.told.add(description);
  return was;
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
