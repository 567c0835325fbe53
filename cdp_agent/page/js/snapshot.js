// One reading of everything this session shows.

/**
 * @param {{next: [number, number], places?: boolean, base?: number | null}} options  places: `seen` is wanted; base: the `serial`
 *   of the text that the caller has, null for one that will not come back for what became of this one
 * @returns {{text: string, serial: number, edits: (string | [number, number])[] | null, seen: [number, number][], first: number, end: number, frames: [number, string][],
 *   remote: number[], omitted: [string, string][], closed: number[], internals: number[], elements: string, url: string, title: string}}
 *   edits: instead of the text, of which lines of that other text it is made ([first, how many]) and what stands between
 *   serial: 0 when nothing is kept of it; seen: which lines are in the viewport ([first, how many])
 */
function snapshot({ next, places = false, base = 0 }) {
  const first = reserveIds(next);
  forget();
  const notes = base === null ? null : beginNotes(base);
  const isEdit = notes !== null && notes.serial > 0;
  sparseRoot = isEdit ? document : null;
  reading = newReading();
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
  const out = new Output(isEdit ? notes.owners : []);
  renderKids(joinShort(withoutSeparators(tidy(whole.kids)), false), 0, out);
  const serial = base === null ? 0 : endNotes(notes, out);
  const seen = places ? seenLines(out.owners) : [];
  const { frames, remote, omitted, closed, internals } = reading;
  forget();
  if (isEdit) out.flush();
  return {
    text: isEdit ? '' : out.fresh.join('\n'), serial, edits: isEdit ? out.edits : null, seen, url: documentURL_.call(document), title: collapse(title_.call(document)), first, end: nextId, frames,
    remote, omitted, closed, internals, elements: elementsThere(),
  };
}

/** Drops what was remembered for one reading: the page may have changed since. */
function forget() {
  roles = new Map();
  names = new Map();
  selections = new Map();
  factsOfRoots = new Map();
  ownersOfRoots = new Map();
  labelsOfRoots = new Map();
  countersOfRoots = new Map();
  sparseRoot = null;
}
