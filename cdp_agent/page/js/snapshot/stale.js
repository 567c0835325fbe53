// What may be read differently since the last reading: what mutation records report (in this world, so that the page
// does not notice the observer), what style rules change elsewhere because of them, and what changes without mutation
// records.

/** Whether structural selectors may match other elements now. */
let structureChanged = false;
/** Whether text nodes were added or removed: no selector depends on these but `:empty`. */
let textsChanged = false;

const MOST_STALE = 3000; // elements: with more, reading everything is as fast

// Elements that depend on others, or change without a mutation record.
const VOLATILE_TAGS = new Set(
  'INPUT TEXTAREA SELECT PROGRESS METER OUTPUT CANVAS VIDEO AUDIO OBJECT EMBED IFRAME FRAME SLOT OPTION'.split(' '),
);
// In these it matters which child is the first one.
const FIRST_CHILD_MATTERS = new Set(['DETAILS', 'FIELDSET']);

/**
 * The elements that attribute selectors match, cached until a mutation record reports elements or attributes.
 * @type {Map<string, ReturnType<typeof selectAll>>}
 */
const selectedByAttributes = new Map();

/**
 * All elements that match an attribute selector, cached since each query takes a twentieth of a cached reading.
 * @param {string} selector
 */
function selectByAttributes(selector) {
  let found = selectedByAttributes.get(selector);
  if (!found) selectedByAttributes.set(selector, (found = selectAll(document, selector)));
  return found;
}

/** The same for notable elements. @type {LazySelection | null} */
let notableInDocument = null;

function forgetSelected() {
  selectedByAttributes.clear();
  notableInDocument = null;
  selectedInDocument = null;
}

/** Begins to observe the document. @param {ReadingCache} cache  of a reading that begins */
function watchStale(cache) {
  forgetSelected();
  recordDependentStyles(cache, documentElement_.call(document));
  cache.around = readingContext(cache);
  cache.isTrackable = cache.around !== null;
  if (!cache.isTrackable) return;
  compareStructural(cache.around.styles, cache.around.styles, () => {});
  structureChanged = textsChanged = false;
  observe(document);
}

/**
 * What must be the same for the cache to be valid; null where that cannot be determined. @param {ReadingCache} cache
 * @returns {ReadingContext | null}
 * @typedef {{styles: Styles, [what: string]: any}} ReadingContext
 */
function readingContext(cache) {
  if (elementsByTag_.call(document, 'base').length || selectByAttributes(OWNERS_SELECTOR).length) return null;
  const styles = areRulesUnchanged
    ? reuseStyles(cache.around.styles)
    : hasRenderingAnimations()
      ? null
      : readStyles(cache.styled);
  return (
    styles && {
      styles,
      root: documentElement_.call(document),
      focused: activeElement_.call(document),
      active: activeIn(document),
      labelled: labelledControls(),
      carets: caretElements(),
      language: contentLanguage(),
    }
  );
}

const isAboutLanguage = (element) => tagOf(element) === 'META' && hasAttr(element, 'http-equiv');
const contentLanguage = () =>
  [...elementsByTag_.call(document, 'meta')]
    .filter(isAboutLanguage)
    .map((meta) => attr(meta, 'content'))
    .join('\n');
const labelledControls = () => [...elementsByTag_.call(document, 'label')].map(controlOfLabel);

/**
 * Whether the cache is valid, apart from elements that this marks as stale.
 * @param {ReadingCache} cache
 * @param {boolean} sameRules
 */
