"""The only place that masks secrets in text, in any encoding in which they come back.

It finds a secret as it is, in upper or lower case; with white space, line breaks, guillemets or zero-width characters
between its letters; with any of its letters percent-encoded (also twice, with + for a space), as an HTML entity, or as
a JSON or JavaScript escape; in Base64 (also twice, of UTF-16, of hexadecimal, URL-safe, and inside a longer text); as
the numbers of its characters (75 105, U+004B, 0x4b, CSS escapes); and the rest of it where a text was cut with "…". A
secret of six or more letters and digits is also found in a normal form: forwards and backwards; in hexadecimal, Base32,
and Base64 of each piece of it; in
full-width, mathematical, circled or accented letters; with any signs, marks or tags between its letters, and with each
letter in its own element, item of a list, numbered row, attribute, parameter, value of JSON, or text or number of a
value. It does not find a secret that was transformed in another way (hashed, compressed, shifted along the alphabet),
spread over other words, or shown only in a picture.
"""

from __future__ import annotations

import base64
import html.entities
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, count, pairwise
from typing import TypeVar
from urllib.parse import unquote

from cdp_agent.security.entities import unescaped
from cdp_agent.security.texts import with_texts

COVER = "•"
_LEAST_CUT = 4
_LEAST_BASE64 = 6
_LEAST_NORMAL = 6
_MOST_REMEMBERED = 4_000_000
"""How many characters of texts that were searched are kept, with what was found."""
_ROUNDS = 3
_PIECES = (1, 2, 4, 5)
"""How many letters are encoded at once; where it is three, the whole reads the same."""
_SHORT = 200
_TOP = "value"
"""The name of a text that is the whole value; keys have none."""
_UNSEEN = "".join(map(chr, (0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF)))
_BACKSLASH = r"(?:\\|%(?:25)*5c)+"
_FIRST_BACKSLASH = r"(?<!\\)" + "".join(f"(?<!%{'25' * times}5c)" for times in range(5))
"""Before the first of many in a row: an escape is searched for once, not from each of them to the last."""
_BETWEEN = rf"(?:[\s+{_UNSEEN}«»]|{_BACKSLASH}[nrt]|%(?:25)*(?:0[ad9]|20)|&(?:nbsp|shy|zwnj|zwj|#(?:32|x20|8203));)*"
_REMOVED = re.compile(f"[{_UNSEEN}«»]+")
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NAMES: dict[str, list[str]] = {}
for _name, _text in html.entities.html5.items():
    _NAMES.setdefault(_text, []).append(_name.rstrip(";"))

_JUNK, _TAG = "\0", "\1"
# Each begins with a letter, not with ^, for which Python searches twice as fast: a text is read with "\n" before it.
_STRUCTURE = re.compile(
    r"\n *(?:[+~=-] +)?- [a-z]+(?=[ :\n])"
    r"| \[[a-z-]+(?:=(?:\"(?:[^\"\\\n]|\\.)*\"|[^\]\[\n]*))?\]"
    r"| → \S+|<[^<>\n]{1,300}>|\]\([^()\s]*\)"
)
"""What separates the texts of neighbouring elements in snapshots, markup and Markdown."""
_LIST = re.compile(r"\n[ |]*(?:[-*+>#]|[0-9]{1,9} *[.):|])+ *|<[^<>\n]{1,300}>|\]\([^()\s]*\)")
"""The same in lists of Markdown, where what follows "- " is no role, and in tables with numbered rows."""
_KEYS = re.compile(r'"(?:[^"\\\n]|\\.){0,80}" *:')
"""What separates the values of JSON."""
_PARAMETERS = re.compile(r"[?&](?:amp;)?[\w.\[\]-]{1,30}=")
"""What separates the values of parameters in an address."""
_SHORT_VALUES = re.compile(r"[?&](?:amp;)?[\w.\[\]-]{1,30}=[^\s&=]?(?:&(?:amp;)?[\w.\[\]-]{1,30}=[^\s&=]?(?=[\s&])){3}")
"""Parameters of a letter each."""
_OUTSIDE_VALUES = re.compile(r'(?:\A|")(?:[^"]*(?<!=)")*[^"]*(?:="|\Z)')
"""What separates the values of attributes."""
_CODE = re.compile(r"(?:U\+|0[xob]|[ux])?([0-9][0-9a-f]{0,7})(?![0-9a-z])|[0-9a-z]+", re.IGNORECASE)
"""The number of a character in any base and writing, or another word."""
_BASES = {10: "d", 16: "x", 8: "o", 2: "b"}
_KINDS = bytes(
    ord("0" if char in "0123456789abcdef" else "z" if char.isascii() and char.isalnum() and char not in "oux" else " ")
    for char in map(chr, range(256))
)
"""What numbers are written with, what ends a row of them, and what may stand between two."""
_LARGEST = 0x10FFFF

