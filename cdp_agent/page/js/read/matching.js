// The elements that a locator means (page/locators). Roles and names are those of the snapshot's lines; what is found
// by its role or its words has to be on the page for a reader, what is found by an attribute of the markup has not.

/**
 * @typedef {{text: string, how: 'part' | 'exact' | 'regex', flags: string}} Words
 * @typedef {object} Operation  one step of a locator: `by` a finder, which looks inside of what the steps before have,
 *   or a filter, which leaves some of that
 * @property {string} by @property {string} value  a role, or a selector @property {Words | null} words
 * @property {string[]} states  of a role, as a line shows them @property {Operation[]} inner  of `has`
 * @typedef {Map<Element, number>} Matches  elements, and how many of the words that led there are only a part of theirs
 */

/**
 * Takes some steps of a locator in all documents of this process.
 * @param {{next: [number, number], frame: string, operations: Operation[], within: Record<string, number[]> | null,
 *   starts: Record<string, number>}} options  within: the elements in each frame that the steps begin with; null: the
 *   whole page. starts: the steps that all of this document is inside of, since its frame is, as `progress` says
 * @returns {{rows: [number, number][], before: number[], progress: Record<string, number>[], error: string, count:
 *   number}} rows: ids of elements, in document order, with the number in `Matches`; before: how many of them come
 *   before each of the `remote` frames; count: the number of changes for `changedSince`
 */
function matching({ next, frame, operations, within, starts }) {
  watch();
  const { count } = journal;
  const first = reserveIds(next);
  forget();
  reading = newReading();
  let rows = [];
  let before = [];
  let progress = [];
  let error = '';
  try {
    const begin = within && new Map((within[frame] ?? []).map((id) => [elementOf(id), 0]));
    begin?.delete(null);
    const { order, remotes, matches: found } = takeSteps(operations, begin, starts);
    rows = order.filter((element) => found.has(element)).map((element) => [idOf(element), found.get(element)]);
    progress = [...remotes.values()].map(({ reached }) => reached);
    reading.remote = [...remotes.keys()].map(idOf);
    before = [...remotes.values()].map(({ at }) => order.slice(0, at).filter((element) => found.has(element)).length);
  } catch (thrown) {
    if (thrown.name !== 'SyntaxError') throw thrown;
    error = thrown.message;
  }
  const { remote, internals } = reading;
  forget();
  return { rows, before, progress, error, count, first, end: nextId, remote, internals, ...currentRoots() };
}

/**
 * @param {Operation[]} operations @param {Matches | null} begin  null: the whole document
 * @param {Record<string, number>} starts
 */
function takeSteps(operations, begin, starts = {}) {
  /** @type {Matches | null} */
  let found = begin;
  let order = begin ? [...begin.keys()] : [];
  /** @type {Map<Element, {at: number, reached: Record<string, number>}>} */
  const remotes = new Map();
  operations.forEach((operation, i) => {
    const find = FINDERS[operation.by];
    if (find) ({ found, order } = findInside(find(operation), found, starts[i], remotes));
    else found = FILTERS[operation.by](operation, found);
    for (const [frame, { reached }] of remotes) {
      const partly = leastAround(frame, found);
      if (partly !== undefined && i + 1 < operations.length) reached[i + 1] = partly;
    }
  });
  return { order, remotes, matches: found };
}

/**
 * @typedef {object} Finder @property {(root: Node) => ArrayLike<Element>} hitsIn  of one tree, in order
 * @property {(element: Element) => boolean | null} fits  whether its words are all of what is looked for, or only a
 *   part; null: it is not meant
 */

/** @param {Finder} finder @param {Matches | null} scopes @param {number | undefined} whole  the document is in a scope */
function findInside(finder, scopes, whole, remotes) {
  const found = new Map();
  const order = [];
  findIn(document, {
    hitsIn: finder.hitsIn,
    add(element) {
      const partly = scopes === null ? 0 : least(whole, leastAround(outerOf(element), scopes));
      if (partly === undefined) return;
      const isAll = finder.fits(element);
      if (isAll === null) return;
      found.set(element, partly + (isAll ? 0 : 1));
      order.push(element);
    },
    addRemote(element) {
      const known = remotes.get(element);
      remotes.set(element, { at: order.length, reached: known?.reached ?? {} });
    },
  });
  return { found, order };
}