function isCacheValid(cache, sameRules) {
  catchUp();
  if (currentCache !== cache) return false;
  // otherwise Chrome's counters include the effects of these changes
  if (sameRules && !structureChanged && !textsChanged) assumeRulesUnchanged();
  const { around } = cache;
  const now = readingContext(cache);
  if (!now || now.root !== around.root) return false;
  if (now.styles.key !== around.styles.key || now.language !== around.language) return false;
  for (const element of cache.pending) {
    if (element && mayHaveInternals(element)) return false;
  }
  for (const element of [
    around.focused,
    now.focused,
    around.active,
    now.active,
    ...around.carets,
    ...now.carets,
    ...around.labelled,
    ...now.labelled,
  ])
    if (element) markStale(cache, element);
  markVolatile(cache);
  const diff = (element) => markSubtreeStale(cache, element);
  compareDependent(around.styles, now.styles, diff);
  const moved = compareDynamic(around.styles, now.styles, diff);
  if (moved || structureChanged || (textsChanged && now.styles.dependencies.usesEmpty))
    compareStructural(around.styles, now.styles, diff);
  else now.styles.structural = around.styles.structural;
  structureChanged = textsChanged = false;
  cache.around = now;
  if (cache.changed.get(now.root) === readingCount || cache.changes > MOST_STALE) return false;
  markNeighbours(cache);
  return cache.stale.size <= MOST_STALE;
}

/**
 * What is read of an element and may change without a mutation record. It is asked again before the next reading, which
 * visits the element only if the answer is another one. mark: how the element is marked then, else by markStale;
 * byRulesAlone: the answer is the same while the style rules are
 * @template T
 * @typedef {{ask: (element: Element) => T, mark?: (cache: ReadingCache, element: Element) => void, byRulesAlone?:
 *   boolean}} Question
 */

/**
 * The answer to a question about an element. A cached reading records it, and does not ask what it has asked already to
 * compare it with the last reading.
 * @template T @param {Question<T>} question @param {Element} element @param {T} [answer]  where the caller has it
 * @returns {T}
 */
function remember(question, element, answer) {
  const answers = reading.cache?.answers;
  if (!answers) return answer === undefined ? question.ask(element) : answer;
  let ofQuestion = answers.get(question);
  if (!ofQuestion) answers.set(question, (ofQuestion = new Map()));
  if (answer === undefined) answer = ofQuestion.get(element);
  if (answer === undefined) answer = question.ask(element);
  ofQuestion.set(element, answer);
  return answer;
}

/** What is read anew each time: NaN differs from itself. */
const VOLATILE = { ask: () => NaN };
/** A shadow root that a script may attach at any time. */
const OPEN_ROOT = { ask: (host) => shadowRoot_.call(host), mark: markSubtreeStale };
const LABELLED = { ask: controlOfLabel };

/** Has a visible element visited again, or compared, where it may change without a mutation record. */
function rememberVolatile(element, tag) {
  if (!reading.cache) return;
  if (tag === 'INPUT' && CHECKABLE_INPUTS.has(inputType(element))) remember(CHECKED_STATE, element);
  else if (tag === 'LABEL' && controlOfLabel(element) === null) remember(LABELLED, element, null);
  else if (tag === 'LABEL' || VOLATILE_TAGS.has(tag) || tag.includes('-') || (tag === 'TH' && !isInRow(element)))
    remember(VOLATILE, element);
}

// Their lines say all that can change in them: visiting them again would visit all that they are in, too.
const FIELDS = new Set('INPUT TEXTAREA SELECT PROGRESS METER'.split(' '));
const FIELD = {
  ask: (field) => {
    const around = newLine(null, '', '');
    const tag = tagOf(field);
    const role = roleOf(field, tag);
    // without the options of a closed list: a mutation record or OFFERED tells what changes in them
    if (tag === 'SELECT' && !isListSelect(field) && !isOpenSelect(field))
      return `${selectedIndexOf(field)} ${wordsOf(selectLine(field, tag, role, 0))}`;
    SPECIAL_TAGS[tag](field, tag, role, around, 0, 0);
    return around.kids.map(wordsOf).join();
  },
};
const OFFERED = { ask: (list) => [...selectOptions(list)].map(isOffered).join(), byRulesAlone: true };
const selectedIndexOf = reader(HTMLSelectElement, 'selectedIndex');

/** All that a line says, with those in it. @param {Line} line @returns {string} */
const wordsOf = ({ role, name, states, value, kids }) =>
  JSON.stringify([role, name, states, value, ...kids.map((kid) => (typeof kid === 'string' ? kid : wordsOf(kid)))]);

