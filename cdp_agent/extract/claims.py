"""What a text says of pages that can be looked up in them, and whether it is there.

The text is a model's. Its quotes, figures and addresses are looked up, and where it lists things, their names as well.
What it says in its own words is left to whoever judges it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from .addresses import WEB_ADDRESS
from .contexts import SAYS_LITTLE, TABLE_RULE
from .figures import figures, long_numbers
from .grounding import SourcePage

_QUOTE = re.compile(r"[“„«\"]([^“”„«»\"\n]{3,300})[”“»\"]")
_WORD = re.compile(r"[^\s*_`|()\[\]<>\"“”„«»\u2e80-\uff0f]+")
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_PLAIN = str.maketrans("\u00a0\u2007\u2009\u202f–—−‐‑‒", "    ------")
"""Maps other kinds of white space and dashes to the plain character; the length of the text stays the same."""
MOST_CLAIMS = 40
_LINE_MARK = re.compile(r"^\s*(?:(?:[-*+•>]|\d+[.)]|#{1,6})\s+)*")
_EMPHASIS = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_LABEL = re.compile(r"^([^:.|]{1,40}):\s+(?=\S)")
_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?])\s+")
_BETWEEN_PARTS = re.compile(r"\s+[–—-]\s+|[;()]\s*|,(?!\d)\s*|:\s+|\s+→\s+")
_LETTERS = re.compile(r"[^\W\d_][\w'’-]*")
_LONGEST_ITEM = 8
"""In words: what is longer is a sentence, whose words are the model's own."""
_LONGEST_ARTICLE = 3
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NEXT_WORD = re.compile(r"[*_`]*[ -]([^\W\d_][^\W\d_'’-]*)")
_LABEL_BEFORE = re.compile(r"([^\W\d_]+)[*_`]*(\s?[:=]| (?:is|are|was|were|ist|sind|er|är|es|est|#))?[*_`]* $")
"""A word before a figure: with a colon or "is" between them, or a name such as "Room" in Room 12."""
_IN_NAMES = frozenset("of the de da di du des del della dos la van von zu der den ter af av und and".split())  # noqa: SIM905  # words
_SEVERAL = re.compile(r"\d[/x:]\d|\d\.\d+\.\d")
"""In figures of several parts, such as 4.6/5, which mean little else, and in versions."""
_POSSESSIVE = re.compile(r"['’]s$")
_MOST_BESIDE = 3
_SHORT_TIME = 5
_FUNCTION_WORDS = frozenset(
    """
    a about above after all also an and any are as at be been before below but by can each for from had has have he
    here how i if in into is it its me more most no nor not of off on only or our out over per she so some such than
    that the their them then there these they this those through to under until up via was we were what when where
    which while who why will with within without you your
    x aber als am an auf aus bei bis da dann das dass dem den der des die durch ein eine einem einen einer er es für im
    in ist mehr mit nach nicht noch nur oder pro sich sie sind so um und unter vom von vor war waren wenn werden wie
    wird zu zum zur
    av de den der det du el en er et for fra han hun i ikke la le les los med men og om på sin som til var ved
    """.split()  # noqa: SIM905  # words, not a list of strings
)
_COPULAS = ("is", "are", "was", "were", "ist", "sind", "war", "waren", "er", "var", "är", "in", "im", "on", "auf", "på")
_ANSWERS = frozenset(("yes", "no", "none", "n/a", "unknown", "not", "and"))


class Grounding(msgspec.Struct, frozen=True):
    """What of a text its page does not show, each once, and the lines of the page that show the rest."""

    missing: list[str]
    lines: list[str]


class Claim(msgspec.Struct, frozen=True):
    """Something that can be looked up: a quote, an address, a figure with its unit, a word with digits, or a name.

    `beside`: the words beside a figure without a unit, of which one says what it counts.
    """

    text: str
    beside: tuple[str, ...] = ()
    label: str = ""
    """The text with those words, as it is reported."""
    is_name: bool = False
    starts_sentence: bool = False
    """Whether the first word of a name has its capital letter perhaps only because a sentence begins with it."""

    def __str__(self) -> str:
        return self.label or self.text


