// What of a document may be read differently since the last reading: what mutations tell (in this world, where the page does
// not see us watch), what rules of style sheets may do elsewhere on account of them, and what changes without telling.

/** @type {MutationObserver | null} */
let staleObserver = null;
/** Whether rules that look at neighbours may have come to select others. */
let structureChanged = false;
/** Whether text nodes came or went, and nothing else: no selector looks at those but `:empty`. */
let textsChanged = false;

const target_ = getterOf(MutationRecord.prototype, 'target');
const type_ = getterOf(MutationRecord.prototype, 'type');
const oldValue_ = getterOf(MutationRecord.prototype, 'oldValue');
const addedNodes_ = getterOf(MutationRecord.prototype, 'addedNodes');
const removedNodes_ = getterOf(MutationRecord.prototype, 'removedNodes');
const MOST_STALE = 3000; // elements: beyond, reading all is as fast

// What depends on other elements, or changes without a mutation.
const UNTOLD_TAGS = new Set('INPUT TEXTAREA SELECT PROGRESS METER OUTPUT CANVAS VIDEO AUDIO OBJECT EMBED IFRAME FRAME SLOT OPTION'.split(' '));
// Which child is the first one counts there.
const FIRST_COUNTS = new Set(['DETAILS', 'FIELDSET']);

/** What selectors of attributes alone select in the document, for as long as no mutation tells of elements and attributes. @type {Map<string, ReturnType<typeof selectAll>>} */
const selectedByAttributes = new Map();

/** All elements that match, at the cost of none where nothing can have come or gone: each selection takes a twentieth of a kept reading. @param {string} selector */
function selectByAttributes(selector) {
  let found = selectedByAttributes.get(selector);
  if (!found) selectedByAttributes.set(selector, (found = selectAll(document, selector)));
  return found;
}

/** @param {Notes} notes  of a reading that begins */
function watchStale(notes) {
  selectedByAttributes.clear();
  noteStyled(notes, documentElement_.call(document));
  notes.around = surroundings(notes);
  notes.provable = notes.around !== null;
  if (!notes.provable) return;
  compareStructural(notes.around.styles, notes.around.styles, () => {});
  structureChanged = textsChanged = false;
  notes.animated = areDrawingsAnimated();
  staleObserver = new MutationObserver(noteMutations);
  const all = { subtree: true, childList: true, attributes: true, characterData: true, characterDataOldValue: true };
  staleObserver.observe(document, all);
}

function unwatchStale() {
  staleObserver?.disconnect();
  staleObserver = null;
}

/**
 * What must be the same for anything to be kept; null where that cannot be known. @param {Notes} notes @returns {Surroundings | null}
 * @typedef {{styles: Styles, [what: string]: any}} Surroundings
 */
function surroundings(notes) {
  if (elementsByTag_.call(document, 'base').length || selectByAttributes(OWNERS_SELECTOR).length) return null;
  const styles = areRulesTheSame ? stylesStill(notes.around.styles) : showingAnimations() ? null : stylesNow(notes.styled);
  return styles && {
    styles, root: documentElement_.call(document), focused: activeElement_.call(document), active: activeIn(document),
    labelled: labelledControls(), carets: caretElements(), language: contentLanguage(),
  };
}

const isAboutLanguage = (element) => tagOf(element) === 'META' && hasAttr(element, 'http-equiv');
const contentLanguage = () => [...elementsByTag_.call(document, 'meta')].filter(isAboutLanguage).map((meta) => attr(meta, 'content')).join('\n');
const labelledControls = () => [...elementsByTag_.call(document, 'label')].map(controlOfLabel);