Span = tuple[int, int]
_T = TypeVar("_T")


class _Normal(dict[int, str]):
    """A table for str.translate: letters and digits as plain lower-case ones, everything else as `_JUNK`."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFKD", chr(code)).casefold()
        self[code] = "".join(each for each in unicodedata.normalize("NFKD", plain) if each.isalnum()) or _JUNK
        if code == ord(_TAG):
            self[code] = _TAG
        return self[code]


_NORMAL = _Normal()
_NOT_ASCII = re.compile("[^\0-\x7f]+")
_ASCII_JUNK = bytes(code for code in range(128) if not chr(code).isalnum())
_ASCII_SPACE = bytes(code for code in range(128) if chr(code).isspace())
_JUNK_OF_ASCII = re.compile("[\0-/:-@\\[-`{-\x7f]+")
# Negative circled and squared letters, and those of flags, have no decomposition.
_NORMAL |= {first + at: chr(97 + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)}
_NORMAL |= dict.fromkeys((0x115F, 0x1160, 0x3164, 0xFFA0), _JUNK)  # invisible letters


class Mask:
    """Texts to be hidden, each with a label that is shown instead."""

    def __init__(self) -> None:
        self._hidden: dict[str, _MaskedText] = {}
        self._searched: dict[str, list[tuple[Span, str]]] = {}
        self._searched_size = 0

    def add(self, secret: str, shown: str) -> None:
        """Adds a secret, to be replaced by `shown`."""
        if secret not in self._hidden:
            found = {**self._hidden, secret: _MaskedText(secret, shown)}
            self._hidden = {each: found[each] for each in sorted(found, key=len, reverse=True)}
            self._forget()

    def hide(self, text: str) -> str:
        """The text with every secret replaced by its label."""
        return _replaced(text, self.found(text), lambda span, shown: shown)

    def hide_in(self, value: _T) -> _T:
        """The value without secrets in its texts, nor any whose parts are in several of them.

        These are searched for in all texts in order, then the keys; in the short ones among their keys; and in the
        texts of each field, key or column.
        """
        texts: list[str] = []
        keys, fields = list[int](), dict[str, list[int]]()

        def note(text: str, name: str) -> str:
            (fields.setdefault(name, []) if name else keys).append(len(texts))
            texts.append(text)
            return text

        with_texts(value, note, _TOP)
        spans: dict[int, list[tuple[Span, str]]] = {}
        for group in _groups(texts, keys, fields):
            self._find_spread(texts, group, spans)
        if len(texts) > 1 and not spans:
            return value  # what is in one text is in all of them joined
        for number, text in enumerate(texts):
            spans.setdefault(number, []).extend(self.found(text))
        numbers = count()

        def put(text: str, name: str) -> str:
            return _replaced(text, _merged(spans[next(numbers)]), lambda span, shown: shown)

        return with_texts(value, put, _TOP) if any(spans.values()) else value

    def _find_spread(self, texts: list[str], group: Sequence[int], spans: dict[int, list[tuple[Span, str]]]) -> None:
        """Adds to `spans` those of secrets in these texts together: the label in the first, "" in the others."""
        starts = list(accumulate((len(texts[number]) + 1 for number in group), initial=0))
        for (first, last), shown in self.found("\n".join(texts[number] for number in group)):
            at = bisect_right(starts, first) - 1
            while at < len(group) and starts[at] < last:
                text_length, start = len(texts[group[at]]), starts[at]
                if (span := (max(first - start, 0), min(last - start, text_length)))[0] < span[1]:
                    spans.setdefault(group[at], []).append((span, shown))
                    shown = ""
                at += 1

    def cover(self, text: str) -> str:
        """The text with every character of a secret replaced by a dot, so that its length stays the same."""
        return _replaced(text, self.found(text), lambda span, shown: COVER * (span[1] - span[0]))

    def found(self, text: str) -> list[tuple[Span, str]]:
        """The spans where secrets occur, without overlaps, each with the label to show instead."""
        if not self._hidden or len(text) < _LEAST_CUT:
            return []
        spans = self._searched.get(text)
        if spans is None:
            if self._searched_size > _MOST_REMEMBERED:
                self._forget()
            self._searched_size += len(text)
            spans = more = self._search(text)
            for _ in range(_ROUNDS):
                if not more:
                    break
                # One secret may stand directly before or inside of another writing of it: 122kite.
                more = self._search(_replaced(text, spans, lambda span, shown: " " * (span[1] - span[0])))
                spans = _merged([*spans, *more])
            self._searched[text] = spans
        return spans

    def _search(self, text: str) -> list[tuple[Span, str]]:
        forms = _Forms(text)
        spans = [(span, each.shown) for each in self._hidden.values() for span in each.found(text, forms)]
        for reading in forms.readings:
            spans += [part for each in self._hidden.values() for part in each.spread(reading)]
        return _merged(spans)

    def _forget(self) -> None:
        self._searched.clear()
        self._searched_size = 0


def _groups(texts: list[str], keys: list[int], fields: dict[str, list[int]]) -> Iterator[list[int]]:
    """The texts that are read as one, by their numbers."""
    values = sorted(chain(*fields.values()))
    yield values + keys
    if keys:
        yield [number for number, text in enumerate(texts) if len(text) <= _SHORT]
    places = {number: place for place, number in enumerate(values)}
    for members in fields.values():
        if places[members[-1]] - places[members[0]] >= len(members):  # else they follow each other in `values`
            yield members


def _merged(spans: list[tuple[Span, str]]) -> list[tuple[Span, str]]:
    """The spans without overlaps: of the end of one secret that begins another, both are masked."""
    merged: list[tuple[Span, str]] = []
    for (start, end), shown in sorted(spans, key=lambda each: (each[0][0], -each[0][1], not each[1])):
        if merged and start < merged[-1][0][1]:
            (first, last), label = merged[-1]
            merged[-1] = ((first, max(last, end)), label or shown)
        else:
            merged.append(((start, end), shown))
    return merged


def _replaced(text: str, spans: list[tuple[Span, str]], put: Callable[[Span, str], str]) -> str:
    parts, at = [], 0
    for (start, end), shown in spans:
        parts += [text[at:start], put((start, end), shown)]
        at = end
    return "".join([*parts, text[at:]]) if at else text


class _MaskedText:
    """One text to be hidden, in all the encodings that are searched for."""

    def __init__(self, secret: str, shown: str) -> None:
        self.shown = shown
        self._secret = secret
        self._folded = _folded(_unspaced(secret))
        self._lower = "".join(map(_lower, secret))
        letters = {each for each in secret if not each.isalpha()} or set(secret)  # a letter may be large or small
        self._numbers = {base: {format(ord(each), form) for each in letters} for base, form in _BASES.items()}
        self._with_spaces = any(map(str.isspace, secret))
        wide = [secret.encode(each, "surrogatepass") for each in ("utf-16-le", "utf-16-be")]
        hexadecimal = secret.encode().hex()
        once = set().union(*map(_base64_of, (secret.encode(), *wide)))
        inners = (*once, hexadecimal, hexadecimal.upper())
        twice = {each for inner in inners for each in _base64_of(inner.encode())}
        self._encoded = sorted(once | twice)
        normal = _normal(secret)
        turned = {normal, normal[::-1], _normal(secret[::-1]), hexadecimal, secret.encode()[::-1].hex()}
        turned |= {each.hex() for each in wide} | _base32_of(secret.encode()) | set(map(_normal, _in_pieces(secret)))
        self._normal_forms = sorted(turned) if len(normal) >= _LEAST_NORMAL else []

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """A pattern for the secret, compiled on first use like all patterns here: of dozens, few are ever needed."""
        return _pattern(self._secret, re.IGNORECASE)

    @cached_property
    def _cut(self) -> set[str]:
        """What `_ends` searches for, folded, and without plus signs, which may mean spaces."""
        lengths = range(_LEAST_CUT, len(self._secret))
        parts = [each for n in lengths for each in (f"{self._secret[:n]}…", f"…{self._secret[-n:]}")]
        return {_folded(_unspaced(each)).replace("+", "") for each in parts}

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        """A pattern for the rest of the secret where a text was cut: its beginning before "…", or its end after it."""
        secret, cuts = self._secret, range(len(self._secret) - 1, _LEAST_CUT - 1, -1)
        begins = [f"{_written(secret[:n])}(?=\\n?…)" for n in cuts]
        ends = [f"(?<=…){_written(secret[-n:])}" for n in cuts]
        return re.compile("|".join([*begins, *ends]), re.IGNORECASE)

    def found(self, text: str, forms: _Forms) -> Iterator[Span]:
        """The spans of the text where the secret occurs. The exact search is slow, so a quick test comes first."""
        if self._stands_in(forms):
            yield from (match.span() for match in self._pattern.finditer(text))
        if forms.cut and any(part in form for form in forms.without_plus for part in self._cut):
            yield from (match.span() for match in self._ends.finditer(text))
        for encoded in self._encoded:
            if encoded in forms.without_spaces:
                yield from (match.span() for match in _pattern(encoded, re.NOFLAG).finditer(text))

    def spread(self, reading: _Reading) -> Iterator[tuple[Span, str]]:
        """The spans where it occurs in the normal form, or as the numbers of its characters.

        Its first piece has the label, pieces elsewhere "".
        """
        for turned in self._normal_forms:
            for at in _occurrences(turned, reading.normal):
                yield from self._labelled(reading.places[at : at + len(turned)], reading)
        for base, numbers in self._numbers.items():
            if not all(number in reading.lower for number in numbers):
                continue
            if not reading.has_row(2 * len(self._secret) - 1):  # with a character, or more, between two
                continue
            for turned in {self._lower, self._lower[::-1]}:
                for at in _occurrences(turned, reading.decoded(base)):
                    spans = (word.span() for word in reading.words[at : at + len(turned)])
                    yield from self._labelled([place for span in spans for place in range(*span)], reading)

    def _labelled(self, places: list[int], reading: _Reading) -> Iterator[tuple[Span, str]]:
        shown = self.shown
        for span in _pieces(places, reading.tagged):
            yield span, shown
            shown = ""

    def _stands_in(self, forms: _Forms) -> bool:
        return any(self._folded in form for form in forms.folded) or (
            self._with_spaces and any(self._folded in form for form in forms.without_plus)
        )


class _Forms:
    """A text with its escapes decoded, in forms for comparison."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.cut = "…" in text
        self.without_spaces = _unspaced(text)
        self.folded = {_folded(self.without_spaces)}
        for _ in range(_ROUNDS):
            before = text
            if "%" in text:
                text = unquote(text)
            if "&" in text:
                text = unescaped(text)
            if "\\" in text:
                text = _SURROGATES.sub(_joined, _ESCAPE.sub(_unescaped, text))
            if text == before:
                break
            decoded = _unspaced(text)
            self.folded.add(_folded(decoded))
            self.without_spaces += "\n" + decoded

    @cached_property
    def without_plus(self) -> set[str]:
        """`folded` without plus signs, which may mean spaces."""
        return {each.replace("+", "") for each in self.folded}

    @cached_property
    def readings(self) -> list[_Reading]:
        text = f"\n{self._text}"
        patterns = [_STRUCTURE]
        patterns += [_LIST] if _LIST.search(text) else []
        patterns += [_KEYS] if '{"' in text or "{\n" in text else []
        patterns += [_OUTSIDE_VALUES] if '="' in text else []
        patterns += [_PARAMETERS] if "&" in text and _SHORT_VALUES.search(text) else []
        return [_Reading(text, each) for each in patterns]


