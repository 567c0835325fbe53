// Text from the page, made fit for one line: no control characters (they are our marks), white space as one space.

// Stands in gathered text where a block begins or ends; it never gets into a line.
const BREAK = '\x03';
// With U+0085, which Unicode and many programs take for the end of a line.
const SPACES = /[\s\x85]+/g;
// Zero-width spaces, soft hyphens, and marks of direction: not seen, and they split words for a reader of the text.
const UNSEEN = /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u00ad\u200e\u200f\u2060\ufeff\u202a-\u202e\u2066-\u2069]/g;
const UNSEEN_IN_NAMES = /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u00ad]/g;
const MESSY = /[\s\x00-\x1f\x7f-\x9f]{2}|[\x00-\x1f\x7f-\xa0\u200b\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000\ufeff\u1680]/;
// As in names: the no-break space stays, since a name is compared exactly.
const NAME_SPACES = /[^\S\u00a0]+|\x85+/g;
const LONGEST_NAME = 900;

/** Text with its white space collapsed, ends trimmed. */
function collapse(text) {
  if (text.length < 4096 && !MESSY.test(text)) return text.trim();
  return text.replace(UNSEEN, '').replace(SPACES, ' ').trim();
}

// Characters that some programs take for the end of a line.
const OTHER_LINE_ENDS = /[\v\f\x85\u2028\u2029]/g;

/** Text whose lines and spaces count. */
function toTheLetter(text) {
  return text.replace(/\r\n?/g, '\n').replace(UNSEEN, '').replace(OTHER_LINE_ENDS, ' ');
}

/** A name or description as the standard flattens it. */
function flatten(text) {
  if (text === '') return '';
  return trimSpaces(text.replace(UNSEEN_IN_NAMES, '').replace(NAME_SPACES, ' '));
}

function trimSpaces(text) {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === 32) start++;
  while (end > start && text.charCodeAt(end - 1) === 32) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** At most `longest` characters, the cut shown. Never half of a surrogate pair. */
function cut(text, longest) {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 2);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? longest - 2 : longest - 1) + '…';
}

/** A name in quotes, as JSON writes it. */
function quote(text) {
  return inQuotes(text.length > LONGEST_NAME ? cut(text, LONGEST_NAME) : text);
}

// What JSON may leave as it is but some program takes for the end of a line.
const NEVER_BARE = /[\x7f-\x9f\u2028\u2029]/g;
const MAY_BE_BARE = /[\x7f-\x9f\u2028\u2029]/;
const escaped_ = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function inQuotes(text) {
  const written = JSON.stringify(text.toWellFormed());
  return MAY_BE_BARE.test(written) ? written.replace(NEVER_BARE, escaped_) : written;
}

// Marks of lines, see statesOf: a text that has one looks like ours. (`current` and `description` are told within texts, too.)
const STATE = '(?:ref|checked|disabled|expanded|level|pressed|selected|required|invalid|readonly|sort|pointer-events|focused|active|inert|modal|editable|' +
  'multiline|multiple|ordered|caret|caret-after|selection|placeholder|type|min|max|paused|playing|fill|drawn)';
// What would read as something else after "role: " is quoted.
const MISREAD = new RegExp(String.raw`^["'[]|^- |^→ |^\||^\s|\s$|[\x7f-\x9f\u2028\u2029]|(?:^|\s)\[${STATE}(?:\]|=)`);

/** Text for after a colon. */
function plain(text) {
  const told = text.replaceAll(STATE_MARK, '[').replaceAll(BAR_MARK, '\\|');
  return MISREAD.test(text) ? inQuotes(told) : told;
}

// Stands in text for the bracket of a state that is one; it never gets into a line.
const STATE_MARK = '\x13';
// Stands for a bar that a part of "a | b" says itself: the line has a backslash before it.
const BAR_MARK = '\x14';

/** A text that is to be one part of "a | b". */
const asPart = (text) => text.replaceAll('|', BAR_MARK);

/** A text of a line without our marks, each of which stands for one character. */
const withoutMarks = (text) => text.replaceAll(STATE_MARK, '[').replaceAll(BAR_MARK, '|');

/** Whether a text says anything to a reader: icon fonts' private glyphs alone do not, nor do our marks. */
const says = (text) => /[^\s\x03-\x06\x0e-\x11\ue000-\uf8ff\udb80-\udfff]|[\ud800-\udb7f][\udc00-\udfff]/.test(text);

/** Whether a text only parts what stands on its two sides. */
const onlyParts = (text) => text.length < 4 && /^[\s|·•»›«‹,;:.()[\]/–—-]+$/.test(text);
