"""What a request would change, judged by its method, the words of its address, and its body.

A GET request counts as safe unless its address suggests otherwise (`/items/5/delete`, `?action=remove`).
https://www.rfc-editor.org/rfc/rfc9110#name-safe-methods
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import msgspec

from cdp_agent.cdp import fetch
from cdp_agent.patterns import pattern
from cdp_agent.security.quoting import quote

RequestKind = Literal["submits", "pays", "sends", "deletes", "downloads"]

_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
FILES = pattern(
    r"\.(?:zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|bin|jar|csv|tsv|xlsx?|docx?|pptx?|od[tsp]|epub"
    r"|mp4|mp3)$",
    re.IGNORECASE,
)
_PARTS_OF_PAGES = pattern(r"\.(?:m?js|css|map|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf)$", re.IGNORECASE)
_DESTRUCTIVE = frozenset(
    """
    delete del remove rm destroy erase purge wipe trash discard drop uninstall unsubscribe logout logoff signout
    deactivate disable terminate revoke cancel unpublish close_account
    """.split()  # noqa: SIM905 (a list of words is easier to read as one text)
)
_ACTING = _DESTRUCTIVE | frozenset(
    """
    publish send pay buy purchase checkout order donate transfer withdraw subscribe approve reject confirm
    accept activate enable submit save update create vote reserve book upgrade downgrade reset
    """.split()  # noqa: SIM905 (a list of words is easier to read as one text)
)
_PAYING = frozenset({"pay", "buy", "purchase", "checkout", "donate", "upgrade"})
_PAIRS = {("log", "out"), ("log", "off"), ("sign", "out"), ("sign", "off"), ("opt", "out"), ("close", "account")}
_ACTION_PARAMETERS = frozenset(
    """
    action act do op operation operationname cmd command method _method task mode event todo submit button
    """.split()  # noqa: SIM905 (a list of words is easier to read as one text)
)
"""Parameters of an address whose values name an action."""
_OVERRIDES = frozenset({"x-http-method-override", "x-http-method", "x-method-override", "_method", "_httpmethod"})
"""Headers and parameters by which many servers take another method than that of the request."""
_GRAPHQL_KEYS = frozenset({"query", "operationName", "variables", "extensions"})
"""https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters"""
_GRAPHQL_TEXTS = pattern(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n\r]*', re.DOTALL)
_GRAPHQL_TOKEN = pattern(r"[{}()\[\]\"]|\w+")
_MEDIA_TYPE = pattern(r"[a-z]+/[a-z0-9.+-]{1,60}")
_VARIES = pattern(r"[0-9a-f]{8}[0-9a-f-]*|\d+", re.IGNORECASE)
_MULTIPART_NAME = pattern(r'Content-Disposition:[^\r\n]*?\bname="([^"\r\n]*)"', re.IGNORECASE)
_MOST_FIELDS = 8
_LONGEST_FIELD = 40


def unsafe_kind(request: fetch.PausedRequest, resource_type: str, *, is_form: bool = False) -> RequestKind | None:
    """The kind of change that the request would make; None if it only reads. `is_form`: a form was sent so."""
    parts = urlsplit(request.url)
    query = _pairs_in(parts.query)
    method, words = _method(request, query), set(_action_words(query))
    if method in _SAFE:
        if resource_type == "Document":
            words |= set(_words(parts.path))
            if words & _DESTRUCTIVE:
                return "deletes"
            if is_form and (words | {name.lower() for name, _ in query}) & _ACTING:
                return "submits"
            return "downloads" if FILES.search(parts.path) else None
        document = next((value for name, value in query if name == "query" and value), "")
        if "{" in document and not _reads(document):
            return "sends"
        # A picture of what deletes, such as trash/delete.svg, is named like that, but not what it stands in.
        folder, _, name = parts.path.rpartition("/")
        words |= set(_words(folder if _PARTS_OF_PAGES.search(name) and not parts.query else parts.path))
        return "deletes" if words & _DESTRUCTIVE else "sends" if words & _ACTING and resource_type != "Script" else None
    words |= set(_words(parts.path))
    if method == "DELETE" or words & _DESTRUCTIVE:
        return "deletes"
    if method == "POST" and resource_type != "Document" and _only_queries(request):
        return None
    if words & _PAYING:
        return "pays"
    return "submits" if resource_type == "Document" else "sends"


def ends_something(url: str) -> bool:
    """Whether the words of an address suggest that opening it deletes, cancels or ends something."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool((set(_words(parts.path)) | set(_action_words(_pairs_in(parts.query)))) & _DESTRUCTIVE)


