"""What of an answer can be looked up without a model: its quotes, numbers and addresses, in what the run was shown."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from cdp_agent.extract.grounding import Page, normalise, ungrounded

_QUOTE = re.compile(r"[“„«\"]([^“”„«»\"\n]{3,300})[”“»\"]")
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]\"'`|*]+")
_WITH_DIGIT = re.compile(r"[^\s*_`|()\[\]<>\"“”„«»]*\d[^\s*_`|()\[\]<>\"“”„«»]*")
_NUMBER = re.compile(r"\d[\d.,]*")
_LIST_MARK = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_MOST_CLAIMS = 40
_EXCERPT = 300


class Found(msgspec.Struct, frozen=True):
    """A claim that was shown, and the line that shows it; "" where it is put together from several."""

    claim: str
    line: str


class Checked(msgspec.Struct, frozen=True):
    """Which claims were found in what the run was shown, and which were not."""

    found: list[Found]
    missing: list[str]


def check(answer: Any, shown: str) -> Checked:
    """Holds an answer, Markdown or JSON data, against all that was shown."""
    if not isinstance(answer, str):
        missing = [f"{each.path}: {each.value}" for each in ungrounded(answer, shown)]
        unseen = {str(each.value) for each in ungrounded(answer, shown)}
        known = [each for each in claims(msgspec.json.encode(answer).decode()) if each not in unseen]
    else:
        page = Page(shown)
        all_claims = claims(answer)
        known = [each for each in all_claims if _says(page, each)]
        missing = [each for each in all_claims if each not in known]
    lines = [(normalise(line), line.strip()) for line in shown.split("\n")]
    return Checked([Found(each, _line_with(each, lines)) for each in known], missing)


def claims(answer: str) -> list[str]:
    """The quotes, addresses and whatever has a digit in it, each once, in the order of the answer."""
    text = _LIST_MARK.sub("", answer)
    found = {match.start(): match[0].rstrip(".,;:!?") for match in _ADDRESS.finditer(text)}
    text = _ADDRESS.sub(lambda match: " " * len(match[0]), text)
    found |= {match.start(): match[1].strip() for match in _QUOTE.finditer(text)}
    text = _QUOTE.sub(lambda match: " " * len(match[0]), text)
    found |= {match.start(): match[0].strip(".,;:!?'’") for match in _WITH_DIGIT.finditer(text)}
    return list(dict.fromkeys(found[place] for place in sorted(found) if found[place]))[:_MOST_CLAIMS]


def _says(page: Page, claim: str) -> bool:
    if "://" in claim:
        return page.says(claim.rstrip("/")) or page.says(claim.partition("://")[2].rstrip("/"))
    if page.says(claim):
        return True
    numbers = _NUMBER.findall(claim)
    return bool(numbers) and claim.strip("€$£¥%~≈+-±") in numbers and all(page.says(each) for each in numbers)


def _line_with(claim: str, lines: list[tuple[str, str]]) -> str:
    wanted = normalise(claim)
    found = next((line for text, line in reversed(lines) if wanted in text), "")
    return found if len(found) <= _EXCERPT else f"{found[:_EXCERPT]}…"