class _Reading:
    """A text with what stands between the texts of elements, the items of lists, or values set aside."""

    def __init__(self, text: str, between: re.Pattern[str]) -> None:
        """`text` has "\n" before it."""
        self._text, self._between = text, between
        self._bare = between.sub(" ", text)

    @cached_property
    def tagged(self) -> str:
        """The text with what stands between overwritten by `_TAG`, so that all positions stay the same."""
        return self._between.sub(lambda match: _TAG * len(match[0]), self._text)[1:]

    @cached_property
    def normal(self) -> str:
        return _normal(self._bare)

    @cached_property
    def places(self) -> list[int]:
        """The position in the text of each letter of `normal`."""
        letters = (each.translate(_NORMAL) for each in self.tagged)
        return [at for at, each in enumerate(letters) for _ in each.replace(_JUNK, "").replace(_TAG, "")]

    @cached_property
    def lower(self) -> str:
        return self._bare.lower()

    @cached_property
    def _kinds(self) -> bytes:
        return f"z{self.lower}".encode("ascii", "replace").translate(_KINDS)

    def has_row(self, length: int) -> bool:
        """Whether there may be numbers in a row that has that length."""
        return re.search(b"z[0 ]{%d}" % length, self._kinds) is not None

    @cached_property
    def words(self) -> list[re.Match[str]]:
        return list(_CODE.finditer(self.tagged))

    def decoded(self, base: int) -> str:
        """The characters whose numbers in that base are the `words`; `_JUNK` for other words."""
        return "".join(_character(word[1], base) for word in self.words)


