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
 *   number, first: number, end: number, remote: number[], internals: number[], roots: number, gone: number[]}} rows:
 *   ids of elements, in document order, with the number in `Matches`; before: how many of them come before each of the
 *   `remote` frames; count: the number of changes for `changedSince`
 */
function matching({ next, frame, operations, within, starts }) {
  watch();
  const { count } = journal;
  const first = reserveIds(next);
  const { lines, frames } = readForMatching();
  let rows = [];
  let before = [];
  let progress = [];
  let error = '';
  try {
    const begin = within && new Map((within[frame] ?? []).map((id) => [elementOf(id), 0]));
    begin?.delete(null);
    const { order, remotes, matches: found } = takeSteps(operations, begin, { lines, frames, starts });
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
 * Reads the document as a snapshot does, and visits only what may have changed since the last time.
 * @returns {{lines: (string | Line)[], frames: Element[]}} frames: those of other processes
 */
function readForMatching() {
  let lines = [];
  readThroughCache(false, (cache) => {
    reading = newReading();
    lines = visitDocument(cache);
    if (cache) keepCache(cache);
  });
  return { lines, frames: reading.remote.map(elementOf) };
}

/**
 * @typedef {{lines: (string | Line)[], frames: Element[], starts: Record<string, number>}} PageRead
 * @param {Operation[]} operations @param {Matches | null} begin  null: the whole document
 * @param {PageRead} page
 */
function takeSteps(operations, begin, page) {
  /** @type {Matches | null} */
  let found = begin;
  let order = begin ? [...begin.keys()] : [];
  /** @type {Map<Element, {at: number, reached: Record<string, number>}>} */
  const remotes = new Map();
  operations.forEach((operation, i) => {
    const find = FINDERS[operation.by];
    if (find) ({ found, order } = findInside(find(operation, page), found, page, page.starts[i], remotes));
    else found = FILTERS[operation.by](operation, found, page);
    for (const [frame, { reached }] of remotes) {
      const partly = leastAround(frame, found);
      if (partly !== undefined && i + 1 < operations.length) reached[i + 1] = partly;
    }
  });
  return { order, remotes, matches: found };
}

/**
 * @typedef {object} Finder
 * @property {(root: Node) => Iterable<Element>} candidatesIn  of one tree
 * @property {(element: Element) => boolean | null} fits  whether its words are all of what is looked for, or only a
 *   part; null: it is not meant
 * @property {boolean} [isHidden]  it may be somewhere that is not shown
 */

/**
 * @param {Finder} finder @param {Matches | null} scopes @param {PageRead} page
 * @param {number | undefined} whole  all of the document is in a scope, with this many words that are only a part
 */
function findInside(finder, scopes, page, whole, remotes) {
  const found = new Map();
  const order = [];
  const isMeant = (element) => {
    const partly = scopes === null ? 0 : least(whole, leastAround(outerOf(element), scopes));
    const isAll = partly === undefined ? null : finder.fits(element);
    if (isAll !== null) found.set(element, partly + (isAll ? 0 : 1));
    return isAll !== null;
  };
  findIn(document, {
    hitsIn: (root) => inDocumentOrder([...finder.candidatesIn(root)].filter(isMeant)),
    hostsIn: finder.isHidden ? undefined : (root) => hostsRead(root, page),
    add: (element) => order.push(element),
    addRemote(element) {
      const known = remotes.get(element);
      remotes.set(element, { at: order.length, reached: known?.reached ?? {} });
    },
  });
  return { found, order };
}

/** The hosts and frames in a tree that the reading has entered, in document order. @param {PageRead} page */
function hostsRead(root, page) {
  const hosts = [...page.frames];
  for (const reference of rootsOfNumbers.values()) {
    const inner = reference.deref();
    if (!inner || inner === document || !isRootShown(inner)) continue;
    const host = nodeType(inner) === 9 ? defaultView_.call(inner).frameElement : host_.call(inner);
    if (host) hosts.push(host);
  }
  return inDocumentOrder(hosts.filter((host) => rootOf(host) === root));
}

const inDocumentOrder = (elements) =>
  elements.length > 1 ? elements.sort((one, other) => (isSameOrBefore(one, other) ? -1 : 1)) : elements;

const least = (one, other) => (one === undefined ? other : other === undefined ? one : Math.min(one, other));

/** The least number of `scopes` around an element or at it, undefined if it is in none. */
function leastAround(element, scopes) {
  let partly;
  for (let at = element; at; at = outerOf(at)) partly = least(partly, scopes.get(at));
  return partly;
}

/** The element around this one in the flat tree; that of a frame for its document. */
const outerOf = (element) => flatParent(element) ?? defaultView_.call(documentOf(element))?.frameElement ?? null;

/** @type {Record<string, (operation: Operation, page: PageRead) => Finder>} */
const FINDERS = {
  __proto__: null,
  role: findByRole,
  text: ({ words }) => ({
    candidatesIn: (root) => holdersOf(root, words),
    fits: (element) => fitIfShown(element, ownWords(element), words),
  }),
  label: ({ words }) => ({
    candidatesIn: (root) => selectAll(root, MAY_BE_LABELLED),
    fits: (element) => fitOfLabel(element, words),
  }),
  placeholder: byAttribute('placeholder'),
  alt: byAttribute('alt'),
  title: byAttribute('title'),
  testid: byAttribute('data-testid', true),
  css: ({ value }) => ({ candidatesIn: (root) => selectAll(root, value), fits: () => true, isHidden: true }),
};

/** @type {Record<string, (operation: Operation, found: Matches, page: PageRead) => Matches>} */
const FILTERS = {
  __proto__: null,
  has_text: ({ words }, found) => filtered(found, (element) => fitOf(wholeText(element), words) !== null),
  has: ({ inner }, found, page) => {
    const within = takeSteps(inner, found, { ...page, starts: {} }).matches;
    const holders = new Set();
    for (const element of within.keys()) for (let at = outerOf(element); at; at = outerOf(at)) holders.add(at);
    return filtered(found, (element) => holders.has(element));
  },
  near: ({ words }, found, page) => {
    const near = elementsNear(found, words, page);
    return filtered(found, (element) => near.has(element));
  },
};

const filtered = (found, keeps) => new Map([...found].filter(([element]) => keeps(element)));

/**
 * Those of the elements that share the smallest box with a text: the row, card or form in which it stands.
 * @param {Matches} found @param {Words} words @param {PageRead} page
 */
function elementsNear(found, words, page) {
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
    hostsIn: (root) => hostsRead(root, page),
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
 * @param {Operation} operation @param {PageRead} page
 * @returns {Finder} of elements whose lines have the role, or that have it by themselves and are not lines of their own
 */
function findByRole({ value, words, states }, page) {
  const role = ROLE_SYNONYMS[value] ?? value;
  const lines = linesWithRole(role, page.lines);
  // Controls have lines: others may be in the text of the line around them.
  const selector = INTERACTIVE.has(role) ? '' : selectorOf(role);
  return {
    candidatesIn(root) {
      const candidates = [...lines.keys()].filter((element) => rootOf(element) === root);
      if (!selector) return candidates;
      const others = [...selectAll(root, selector)].filter(
        (element) => !lines.has(element) && roleOf(element) === role,
      );
      return [...candidates, ...others];
    },
    fits(element) {
      const line = lines.get(element);
      const fit = words ? fitOfAny(namesBy(role, element, line), words) : true;
      if (fit === null || (states.length && !hasStates(element, role, states, line))) return null;
      return line || isOnPage(element) ? fit : null;
    },
  };
}

/** The lines with a role, by their elements. @param {(string | Line)[]} all @returns {Map<Element, Line>} */
function linesWithRole(role, all) {
  const lines = new Map();
  const open = [...all];
  for (let line = open.pop(); line !== undefined; line = open.pop()) {
    if (typeof line === 'string') continue;
    if (line.role === role) lines.set((line.id && elementOf(line.id)) || line.element, line);
    open.push(...line.kids);
  }
  return lines;
}

/** What an element may be called: its name, or if its content is shown instead of one, each text in it and all. */
function namesBy(role, element, line) {
  const isNamedByText = SHOWN_BY_CHILD_LINES.has(role) || (role === 'generic' && !line?.name);
  if (!isNamedByText) return [line?.name || shownName(element, role)];
  if (!line) return [textContent(element)];
  const texts = line.name ? [line.name] : [];
  const open = [...line.kids];
  for (let kid = open.shift(); kid !== undefined; kid = open.shift()) {
    if (typeof kid === 'string') texts.push(...kid.split(' | ').map(withoutMarks));
    else {
      if (kid.name) texts.push(kid.name);
      if (kid.value) texts.push(kid.value);
      open.unshift(...kid.kids);
    }
  }
  return texts.length > 1 ? [...texts, texts.join(' ')] : texts;
}

/** @returns {boolean | null} as `fitOf`, whether the words are all of one of the texts */
function fitOfAny(texts, words) {
  const fits = texts.map((text) => fitOf(text, words)).filter((fit) => fit !== null);
  return fits.length ? fits.includes(true) : null;
}

/** @type {Map<string, string>} */
const selectorsOfRoles = new Map();

/** A selector for the elements that may have a role without a line of their own. */
function selectorOf(role) {
  let selector = selectorsOfRoles.get(role);
  if (!selector) {
    const tags = Object.keys(IMPLICIT_ROLES).filter((tag) => {
      const implicit = IMPLICIT_ROLES[tag];
      return implicit === role || typeof implicit === 'function';
    });
    selector = [...new Set(tags.map((tag) => tag.toLowerCase())), '[role]'].join();
    selectorsOfRoles.set(role, selector);
  }
  return selector;
}

/** @param {string[]} states  such as "checked" or "level=2"; "checked=false" is not checked @param {Line} [line] */
function hasStates(element, role, states, line) {
  const ariaDisabled = closestFlat(element, '[aria-disabled="true" i]') !== null;
  const shown = statesOf(element, tagOf(element), role, { ariaDisabled, focused: null });
  const text = `${shown}${line?.states ?? ''}`; // a line has hints as well, such as its class
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
const ownWords = (element) => (matches(element, PRESSED) ? inputValue_(element) : readText(element));

const UNREAD_TEXTS = 'script,style,noscript,template,head';

/** The text in an element, without that of scripts and styles. */
function readText(element) {
  if (!selectsAny(element, UNREAD_TEXTS)) return textContent(element);
  let text = '';
  for (let node = firstChild(element); node; node = nextSibling(node)) {
    if (nodeType(node) === 3) text += dataOf(node);
    else if (nodeType(node) === 1 && !matches(node, UNREAD_TEXTS)) text += readText(node);
  }
  return text;
}

/** The smallest elements of a tree that hold the words. @param {Node} root @param {Words} words */
function holdersOf(root, words) {
  const buttons = [...selectAll(root, PRESSED)].filter((button) => fitOf(ownWords(button), words) !== null);
  return [...buttons, ...childElements(root).flatMap((element) => holdersIn(element, words))];
}

/** The smallest elements that hold the words, of an element and those in it. @param {Words} words */
function holdersIn(top, words) {
  const hits = [];
  const anchor = words.how === 'regex' ? '' : longestWordOf(words.text.toLowerCase());
  const visit = (element) => {
    if (matches(element, UNREAD_TEXTS)) return false;
    if (anchor && !textContent(element).toLowerCase().includes(anchor)) return false;
    let isInside = false;
    for (let child = firstElementChild_.call(element); child; child = nextElementSibling_.call(child))
      if (visit(child)) isInside = true;
    if (isInside) return true;
    if (fitOf(readText(element), words) === null) return false;
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

const MAY_BE_LABELLED =
  'input,select,textarea,button,meter,output,progress,[aria-label],[aria-labelledby],[contenteditable],[role]';

/** @param {Words} words */
function fitOfLabel(element, words) {
  const labels = labelsOf(element);
  if (!labels.length && !hasAttr(element, 'aria-label') && !hasAttr(element, 'aria-labelledby')) return null;
  const texts = [shownName(element, roleOf(element)), ...labels.map(textContent)];
  const fit = fitOfAny(texts, words);
  return fit !== null && isOnPage(element) ? fit : null;
}

function byAttribute(name, isExact = false) {
  return ({ words }) => ({
    isHidden: isExact,
    candidatesIn: (root) => selectAll(root, `[${name}]`),
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
function elementFacts({ id, attribute }) {
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