const least = (one, other) => (one === undefined ? other : other === undefined ? one : Math.min(one, other));

/** The least number of `scopes` around an element or at it, undefined if it is in none. */
function leastAround(element, scopes) {
  let partly;
  for (let at = element; at; at = outerOf(at)) partly = least(partly, scopes.get(at));
  return partly;
}

/** The element around this one in the flat tree; that of a frame for its document. */
const outerOf = (element) => flatParent(element) ?? defaultView_.call(documentOf(element))?.frameElement ?? null;

/** @type {Record<string, (operation: Operation) => Finder>} */
const FINDERS = {
  __proto__: null,
  role: findByRole,
  text: ({ words }) => ({
    hitsIn: (root) => holdersOf(root, words),
    fits: (element) => fitIfShown(element, ownWords(element), words),
  }),
  label: ({ words }) => ({
    hitsIn: (root) => selectAll(root, LABELLED),
    fits: (element) => fitOfLabel(element, words),
  }),
  placeholder: byAttribute('placeholder'),
  alt: byAttribute('alt'),
  title: byAttribute('title'),
  testid: byAttribute('data-testid', true),
  css: ({ value }) => ({ hitsIn: (root) => selectAll(root, value), fits: () => true }),
};

/** @type {Record<string, (operation: Operation, found: Matches) => Matches>} */
const FILTERS = {
  __proto__: null,
  has_text: ({ words }, found) => filtered(found, (element) => fitOf(wholeText(element), words) !== null),
  has: ({ inner }, found) => {
    const within = takeSteps(inner, found).matches;
    const holders = new Set();
    for (const element of within.keys()) for (let at = outerOf(element); at; at = outerOf(at)) holders.add(at);
    return filtered(found, (element) => holders.has(element));
  },
  near: ({ words }, found) => {
    const near = elementsNear(found, words);
    return filtered(found, (element) => near.has(element));
  },
};

const filtered = (found, keeps) => new Map([...found].filter(([element]) => keeps(element)));

/**
 * Those of the elements that share the smallest box with a text: the row, card or form in which it stands.
 * @param {Matches} found @param {Words} words
 */
function elementsNear(found, words) {
  const around = new Map(); // each element around some of them, with those
  for (const element of found.keys()) {
    for (let at = element; at; at = outerOf(at)) {
      const inside = around.get(at);
      if (inside) inside.push(element);
      else around.set(at, [element]);
    }
  }
  const near = new Set();
  findIn(document, {
    hitsIn: (root) => holdersOf(root, words),
    add(text) {
      if (fitIfShown(text, ownWords(text), words) === null) return;
      for (let at = text; at; at = outerOf(at)) {
        if (!around.has(at)) continue;
        for (const element of around.get(at)) near.add(element);
        return;
      }
    },
    addRemote() {},
  });
  return near;
}

/**
 * @param {Operation} operation
 * @returns {Finder} of elements that have the role by themselves, or a line that shows them with it
 */
function findByRole({ value, words, states }) {
  const role = ROLE_SYNONYMS[value] ?? value;
  const named = namesOfLines(role);
  const isNamedByContent = SHOWN_BY_CHILD_LINES.has(role);
  return {
    hitsIn: (root) =>
      [...(nodeType(root) === 9 ? elementsByTag_.call(root, '*') : selectAll(root, '*'))].filter(
        (element) => named.has(element) || roleOf(element) === role,
      ),
    fits(element) {
      let fit = words ? fitOf(named.get(element) || shownName(element, role), words) : true;
      if (fit === null || !(named.has(element) || isOnPage(element))) return null;
      // Such a name is all the text in it: of a row, that is each cell's.
      if (!fit && isNamedByContent) fit = holdersIn(element, words).some((part) => fitOf(ownWords(part), words));
      return states.length && !hasStates(element, role, states) ? null : fit;
    },
  };
}

