"""Reads the text form of a locator, see `query.py`."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.patterns import pattern

from .query import FINDERS, ROLES, STATES, Find, Has, HasText, Near, Nth, Query, Step, Words, words

_TOKEN = pattern(
    r"""\s*(?:(?P<css>css=)(?P<selector>(?!").+?)(?=\s+(?:nth=-?\d|has_text=|near=|has=\()|$)"""
    r"""|(?P<key>[a-z_]+)=|(?P<string>"(?:[^"\\]|\\.)*")|/(?P<regex>(?:[^/\\]|\\.)+)/(?P<flags>[imsu]*)"""
    r"""|\[(?P<state>[a-z-]+(?:=[^\]]+)?)\]|(?P<number>-?\d+)|(?P<word>[^\W\d]\w*)|(?P<mark>[>()]))\s*""",
)
_SHOWN = 60
EXAMPLES = 'button "Save", row "Ada" > button "Delete", text="Thank you" or css=main a'


class _Token(msgspec.Struct, frozen=True):
    kind: str
    text: str
    flags: str = ""
    at: int = 0


def parse(text: str) -> Query:
    """The locator that a text is; a line of a snapshot is one. Raises InvalidArguments, which says where it is none."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidArguments(f"{text!r} is no locator. Give one such as {EXAMPLES}.")
    line = text.strip().removeprefix("- ").removesuffix(":")
    parser = _Parser(line, list(_tokens(line)))
    query = parser.query()
    if parser.next.kind != "end":
        raise parser.error("a name stands in double quotes" if parser.next.kind == "word" else "nothing follows there")
    return query


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _no_locator(text, at, "it cannot be read")
        kind = next(name for name, value in match.groupdict().items() if value is not None and name != "css")
        yield _Token(kind, match[kind], match["flags"] or "", at)
        at = match.end()
    yield _Token("end", "", "", at)


def _no_locator(text: str, at: int, why: str) -> InvalidArguments:
    where = f"at {text[at:].strip()[:_SHOWN]!r}" if text[at:].strip() else "at its end"
    return InvalidArguments(f"{text[:_SHOWN]!r} is no locator: {why}, {where}. Give one such as {EXAMPLES}.")


class _Parser:
    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self._text = text
        self._tokens = tokens

    @property
    def next(self) -> _Token:
        return self._tokens[0]

    def error(self, why: str) -> InvalidArguments:
        return _no_locator(self._text, self.next.at, why)

    def query(self) -> Query:
        steps: list[Step] = [self._find(), *self._filters()]
        while self._takes("mark", ">"):
            steps += [self._find(), *self._filters()]
        return Query(tuple(steps))

    def _takes(self, kind: str, text: str) -> bool:
        if (self.next.kind, self.next.text) != (kind, text):
            return False
        self._tokens.pop(0)
        return True

    def _find(self) -> Find:
        token = self._tokens.pop(0)
        match token.kind:
            case "selector":
                return Find("css", token.text.strip())
            case "key" if token.text == "css":
                return Find("css", self._words().text)
            case "key" if token.text in FINDERS:
                return Find(token.text, words=self._words())
            case "word":
                named = self._words() if self.next.kind in ("string", "regex") else None
                states = tuple(self._states())
                if named or states or token.text in ROLES:
                    return Find("role", token.text, named, states)
        self._tokens.insert(0, token)
        raise self.error('an element is given by a role and a name, or as text="…", label="…", testid="…" or css=…')

    def _words(self) -> Words:
        token = self._tokens.pop(0)
        if token.kind == "regex":
            return Words(token.text, "regex", token.flags)
        if token.kind == "string":
            text = json.loads(token.text, strict=False)
        elif token.kind in ("word", "number"):
            text = token.text
        else:
            self._tokens.insert(0, token)
            raise self.error("a text in double quotes is missing")
        return words(text, exact=self._takes("word", "exact"))

    def _states(self) -> Iterator[str]:
        while self.next.kind == "state":
            state = self._tokens.pop(0).text
            if state.partition("=")[0] in STATES:  # what else a line shows does not tell elements apart for long
                yield state

    def _filters(self) -> Iterator[Step]:
        while self.next.kind == "key":
            key = self._tokens.pop(0).text
            match key:
                case "nth":
                    yield Nth(self._place())
                case "has_text":
                    yield HasText(self._words())
                case "near":
                    yield Near(self._words())
                case "has" if self._takes("mark", "("):
                    yield Has(self.query())
                    if not self._takes("mark", ")"):
                        raise self.error("a closing bracket is missing, or double quotes around a selector")
                case _:
                    raise self.error(f"{key}= is none of nth=, has_text=, near= and has=(…)")

    def _place(self) -> int:
        if self.next.kind != "number" or not (number := int(self._tokens.pop(0).text)):
            raise self.error("nth= takes a number: 1 is the first, -1 the last")
        return number - 1 if number > 0 else number
