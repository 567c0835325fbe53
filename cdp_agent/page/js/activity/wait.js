// Waiting for something to appear on the page, or to disappear.

/** @type {((changed: boolean) => void) | null} resolves the call that waits for the next change */
let changeWaiter = null;

/**
 * Whether this world shows the texts, and whether a visible element matches. `count` is the number of changes to pass
 * to `changedSince`.
 * @param {{text: string | null, gone: string | null, selector: string | null}} wanted  texts in lower case and in NFC,
 *   spaces collapsed
 * @param {number} sent  see `takePassed`
 * @returns {{text: boolean, entered: boolean, gone: boolean, selector: boolean, count: number, wrong: string, passed:
 *   ReturnType<typeof takePassed>}} entered: the text is only where the agent entered it; gone: that text is not
 *   visible; wrong: why the selector is invalid; passed: what came and went, where a text is wanted
 */
function checkConditions({ text, gone, selector }, sent) {
  watch();
  const { count } = journal;
  const conditions = { text: false, entered: false, gone: true, selector: false, count, wrong: '', passed: [] };
  if (text !== null || gone !== null) {
    const leavesOut = hooks.holdsOnlyEnteredText;
    const visible = visibleTextInLowerCase({});
    conditions.text = text !== null && visible.includes(text);
    conditions.entered = conditions.text && leavesOut !== null && !visibleTextInLowerCase({ leavesOut }).includes(text);
    conditions.text &&= !conditions.entered;
    if (text !== null) conditions.passed = takePassed(sent);
    conditions.gone = gone === null || !visible.includes(gone);
  }
  if (selector !== null) {
    try {
      conditions.selector = [...watching.roots].some((root) => [...selectAll(root, selector)].some(isRendered));
    } catch (error) {
      conditions.wrong = error.message;
    }
  }
  return conditions;
}

/** @param {{leavesOut?: (element: Element) => boolean}} options  as of `readVisibleText` */
function visibleTextInLowerCase(options) {
  forget();
  const words = readVisibleText(undefined, options).pieces.join('').replace(SPACES, ' ').normalize().toLowerCase();
  forget();
  return words;
}

/** @param {number} id @returns {boolean} */
function isShownNow(id) {
  const element = elementOf(id);
  return element !== null && isConnected_.call(element) && isRendered(element);
}

/**
 * Resolves on the first change after `count`, or when it is called again.
 * @param {number} count
 * @returns {Promise<boolean>}
 */
function changedSince(count) {
  resolveChangeWaiter();
  watch();
  if (journal.count > count) return Promise.resolve(true);
  return new Promise((resolve) => {
    changeWaiter = resolve;
  });
}

hooks.changed = resolveChangeWaiter;

function resolveChangeWaiter() {
  changeWaiter?.(true);
  changeWaiter = null;
}
