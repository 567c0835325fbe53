"""Whether an answer to a short question is read off one place of a page, so that no model has to judge it.

Every word of question and answer has to stand at that place, and every word there that says what the answer's figure or
name is has to stand in question or answer; no other place may answer the question as well. So nothing that compares,
denies, counts rows or is not there is verified, in whatever language. What is less plain is left to the judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote, urlsplit

import msgspec

from cdp_agent.extract.addresses import WEB_ADDRESS
from cdp_agent.extract.claims import claims
from cdp_agent.extract.contexts import PlacedLine, cells_of, placed
from cdp_agent.extract.figure import Figure, is_currency, is_same_unit, units_in
from cdp_agent.extract.figures import figures
from cdp_agent.extract.grounding import SourcePage, normalise
from cdp_agent.extract.sightings import ShownLine

_WORD, _LETTER, _DIGIT = re.compile(r"\w+"), re.compile(r"[^\W\d_]"), re.compile(r"\d")
_PART = re.compile(r"[^,;·•|()]+")
_TOP = re.compile(r"\s*- heading .*\[level=1\]|# ")
_DEFINITION = re.compile(r"\s*- definition\b")
_LONGEST, _SHORTEST_PLURAL, _LABEL_AND_VALUE = 200, 4, 2
_PRICE = "price"
_PRICES = ("cost", "costs", "price", "prices", "kostet", "preis", "koster", "pris", "prisen")
_MEANS_LITTLE = """
    a an and the of is are was were be do does did has have it its this that there what which who whose when where how
    much many please tell me give i you my your in on at for by s der die das dem den ein eine ist sind was wer wie viel
    viele wann wo hat bitte im am für er en et den det de hva hvor mye mange når hvem har på i el la los las un una es
    son qué cuál cuánto le les une est quel quelle combien du
""".split()  # noqa: SIM905  # words
"""Words that tell nothing apart. Those that compare, deny, or say from where to where are not among them."""


class _Place(msgspec.Struct, frozen=True):
    """A figure or text of a page. `label` are the words that say what it is, `texts` what it is shown beside."""

    line: PlacedLine
    text: str
    figure: Figure | None
    label: frozenset[str]
    texts: list[str]


def reading(question: str, answer: str, page: str, url: str) -> str | None:
    """The line of a page that answers the question alone, and with this answer; None if there is none.

    `page` is a whole snapshot without what the run typed itself.
    """
    asked = SourcePage(question)
    new = [claim.text for claim in claims(answer) if not asked.contains(claim.text)]
    shown = figures(normalise(new[0])) if len(new) == 1 else []
    if len(new) != 1 or len(shown) > 1 or len(answer) > _LONGEST or WEB_ADDRESS.match(new[0]):
        return None
    lines = [_normalised(line) for line in placed(page.split("\n"))]
    claimed = shown[0] if shown else None
    wanted = _words(question)
    both, top = wanted | (_words(answer) - _words(new[0])), _top(lines, url)
    rivals = [place for place in _places(lines, claimed, wanted) if wanted <= _around(place, both, top)]
    if not (claimed and claimed.unit):  # what it is must be said in a word of the question
        rivals = [place for place in rivals if not place.label.isdisjoint(wanted)]
    implied = _words(new[0]) | ({_PRICE} if claimed and is_currency(claimed.unit) else set())
    for place in rivals:
        is_shown = place.figure.values & shown[0].values if place.figure else SourcePage(place.text).contains(new[0])
        is_meant = place.label - implied <= both <= _around(place, both, top) and _in_order(question, place)
        if not (is_shown and is_meant):
            return None
    return rivals[-1].line.raw.strip() if rivals else None


def shows_subject(question: str, page: str) -> bool:
    """Whether a page has every word of the question that tells something, apart from what a figure's unit answers."""
    return _words(question) - {_PRICE, "long"} <= _words(page)


def _normalised(line: PlacedLine) -> PlacedLine:
    around = {name: tuple(map(normalise, getattr(line, name))) for name in ("header", "around", "before", "cells")}
    return msgspec.structs.replace(line, text=normalise(line.text), **around)


