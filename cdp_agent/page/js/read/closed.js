// The text of closed <details>, which the snapshot leaves out and a search finds: it is a click away.

/** In the place of the kids of a line: the text is in a <details> that the element opens. */
const CLOSED = [];
const CLOSED_DETAILS = 'details:not([open])';

/** Adds the text of what is closed, after all other. @param {ShownText} text */
function addClosedTexts(text) {
  for (const root of factsOfRoots.keys()) {
    for (const details of root === sparseRoot ? selectByAttributes(CLOSED_DETAILS) : selectAll(root, CLOSED_DETAILS)) {
      if (!checkVisibility_.call(details, VISIBILITY_OPTIONS)) continue; // in another one that is closed, for example
      const summary = closestChild(details, 'SUMMARY');
      const parts = [];
      for (let node = firstChild(details); node; node = nextSibling(node))
        if (node !== summary) addClosedText(node, parts);
      for (const line of parts.join('').split(BREAK))
        if (hasText(line)) text.add(LINE, collapse(line), { element: summary ?? details, kids: CLOSED, at: -1 });
    }
  }
}

/** @param {Node} node @param {string[]} parts  gets its text, with BREAK where a block begins or ends */
function addClosedText(node, parts) {
  if (nodeType(node) === 3) parts.push(dataOf(node));
  if (nodeType(node) !== 1 || SKIPPED.has(tagOf(node))) return;
  const style = computedStyleOf(node);
  if (style.display === 'none' || style.visibility !== 'visible') return;
  const edge = tagOf(node) === 'BR' ? BREAK : edgeOf(tagOf(node), style);
  parts.push(edge);
  for (let child = firstChild(rootOfHost(node) ?? node); child; child = nextSibling(child)) addClosedText(child, parts);
  parts.push(edge);
}
