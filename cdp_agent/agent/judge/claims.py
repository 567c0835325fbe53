"""Looks up the quotes, figures and addresses of an answer in what the run was shown, without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urljoin

import msgspec

from cdp_agent.agent.state.evidence import ADDRESS
from cdp_agent.extract.addresses import WEB_ADDRESS, address_key
from cdp_agent.extract.claims import MOST_CLAIMS, Claim, claims
from cdp_agent.extract.grounding import SourcePage, normalise, ungrounded
from cdp_agent.extract.leaves import leaves
from cdp_agent.extract.sightings import ShownFigures, Sighting

_LINK = re.compile(r" → (\S+)|\]\(((?:(?!\]\()[^\s)])+)\)")
_MARKUP = re.compile(r' \[(?:ref=E|level=)\d+\]|(?:^|(?<=[{,]))\s*"(?:[^"\\\n]|\\.)*"\s*:(?=[\s\[{"\d])', re.MULTILINE)
"""Our own marks, and keys of JSON, which are not from pages."""
_NEXT_ROW = re.compile(r"\n {2,}\|(?: |$)", re.MULTILINE)
"""The beginning of a row of a text of several lines: what belongs together may be on two of them."""
_WRITTEN_ADDRESS = re.compile(r"(?:→ |\]\(|\w://)\S*")
_EXCERPT = 300


class FoundClaim(msgspec.Struct, frozen=True):
    """A claim that was shown, and the line that shows it; "" where several lines together show it."""

    claim: str
    line: str
    url: str = ""
    """The page that showed it."""


class Checked(msgspec.Struct, frozen=True):
    """Which claims pages showed, which they did not, and which are only the user's own words.

    `elsewhere`: figures that pages showed without the unit or any of the words that the claim has beside them.
    """

    found: list[FoundClaim]
    missing: list[str]
    from_user: list[str] = []
    elsewhere: list[FoundClaim] = []

    @property
    def unsupported(self) -> Checked | None:
        """The claims that nothing shown bears out as they stand; None if there are none."""
        return Checked([], self.missing, [], self.elsewhere) if self.missing or self.elsewhere else None

    @property
    def is_shown(self) -> bool:
        """Whether the answer makes claims, and pages showed all of them that are not the user's own words."""
        return bool(self.found) and not self.unsupported


def check(
    answer: object, shown: str, schema: object = None, *, user_words: str = "", made_up: Iterable[str] = ()
) -> Checked:
    """Looks up the claims of an answer, Markdown or JSON data of `schema`, in `shown`, a text as from Evidence.text.

    `user_words`: what the user said. `made_up`: what models said of pages that did not show it; where the answer
    repeats that, it is a claim.
    """
    text = _NEXT_ROW.sub(" ", _MARKUP.sub("", shown))
    readable = _WRITTEN_ADDRESS.sub(_unescaped, text)
    page, shown_figures, user = SourcePage(readable), ShownFigures(readable), SourcePage(user_words)
    pages, addresses = _places(text, readable)

    def sighting(claim: Claim | str | float) -> Sighting | None:
        if isinstance(claim, Claim) and shown_figures.is_figure(claim.text):
            return shown_figures.sighting(claim.text, claim.beside)
        if isinstance(claim, Claim) and claim.is_name:
            return _sighting_of_name(claim, page)
        wanted = claim.text if isinstance(claim, Claim) else claim
        line = addresses.get(address_key(wanted)) if isinstance(wanted, str) and "://" in wanted else None
        line = line or page.line_with(wanted)
        return None if line is None else Sighting(line, same=True)

    checked = Checked([], [], [], [])
    wanted = _claims(answer, schema)
    texts = {claim.text for _, claim in wanted if isinstance(claim, Claim)}
    for label, claim in [*wanted, *(each for each in _repeated(answer, made_up) if each[1].text not in texts)]:
        place = sighting(claim)
        if (place is None or not place.same) and user.contains(claim.text if isinstance(claim, Claim) else claim):
            checked.from_user.append(label)
        elif place is None:
            checked.missing.append(label)
        elif len(places := checked.found if place.same else checked.elsewhere) < MOST_CLAIMS:
            excerpt = place.line if len(place.line) <= _EXCERPT else _around(str(claim), place.line)
            places.append(FoundClaim(str(claim), excerpt, pages.get(place.line, "")))
    return msgspec.structs.replace(checked, missing=list(dict.fromkeys(checked.missing)))


def _sighting_of_name(claim: Claim, page: SourcePage) -> Sighting | None:
    words = claim.text.split()
    if (line := page.line_with_words(words)) is not None:
        return Sighting(line, same=True)
    if claim.starts_sentence and not page.has_word(words[0]):  # "Added Enamel Mug" begins with no name
        line = page.line_with_words(words[1:])
        return None if line is None else Sighting(line, same=len(words) > 2)
    return None


def _claims(answer: object, schema: object) -> list[tuple[str, Claim | str | float]]:
    """The claims to look up, each after the label under which it is reported if it is missing."""
    if isinstance(answer, str):
        return [(str(claim), claim) for claim in claims(answer)]
    looked_for = {each.path for each in ungrounded(answer, "", schema)}  # an empty page supports nothing
    return [(f"{path}: {leaf}", leaf) for path, leaf in leaves(answer) if path in looked_for]


def _unescaped(match: re.Match[str]) -> str:
    return " ".join(unquote(match[0]).split()) if "%" in match[0] else match[0]


def _repeated(answer: object, made_up: Iterable[str]) -> list[tuple[str, Claim]]:
    """Those of the made-up claims that a text repeats; of data, each value is looked up in any case."""
    if not isinstance(answer, str):
        return []
    text = SourcePage(answer)
    return [(claim, Claim(claim)) for claim in made_up if text.contains(claim)]


def _places(text: str, readable: str) -> tuple[dict[str, str], dict[str, str]]:
    """The address of the page for each line of `readable`, and the line for the key of each address in `text`."""
    url = ""
    pages: dict[str, str] = {}
    addresses: dict[str, str] = {}
    for line, shown in zip(map(str.strip, text.split("\n")), map(str.strip, readable.split("\n")), strict=True):
        if line.startswith(ADDRESS):
            url = line.removeprefix(ADDRESS)
        pages[shown] = url
        if "→" in line or "](" in line or "://" in line:
            links = [match[1] or match[2] for match in _LINK.finditer(line)] if url else []
            for address in [*(_resolved(url, each) for each in links), *WEB_ADDRESS.findall(line)]:
                addresses[address_key(address)] = line
    return pages, addresses


def _resolved(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:  # such as "http://[": not an address
        return link


def _around(claim: str, line: str) -> str:
    """An excerpt of a long line, around the claim if that is in it."""
    at = line.casefold().find(normalise(claim))
    start = max(0, min(at - _EXCERPT // 2, len(line) - _EXCERPT)) if at >= 0 else 0
    start = line.rfind(" ", 0, start) + 1 if start else 0
    end = line.find(" ", start + _EXCERPT)
    return f"{'… ' if start else ''}{line[start : end if end >= 0 else len(line)]}{' …' if end >= 0 else ''}"
