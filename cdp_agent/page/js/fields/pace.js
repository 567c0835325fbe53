// The pace of keys: masks put text and caret right some time after each key, and a person waits for that.

/**
 * Resolves when the text and the caret of a field have not changed for a while.
 * @param {number} id @param {{quiet_ms: number, most_ms: number}} limits
 * @returns {Promise<{focused: boolean, late: boolean}>} focused: whether the next key would still go to the field;
 *   late: whether they changed meanwhile
 */
async function fieldAtRest(id, { quiet_ms, most_ms }) {
  const field = resolveElement(id);
  const began = performance.now();
  let [since, state, late] = [began, field && stateOf(field), false];
  for (;;) {
    if (!field || !isConnected_.call(field) || !hasFocusWithin(field)) return { focused: false, late };
    const now = performance.now();
    if (stateOf(field) !== state) [since, state, late] = [now, stateOf(field), true];
    if (now - since >= quiet_ms || now - began >= most_ms) return { focused: true, late };
    await timersDone(CARET_LOOK_MS);
  }
}

const CARET_LOOK_MS = 4;
const TAG_REST = { quiet_ms: 30, most_ms: 400 };

/**
 * Waits until the page has taken a tag out of a field, if it does so some time after the key of the delimiter.
 * @param {number} id @param {string} tag  what the field held before that key
 * @returns {Promise<boolean>} whether it does
 */
async function delimiterTaken(id, tag) {
  const field = resolveElement(id);
  if (!field || !entering?.late) return false;
  for (const began = performance.now(); isConnected_.call(field) && heldText(field) === tag;) {
    if (performance.now() - began > TAG_REST.most_ms) return false;
    await timersDone(CARET_LOOK_MS);
  }
  await fieldAtRest(id, TAG_REST);
  return true;
}

/** Text and caret. @param {Element} field */
const stateOf = (field) => `${selectionStartOf(field)} ${selectionEndOf(field)} ${fieldText(field, 'typed')}`;
