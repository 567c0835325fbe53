// Scrolling until a text is there: lists that draw only what is in view have it in the page at no other place.

const PASS_MS = 1500;

/**
 * Scrolls a box on, a view at a time, until it holds the text, its end is reached, or the time of a call is over.
 * @param {{next: [number, number], id: number, text: string, until: number}} options  until: no further down than there
 * @returns {Promise<{first: number, end: number, id: number, label: string, ended: boolean}>} id: what has the text, in view now
 */
async function scrollToText({ next, id, text, until }) {
  const first = reserveIds(next);
  const answer = { first, end: nextId, id: 0, label: '', ended: true };
  const wanted = collapse(text).toLowerCase();
  for (const began = performance.now(); ; ) {
    const box = elementOf(id);
    if (!box) return answer;
    const found = innermostWithText(box, wanted);
    if (found) {
      boxScrollIntoView_.call(found, { block: 'center', inline: 'nearest', behavior: 'instant' });
      await nextTwoFrames();
      // What is drawn anew on the way is another element.
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

/** What has the text, in words: of what holds much more, such as the list around a row, the text alone. */
function labelOfText(element, wanted) {
  const named = nearestNamed(element);
  const role = shownRole(named) || 'generic';
  const whole = collapse(textContent(named));
  const labelText = whole.length > LONGEST_TEXT ? collapse(textContent(element)) : whole;
  const place = labelText.toLowerCase().indexOf(wanted);
  const from = place + wanted.length > LONGEST_TEXT ? place : 0;
  return `${role} \x01${idOf(named)} ${quote((from ? '…' : '') + cut(labelText.slice(from), LONGEST_TEXT))}`;
}

/** The innermost element that is drawn and has the text, in small letters. @returns {Element | null} */
function innermostWithText(element, wanted) {
  if (SKIPPED.has(tagOf(element)) || !collapse(textContent(element)).toLowerCase().includes(wanted)) return null;
  for (const child of selectAll(element, ':scope > *')) {
    const found = innermostWithText(child, wanted);
    if (found) return found;
  }
  const { width, height } = getBoundingClientRect_.call(element);
  return width > 0 && height > 0 && checkVisibility_.call(element, SEEN_OPTIONS) ? element : null;
}