def claims(answer: str) -> list[Claim]:
    """The quotes, addresses, figures with their units, and words with digits in an answer, each once, in order."""
    text = _LIST_MARK.sub(lambda match: " " * len(match[0]), answer)
    claim_at: dict[int, Claim] = {}
    for kind in (WEB_ADDRESS, _EMAIL, _QUOTE):
        for match in kind.finditer(text):
            exact = match[1].strip() if kind is _QUOTE else match[0].rstrip(".,;:!?")
            claim_at[match.start()] = Claim(exact)
        text = kind.sub(_blank, text)
    spans = [match.span() for match in _WORD.finditer(text) if any(map(str.isdecimal, match[0]))]
    plain = text.translate(_PLAIN)
    plain = plain.casefold() if len(plain.casefold()) == len(text) else plain
    shown = figures(plain)
    bare = {figure.end for figure in shown if figure.kind == "number" and not (figure.unit or figure.per)}
    times = {figure.end for figure in shown if figure.kind == "time" and figure.end - figure.start <= _SHORT_TIME}
    long = list(long_numbers(plain))
    bare -= {number.end for number in long}
    spans += [(figure.start, figure.end) for figure in (*shown, *long)]
    for start, end in _joined(spans):
        exact = text[start:end].strip(".,;:!?'’*_# ")
        end = text.rindex(exact, start, end) + len(exact)
        if end in bare and not _SEVERAL.search(exact):
            claim_at[start] = _with_words_beside(exact, text, plain, start, end)
        else:  # a time may be written as 7.30, which alone is a number
            claim_at[start] = Claim(_as_time(exact) if end in times else exact, label=exact)
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    claim_at |= dict(_names(text))
    return list(dict.fromkeys(claim_at[place] for place in sorted(claim_at) if claim_at[place].text))[:MOST_CLAIMS]


def _names(text: str) -> Iterator[tuple[int, Claim]]:
    """Names of two or more words with capital letters, without headings, labels and the heads of tables."""
    at, lines = 0, text.split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        label = _LABEL.match(_EMPHASIS.sub(_blank, line))
        begins = label.end() if label else 0
        if not (line.lstrip().startswith("#") or (TABLE_RULE.match(following) and "|" in line)):
            for start, name in _capitalised(line, begins):
                before = line[begins:start].rstrip(" *_`")
                starts = before[-1:] in ("", ".", "!", "?", ":", "|") or not _LETTERS.search(before)
                if starts and name.split()[0].casefold() in _FUNCTION_WORDS:
                    name, starts = name.split(maxsplit=1)[1], False
                name = _POSSESSIVE.sub("", name)
                if " " in name:
                    yield at + start, Claim(name, is_name=True, starts_sentence=starts)
        at += len(line) + 1


def _capitalised(line: str, begins: int) -> Iterator[tuple[int, str]]:
    """Two or more words with capital letters in a row, each time with where they begin."""
    words: list[re.Match[str]] = []
    for word in [*_LETTERS.finditer(line, begins), None]:
        goes_on = word is not None and words and line[words[-1].end() : word.start()] in (" ", ". ")
        if goes_on and word is not None and (word[0][0].isupper() or word[0] in _IN_NAMES):
            words.append(word)
            continue
        while words and not words[-1][0][0].isupper():
            words.pop()
        if len(words) > 1:
            yield words[0].start(), line[words[0].start() : words[-1].end()]
        words = [word] if word is not None and word[0][0].isupper() else []