def _character(number: str | None, base: int) -> str:
    """The character of that number in that base; `_JUNK` if there is none."""
    try:
        code = -1 if number is None else int(number, base)
    except ValueError:
        return _JUNK
    return _lower(chr(code)) if 0 <= code <= _LARGEST else _JUNK


def _lower(letter: str) -> str:
    lower = letter.lower()
    return lower if len(lower) == 1 else letter


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


def _normal(text: str) -> str:
    if not text.isascii():  # a text of some language has few such characters, and these are slow
        text = _NOT_ASCII.sub(lambda match: match[0].translate(_NORMAL), text)
    if text.isascii():
        return text.lower().encode().translate(None, _ASCII_JUNK).decode()
    return _JUNK_OF_ASCII.sub("", text).lower()


def _pieces(places: list[int], tagged: str) -> Iterator[Span]:
    """The spans of text that contain the letters, split where another element begins between two of them."""
    start = places[0]
    for one, other in pairwise(places):
        if _TAG in tagged[one:other] or "\n" in tagged[one:other]:
            yield start, one + 1
            start = other
    yield start, places[-1] + 1


def _unspaced(text: str) -> str:
    if text.isascii():  # five times as fast
        return text.encode().translate(None, _ASCII_SPACE).decode()
    return "".join(text.split())


