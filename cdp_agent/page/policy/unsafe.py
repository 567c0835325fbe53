"""What a request would change, judged by its method, the words of its address, and its body.

A GET request counts as safe unless its address suggests otherwise (`/items/5/delete`, `?action=remove`).
https://www.rfc-editor.org/rfc/rfc9110#name-safe-methods
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import msgspec

from cdp_agent.cdp import fetch
from cdp_agent.patterns import pattern

RequestKind = Literal["submits", "pays", "sends", "deletes", "downloads"]

_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
FILES = pattern(
    r"\.(?:zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|bin|jar|csv|tsv|xlsx?|docx?|pptx?|od[tsp]|epub"
    r"|mp4|mp3)$",
    re.IGNORECASE,
)
_PARTS_OF_PAGES = pattern(r"\.(?:m?js|css|map|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|html?)$", re.IGNORECASE)
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
    {"action", "act", "do", "op", "operation", "cmd", "command", "method", "_method", "task", "mode", "event", "todo"}
)
"""Parameters of an address whose values name an action."""
_READING = pattern(r"\s*(?:#[^\n]*\n\s*|fragment\b[^{]*\{.*?\}\s*)*(?:query\b|\{)", re.DOTALL)
_WRITING = pattern(r"^\s*(?:mutation|subscription)\b", re.MULTILINE)
_VARIES = pattern(r"[0-9a-f]{8}[0-9a-f-]*|\d+", re.IGNORECASE)
_MULTIPART_NAME = pattern(r'Content-Disposition:[^\r\n]*?\bname="([^"\r\n]*)"', re.IGNORECASE)
_MOST_FIELDS = 8
_LONGEST_FIELD = 40


def unsafe_kind(request: fetch.PausedRequest, resource_type: str) -> RequestKind | None:
    """The kind of change that the request would make; None if it only reads."""
    parts = urlsplit(request.url)
    words = set(_words(parts.path)) | set(_action_words(parts.query))
    if request.method.upper() in _SAFE:
        if resource_type == "Document":
            return "deletes" if words & _DESTRUCTIVE else "downloads" if FILES.search(parts.path) else None
        if _PARTS_OF_PAGES.search(parts.path) and not parts.query:
            return None
        return "deletes" if words & _DESTRUCTIVE else "sends" if words & _ACTING and resource_type != "Script" else None
    if request.method.upper() == "DELETE" or words & _DESTRUCTIVE:
        return "deletes"
    if resource_type != "Document" and _only_queries(request):
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
    return bool((set(_words(parts.path)) | set(_action_words(parts.query))) & _DESTRUCTIVE)


def is_certain(request: fetch.PausedRequest, resource_type: str, kind: RequestKind) -> bool:
    """Whether the request certainly changes something: no page sends one like it only to load, or to count visitors."""
    return resource_type == "Document" or kind in ("deletes", "pays") or request.method.upper() in ("PUT", "PATCH")


def fields_of(request: fetch.PausedRequest) -> list[str]:
    """The names of the first fields of the request's body, never their values."""
    body, kind = request.post_data or "", _content_type(request)
    names: list[str] = []
    if "json" in kind or body.lstrip()[:1] in ("{", "["):
        data = _json(body)
        names = [str(each) for each in data] if isinstance(data, dict) else []
    elif "multipart" in kind:
        names = _MULTIPART_NAME.findall(body)
    elif "urlencoded" in kind or not kind:
        names = [unquote_plus(each.partition("=")[0]) for each in body.split("&") if "=" in each]
    return [each[:_LONGEST_FIELD] for each in dict.fromkeys(names)][:_MOST_FIELDS]


def body_of(request: fetch.PausedRequest) -> str:
    """The size and media type of the body, "34 bytes of application/json"; "" if there is none."""
    if not request.has_post_data and request.post_data is None:
        return ""
    kind = _content_type(request).partition(";")[0].strip()
    amount = f"{len(request.post_data.encode())} bytes" if request.post_data is not None else "a body"
    return f"{amount} of {kind}" if kind else amount


def outline_of(request: fetch.PausedRequest) -> str:
    """The body with 0 for everything that differs each time, such as times and numbers."""
    return _VARIES.sub("0", request.post_data or "")


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


def _action_words(query: str) -> Iterator[str]:
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name.lower() in _ACTION_PARAMETERS:
            yield from _words(value)
        elif name.lower() in _DESTRUCTIVE:
            yield name.lower()


def _only_queries(request: fetch.PausedRequest) -> bool:
    """Whether the body has only GraphQL queries, which are sent with POST but change nothing."""
    data = _json(request.post_data or "")
    operations = data if isinstance(data, list) else [data]
    texts = [each.get("query") for each in operations if isinstance(each, dict)]
    return 0 < len(texts) == len(operations) and all(isinstance(each, str) and _reads(each) for each in texts)


def _reads(text: str) -> bool:
    return bool(_READING.match(text)) and "{" in text and not _WRITING.search(text)


def _json(body: str) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, ValueError):
        return None


def _content_type(request: fetch.PausedRequest) -> str:
    return next((value.lower() for name, value in request.headers.items() if name.lower() == "content-type"), "")
