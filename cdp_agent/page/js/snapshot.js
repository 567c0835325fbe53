// One reading of everything this session shows.

/**
 * @param {{next: number, marks: boolean}} options
 * @returns {{text: string, first: number, end: number, frames: [number, string][], remote: number[], omitted: [string, string][],
 *   closed: number[], internals: number[], elements: string, url: string, title: string}}
 */
function snapshot({ next, marks }) {
  const first = reserveIds(next);
  forget();
  reading = newReading(marks);
  const whole = newLine(null, '', 'page');
  const root = documentElement_.call(document);
  if (root) inRoot(document, () => visitElement(root, whole, 0, 0));
  for (let i = 0; i < reading.queue.length; i++) {
    const [element, place, flags, at] = reading.queue[i];
    reading = at;
    visitElement(element, place, flags, 0);
  }
  const lines = [];
  renderKids(joinShort(withoutSeparators(tidy(whole.kids)), false), 0, lines);
  const { frames, remote, omitted, closed, internals } = reading;
  forget();
  return {
    text: lines.join('\n'), url: documentURL_.call(document), title: collapse(title_.call(document)), first, end: nextId, frames, remote,
    omitted, closed, internals, elements: elementsThere(),
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
}