def _folded(text: str) -> str:
    """The text, which has no white space, in lower case, without what else may separate letters."""
    return (text if text.isascii() else _REMOVED.sub("", text)).lower()


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None:
        return " " if match[4] in "nrt" else match[4]
    return chr(min(int(code, 16), 0x10FFFF))


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _pattern(secret: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(_written(secret), flags)


def _written(secret: str) -> str:
    """A pattern for the text with each letter as it is or encoded."""
    letters = [each for each in "".join(secret.split()) if each not in _UNSEEN]  # white space may be between any two
    first = "" if secret.endswith("\\") else _FIRST_BACKSLASH  # it may directly follow an occurrence that ends in one
    writings = (_letter_patterns(each, begins="" if at else first) for at, each in enumerate(letters))
    return _BETWEEN.join(f"(?:{'|'.join(each)})" for each in writings)


def _letter_patterns(letter: str, *, begins: str) -> Iterator[str]:
    """Patterns for one letter: itself, and as encoded in addresses, HTML and JSON. `begins` precedes escapes."""
    number = ord(letter)
    percent = "".join(f"%(?:25)*{byte:02x}" for byte in letter.encode("utf-8", "surrogatepass"))
    yield from (re.escape(letter), percent)
    yield rf"&(?:amp;)*#(?:0*{number}|x0*{number:x})(?:;|\b)"
    yield from (rf"&(?:amp;)*{name};?" for name in sorted(set(_NAMES.get(letter, ())), key=len, reverse=True))
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    yield begins + "".join(f"{_BACKSLASH}u{units[at : at + 4]}" for at in range(0, len(units), 4))
    yield rf"{begins}{_BACKSLASH}u\{{0*{number:x}\}}"
    if number < 0x100:
        yield f"{begins}{_BACKSLASH}x{number:02x}"
    if not letter.isalnum():
        yield rf"{begins}{_BACKSLASH}(?:{re.escape(letter)}|{percent})"


def _base64_of(secret: bytes) -> set[str]:
    """The Base64 of the secret at any position in an encoded text, in both alphabets."""
    encodings = set()
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + secret).decode().rstrip("=")
        bits = 8 * (before + len(secret))
        sure = encoded[-(-8 * before // 6) : bits // 6]  # the letters that depend on its bits alone
        if len(sure) >= _LEAST_BASE64:
            encodings |= {sure, sure.replace("+", "-").replace("/", "_")}
    return encodings


def _base32_of(secret: bytes) -> set[str]:
    """The letters that depend on the secret alone in the Base32 of texts in which it stands."""
    encodings = set()
    for before in range(5):
        encoded = base64.b32encode(bytes(before) + secret).decode().rstrip("=").lower()
        sure = encoded[-(-8 * before // 5) : 8 * (before + len(secret)) // 5]
        encodings |= {sure} if len(sure) >= _LEAST_NORMAL else set()
    return encodings


def _in_pieces(secret: str) -> Iterator[str]:
    """The Base64 of the secret's pieces one after the other, for each length of pieces."""
    for size in _PIECES:
        pieces = (secret[at : at + size].encode("utf-8", "surrogatepass") for at in range(0, len(secret), size))
        yield "".join(base64.b64encode(piece).decode() for piece in pieces)
