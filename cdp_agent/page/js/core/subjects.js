// Which elements a rule or a style attribute may touch that sets a property to certain values, whatever state they or
// others are in: whether it does is asked of the element, at each reading. `mayApply(selections.unseen, element)` tells
// it of an element, `subjectsIn(root, 'unseen')` all of them.

// No regular expressions, as compiling them took longer than all else here.

/** Whether a length may put something where nobody sees it. @param {string} value */
function isFar(value) {
  const length = parseFloat(value);
  if (Number.isNaN(length)) return value.includes('var(') || (value.includes('calc(') && /-|\* /.test(value));
  if (length < 0) return length <= -100 || (length <= -10 && !value.endsWith('px'));
  return length >= 1000 || (length >= 100 && !value.endsWith('px'));
}
const isFarBack = (value) => parseFloat(value) < 0 && isFar(value);

/** Whether a transform may do so, or leave nothing of it: by a length, a scale of 0, or turned away. */
function isTransformFar(value) {
  if (value.includes('var(') || value.includes('matrix')) return true;
  for (const part of value.split(')')) {
    const [name, lengths = ''] = part.split('(');
    if (name.includes('translate') ? lengths.split(',').some(isFar) : /rotate[XY3]/.test(name)) return true;
    if (name.includes('scale') && lengths.split(',').some((scale) => parseFloat(scale) === 0)) return true;
  }
  return false;
}

const isShaped = (value) => value !== 'none' && value !== 'auto';
const isClipping = (value) => value === 'hidden' || value === 'clip';
const isZero = (value) => parseFloat(value) === 0;

/**
 * The values of properties that are of a concern. clipping: what may keep that from being seen which is in an
 * element; unseen: or the element itself, see sight.js. @type {Record<string, Record<string, (value: string) => boolean>>}
 */
const SUBJECTS = {
  clipping: { 'overflow-y': isClipping }, // where only overflow-x is hidden, overflow-y is auto, and the box scrolls
  unseen: {
    left: isFar,
    right: isFar,
    top: isFar,
    bottom: isFar,
    'margin-left': isFarBack,
    transform: isTransformFar,
    translate: isShaped,
    scale: (value) => value.includes('var(') || value.split(' ').some(isZero),
    opacity: (value) => !(parseFloat(value) >= 0.05),
    filter: (value) => value.includes('opacity') || value.includes('var('),
    clip: isShaped,
    'clip-path': isShaped,
    'text-indent': isFarBack,
    'backface-visibility': (value) => value === 'hidden',
  },
};

/** The concerns that a property may be of. @type {Map<string, [string, (value: string) => boolean][]>} */
const SUBJECT_VALUES = new Map();
for (const [concern, values] of Object.entries(SUBJECTS)) {
  for (const [name, isOf] of Object.entries(values))
    SUBJECT_VALUES.set(name, [...(SUBJECT_VALUES.get(name) ?? []), [concern, isOf]]);
}

/** Whether a declaration is of any of these concerns. */
function hasSubjects(name, value) {
  for (const [, isOf] of SUBJECT_VALUES.get(name)) if (isOf(value)) return true;
  return false;
}

/** Records whom a declaration may touch. @param {SheetFacts} facts */
function readSubjects(name, value, selector, facts) {
  for (const [concern, isOf] of SUBJECT_VALUES.get(name)) if (isOf(value)) addSubjects(facts[concern], selector);
}

// A pseudo-class, apart from those that only group selectors; and what is before a sibling.
const STATES = /(?<!\\):(?!is\(|where\()[\w-]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?/g;
const SIBLINGS = /^.*[+~](?![^([]*[)\]])/;

/**
 * Adds elements by their tags, classes, attributes and what they are in, so that it does not matter when a rule begins
 * to apply: what changes these has all that is in the changed element visited again.
 * @param {SelectorSet} target
 */
function addSubjects(target, selector) {
  for (const part of splitList(selector)) {
    if (part.includes('::') || part.includes(':host')) continue;
    const isSimple = LAST_CLASS.test(part) || !/[:+~]/.test(part);
    add(target, isSimple ? part : part.replace(STATES, '').replace(SIBLINGS, '').trim() || part);
  }
}

/** The concerns of style attributes, by their text. @type {Map<string, number>} */
const concernsOfStyles = new Map();
const MOST_STYLES = 5000;
// a shorthand, and the longhand that stands for it
const SHORTHANDS = { __proto__: null, overflow: 'overflow-y', inset: 'left', margin: 'margin-left' };

/** The bits of the concerns of a style attribute. @param {string} style */
function concernsOfStyle(style) {
  let bits = concernsOfStyles.get(style);
  if (bits !== undefined) return bits;
  bits = 0;
  for (const declaration of style.toLowerCase().split(';')) {
    const [name, value = ''] = declaration.split(':').map((part) => part.trim());
    for (const [concern, isOf] of SUBJECT_VALUES.get(SHORTHANDS[name] ?? name) ?? []) {
      if (isOf(value) || (name in SHORTHANDS && value.split(' ').some(isOf))) bits |= 1 << CONCERNS.indexOf(concern);
    }
  }
  if (concernsOfStyles.size > MOST_STYLES) concernsOfStyles.clear();
  concernsOfStyles.set(style, bits);
  return bits;
}

/**
 * Adds the concerns of style attributes to those of rules.
 * @param {Node} root @param {Map<Element, number>} elements
 */
function withStyled(root, elements) {
  const styled = selectAll(root, '[style]');
  for (let i = 0; i < styled.length; i++) {
    const bits = concernsOfStyle(attr(styled[i], 'style'));
    if (bits) elements.set(styled[i], bits | elements.get(styled[i]));
  }
  return elements;
}

/**
 * All elements of a document or shadow root that rules or style attributes of a concern may touch.
 * @param {Node} root @param {ConcernName} concern @returns {Element[]}
 */
function subjectsIn(root, concern) {
  const { selection, bit } = rootFacts(root).selections[concern];
  const selectors = selection.every & bit ? ['*'] : ['[style]'];
  for (const [name, bits] of selection.classes) if (bits & bit) selectors.push(`.${CSS.escape(name)}`);
  for (const [bits, list] of selection.lists) if (bits & bit) selectors.push(list);
  return [...selectAll(root, selectors.join())].filter((element) => concernsOf(selection, element) & bit);
}