/**
 * Has a field that was just visited compared by its line, unless that depends on which descriptions came before it.
 * @param {{kids: any[]}} around  which ends with its line @param {number} usesBefore  of descriptions
 */
function rememberField(field, around, usesBefore) {
  const { cache } = reading;
  const line = around.kids.at(-1);
  if (!cache || line?.element !== field || cache.descriptionUses.length > usesBefore || hasAttr(field, 'aria-hidden'))
    return;
  if (!cache.answers.get(VOLATILE)?.delete(field)) return;
  remember(FIELD, field, line.tag === 'SELECT' ? undefined : wordsOf(line));
  if (line.tag === 'SELECT') remember(OFFERED, field);
}

let outsideReads = 0;

/** Records that the element being visited depends on others: another element's text, or what a field contains. */
function recordOutsideRead() {
  outsideReads++;
  if (reading.cache) remember(VOLATILE, reading.cache.visited);
}

/** Whether a cell is in a row: markNeighbours handles those. */
const isInRow = (cell) => {
  const parent = parentNode_.call(cell);
  return nodeType_.call(parent) === 1 && tagOf(parent) === 'TR';
};

// There may be one of these in each row. All that is read of them is compared by this state, or handled with all
// labelled controls.
const CHECKABLE_INPUTS = new Set(['checkbox', 'radio']);
const CHECKED_STATE = {
  ask: (element) =>
    `${checkedOf(element, 'INPUT', null)} ${matches(element, ':disabled')} ` +
    `${matches(element, ':user-invalid')} ${isHiddenFromEveryone(element, 'INPUT')}`,
};

// A script may set these by `className.baseVal` and `href.baseVal` without a mutation record.
const SVG_CLASS = { ask: (part) => attr(part, 'class'), mark: markRestyled };
const SVG_HREF = { ask: (part) => attr(part, 'href') ?? attr(part, 'xlink:href') };

/** Remembers a part of an SVG, visible or not. */
function rememberSvgPart(part, tag) {
  if (!reading.cache || namespaceURI_.call(part) !== SVG) return;
  remember(SVG_CLASS, part);
  if (tag === 'a' || tag === 'use') remember(SVG_HREF, part);
}

function markRestyled(cache, element) {
  structureChanged = true;
  notableInDocument = null;
  selectedInDocument = null;
  markSubtreeStale(cache, element);
}

/** Marks what changes without mutation records. @param {ReadingCache} cache */
function markVolatile(cache) {
  for (const element of selectByAttributes('[popover]')) markStale(cache, element);
  // `getAnimations` does not return what animates the attributes of a drawing
  if (selectByAttributes('animate,set').length)
    for (const drawing of selectAll(document, 'svg')) markRestyled(cache, drawing);
  sparseRoot = document;
  for (const [question, answers] of cache.answers) {
    if (!(question.byRulesAlone && areRulesUnchanged)) markChanged(cache, question, answers);
  }
}

/**
 * Marks the elements whose answer has changed: there are many, and they hardly ever change.
 * @param {ReadingCache} cache @param {Question<unknown>} question @param {Map<Element, unknown>} answers
 */
function markChanged(cache, { ask, mark = markStale }, answers) {
  const { lostElements } = cache;
  for (const [element, answer] of answers) {
    const isConnected = !lostElements || isConnected_.call(element);
    if (isConnected && ask(element) === answer) continue;
    answers.delete(element); // visiting the element records it again
    if (isConnected) mark(cache, element);
  }
}

/**
 * Marks what depends on its neighbours: whether header cells head a row or a column, the numbers of list items, and
 * rows into which cells reach from above.
 * @param {ReadingCache} cache
 */
function markNeighbours(cache) {
  for (const element of [...cache.stale]) {
    const tag = tagOf(element);
    if (tag === 'TR') {
      for (let cell = firstElementChild_.call(element); cell; cell = nextElementSibling_.call(cell)) {
        if (tagOf(cell) === 'TH') markStale(cache, cell);
      }
    } else if (tag === 'TABLE') {
      for (const cell of selectAll(element, 'th:only-child')) markStale(cache, cell);
      for (const row of rowsReached(element).keys()) markStale(cache, row);
      for (const row of cache.answers.get(REACHED)?.keys() ?? []) {
        if (closest_.call(row, 'table') === element) markStale(cache, row);
      }
    } else if (tag === 'OL') {
      for (let item = firstElementChild_.call(element); item; item = nextElementSibling_.call(item))
        markStale(cache, item);
    }
  }
}

