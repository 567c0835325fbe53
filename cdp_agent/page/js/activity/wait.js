// Waiting for something to be on the page, or off it.

/** @type {((changed: boolean) => void) | null} who waits for the next change */
let waiter = null;

/**
 * Whether this world shows the text, and whether an element that is shown matches; `count` names the moment for `changedSince`.
 * @param {{text: string | null, gone: string | null, selector: string | null}} wanted  texts in lower case, spaces collapsed
 * @returns {{text: boolean, entered: boolean, gone: boolean, selector: boolean, count: number, wrong: string}} entered: the text is
 *   only where we entered it; gone: that text is not there; wrong: why the selector is none
 */
function look({ text, gone, selector }) {
  const { count } = changes();
  const found = { text: false, entered: false, gone: true, selector: false, count, wrong: '' };
  if (text !== null || gone !== null) {
    const seen = seenWords({ entered: true });
    found.text = text !== null && seen.includes(text);
    found.entered = found.text && hasEnteredTexts && !seenWords({ entered: false }).includes(text);
    found.text &&= !found.entered;
    found.gone = gone === null || !seen.includes(gone);
  }
  if (selector !== null) {
    try {
      found.selector = [...watching.roots].some((root) => [...selectAll(root, selector)].some(isRendered));
    } catch (error) {
      found.wrong = error.message;
    }
  }
  return found;
}

/** @param {{entered: boolean}} options */
function seenWords(options) {
  forget();
  const words = readVisibleText(undefined, options).pieces.join('').replace(SPACES, ' ').toLowerCase();
  forget();
  return words;
}

/** @param {number} id @returns {boolean} */
function isShownNow(id) {
  const element = elementOf(id);
  return element !== null && isConnected_.call(element) && isRendered(element);
}

/** Also one of no size: it is there, whatever is put into it later. */
const isRendered = (element) => checkVisibility_.call(element, SEEN_OPTIONS);

/** Ends when anything changed after `count`; the call before it ends too. @param {number} count @returns {Promise<boolean>} */
function changedSince(count) {
  wakeWaiter();
  if (changes().count > count) return Promise.resolve(true);
  return new Promise((resolve) => {
    waiter = resolve;
  });
}

watchers.changed = wakeWaiter;

function wakeWaiter() {
  waiter?.(true);
  waiter = null;
}