/** Whether what is kept holds but for what it then names as stale. @param {Notes} notes @param {boolean} sameRules */
function stillHolds(notes, sameRules) {
  noteMutations(staleObserver.takeRecords());
  if (kept !== notes) return false;
  if (structureChanged) selectedByAttributes.clear();
  else if (sameRules && !textsChanged) takeRulesForTheSame(); // else Chrome has counted what came of the changes, too
  const { around } = notes;
  const now = surroundings(notes);
  if (!now || now.root !== around.root) return false;
  if (now.styles.key !== around.styles.key || now.styles.risks !== around.styles.risks || now.language !== around.language) return false;
  for (const element of notes.pending) {
    if (element && mayHaveInternals(element)) return false;
  }
  for (const element of [around.focused, now.focused, around.active, now.active, ...around.carets, ...now.carets, ...around.labelled, ...now.labelled]) if (element) markStale(notes, element);
  if (structureChanged) notes.animated = areDrawingsAnimated();
  markUntold(notes);
  const diff = (element) => markDeep(notes, element);
  compareDependent(around.styles, now.styles, diff);
  const moved = compareDynamic(around.styles, now.styles, diff);
  if (moved || structureChanged || (textsChanged && now.styles.risks.emptiness)) compareStructural(around.styles, now.styles, diff);
  else now.styles.structural = around.styles.structural;
  structureChanged = textsChanged = false;
  notes.around = now;
  if (notes.changed.get(now.root) === readings || notes.changes > MOST_STALE) return false;
  markCells(notes);
  return notes.stale.size <= MOST_STALE;
}

/** Remembers an element that is seen, if it may be read differently although nobody tells. @param {Notes} notes */
function noteUntold(notes, element, tag) {
  if (tag === 'INPUT' && TICKED.has(inputType(element))) notes.ticked.set(element, tickOf(element));
  else if (tag === 'LABEL' && controlOfLabel(element) === null) notes.unlabelling.set(element, null);
  else if (tag === 'LABEL' || UNTOLD_TAGS.has(tag) || tag.includes('-') || (tag === 'TH' && !isInRow(element))) notes.always.add(element);
}

let timesElsewhere = 0;

/** What is being visited is read from elsewhere, too: another element's text, what a field holds. */
function noteElsewhere() {
  timesElsewhere++;
  if (reading.notes) reading.notes.always.add(reading.notes.visited);
}

/** Of cells in rows, markCells sees what is beside them. */
const isInRow = (cell) => {
  const parent = parentNode_.call(cell);
  return nodeType_.call(parent) === 1 && tagOf(parent) === 'TR';
};

// Of these there may be one in each row. All that is read of them but this is told, or looked at for all that have labels.
const TICKED = new Set(['checkbox', 'radio']);
const tickOf = (element) => `${checkedOf(element, 'INPUT', null)} ${matches(element, ':disabled')} ${matches(element, ':user-invalid')} ${isForNobody(element, 'INPUT')}`;

// What a script may set by `className.baseVal` and `href.baseVal` without any mutation.
const classOf = (part) => attr(part, 'class');
const hrefOf = (part) => attr(part, 'href') ?? attr(part, 'xlink:href');

/** Remembers a part of a drawing, or a drawing, that is come across, be it seen or not. @param {Notes} notes */
function noteDrawn(notes, part, tag) {
  notes.drawn.set(part, classOf(part));
  if (tag === 'a' || tag === 'use') notes.leading.set(part, hrefOf(part));
}

/** Whether there is what animates attributes of drawings, to which `getAnimations` does not answer. */
const areDrawingsAnimated = () => selectAll(document, 'animate,set').length > 0;

function markRestyled(notes, element) {
  structureChanged = true;
  markDeep(notes, element);
}

/** What changes without telling anybody. @param {Notes} notes */
function markUntold(notes) {
  for (const element of selectByAttributes('[popover]')) markStale(notes, element);
  for (const element of notes.always) {
    if (isConnected_.call(element)) markStale(notes, element);
    else notes.always.delete(element);
  }
  sparseRoot = document;
  markChanged(notes, notes.painted, looksPainted);
  markChanged(notes, notes.faces, isFaceOfControl);
  markChanged(notes, notes.roomy, hasOwnPlace);
  markChanged(notes, notes.icons, isSmallDrawing);
  markChanged(notes, notes.hinted, lookedUpHint);
  markChanged(notes, notes.unlabelling, controlOfLabel);
  markChanged(notes, notes.ticked, tickOf);
  markChanged(notes, notes.drawn, classOf, markRestyled);
  markChanged(notes, notes.leading, hrefOf);
  if (notes.animated) for (const drawing of selectAll(document, 'svg')) markRestyled(notes, drawing);
  markChanged(notes, notes.saidElsewhere, isSaidElsewhere);
  if (!areRulesTheSame) markChanged(notes, notes.decorated, (element) => decorationOf(element, tagOf(element), selectionsFor(element).decorated));
  for (const host of notes.hosts) {
    if (!isConnected_.call(host)) notes.hosts.delete(host);
    else if (shadowRoot_.call(host)) markDeep(notes, host);
  }
}

