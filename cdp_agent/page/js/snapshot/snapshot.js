// The snapshot: one reading of everything in the documents of this process.

/**
 * @typedef {{text: string, serial: number, edits: (string | [number, number])[] | null, checked: boolean, seen:
 *   [number, number][], frames: [number, string][], remote: number[], omitted: [string, string][], internals: number[],
 *   rules: number}} SnapshotResult edits: instead of the text, ranges of rows copied from the base text ([first,
 *   count]) and new text between them serial: 0 when nothing is cached; checked: the text was read completely too, to
 *   be compared with `edits` seen: the rows in the viewport ([first, count]); rules: the number of style rules, with
 *   those of frames and shadow roots
 */

/**
 * @param {{next: [number, number], sent?: number | null, places?: boolean, base?: number | null, checks?: number,
 *   sameRules?: boolean}} options  sent: see `takePassed`, null: what passed is told by the next call; places:
 *   return `seen`; base: the `serial` of the text that the caller has, null from a caller that will not ask for
 *   edits of this text; checks: the share of reading time that may be spent on complete readings to verify the
 *   cache, 1: each time; sameRules: the style rules may be assumed to be those of the last reading; `same_rules`
 *   says whether they were
 * @returns {SnapshotResult & {first: number, end: number, elements: string, roots: number, gone: number[], endless:
 *   boolean, added: AddedCounts, editors: number[], url: string, title: string, passed: ReturnType<typeof takePassed>,
 *   draggable: boolean, same_rules: boolean}}
 */
function snapshot({ next, sent = null, places = false, base = 0, checks = 0, sameRules = false }) {
  const first = reserveIds(next);
  forget();
  const began = performance.now();
  const cache = base === null ? null : beginCached(base, sameRules);
  const same_rules = areRulesUnchanged;
  const isFull = cache?.readings === 0;
  let read;
  try {
    read = readDocument(cache, places);
  } catch (error) {
    dropCache(); // it may contain only a part of what was visited
    throw error;
  }
  const took = performance.now() - began;
  if (isFull) cache.fullReadingMs = took;
  else if (read.edits !== null && (checks >= 1 || Math.random() * cache.fullReadingMs < checks * took)) {
    forgetFacts();
    read = { ...readDocument(null, places), serial: read.serial, edits: read.edits, checked: true };
  }
  return {
    ...read,
    first,
    end: nextId,
    ...currentRoots(),
    elements: elementsFingerprint(),
    editors: knownCodeEditors(),
    url: documentURL_.call(document),
    title: documentTitle(),
    passed: sent === null ? [] : takePassed(sent),
    draggable: hasDraggable,
    same_rules,
  };
}

const documentTitle = () => collapse(beginningOf(title_.call(document)));

/** @param {ReadingCache | null} cache @returns {SnapshotResult} */
function readDocument(cache, places) {
  const isEdit = cache !== null && cache.serial > 0;
  sparseRoot = cache?.readings > 0 ? document : null;
  reading = newReading();
  const kids = withFrontFirst(visitDocument(cache), document);
  const out = new Output(isEdit ? cache.owners : [], isEdit ? cache.serial : 0);
  renderKids(kids, 0, out);
  const serial = cache ? endCached(cache, out) : 0;
  const seen = places ? linesInViewport(out.owners) : [];
  const { frames, remote, omitted, internals } = reading;
  const rules = rulesRead;
  forget();
  if (isEdit) out.flush();
  return {
    text: isEdit ? '' : out.fresh.join('\n'),
    serial,
    edits: isEdit ? out.edits : null,
    checked: false,
    seen,
    frames,
    remote,
    omitted,
    internals,
    rules,
  };
}

/** @param {ReadingCache | null} cache @returns {(string | Line)[]} the kids of the document */
function visitDocument(cache) {
  const whole = newLine(null, '', 'page');
  const root = documentElement_.call(document);
  const visit = () => {
    reading.cache = cache;
    if (cache) markOverlay(cache);
    if (cache) markOpeners(cache);
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

/** Drops the caches of one reading: the page may have changed since. */
function forget() {
  roles = new Map();
  rolesReadFromOthers = new Set();
  names = new Map();
  shownNames = new Map();
  selections = new Map();
  factsOfRoots = new Map();
  ownersOfRoots = new Map();
  labelsOfRoots = new Map();
  countersOfRoots = new Map();
  versions = new Map();
  classesInUse = undefined;
  clipFacts = new Map();
  reachedRows = new Map();
  itemNumbers = new Map();
  rulesRead = 0;
  areRulesUnchanged = false;
  sparseRoot = null;
  readsFewElements = false;
}