/** The elements whose lines have that role, with the names of these. @returns {Map<Element, string>} */
function namesOfLines(role) {
  const outer = reading;
  const named = new Map();
  let open = [];
  readThroughCache(false, (cache) => {
    reading = newReading();
    open = [...visitDocument(cache)];
    if (cache) keepCache(cache);
  });
  outer.internals.push(...reading.internals);
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    if (typeof line === 'string') continue;
    if (line.role === role) named.set((line.id && elementOf(line.id)) || line.element, line.name);
    open.push(...line.kids);
  }
  reading = outer;
  return named;
}

/** @param {string[]} states  such as "checked" or "level=2"; "checked=false" is not checked */
function hasStates(element, role, states) {
  const ariaDisabled = closestFlat(element, '[aria-disabled="true" i]') !== null;
  const text = statesOf(element, tagOf(element), role, { ariaDisabled, focused: null });
  return states.every((state) => {
    const name = state.replace(/=false$/, '');
    return name === state ? text.includes(` [${state}]`) : !text.includes(` [${name}]`);
  });
}

/** Whether a reader of the page comes upon the element. */
function isOnPage(element) {
  const hidden = closestFlat(element, '[aria-hidden="true" i]');
  if (hidden && isTextRedundant(hidden) === HIDDEN_FROM_EVERYONE) return false;
  return isRenderedInFlatTree(element);
}

function isRenderedInFlatTree(element) {
  if (tagOf(element) === 'AREA' || checkVisibility_.call(element, VISIBILITY_OPTIONS)) return true;
  const parent = flatParent(element);
  return visibilityOf(element) === VISIBLE && parent !== null && isRenderedInFlatTree(parent);
}

const fitIfShown = (element, text, words) => {
  const fit = fitOf(text, words);
  return fit !== null && isOnPage(element) ? fit : null;
};

/**
 * @param {string} text @param {Words} words
 * @returns {boolean | null} whether they are all of the text, or only a part; null: they are not in it
 */
function fitOf(text, words) {
  const whole = collapse(text);
  if (words.how === 'regex') return new RegExp(words.text, words.flags).test(whole) || null;
  if (whole === words.text) return true;
  if (words.how === 'exact') return null;
  const [own, wanted] = [whole.toLowerCase(), words.text.toLowerCase()];
  return own.includes(wanted) ? own === wanted : null;
}

const PRESSED = 'input[type="button" i],input[type="submit" i],input[type="reset" i]';
const inputValue_ = textReader(HTMLInputElement, 'value');

/** The text of an element, or of a button that has it as its value. */
const ownWords = (element) => (matches(element, PRESSED) ? inputValue_(element) : textContent(element));

const UNREAD_TEXTS = new Set('SCRIPT STYLE NOSCRIPT TEMPLATE HEAD TITLE'.split(' '));

/** The smallest elements of a tree that hold the words. @param {Node} root @param {Words} words */
function holdersOf(root, words) {
  const buttons = [...selectAll(root, PRESSED)].filter((button) => fitOf(ownWords(button), words) !== null);
  const hits = childElements(root).flatMap((element) => holdersIn(element, words));
  return buttons.length ? [...buttons, ...hits].sort((one, other) => (isSameOrBefore(one, other) ? -1 : 1)) : hits;
}

/** The smallest elements that hold the words, of an element and those in it. @param {Words} words */
function holdersIn(top, words) {
  const hits = [];
  const anchor = words.how === 'regex' ? '' : longestWordOf(words.text.toLowerCase());
  const visit = (element) => {
    if (UNREAD_TEXTS.has(tagOf(element))) return false;
    if (anchor && !textContent(element).toLowerCase().includes(anchor)) return false;
    let isInside = false;
    for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child))
      if (visit(child)) isInside = true;
    if (isInside) return true;
    if (fitOf(textContent(element), words) === null) return false;
    hits.push(element);
    return true;
  };
  visit(top);
  return hits;
}

