// Which elements a rule or a style attribute may touch that sets a property to certain values, whatever state they or
// others are in: whether it does is asked of the element, at each reading. `mayApply(selections.unseen, element)` tells
// it of an element, `subjectsIn(root, 'unseen')` all of them.

const FAR = '-(?:\\d{3}|\\d\\d(?:\\.\\d+)?(?:r?em|%|[sld]?v))';
const AWAY = new RegExp(`^(?:${FAR}|\\d{3,}(?:%|[sld]?v)|\\d{4})|var\\(|calc\\(.*(?:-|\\* )`);
const BACK = new RegExp(`^${FAR}`);
const SHAPED = /^(?!none$|auto$)/;
const CLIPPING = /^(?!visible$)/;

/**
 * The values of properties that are of a concern. unseen: what may keep an element from being seen, or what is in it,
 * see sight.js. @type {Record<string, Record<string, RegExp>>}
 */
const SUBJECTS = {
  unseen: {
    'overflow-x': CLIPPING,
    'overflow-y': CLIPPING,
    left: AWAY,
    right: AWAY,
    top: AWAY,
    bottom: AWAY,
    'margin-left': BACK,
    'margin-right': BACK,
    'margin-top': BACK,
    transform: /scale[^)]*\b0(?!\.\d)|translate[^)]*(?:\d{3}|\d\d(?:r?em|[sld]?v)|calc)|matrix|rotate[XY3]|var\(/,
    translate: SHAPED,
    scale: /\b0(?!\.\d)|var\(/,
    opacity: /^0?\.0|^0(?!\.)|^[0-4]%|var\(|calc\(/,
    filter: /opacity|var\(/,
    clip: SHAPED,
    'clip-path': SHAPED,
    'font-size': /^0(?!\.)/,
    'text-indent': /^-\d{3}|^-\d\d.*em/,
    color: /^transparent$|^rgba\(.*, 0\)$/,
    'backface-visibility': /^hidden$/,
  },
};

/** The concerns that a property may be of. @type {Map<string, [string, RegExp][]>} */
const SUBJECT_VALUES = new Map();
for (const [concern, values] of Object.entries(SUBJECTS)) {
  for (const [name, value] of Object.entries(values))
    SUBJECT_VALUES.set(name, [...(SUBJECT_VALUES.get(name) ?? []), [concern, value]]);
}

/** Whether a declaration is of any of these concerns. */
function hasSubjects(name, value) {
  for (const [, values] of SUBJECT_VALUES.get(name)) if (values.test(value)) return true;
  return false;
}

/** Records whom a declaration may touch. @param {SheetFacts} facts */
function readSubjects(name, value, selector, facts) {
  for (const [concern, values] of SUBJECT_VALUES.get(name))
    if (values.test(value)) addSubjects(facts[concern], selector);
}

const IN_PARENTHESES = '\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)';
const LAST_COMPOUND = new RegExp(`(?:\\[[^\\]]*\\]|${IN_PARENTHESES}|\\\\.|[^\\s>+~()[\\]])+$`);
const ONE_OF = new RegExp(`^:(?:is|where)(${IN_PARENTHESES})(?::[\\w-]+(?:${IN_PARENTHESES})?)*$`);
const STATES = new RegExp(`(?<!\\\\):[\\w-]+(?:${IN_PARENTHESES})?`, 'g');

/**
 * Adds elements by their tag, classes and attributes alone, so that it does not matter when a rule begins to apply.
 * @param {SelectorSet} target
 */
function addSubjects(target, selector) {
  for (const part of splitList(selector)) {
    if (/::|:(?:before|after|first-line|first-letter)(?![\w-])/.test(part)) continue;
    const compound = LAST_COMPOUND.exec(part.trim())?.[0] ?? '*';
    const inner = ONE_OF.exec(compound);
    if (inner) addSubjects(target, inner[1].slice(1, -1));
    else add(target, compound.replace(STATES, '') || (compound.startsWith(':root') ? 'html' : '*'));
  }
}

/** The concerns of style attributes, by their text. @type {Map<string, number>} */
const concernsOfStyles = new Map();
const MOST_STYLES = 5000;
// a shorthand, and the longhand that stands for it
const SHORTHANDS = { __proto__: null, overflow: 'overflow-x', inset: 'left', margin: 'margin-left' };
const CONCERNED_STYLE = new RegExp(
  `(?:^|[;\\s])(${[...SUBJECT_VALUES.keys(), ...Object.keys(SHORTHANDS)].join('|')})\\s*:\\s*([^;]*)`,
  'g',
);

/** The bits of the concerns of a style attribute. @param {string} style */
function concernsOfStyle(style) {
  let bits = concernsOfStyles.get(style);
  if (bits !== undefined) return bits;
  bits = 0;
  for (const [, name, value] of style.toLowerCase().matchAll(CONCERNED_STYLE)) {
    for (const [concern, values] of SUBJECT_VALUES.get(SHORTHANDS[name] ?? name)) {
      if (values.test(value) || value.split(/\s+/).some((part) => values.test(part)))
        bits |= 1 << CONCERNS.indexOf(concern);
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
