// Waiting for something to be on the page, or off it.

/** @type {((changed: boolean) => void) | null} who waits for the next change */
let changeWaiter = null;

/**
 * Whether this world shows the text, and whether an element that is shown matches; `count` names the moment for `changedSince`.
 * @param {{text: string | null, gone: string | null, selector: string | null}} wanted  texts in lower case, spaces collapsed
 * @returns {{text: boolean, entered: boolean, gone: boolean, selector: boolean, count: number, wrong: string}} entered: the text is
 *   only where we entered it; gone: that text is not there; wrong: why the selector is none
 */
function checkConditions({ text, gone, selector }) {
  const { count } = changes();
  const found = { text: false, entered: false, gone: true, selector: false, count, wrong: '' };
  if (text !== null || gone !== null) {
    const visible = visibleText({ entered: true });
    found.text = text !== null && visible.includes(text);
    found.entered = found.text && wasEntered && !visibleText({ entered: false }).includes(text);
    found.text &&= !found.entered;
    found.gone = gone === null || !visible.includes(gone);
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
function visibleText(options) {
  forget();
  const words = readSeen(undefined, options).pieces.join('').replace(SPACES, ' ').toLowerCase();
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
  resolveChangeWaiter();
  if (changes().count > count) return Promise.resolve(true);
  return new Promise((resolve) => {
    changeWaiter = resolve;
  });
}

watchers.changed = resolveChangeWaiter;

function resolveChangeWaiter() {
  changeWaiter?.(true);
  changeWaiter = null;
}
