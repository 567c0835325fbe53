"""Looks up the quotes, figures and addresses of an answer in what the run was shown, without a model."""

from __future__ import annotations

import re
from urllib.parse import unquote, urljoin

import msgspec

from cdp_agent.agent.state.evidence import ADDRESS
from cdp_agent.extract.figures import figures, long_numbers
from cdp_agent.extract.grounding import SourcePage, leaves, normalise, ungrounded

_QUOTE = re.compile(r"[“„«\"]([^“”„«»\"\n]{3,300})[”“»\"]")
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`|*]+")
_WORD = re.compile(r"[^\s*_`|()\[\]<>\"“”„«»]+")
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_LINK = re.compile(r" → (\S+)|\]\(((?:(?!\]\()[^\s)])+)\)")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*://(?:www\.)?")
_MARKUP = re.compile(r' \[(?:ref=E|level=)\d+\]|(?:^|(?<=[{,]))\s*"(?:[^"\\\n]|\\.)*"\s*:(?=[\s\[{"\d])', re.MULTILINE)
"""Our own marks, and keys of JSON, which are not from pages."""
_WRITTEN_ADDRESS = re.compile(r"(?:→ |\]\(|\w://)\S*")
_PLAIN = str.maketrans("\u00a0\u2007\u2009\u202f–—−‐‑‒", "    ------")
"""Maps other kinds of white space and dashes to the plain character; the length of the text stays the same."""
_MOST_CLAIMS = 40
_EXCERPT = 300


class FoundClaim(msgspec.Struct, frozen=True):
    """A claim that was shown, and the line that shows it; "" where several lines together show it."""

    claim: str
    line: str
    url: str = ""
    """The page that showed it."""


class Checked(msgspec.Struct, frozen=True):
    """Which claims were found in what the run was shown, and which were not."""

    found: list[FoundClaim]
    missing: list[str]


def check(answer: object, shown: str, schema: object = None) -> Checked:
    """Looks up the claims of an answer, Markdown or JSON data of `schema`, in `shown`, a text as from Evidence.text."""
    text = _MARKUP.sub("", shown)
    readable = _WRITTEN_ADDRESS.sub(_unescaped, text)
    page = SourcePage(readable)
    pages, addresses = _places(text, readable)

    def shows(claim: str | float) -> str | None:
        if isinstance(claim, str) and "://" in claim:
            return addresses.get(_address_key(claim)) or page.line_with(claim)
        return page.line_with(claim)

    found: list[FoundClaim] = []
    missing: list[str] = []
    for label, claim in _claims(answer, schema):
        line = shows(claim)
        if line is None:
            missing.append(label)
        elif len(found) < _MOST_CLAIMS:
            excerpt = line if len(line) <= _EXCERPT else _around(str(claim), line)
            found.append(FoundClaim(str(claim), excerpt, pages.get(line, "")))
    return Checked(found, missing)


def _claims(answer: object, schema: object) -> list[tuple[str, str | float]]:
    """The claims to look up, each after the label under which it is reported if it is missing."""
    if isinstance(answer, str):
        return [(each, each) for each in claims(answer)]
    looked_for = {each.path for each in ungrounded(answer, "", schema)}  # an empty page supports nothing
    return [(f"{path}: {leaf}", leaf) for path, leaf in leaves(answer) if path in looked_for]


def claims(answer: str) -> list[str]:
    """The quotes, addresses, figures with their units, and words with digits in an answer, each once, in order."""
    text = _LIST_MARK.sub(lambda match: " " * len(match[0]), answer)
    found = {match.start(): match[0].rstrip(".,;:!?") for match in _ADDRESS.finditer(text)}
    text = _ADDRESS.sub(_blank, text)
    found |= {match.start(): match[1].strip() for match in _QUOTE.finditer(text)}
    text = _QUOTE.sub(_blank, text)
    spans = [match.span() for match in _WORD.finditer(text) if any(map(str.isdecimal, match[0]))]
    plain = text.translate(_PLAIN)
    plain = plain.casefold() if len(plain.casefold()) == len(text) else plain
    spans += [(each.start, each.end) for each in (*figures(plain), *long_numbers(plain))]
    for start, end in _joined(spans):
        found[start] = text[start:end].strip(".,;:!?'’*_# ")
    return list(dict.fromkeys(found[place] for place in sorted(found) if found[place]))[:_MOST_CLAIMS]


def _unescaped(match: re.Match[str]) -> str:
    return " ".join(unquote(match[0]).split()) if "%" in match[0] else match[0]


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
            for address in [*(_resolved(url, each) for each in links), *_ADDRESS.findall(line)]:
                addresses[_address_key(address)] = line
    return pages, addresses


def _resolved(url: str, link: str) -> str:
    try:
        return urljoin(url, link)
    except ValueError:  # such as "http://[": not an address
        return link


def _address_key(address: str) -> str:
    """A key that is the same for different spellings of an address."""
    return unquote(_SCHEME.sub("", address.strip().rstrip(".,;:!?").casefold()).rstrip("/"))


def _around(claim: str, line: str) -> str:
    """An excerpt of a long line, around the claim if that is in it."""
    at = line.casefold().find(normalise(claim))
    start = max(0, min(at - _EXCERPT // 2, len(line) - _EXCERPT)) if at >= 0 else 0
    start = line.rfind(" ", 0, start) + 1 if start else 0
    end = line.find(" ", start + _EXCERPT)
    return f"{'… ' if start else ''}{line[start : end if end >= 0 else len(line)]}{' …' if end >= 0 else ''}"
