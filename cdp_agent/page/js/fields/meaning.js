// Whether what a field holds means what was entered: pure functions of two texts, which are all that decides it.
// Pages write a value their own way: 5551234567 as (555) 123-4567, 1234.5 as 1.234,50. That is the same value if each
// digit, the sign and the decimal mark mean the same; else the value did not stay.

/**
 * type: of an input, else ''; locale: whose decimal mark and order of dates count where a text does not tell them;
 * grouped: a single mark in what is held is known to separate thousands (true) or decimals (false), null: not known
 * @typedef {{type: string, locale: string, grouped: boolean | null}} Terms
 * @typedef {'same' | 'alike' | 'other' | 'empty'} Match alike: it means the same
 */

/** @param {Match} match */
const isMeant = (match) => match === 'same' || match === 'alike';

const CURRENCY = /\p{Sc}/gu;
const DASHES = /[\u2010-\u2015\u2212]/g;
const UNIT = /^\s*(?:%|\p{L}{1,4}\.?|\p{L}{0,3}\/\p{L}{1,3})?\s*$/u;
/** Words behind a number that make it another one. */
const MULTIPLIER = /^(?:[kmbgt]|\s*(?:mio|mrd|mln|mld|mn|bn|tsd|tys)\.?\s*)$/i;
const NUMBER_PARTS = /^([^\d.,]*)(\d[\d.,\u066b\u066c' ]*|[.,]\d+)(\D*)$/;
const IP_ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const DATE_PARTS = /^(\d{1,4})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{1,4})\.?$/;
const TIME = /(?:^|[\sT,])(\d{1,2}):(\d{2})(?::(\d{2})(?:\.0+)?)?\s*(?:([ap])\.?\s?m\.?)?$/i;
/** What a page may put between the characters of a code, or leave out. */
const SEPARATORS = "[-\\s()\\[\\]]|(?<=\\d)[./:,_'|]+(?=\\d)";
const FEWEST_IN_A_CODE = 6;
const LONGEST_FORMATTED = 100;
const NUMERIC = ['number', 'range'];

/** @param {string} wanted @param {string} held @param {Terms} terms @returns {Match} */
function meaningOf(wanted, held, terms) {
  if (held === wanted) return 'same';
  if (held === '') return 'empty';
  if (terms.type === 'password') return 'other';
  const [one, other] = [plain(wanted), plain(held)];
  if (one === other || (terms.type === 'email' && one.replace(/\s*,\s*/g, ',') === other)) return 'alike';
  if (Math.max(one.length, other.length) > LONGEST_FORMATTED) return 'other';
  const isSame =
    isSameMoment(one, other, terms) ??
    (isSameNumber(one, other, terms) || isSameCode(one, other, terms) || isSameAddress(one, other));
  return isSame ? 'alike' : 'other';
}

/** The text without what is only a matter of writing: case, kinds of spaces, dashes and quotes, spaces around it. */
const plain = (text) =>
  text
    .normalize('NFKC')
    .replace(DASHES, '-')
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
    .toUpperCase()
    .replace(/I\u0307|\u0130/g, 'I');

/** @param {string} wanted @param {string} held @param {Terms} terms */
function isSameNumber(wanted, held, terms) {
  const [one, other] = [amountIn(wanted, terms, false), amountIn(held, terms, true)];
  if (!one || !other || one.sign !== other.sign) return false;
  // a code such as 007 is no number, unless the field takes nothing else
  const hasLostZeros = one.zeros > other.zeros && !NUMERIC.includes(terms.type);
  return one.value === other.value && !hasLostZeros;
}

/**
 * A number that a text is, with signs of currency around it; one that is `shown` may have a unit.
 * @param {string} text @param {Terms} terms @param {boolean} shown
 * @returns {{sign: '' | '-', value: string, zeros: number, isFraction: boolean} | null} zeros: how many lead
 */
function amountIn(text, terms, shown) {
  const parts = NUMBER_PARTS.exec(text.replace(/_+$/, ''));
  if (!parts) return null;
  const isInBrackets = /^[^\d]*\(.*\)[^\d]*$/.test(text);
  const [before, after] = [parts[1], parts[3]].map((part) => part.replace(CURRENCY, '').replace(/[()]/g, ''));
  const signs = `${before}${after}`.match(/-/g)?.length ?? 0;
  const words = [before, after].map((part) => part.replace(/[-+]/g, ''));
  const isAllowed = (word) => (shown ? UNIT.test(word) && !MULTIPLIER.test(word) : word.trim() === '');
  if (signs > 1 || !words.every(isAllowed) || (isInBrackets && signs > 0)) return null;
  const digits = digitsOf(parts[2].trim(), terms, shown);
  if (!digits) return null;
  const whole = digits.whole.replace(/^0+/, '');
  const fraction = digits.fraction.replace(/0+$/, '');
  const isNegative = signs === 1 || (isInBrackets && (digits.fraction !== '' || /\p{Sc}/u.test(text)));
  return {
    sign: isNegative && (whole || fraction) ? '-' : '',
    value: `${whole || '0'}.${fraction}`,
    zeros: Math.max(0, digits.whole.length - (whole.length || 1)),
    isFraction: digits.fraction !== '',
  };
}

/**
 * The digits before and behind the decimal mark. Of two kinds of marks the last is that of the decimals.
 * @param {string} body  digits and marks @param {Terms} terms @param {boolean} shown
 * @returns {{whole: string, fraction: string} | null}
 */
function digitsOf(body, terms, shown) {
  const marks = body.replace(/\d/g, '');
  const last = marks.at(-1) ?? '';
  const at = body.lastIndexOf(last);
  const isOnce = last !== '' && marks.indexOf(last) === marks.length - 1;
  const asGrouped = isGrouped(body) ? { whole: body.replace(/\D/g, ''), fraction: '' } : null;
  if (!last || !isOnce || !/[.,\u066b]/.test(last)) return asGrouped;
  const whole = body.slice(0, at);
  if (whole && /\D/.test(whole) && !isGrouped(whole)) return null;
  const asDecimals = { whole: whole.replace(/\D/g, ''), fraction: body.slice(at + 1) };
  if (!asGrouped) return asDecimals;
  return isGroupingMark(last, terms, shown) ? asGrouped : asDecimals;
}

/** Whether a mark that may part thousands or decimals, as in 1.234, parts thousands. */
function isGroupingMark(mark, { type, locale, grouped }, shown) {
  if (NUMERIC.includes(type) && mark === '.') return false; // these hold no other mark
  if (shown && grouped !== null) return grouped;
  return decimalMarkOf(locale) !== mark;
}

/** @param {string} locale */
const decimalMarkOf = (locale) =>
  partsOf(new Intl.NumberFormat(locale), 1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** Whether marks of one kind part the digits as thousands are parted, in any part of the world. @param {string} body */
function isGrouped(body) {
  const marks = new Set(body.replace(/\d/g, ''));
  if (marks.size === 0) return /^\d+$/.test(body);
  if (marks.size > 1 || /^0/.test(body)) return false;
  const [mark] = marks;
  const groups = body.split(mark);
  const size = groups.length > 2 && groups[1].length === 2 ? 2 : 3;
  return (
    groups[0].length >= 1 &&
    groups[0].length <= size &&
    groups.at(-1)?.length === 3 &&
    groups.slice(1, -1).every((group) => group.length === size)
  );
}

/** @param {any} format @param {any} value @returns {{type: string, value: string}[]} */
const partsOf = (format, value) => format.formatToParts(value);

/**
 * The same characters in the same order, with other separators. A few digits are apart for a reason, as in 3/4 and
 * 10-20, and so are words. @param {string} wanted @param {string} held @param {Terms} terms
 */
function isSameCode(wanted, held, terms) {
  if (!/\d/.test(wanted) || amountIn(wanted, terms, false)?.isFraction || amountIn(held, terms, true)?.isFraction)
    return false;
  if (/^-\s*\d/.test(wanted) || /^-\s*\d/.test(held)) return false; // a sign
  const bare = (text) => text.replace(/_+/g, ' ').trim().replace(new RegExp(SEPARATORS, 'g'), '');
  const [one, other] = [bare(wanted), bare(held)];
  const isOfDigits = /^\+?\d+$/.test(one);
  const groups = (text) => text.match(/\d+/g)?.join(' ');
  const isInParts = one.length < FEWEST_IN_A_CODE || IP_ADDRESS.test(wanted) || dateIn(wanted, terms.locale) !== null;
  if (isOfDigits && /\d\D+\d/.test(wanted) && isInParts)
    return groups(wanted) === groups(held) || (one === held && dateIn(wanted, terms.locale) !== null);
  if (one === other) return true;
  // a phone number that the page gives its country
  return isOfDigits && one.length >= FEWEST_IN_A_CODE && new RegExp(`^\\+\\d{0,3}${one.replace('+', '')}$`).test(other);
}

/** The same address of a page, with the scheme that it got. @param {string} wanted @param {string} held */
const isSameAddress = (wanted, held) =>
  /^[^\s/:@]+\.[^\s:@]+$/.test(wanted) &&
  held.replace(/^HTTPS?:\/\//, '').replace(/\/$/, '') === wanted.replace(/\/$/, '');

/**
 * Whether they are the same day or time, in another order or with names; null if either is none.
 * @param {string} wanted @param {string} held @param {Terms} terms @returns {boolean | null}
 */
function isSameMoment(wanted, held, { locale }) {
  const [one, other] = [momentIn(wanted, locale), momentIn(held, locale)];
  return one === null || other === null ? null : one === other;
}

/** @param {string} text @param {string} locale @returns {string | null} */
function momentIn(text, locale) {
  const clock = TIME.exec(text);
  const day = (clock ? text.slice(0, clock.index) : text).replace(/[,\s]+$/, '').trim();
  const date = day ? dateIn(day, locale) : '';
  if (date === null || (!clock && !date)) return null;
  if (!clock) return date;
  const [hours, minutes, seconds] = [clock[1], clock[2], clock[3] ?? '0'].map(Number);
  const half = clock[4] ? (clock[4].toUpperCase() === 'P' ? 12 : 0) : null;
  return `${date} ${half === null ? hours : (hours % 12) + half}:${minutes}:${seconds}`;
}

/** @param {string} text @param {string} locale @returns {string | null} year, month and day; null if it is no date */
function dateIn(text, locale) {
  const parts = DATE_PARTS.exec(text);
  if (!parts) return dateWithName(text, locale);
  const [first, second, third] = [parts[1], parts[3], parts[4]].map(Number);
  if (parts[1].length === 4) return dateOf(first, second, third);
  if (parts[4].length !== 4 || parts[1].length > 2) return null;
  const isDayFirst = second <= 12 && (first > 12 || parts[2] === '.' || isDayFirstIn(locale));
  return isDayFirst ? dateOf(third, second, first) : dateOf(third, first, second);
}

const dateOf = (year, month, day) =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31 ? `${year}-${month}-${day}` : null;

/** @param {string} locale */
function isDayFirstIn(locale) {
  const order = partsOf(new Intl.DateTimeFormat(locale), new Date(2000, 10, 22)).map((each) => each.type);
  return order.indexOf('day') < order.indexOf('month');
}

/** @param {string} text  in upper case @param {string} locale */
function dateWithName(text, locale) {
  const words = text.match(/\p{L}+/gu) ?? [];
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const year = numbers.find((number) => number > 999);
  const day = numbers.find((number) => number < 32);
  if (words.length === 0 || numbers.length !== 2 || year === undefined || day === undefined) return null;
  const months = [...monthNames('en'), ...monthNames(locale)];
  const month = words
    .map((word) => months.findIndex((name) => word.length > 2 && name.startsWith(word)))
    .find((at) => at >= 0);
  return month === undefined ? null : dateOf(year, (month % 12) + 1, day);
}

/** @param {string} locale @returns {string[]} */
const monthNames = (locale) =>
  Array.from({ length: 12 }, (_, month) =>
    plain(new Date(2000, month, 1).toLocaleString(locale, { month: 'long', day: 'numeric' })).replace(/[^\p{L}]/gu, ''),
  );
