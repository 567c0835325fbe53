// Which elements a rule or a style attribute may keep from being seen, whatever state they or others are in; whether it
// does is asked of each at each reading, see sight.js.

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

/**
 * Which values of a property may keep an element from being seen.
 * @type {Record<string, (value: string) => boolean>}
 */
const HIDING_VALUES = {
  __proto__: null,
  // or rather what is in it; where only overflow-x is hidden, overflow-y is auto, and the box scrolls
  'overflow-y': (value) => value === 'hidden' || value === 'clip',
  left: isFar,
  right: isFar,
  top: isFar,
  bottom: isFar,
  'margin-left': isFarBack,
  transform: isTransformFar,
  translate: isShaped,
  scale: (value) => value.includes('var(') || value.split(' ').some((factor) => parseFloat(factor) === 0),
  opacity: (value) => !(parseFloat(value) >= 0.05),
  filter: (value) => value.includes('opacity') || value.includes('var('),
  clip: isShaped,
  'clip-path': isShaped,
  'text-indent': isFarBack,
};

const mayHide = (name, value) => name in HIDING_VALUES && HIDING_VALUES[name](value);
const concernOf = (name) => (name === 'overflow-y' ? 'clipping' : 'unseen');

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
    const [property, value = ''] = declaration.split(':').map((part) => part.trim());
    const name = SHORTHANDS[property] ?? property;
    if (mayHide(name, value) || (name !== property && value.split(' ').some((part) => mayHide(name, part))))
      bits |= 1 << CONCERNS.indexOf(concernOf(name));
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
