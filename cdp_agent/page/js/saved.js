// Refs that another process has given.

/**
 * Gives elements the numbers that they had there, unless they have one here.
 * @param {[number, number]} next  see reserveIds @param {number[]} ids @param {...Element} elements  one for each id
 * @returns {number[]} those that were given
 */
function adoptRefs(next, ids, ...elements) {
  reserveIds(next);
  return ids.filter((id, i) => {
    if (idsOfElements.has(elements[i])) return false;
    register(id, elements[i]);
    return true;
  });
}
