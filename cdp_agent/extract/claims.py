"""What a text says of pages that can be looked up in them, and whether it is there.

The text is a model's. Its quotes, figures and addresses are looked up, and where it lists things, their names as well.
What it says in its own words is left to whoever judges it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from .figures import figures, long_numbers
from .grounding import SourcePage

_QUOTE = re.compile(r"[“„«\"]([^“”„«»\"\n]{3,300})[”“»\"]")
WEB_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`|*]+")
_WORD = re.compile(r"[^\s*_`|()\[\]<>\"“”„«»]+")
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_PLAIN = str.maketrans("\u00a0\u2007\u2009\u202f–—−‐‑‒", "    ------")
"""Maps other kinds of white space and dashes to the plain character; the length of the text stays the same."""
MOST_CLAIMS = 40
_LINE_MARK = re.compile(r"^\s*(?:(?:[-*+•>]|\d+[.)]|#{1,6})\s+)*")
_EMPHASIS = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)")
_TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]*-{3}[\s:|-]*$")
_LABEL = re.compile(r"^([^:.|]{1,40}):\s+(?=\S)")
_SENTENCE_END = re.compile(r"(?<=[^\W\d][.!?])\s+")
_BETWEEN_PARTS = re.compile(r"\s+[–—-]\s+|[;,()]\s*|:\s+|\s+→\s+")
_LETTERS = re.compile(r"[^\W\d_][\w'’-]*")
_LONGEST_ITEM = 8
"""In words: what is longer is a sentence, whose words are the model's own."""
_LONGEST_ARTICLE = 3
_ANSWERS = frozenset(("yes", "no", "none", "n/a", "unknown", "not", "and"))


class Grounding(msgspec.Struct, frozen=True):
    """What of a text its page does not show, each once, and the lines of the page that show the rest."""

    missing: list[str]
    lines: list[str]


def claims(answer: str) -> list[str]:
    """The quotes, addresses, figures with their units, and words with digits in an answer, each once, in order."""
    text = _LIST_MARK.sub(lambda match: " " * len(match[0]), answer)
    claim_at = {match.start(): match[0].rstrip(".,;:!?") for match in WEB_ADDRESS.finditer(text)}
    text = WEB_ADDRESS.sub(_blank, text)
    claim_at |= {match.start(): match[1].strip() for match in _QUOTE.finditer(text)}
    text = _QUOTE.sub(_blank, text)
    spans = [match.span() for match in _WORD.finditer(text) if any(map(str.isdecimal, match[0]))]
    plain = text.translate(_PLAIN)
    plain = plain.casefold() if len(plain.casefold()) == len(text) else plain
    spans += [(figure.start, figure.end) for figure in (*figures(plain), *long_numbers(plain))]
    for start, end in _joined(spans):
        claim_at[start] = text[start:end].strip(".,;:!?'’*_# ")
    return list(dict.fromkeys(claim_at[place] for place in sorted(claim_at) if claim_at[place]))[:MOST_CLAIMS]


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
            unknown = [claim for claim in claims(part) if not _looked_up(claim, page, lines)]
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
        if _TABLE_RULE.match(line) or (line.strip() and _TABLE_RULE.match(following) and "|" in line):
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
