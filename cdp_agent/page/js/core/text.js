// Text from the page, cleaned to fit on one line: no control characters (these are our own marks), white space
// collapsed.

// Marks the beginning or end of a block in collected text; it never gets into a line.
const BREAK = '\x03';
// With U+0085, which Unicode and many programs take for a line end.
const SPACES = /[\s\x85]+/g;
// Zero-width spaces, soft hyphens and direction marks: invisible, and they split words for a reader of the text.
const INVISIBLE_CHARACTERS =
  /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u00ad\u200e\u200f\u2060\ufeff\u202a-\u202e\u2066-\u2069]/g;
const INVISIBLE_IN_NAMES = /[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u200b\u00ad]/g;
const MESSY =
  /[\s\x00-\x1f\x7f-\x9f]{2}|[\x00-\x1f\x7f-\xa0\u200b\u00ad\u2000-\u200f\u2028-\u202f\u205f-\u2069\u3000\ufeff\u1680]/;
// In names the no-break space stays, since names are compared exactly.
const NAME_SPACES = /[^\S\u00a0]+|\x85+/g;
const LONGEST_NAME = 900;

/** Text with white space collapsed and ends trimmed. */
function collapse(text) {
  if (text.length < 4096 && !MESSY.test(text)) return text.trim();
  return text.replace(INVISIBLE_CHARACTERS, '').replace(SPACES, ' ').trim();
}

// Characters that some programs take for a line end.
const OTHER_LINE_ENDS = /[\v\f\x85\u2028\u2029]/g;

/** Preformatted text, whose line breaks and spaces are kept. */
function cleanPreformatted(text) {
  return text.replace(/\r\n?/g, '\n').replace(INVISIBLE_CHARACTERS, '').replace(OTHER_LINE_ENDS, ' ');
}

/** A name or description, flattened as the accname standard says. */
function flatten(text) {
  if (text === '') return '';
  return trimSpaces(text.replace(INVISIBLE_IN_NAMES, '').replace(NAME_SPACES, ' '));
}

function trimSpaces(text) {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) === 32) start++;
  while (end > start && text.charCodeAt(end - 1) === 32) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** At most `longest` characters, with "…" for the rest. Never splits a surrogate pair. */
function cut(text, longest) {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 2);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? longest - 2 : longest - 1) + '…';
}

/** A name in quotes, as in JSON. */
function quote(text) {
  return toJsonString(text.length > LONGEST_NAME ? cut(text, LONGEST_NAME) : text);
}

// Characters that JSON may leave unescaped but some programs take for a line end.
const NEVER_BARE = /[\x7f-\x9f\u2028\u2029]/g;
const MAY_BE_BARE = /[\x7f-\x9f\u2028\u2029]/;
const escaped_ = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

function toJsonString(text) {
  const written = JSON.stringify(text.toWellFormed());
  return MAY_BE_BARE.test(written) ? written.replace(NEVER_BARE, escaped_) : written;
}

// States of lines, see statesOf: page text that contains one would look like ours. (`current` and `description` are
// rendered within texts, too.)
const STATE =
  '(?:ref|checked|disabled|expanded|level|pressed|selected|required|invalid|readonly|sort|pointer-events|focused|' +
  'active|inert|not-shown|modal|editable|' +
  'multiline|multiple|ordered|caret|caret-after|selection|placeholder|type|min|max|paused|playing|fill|drawn)';
// Text that would be misread after "role: " is quoted.
const MISREAD = new RegExp(String.raw`^["'[]|^- |^→ |^\||^\s|\s$|[\x7f-\x9f\u2028\u2029]|(?:^|\s)\[${STATE}(?:\]|=)`);

/** Text to stand after a colon: as it is, or quoted where it would be misread. */
function plainOrQuoted(text) {
  const unescaped = text.replaceAll(STATE_MARK, '[').replaceAll(BAR_MARK, '\\|');
  return MISREAD.test(text) ? toJsonString(unescaped) : unescaped;
}

// A line break of preformatted text, within a run of collected text.
const ROW_BREAK = '\x07';
const LINES_KEPT = /preserve|break-spaces/; // values of white-space-collapse

/** Collected text that may have several rows, without empty rows around it; `collapse` for one row. */
function rowsOf(text) {
  if (!text.includes(ROW_BREAK)) return collapse(text);
  const rows = text.split(ROW_BREAK).map((row) => cleanPreformatted(row).replaceAll('\n', ' ').trimEnd());
  while (rows.length && rows[rows.length - 1] === '') rows.pop();
  while (rows.length && rows[0] === '') rows.shift();
  return rows.length === 1 ? collapse(rows[0]) : rows.join(ROW_BREAK);
}

/** The text with its rows in one. */
const inOneRow = (text) => (text.includes(ROW_BREAK) ? collapse(text.replaceAll(ROW_BREAK, ' ')) : text);

// Stands for the bracket of a state of ours within a text; it never gets into a line.
const STATE_MARK = '\x13';
// Stands for a bar that is part of a text in "a | b": in the line it gets a backslash.
const BAR_MARK = '\x14';

/** A text as one part of "a | b". */
const escapeBars = (text) => text.replaceAll('|', BAR_MARK);

/** A line's text with the characters that our marks stand for. */
const withoutMarks = (text) => text.replaceAll(STATE_MARK, '[').replaceAll(BAR_MARK, '|').replaceAll(ROW_BREAK, '\n');

/** Whether a text has anything readable: private-use glyphs of icon fonts alone do not count, nor do our marks. */
const hasText = (text) => /[^\s\x03-\x07\x0e-\x11\ue000-\uf8ff\udb80-\udfff]|[\ud800-\udb7f][\udc00-\udfff]/.test(text);

/** Whether a text is only punctuation that separates its two neighbours. */
const isSeparatorText = (text) => text.length < 4 && /^[\s|·•»›«‹,;:.()[\]/–—-]+$/.test(text);
