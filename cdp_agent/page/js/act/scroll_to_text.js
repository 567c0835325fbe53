// Scrolls until a text appears: virtualized lists render only the rows in view.

const PASS_MS = 1500;

/**
 * Scrolls a box by a view at a time until it contains the text, its end is reached, or the time of a call is over.
 * @param {{next: [number, number], id: number, text: string, until: number}} options  until: the largest scroll
 *   position
 * @returns {Promise<{first: number, end: number, id: number, label: string, ended: boolean}>} id: the element with the
 *   text, now in view
 */
async function scrollToText({ next, id, text, until }) {
  const first = reserveIds(next);
  const answer = { first, end: nextId, id: 0, label: '', ended: true };
  const wanted = collapse(text).toLowerCase();
  for (const began = performance.now(); ;) {
    const box = elementOf(id);
    if (!box) return answer;
    const found = innermostWithText(box, wanted);
    if (found) {
      boxScrollIntoView_.call(found, { block: 'center', inline: 'nearest', behavior: 'instant' });
      await nextTwoFrames();
      // Scrolling may have replaced the element.
      const there = innermostWithText(box, wanted) ?? found;
      forget();
      const result = { ...answer, id: idOf(there), label: labelOfText(there, wanted) };
      forget();
      return { ...result, end: nextId };
    }
    const before = scrollOffsetOf(box, 'y');
    if (before >= until) return answer;
    boxScrollBy_.call(box, { top: 0.9 * clientSizeOf(box, 'y'), behavior: 'instant' });
    await nextTwoFrames();
    if (Math.abs(scrollOffsetOf(box, 'y') - before) < 1 && !innermostWithText(box, wanted)) return answer;
    if (performance.now() - began > PASS_MS) return { ...answer, ended: false };
  }
}

const LONGEST_TEXT = 100;

/**
 * A label for the element with the text. If it contains much more, as a list around a row does, only the text itself.
 */
function labelOfText(element, wanted) {
  const named = nearestNamed(element);
  const role = shownRole(named) || 'generic';
  const whole = collapse(textContent(named));
  const labelText = whole.length > LONGEST_TEXT ? collapse(textContent(element)) : whole;
  const place = labelText.toLowerCase().indexOf(wanted);
  const from = place + wanted.length > LONGEST_TEXT ? place : 0;
  return `${role} \x01${idOf(named)} ${quote((from ? '…' : '') + cut(labelText.slice(from), LONGEST_TEXT))}`;
}

/** The innermost visible element that contains the text, which is in lower case. @returns {Element | null} */
function innermostWithText(element, wanted) {
  if (SKIPPED.has(tagOf(element)) || !collapse(textContent(element)).toLowerCase().includes(wanted)) return null;
  for (const child of selectAll(element, ':scope > *')) {
    const found = innermostWithText(child, wanted);
    if (found) return found;
  }
  const { width, height } = getBoundingClientRect_.call(element);
  return width > 0 && height > 0 && checkVisibility_.call(element, VISIBILITY_OPTIONS) ? element : null;
}