/**
 * Marks an element and its ancestors to be visited in the next reading.
 * @param {ReadingCache} cache
 * @param {Element} element
 */
function markStale(cache, element) {
  for (
    let node = element;
    node && nodeType_.call(node) === 1 && !cache.stale.has(node);
    node = parentNode_.call(node)
  ) {
    cache.stale.add(node);
    cache.memos.delete(node);
  }
}

/** The same, with all that is in the element. */
function markSubtreeStale(cache, element) {
  recordSubtreeChange(cache, element);
  markStale(cache, element);
}

function recordSubtreeChange(cache, element) {
  cache.changed.set(element, readingCount);
  cache.changes++;
}

/** Marks what a change makes stale. @param {ReadingCache} cache @param {MutationRecord} record */
function markChange(cache, record, target, type) {
  if (type === 'attributes') {
    structureChanged = true;
    markSubtreeStale(cache, target);
    processElementChange(cache, target);
  } else if (type === 'characterData') processTextChange(cache, target, oldValue_.call(record));
  else processChildren(cache, target, record);
}

/** Called after changes. @param {ReadingCache} cache */
function limitStale({ changes, stale }) {
  if (structureChanged) forgetSelected();
  if (changes > MOST_STALE || stale.size > MOST_STALE) dropCache();
}

function processTextChange(cache, node, before) {
  const parent = parentNode_.call(node);
  if (!parent || nodeType_.call(parent) !== 1 || nodeType_.call(node) > 4) return;
  if (before === '' || data_.call(node) === '') {
    structureChanged = true; // :empty
    markSubtreeStale(cache, parent);
  } else markStale(cache, parent);
}

function processChildren(cache, parent, record) {
  const [added, removed] = [addedNodes_.call(record), removedNodes_.call(record)];
  const losesElements = holdsElement(removed);
  cache.lostElements ||= losesElements;
  if (losesElements || holdsElement(added)) structureChanged = true;
  else textsChanged = true;
  if (nodeType_.call(parent) !== 1) {
    markSubtreeStale(cache, documentElement_.call(document));
    return;
  }
  if (FIRST_CHILD_MATTERS.has(tagOf(parent))) markSubtreeStale(cache, parent);
  else markStale(cache, parent);
  for (const node of added) {
    if (nodeType_.call(node) !== 1) continue;
    recordSubtreeChange(cache, node);
    recordDependentStyles(cache, node);
    processElementChange(cache, node);
  }
  for (const node of removed) {
    if (nodeType_.call(node) !== 1) continue;
    cache.memos.delete(node);
    for (const inner of selectAll(node, '*')) cache.memos.delete(inner);
  }
}

function holdsElement(nodes) {
  for (let i = 0; i < nodes.length; i++) if (nodeType_.call(nodes[i]) === 1) return true;
  return false;
}

/**
 * Handles an element that was added, or whose attributes changed.
 * @param {ReadingCache} cache
 * @param {Element} element
 */
function processElementChange(cache, element) {
  if (hasDependentStyle(element)) cache.styled.add(element);
  // Chrome keeps the content language that was set last, even by an element that has been removed since.
  if (isAboutLanguage(element)) markSubtreeStale(cache, documentElement_.call(document));
}

/** @param {ReadingCache} cache @param {Element} root  checked with all its descendants */
function recordDependentStyles(cache, root) {
  for (const element of selectAll(root, DEPENDENT_STYLE)) if (hasDependentStyle(element)) cache.styled.add(element);
}

/** Marks an element of which Python has learnt something. @param {Element} element */
function invalidateElement(element) {
  if (currentCache) markStale(currentCache, element);
}

function sameItems(one, other) {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