const longestWordOf = (text) => text.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one), '');

function childElements(root) {
  const children = [];
  for (let child = firstChild(root); child; child = nextSibling(child)) if (nodeType(child) === 1) children.push(child);
  return children;
}

/** The text in an element with that in its shadow roots and frames, spaces between the trees. */
function wholeText(element) {
  const texts = [];
  const hitsIn = (root) => {
    texts.push(nodeType(root) === 9 ? textContent(documentElement_.call(root)) : textContent(root));
    return [];
  };
  findIn(element, { hitsIn, add() {}, addRemote() {} });
  return texts.join(' ');
}

/** The text of an element as it is shown, as far as that is in its own tree. */
const shownTextIn = (element) =>
  collapse(namespaceURI_.call(element) === HTML ? innerText_.call(element) : textContent(element));

const LABELLED =
  'input,select,textarea,button,meter,output,progress,[aria-label],[aria-labelledby],[contenteditable],[role]';

/** @param {Words} words */
function fitOfLabel(element, words) {
  const labels = labelsOf(element);
  if (!labels.length && !hasAttr(element, 'aria-label') && !hasAttr(element, 'aria-labelledby')) return null;
  const texts = [shownName(element, roleOf(element)), ...labels.map(textContent)];
  const fits = texts.map((text) => fitOf(text, words)).filter((fit) => fit !== null);
  return fits.length && isOnPage(element) ? fits.includes(true) : null;
}

function byAttribute(name, isExact = false) {
  return ({ words }) => ({
    hitsIn: (root) => selectAll(root, `[${name}]`),
    fits(element) {
      const fit = fitOf(attr(element, name), isExact && words.how === 'part' ? { ...words, how: 'exact' } : words);
      return fit !== null && (isExact || isOnPage(element)) ? fit : null;
    },
  });
}

const SHORT_BOX = 120;

/**
 * What a reader needs to choose between elements: what each is, and the text of the box around it that holds no other.
 * @param {{ids: number[]}} options
 * @returns {{role: string, name: string, shown: boolean, around: string}[]}
 */
function apart({ ids }) {
  forget();
  const elements = elementsOf(ids);
  const told = elements.map((element) => {
    if (element === null) return { role: 'element', name: '', shown: false, around: '' };
    let box = element;
    const holdsOther = (outer) =>
      elements.some((other) => other && other !== element && leastAround(other, new Map([[outer, 0]])) === 0);
    for (let at = outerOf(element); at && !holdsOther(at); at = outerOf(at)) box = at;
    const tag = tagOf(element);
    const role = roleOf(element, tag) || tag.toLowerCase();
    const name = cut(shownName(element, role) || collapse(textContent(element)), SHORT_BOX);
    return {
      role,
      name,
      shown: hasVisibleBox(element),
      around: box === element ? '' : cut(shownTextIn(box), SHORT_BOX),
    };
  });
  forget();
  return told;
}

/**
 * What a program asks about one element.
 * @param {{id: number, attribute: string | null}} options
 */
function factsOf({ id, attribute }) {
  forget();
  const element = elementOf(id);
  if (element === null) return { of: null };
  const tag = tagOf(element);
  const isField = FIELD_TAGS.has(tag) || tag === 'OPTION';
  const { left, top, width, height } = getBoundingClientRect_.call(element);
  const facts = {
    text: isField ? collapse(textContent(element)) : shownTextIn(element),
    value: isSecret(element) ? null : valueOf(element, tag, roleOf(element, tag)),
    attribute: attribute === null ? null : attributeOf(element, attribute),
    visible: hasVisibleBox(element),
    box: [left, top, width, height],
    states: statesOf(element, tag, roleOf(element, tag), {
      ariaDisabled: closestFlat(element, '[aria-disabled="true" i]') !== null,
      focused: focusedIn(rootOf(element)),
    }),
  };
  forget();
  return { of: facts };
}