def _with_words_beside(exact: str, text: str, plain: str, start: int, end: int) -> Claim:
    """A figure with the words that say what it counts: those after it up to the end of the phrase, or its label."""
    words: list[str] = []
    at = label_end = end
    while len(words) < _MOST_BESIDE and (match := _NEXT_WORD.match(plain, at)):
        if match[1] in _FUNCTION_WORDS and match[1] not in _COPULAS:
            break
        at = match.end()
        if match[1] not in (*SAYS_LITTLE, *_COPULAS):
            words, label_end = [*words, match[1]], at
    match = _LABEL_BEFORE.search(plain, 0, start)
    if match is None or match[1] in _FUNCTION_WORDS or not (match[2] or text[match.start()].isupper()):
        return Claim(exact, tuple(words), f"{exact}{text[end:label_end]}")
    label = f"{text[match.start() : start]}{exact}{text[end:label_end]}"
    return Claim(exact, (*words, match[1]), label)


def _as_time(exact: str) -> str:
    return f"{exact}:00" if exact.isdecimal() else exact.replace(".", ":")


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, with overlapping ones merged."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def grounding(text: str, page: SourcePage, question: str = "") -> Grounding:
    """Looks up in the page what a text says of it; `question` is what was to be found, whose words may be labels."""
    missing: dict[str, None] = {}
    lines: dict[str, None] = {}
    for piece in _pieces(text, {word.casefold() for word in _LETTERS.findall(question)}):
        if not piece.strip() or _looked_up(piece, page, lines):
            continue
        is_sentence = piece.rstrip().endswith((".", "!", "?")) or len(piece.split()) > _LONGEST_ITEM
        for part in [piece] if is_sentence else _BETWEEN_PARTS.split(piece):
            if not part.strip() or (not is_sentence and _looked_up(part, page, lines)):
                continue
            unknown = [
                claim.text for claim in claims(part) if not (claim.is_name or _looked_up(claim.text, page, lines))
            ]
            names = _unknown_names(part, page, is_sentence=is_sentence)
            unknown += [name for name in names if not any(name in claim for claim in unknown)]
            if unknown and not is_sentence:
                unknown = [part.strip()]
            missing |= dict.fromkeys(unknown)
    return Grounding(list(missing), list(lines))


def _looked_up(claim: str, page: SourcePage, lines: dict[str, None]) -> bool:
    """Whether the page shows the claim; adds its line to `lines`, or the claim if several lines together show it."""
    line = page.line_with(claim)
    if line is not None:
        lines[line or claim.strip()] = None
    return line is not None


def _pieces(text: str, question_words: set[str]) -> Iterator[str]:
    """The cells, items and sentences of a Markdown text, without its marks, labels and the heads of its tables."""
    lines = [_EMPHASIS.sub("", _LINE_MARK.sub("", line)) for line in text.split("\n")]
    labels = Counter(match[1].casefold() for line in lines if (match := _LABEL.match(line)))
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if TABLE_RULE.match(line) or (line.strip() and TABLE_RULE.match(following) and "|" in line):
            continue
        if "|" in line:
            yield from line.strip().strip("|").split("|")
            continue
        match = _LABEL.match(line)
        if match and (
            labels[match[1].casefold()] > 1 or question_words.issuperset(_LETTERS.findall(match[1].casefold()))
        ):
            line = line[match.end() :]
        yield from _SENTENCE_END.split(line)


def _unknown_names(part: str, page: SourcePage, *, is_sentence: bool) -> list[str]:
    """The words with a capital letter that are in no line of the page; of an item, all of it if no word is."""
    words = [match[0] for match in _LETTERS.finditer(WEB_ADDRESS.sub(" ", part))]
    unknown = [word for word in words if not page.has_word(word) and word.casefold() not in _ANSWERS]
    if not is_sentence and unknown == words:
        return unknown
    # The first word of a sentence has a capital letter in any case, also an article before a name.
    is_name = len(words) > 1 and words[1][0].isupper() and len(words[0]) > _LONGEST_ARTICLE
    first = words[:1] if is_sentence and not is_name else []
    return [word for word in unknown if word[0].isupper() and word not in first]
