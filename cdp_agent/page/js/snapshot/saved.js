// Refs that another process has given.

/**
 * Gives elements the numbers that they had there, unless Python knows them by one that they have here. A number that was given
 * to something else here, which Python was not told of yet, is left to that: the element gets a new one.
 * @param {[number, number]} next  see reserveIds @param {number[]} ids @param {...Element} elements  one for each id
 * @returns {{first: number, end: number, locals: number[]}}  the numbers that were given before and are to be claimed; what
 *   each element has now, 0 for those that keep theirs
 */
function adoptRefs([free], ids, ...elements) {
  const end = nextId;
  const first = firstUnclaimed || end;
  firstUnclaimed = 0;
  nextId = Math.max(nextId, free);
  const locals = ids.map((id, i) => {
    if ((idsOfElements.get(elements[i]) ?? end) < first) return 0;
    const local = id < end ? nextId++ : id;
    register(local, elements[i]);
    return local;
  });
  lastGiven = Math.max(lastGiven, ...locals);
  return { first, end, locals };
}