def is_certain(request: fetch.PausedRequest, resource_type: str, kind: RequestKind) -> bool:
    """Whether the request certainly changes something: no page sends one like it only to load, or to count visitors."""
    method = _method(request, _pairs_in(urlsplit(request.url).query))
    return resource_type == "Document" or kind in ("deletes", "pays") or method in ("PUT", "PATCH")


def fields_of(request: fetch.PausedRequest) -> list[str]:
    """The names of the first fields of the request's body, never their values."""
    body, kind = request.post_data or "", _content_type(request)
    names: list[str] = []
    if "json" in kind or body.lstrip()[:1] in ("{", "["):
        return fields_of_json(body)
    if "multipart" in kind:
        names = _MULTIPART_NAME.findall(body)
    elif "urlencoded" in kind or not kind:
        names = [unquote_plus(each.partition("=")[0]) for each in body.split("&") if "=" in each]
    return _first(names)


def fields_of_json(text: str) -> list[str]:
    """The names of the first fields of a JSON object; none of anything else."""
    data = _json(text)
    return _first(data) if isinstance(data, dict) else []


def _first(names: Iterable[str]) -> list[str]:
    return [each[:_LONGEST_FIELD] for each in dict.fromkeys(names)][:_MOST_FIELDS]


def body_of(request: fetch.PausedRequest) -> str:
    """The size and media type of the body, "34 bytes of application/json"; "" if there is none."""
    if not request.has_post_data and request.post_data is None:
        return ""
    kind = _content_type(request).partition(";")[0].strip()
    amount = f"{len(request.post_data.encode())} bytes" if request.post_data is not None else "a body"
    if kind and not _MEDIA_TYPE.fullmatch(kind):
        kind = quote(kind)  # a page can name any
    return f"{amount} of {kind}" if kind else amount


def outline_of(text: str) -> str:
    """A body or message with 0 for everything that differs each time, such as times and numbers."""
    return _VARIES.sub("0", text)


def without_query(url: str) -> str:
    """An address without its query and fragment."""
    return url.partition("#")[0].partition("?")[0]


def _words(path: str) -> Iterator[str]:
    """The words of a path; `deleteItem` and `delete-item` give the same ones."""
    split = re.sub(r"([a-z])([A-Z])", r"\1 \2", unquote_plus(path))
    for step in split.split("/"):
        words = [each for each in re.split(r"[^a-z]+", step.lower()) if each]
        yield from words
        yield from ("close_account" if pair == ("close", "account") else "logout" for pair in _pairs(words))


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return [pair for pair in itertools.pairwise(words) if pair in _PAIRS]


def _pairs_in(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)


def _action_words(query: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in query:
        if name.lower() in _ACTION_PARAMETERS:
            yield from _words(value)
        elif name.lower() in _DESTRUCTIVE:
            yield name.lower()


def _method(request: fetch.PausedRequest, query: Iterable[tuple[str, str]]) -> str:
    """The method by which servers take the request: an override counts, wherever one may stand."""
    stated = [value for name, value in request.headers.items() if name.lower() in _OVERRIDES]
    stated += [value for name, value in query if value and name.lower() in _OVERRIDES]
    methods = [each.strip().upper() for each in (request.method, *stated)]
    return next((each for each in reversed(methods) if each not in _SAFE), methods[0])


def _only_queries(request: fetch.PausedRequest) -> bool:
    """Whether the body has only GraphQL queries, which are sent with POST but change nothing."""
    data = _json(request.post_data or "")
    operations = data if isinstance(data, list) else [data]
    return bool(operations) and all(map(_is_query, operations))


def _is_query(operation: object) -> bool:
    """Whether that is a request in GraphQL, and not just anything with a `query`, which only reads."""
    if not isinstance(operation, dict) or not operation.keys() <= _GRAPHQL_KEYS:
        return False
    query = operation.get("query")
    return isinstance(query, str) and _reads(query)


def _reads(text: str) -> bool:
    """Whether a text is a GraphQL document of queries and fragments alone: a request names which of all it wants done.

    https://spec.graphql.org/October2021/#sec-Document
    """
    depth, is_begin = 0, True
    for token in _GRAPHQL_TOKEN.findall(_GRAPHQL_TEXTS.sub(" ", text)):
        if is_begin and token not in ("{", "query", "fragment"):
            return False
        is_begin = False
        if token in ("{", "(", "["):
            depth += 1
        elif token in ("}", ")", "]"):
            depth -= 1
            is_begin = depth == 0 and token == "}"
        if depth < 0 or token == '"':
            return False
    return is_begin and depth == 0 and "{" in text


def _json(body: str) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError):
        return None


def _content_type(request: fetch.PausedRequest) -> str:
    return next((value.lower() for name, value in request.headers.items() if name.lower() == "content-type"), "")