/** Marks those of which the answer is another one now: they are many, and hardly ever change. @param {Notes} notes @param {Map<Element, unknown>} answers */
function markChanged(notes, answers, ask, mark = markStale) {
  for (const [element, answer] of answers) {
    if (isConnected_.call(element) && ask(element) === answer) continue;
    answers.delete(element); // what is visited is asked again
    if (isConnected_.call(element)) mark(notes, element);
  }
}

/** Whether a cell heads its row or its column depends on what is beside it. @param {Notes} notes */
function markCells(notes) {
  for (const element of [...notes.stale]) {
    const tag = tagOf(element);
    if (tag === 'TR') {
      for (let cell = firstElementChild_.call(element); cell; cell = nextElementSibling_.call(cell)) {
        if (tagOf(cell) === 'TH') markStale(notes, cell);
      }
    } else if (tag === 'TABLE') {
      for (const cell of selectAll(element, 'th:only-child')) markStale(notes, cell);
    }
  }
}

/** An element is to be visited the next time that it is seen, and thus all that it is in. @param {Notes} notes @param {Element} element */
function markStale(notes, element) {
  for (let node = element; node && nodeType_.call(node) === 1 && !notes.stale.has(node); node = parentNode_.call(node)) {
    notes.stale.add(node);
    notes.memos.delete(node);
  }
}

/** And so is all that is in it. */
function markDeep(notes, element) {
  noteChanged(notes, element);
  markStale(notes, element);
}

function noteChanged(notes, element) {
  notes.changed.set(element, readings);
  notes.changes++;
}

/** @param {MutationRecord[]} records */
function noteMutations(records) {
  const notes = kept;
  if (!notes || !staleObserver) return;
  for (const record of records) {
    const target = target_.call(record);
    const type = type_.call(record);
    if (type === 'attributes') {
      structureChanged = true;
      markDeep(notes, target);
      noteOther(notes, target);
    } else if (type === 'characterData') noteText(notes, target, oldValue_.call(record));
    else noteChildren(notes, target, record);
  }
  if (notes.changes > MOST_STALE || notes.stale.size > MOST_STALE) forgetKept();
}

function noteText(notes, node, before) {
  const parent = parentNode_.call(node);
  if (!parent || nodeType_.call(parent) !== 1 || nodeType_.call(node) > 4) return;
  if (before === '' || data_.call(node) === '') {
    structureChanged = true; // :empty
    markDeep(notes, parent);
  } else markStale(notes, parent);
}

function noteChildren(notes, parent, record) {
  const [added, removed] = [addedNodes_.call(record), removedNodes_.call(record)];
  if (holdsElement(added) || holdsElement(removed)) structureChanged = true;
  else textsChanged = true;
  if (nodeType_.call(parent) !== 1) {
    markDeep(notes, documentElement_.call(document));
    return;
  }
  if (FIRST_COUNTS.has(tagOf(parent))) markDeep(notes, parent);
  else markStale(notes, parent);
  for (const node of added) {
    if (nodeType_.call(node) !== 1) continue;
    noteChanged(notes, node);
    noteStyled(notes, node);
    noteOther(notes, node);
  }
  for (const node of removed) {
    if (nodeType_.call(node) !== 1) continue;
    notes.memos.delete(node);
    for (const inner of selectAll(node, '*')) notes.memos.delete(inner);
  }
}

function holdsElement(nodes) {
  for (let i = 0; i < nodes.length; i++) if (nodeType_.call(nodes[i]) === 1) return true;
  return false;
}

/** An element that came, or has another attribute. @param {Notes} notes @param {Element} element */
function noteOther(notes, element) {
  if (dependsByItself(element)) notes.styled.add(element);
  // Chrome goes by the language that it was told last, by an element that may be gone by now.
  if (isAboutLanguage(element)) markDeep(notes, documentElement_.call(document));
}

/** @param {Notes} notes @param {Element} root  with all that is in it */
function noteStyled(notes, root) {
  for (const element of selectAll(root, DEPENDENT_STYLE)) if (dependsByItself(element)) notes.styled.add(element);
}

/** Something else became known of an element. @param {Element} element */
function noteNews(element) {
  if (kept) markStale(kept, element);
}

function sameItems(one, other) {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}
