// What the last reading of a document made of its elements, so that the next one visits only what may have changed
// since (stale.js says what that is) and tells only the lines that did. Other documents and shadow roots are read anew.

// Fewer elements are read as fast as they are compared, and a rule takes an eighth of the time of an element.
const FEW = 100;
const RULES_FOR_AN_ELEMENT = 8;

/**
 * @typedef {{parts: (string | Line)[], flags: number, inRow: boolean, tellings: Telling[] | null}} Memo  what a visit put into the line around
 * @typedef {{description: string, was: boolean, adds: boolean}} Telling  whether it was told before, and is from then on
 * @typedef {object} Notes
 * @property {Map<Element, Memo>} memos @property {Set<Element>} always  what changes without telling: sizes, values, shadow roots
 * @property {Map<Element, boolean>} painted @property {Map<Element, boolean>} roomy  empty elements, and what their looks said of them
 * @property {Map<Element, string>} ticked  boxes to tick, and how they were
 * @property {Set<Element>} hosts  that may be given a shadow root @property {Telling[]} tellings @property {boolean} provable
 * @property {Set<Element>} stale  visit them @property {Set<Element>} deep  and all that is in them @property {number} fresh  levels inside of `deep`
 * @property {(Line | string)[]} owners  of the lines of text; text between lines is its own @property {number} serial @property {Element[]} pending  what was not asked about
 * @property {ReturnType<typeof surroundings> | null} around
 */

/** @type {Notes | null} */
let kept = null;
let readings = 0;

/** @returns {Notes} */
const newNotes = () => ({
  memos: new Map(), always: new Set(), painted: new Map(), roomy: new Map(), ticked: new Map(), hosts: new Set(), tellings: [], provable: true, stale: new Set(), deep: new Set(), fresh: 0,
  owners: [], serial: 0, pending: [], around: null,
});

/**
 * Begins a reading: with what is kept when the reader knows that text, else anew.
 * @param {number} base  the number of the text that the reader has, 0 for none @returns {Notes | null} null: too small to be kept
 */
function beginNotes(base) {
  if (kept && kept.serial === base && stillHolds(kept)) {
    kept.tellings = [];
    return kept;
  }
  forgetKept();
  forget(); // what was asked of single elements meanwhile
  if (elementsByTag_.call(document, '*').length < FEW + countRules() / RULES_FOR_AN_ELEMENT) return null;
  kept = newNotes();
  watchStale(kept);
  if (kept.provable) return kept;
  forgetKept();
  return null;
}

/** Ends it. @param {Output} out @returns {number} the number of this text, 0: it is not kept */
function endNotes(notes, out) {
  if (!notes || !notes.provable || reading.queue.length) {
    forgetKept();
    return 0;
  }
  notes.owners = out.owners;
  for (let i = 0; i < notes.owners.length; i++) if (typeof notes.owners[i] !== 'string') notes.owners[i].at = i;
  notes.pending = [...reading.closed, ...reading.internals].map((id) => elementsOfIds.get(id)?.deref());
  notes.stale = new Set();
  notes.deep = new Set();
  notes.serial = ++readings;
  return notes.serial;
}

function forgetKept() {
  if (kept) unwatchStale();
  kept = null;
}

/** The document, while only some of its elements are visited: then each is asked alone what others ask of all at once. @type {Document | null} */
let sparseRoot = null;

/** The elements with attributes that single them out. @param {Node} root @returns {{has: (element: Element) => boolean}} */
const markedIn = (root) => (root === sparseRoot ? { has: (element) => matches(element, MARKED_SELECTOR) } : new Set(selectAll(root, MARKED_SELECTOR)));

/** Visits an element of a document that is kept, or takes what the last visit made of it. */
function visitKept(element, line, flags, depth, isOwned) {
  const { notes } = reading;
  const inRow = line.role === 'row';
  const memo = notes.fresh ? undefined : notes.memos.get(element);
  if (memo && memo.flags === flags && memo.inRow === inRow && !notes.stale.has(element) && retell(memo.tellings)) {
    for (const part of memo.parts) line.kids.push(part);
    return;
  }
  const isDeep = notes.deep.has(element);
  const from = (line.sealed = line.kids.length);
  const told = notes.tellings.length;
  if (isDeep) notes.fresh++;
  visitAnew(element, line, flags, depth, isOwned);
  if (isDeep) notes.fresh--;
  remember(notes, element, line.kids, from, flags, inRow, told);
}

function remember(notes, element, kids, from, flags, inRow, told) {
  const size = kids.length - from;
  // Text by itself, and single links, are visited as fast as they are looked up.
  if (size === 0 || (size === 1 && (typeof kids[from] === 'string' || kids[from].tag === 'A'))) {
    notes.memos.delete(element);
    return;
  }
  const tellings = notes.tellings.length > told ? notes.tellings.slice(told) : null;
  notes.memos.set(element, { parts: kids.slice(from), flags, inRow, tellings });
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
  /** @param {(Line | string)[]} [before]  the owners of the text before */
  constructor(before = []) {
    this.before = before;
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
    this.owners.push(owner ?? text);
    if (!owner && this.copied && this.before[this.copied[0] + this.copied[1]] === text) {
      this.copied[1]++;
      return;
    }
    this.fresh.push(text);
    this.copied = null;
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