def _words(text: str) -> frozenset[str]:
    return frozenset(_ordered(text))


def _ordered(text: str) -> list[str]:
    """The words of a text that tell something, each in one form."""
    words = [word for word in _WORD.findall(normalise(text)) if word not in _MEANS_LITTLE]
    return [
        _PRICE if word in _PRICES else word.removesuffix("s") if len(word) >= _SHORTEST_PLURAL else word
        for word in words
    ]


def _top(lines: Iterable[PlacedLine], url: str) -> str:
    """The page's only main heading; "" if there are more, or it just repeats what the address asks for."""
    tops = [line.text for line in lines if _TOP.match(line.raw)]
    query = _words(unquote(urlsplit(url).query.replace("+", " ")))
    return tops[0] if len(tops) == 1 and _words(tops[0]).isdisjoint(query) else ""


def _places(lines: Iterable[PlacedLine], claimed: Figure | None, wanted: frozenset[str]) -> Iterator[_Place]:
    """The figures of the page of the claimed one's kind; for a name, the texts that tell more than the question."""
    for line in lines:
        if claimed is None:
            parts = [part for part in _PART.finditer(line.text) if not _words(part[0]) <= wanted]
            yield from (_placed(line, part.start(), part[0]) for part in parts)
            continue
        shown = ShownLine(line)
        for figure in shown.figures:
            beside, around = shown.about(figure)
            unit = figure.unit or (claimed.unit if claimed.unit in units_in(around) else "")
            is_same = bool(unit) == bool(claimed.unit) and is_same_unit(unit, claimed.unit)
            if is_same and (figure.kind, figure.per) == (claimed.kind, claimed.per) and not figure.part:
                yield _placed(line, figure.start, beside, figure)


def _placed(line: PlacedLine, start: int, beside: str, figure: Figure | None = None) -> _Place:
    """What begins there in a line, with what says what it is: its words, its head or term, or the line before it."""
    own, at = cells_of(line.text), line.text.count("|", 0, start) - line.text.startswith("|")
    cell = own[at] if at < len(own) else line.text
    head = line.header[at] if len(line.header) == len(own) else ""
    label = _words(beside)
    if line.is_cell:
        is_pair = len(line.cells) == _LABEL_AND_VALUE and cell != line.cells[0]
        label |= _words(line.cells[0]) if is_pair else _words(head) or {""}  # without a head it is not known
    elif _DEFINITION.match(line.raw) and line.around:
        label |= _words(line.around[-1])
    label = label or _words("".join(line.before[:1]))
    beside_it = [*line.cells, *line.around, head, "" if figure is None else line.text[:start]]
    names = [text for text in beside_it if _LETTER.search(text) and not (line.is_cell and _DIGIT.search(text))]
    return _Place(line, beside, figure, label, [text for text in (*names, *line.cells[:1]) if text != cell])


def _around(place: _Place, both: frozenset[str], top: str) -> frozenset[str]:
    """The words that say what the place is about: its label, and what stands around it, if question or answer have it.

    None, if the row or item that it is in is named otherwise.
    """
    line, figure = place.line, place.figure
    name = next(filter(None, map(_words, line.cells)), frozenset()) if line.cells[:1] != (top,) else frozenset()
    is_alone = len(line.cells) <= 1
    if not (is_alone or name <= both or line.text in line.cells[:1]):
        return frozenset()
    around = place.label.union(*(text for text in map(_words, place.texts) if text <= both))
    if figure is not None:
        around |= _words(line.text[figure.start : figure.end]) | ({_PRICE} if is_currency(figure.unit) else set())
    is_of_page = _words("".join(line.before[-1:])) <= both if is_alone else name <= both
    return around | _words(top) if is_of_page and _words(top) <= both else around


def _in_order(question: str, place: _Place) -> bool:
    """Whether each text at the place has the question's words in the question's order: from here to there, not back."""
    order = {word: at for at, word in enumerate(_ordered(question))}
    places = ([order[word] for word in _ordered(text) if word in order] for text in (place.line.text, *place.texts))
    return all(at == sorted(at) for at in places)
