// One reading of everything this session shows.

/**
 * @typedef {{text: string, serial: number, edits: (string | [number, number])[] | null, checked: boolean, seen: [number, number][], frames: [number, string][],
 *   remote: number[], omitted: [string, string][], internals: number[], rules: number}} Read
 *   edits: instead of the text, of which lines of that other text it is made ([first, how many]) and what stands between
 *   serial: 0 when nothing is kept of it; checked: `edits` are there to be held against the text, which was read anew
 *   seen: which lines are in the viewport ([first, how many]); rules: how many style rules there are, with those of frames and shadow roots
 */

/**
 * @param {{next: [number, number], places?: boolean, base?: number | null, checks?: number, sameRules?: boolean}} options  places: `seen` is wanted; base: the
 *   `serial` of the text that the caller has, null for one that will not come back for what became of this one; checks: the share of the
 *   time of readings that may go into reading anew what was kept, to see whether it is the same; 1: each time; sameRules: the style rules may be
 *   taken for what they were at the last reading, which then is told as `same_rules`
 * @returns {Read & {first: number, end: number, elements: string, roots: number, gone: number[], endless: boolean, came: number[], editors: number[], url: string, title: string, same_rules: boolean}}
 */
function snapshot({ next, places = false, base = 0, checks = 0, sameRules = false }) {
  const first = reserveIds(next);
  forget();
  const began = performance.now();
  const notes = base === null ? null : beginNotes(base, sameRules);
  const same_rules = areRulesTheSame;
  let read;
  try {
    read = readDocument(notes, places);
  } catch (error) {
    forgetKept(); // it may hold only a part of what was visited
    throw error;
  }
  const took = performance.now() - began;
  if (notes && read.edits === null) notes.anewTook = took;
  else if (notes && (checks >= 1 || Math.random() * notes.anewTook < checks * took)) {
    forgetFacts();
    read = { ...readDocument(null, places), serial: read.serial, edits: read.edits, checked: true };
  }
  return {
    ...read, first, end: nextId, ...rootsNow(), came: cameSoFar(), elements: elementsThere(), editors: knownCodeEditors(), url: documentURL_.call(document),
    title: documentTitle(), same_rules,
  };
}

const documentTitle = () => collapse(beginningOf(title_.call(document)));

/** @param {Notes | null} notes @returns {Read} */
function readDocument(notes, places) {
  const isEdit = notes !== null && notes.serial > 0;
  sparseRoot = isEdit ? document : null;
  reading = newReading();
  const kids = visitDocument(notes);
  const out = new Output(isEdit ? notes.owners : [], isEdit ? notes.serial : 0);
  for (const line of notes?.inert ?? []) line.inert = false;
  markInert(kids, document);
  renderKids(kids, 0, out);
  const serial = notes ? endNotes(notes, out) : 0;
  const seen = places ? seenLines(out.owners) : [];
  const { frames, remote, omitted, internals } = reading;
  const rules = rulesAskedFor;
  forget();
  if (isEdit) out.flush();
  return { text: isEdit ? '' : out.fresh.join('\n'), serial, edits: isEdit ? out.edits : null, checked: false, seen, frames, remote, omitted, internals, rules };
}

/** @param {Notes | null} notes @returns {(string | Line)[]} what the document holds */
function visitDocument(notes) {
  const whole = newLine(null, '', 'page');
  const root = documentElement_.call(document);
  const visit = () => {
    reading.notes = notes;
    visitElement(root, whole, 0, 0);
  };
  if (root) inRoot(document, visit);
  for (let i = 0; i < reading.queue.length; i++) {
    const [element, place, flags, at] = reading.queue[i];
    reading = at;
    visitElement(element, place, flags, 0);
  }
  return joinShort(withoutSeparators(tidy(whole.kids)), false);
}

/** Drops what was remembered for one reading: the page may have changed since. */
function forget() {
  roles = new Map();
  rolesOfElsewhere = new Set();
  names = new Map();
  writtenNames = new Map();
  selections = new Map();
  factsOfRoots = new Map();
  ownersOfRoots = new Map();
  labelsOfRoots = new Map();
  countersOfRoots = new Map();
  versions = new Map();
  classesThere = null;
  clipsOf = new Map();
  rulesAskedFor = 0;
  areRulesTheSame = false;
  sparseRoot = null;
  asksFew = false;
}
