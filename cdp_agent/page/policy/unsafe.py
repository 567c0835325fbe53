"""What a request would change, judged by its method, the words of its address, and its body.

A GET request counts as safe unless its address suggests otherwise (`/items/5/delete`, `?action=remove`).
https://www.rfc-editor.org/rfc/rfc9110#name-safe-methods
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, unquote_plus, urlsplit

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
_CHANGING = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_OVERRIDES = frozenset({"x-http-method-override", "x-http-method", "x-method-override", "_method", "_httpmethod"})
"""Headers and parameters by which many servers take another method than that of the request."""
_OTHER_ADDRESS = frozenset({"x-original-url", "x-rewrite-url"})
"""Headers by which some servers take another path."""
_CAMEL = pattern(r"([a-z])([A-Z])(?=[a-zA-Z]{2})")
_NO_WORD = pattern(r"[^a-z0-9]+")
_GLUED = pattern(
    r"^(?:(?:delete|remove|revoke|disable|purge)(?!d)|(?:destroy|uninstall)(?!ed)|cancel(?!l|ed)|unsubscribe(?!d|r)"
    r"|logout|signout|deactivate(?!d))|(?:delete|remove|destroy|logout|signout|unsubscribe|deactivate)$"
)
"""Words of which one is destructive, written as one."""
_GRAPHQL_KEYS = frozenset({"query", "operationName", "variables", "extensions"})
"""https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters"""
_GRAPHQL_TEXTS = pattern(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|#[^\n\r]*', re.DOTALL)
_GRAPHQL_WRITES = pattern(r"\s*(?:mutation|subscription)\b[^{]*\{")
_GRAPHQL_TOKEN = pattern(r"[{}()\[\]\"]|\w+")
_MEDIA_TYPE = pattern(r"[a-z]+/[a-z0-9.+-]{1,60}")
_VARIES = pattern(r"[0-9a-f]{8}[0-9a-f-]*|\d+", re.IGNORECASE)
_MULTIPART_NAME = pattern(r'Content-Disposition:[^\r\n]*?\bname="([^"\r\n]*)"', re.IGNORECASE)
_TELLING = frozenset(
    """
    amount price total sum cost fee money currency pay payment card cvv cvc iban bic swift bank account balance coupon
    to recipient receiver payee beneficiary name first last mail email phone tel address street city zip postcode birth
    birthday birthdate dob gender ssn passport tax user username login pass password passwd pwd secret token key apikey
    pin otp code auth authorization session cookie credential credentials csrf permission role admin owner
    """.split()  # noqa: SIM905 (a list of words is easier to read as one text)
)
"""Words in the names of fields that may hold money, a person's details or secrets."""
LONGEST_URL = 300
_LONGEST_FIELD = 40
_LONGEST_FIELDS = 400
_DEEPEST = 8
_MOST_COMPARED = 5_000


def unsafe_kind(request: fetch.PausedRequest, resource_type: str, *, is_form: bool = False) -> RequestKind | None:
    """The kind of change that the request would make; None if it only reads. `is_form`: a form was sent so."""
    parts = urlsplit(request.url)
    query = list(_parameters(parts.query))
    method, actions = _method(request, query), set(_action_words(query))
    folder, _, name = parts.path.rpartition("/")
    is_part = resource_type != "Document" and method in _SAFE and _PARTS_OF_PAGES.search(name) is not None
    # A picture of what deletes, such as trash/delete.svg, is named like that, but not what it stands in.
    words = _path_words(request, folder if is_part and not parts.query else parts.path)
    if method in _SAFE:
        if resource_type == "Document":
            if (actions | words) & _DESTRUCTIVE:
                return "deletes"
            if actions & _ACTING or (is_form and (words | {name.lower() for name, _ in query}) & _ACTING):
                return "submits"
            return "downloads" if FILES.search(parts.path) else None
        if any(_may_write(name, value) for name, value in query):
            return "sends"
        if (actions | words) & _DESTRUCTIVE:
            return "deletes"
        return "sends" if (actions if is_part else actions | words) & _ACTING else None
    words |= actions
    if method == "DELETE" or words & _DESTRUCTIVE:
        return "deletes"
    is_query = method == "POST" and resource_type != "Document" and not words & _ACTING
    if is_query and _only_queries(request, query):
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
    return bool({*_words(parts.path), *_action_words(_parameters(parts.query))} & _DESTRUCTIVE)


def is_certain(request: fetch.PausedRequest, resource_type: str, kind: RequestKind) -> bool:
    """Whether the request certainly changes something: no page sends one like it only to load, or to count visitors."""
    method = _method(request, _parameters(urlsplit(request.url).query))
    return resource_type == "Document" or kind in ("deletes", "pays") or method in ("PUT", "PATCH")


class FieldNames(NamedTuple):
    """The names of fields as a question shows them, and how many more there are."""

    shown: list[str]
    more: int


def fields_of(request: fetch.PausedRequest) -> FieldNames:
    """The fields of the request's body, and of its address where that is shown cut; never their values."""
    body, kind = request.post_data or "", _content_type(request)
    names = [name for name, _ in _parameters(urlsplit(request.url).query)] if len(request.url) > LONGEST_URL else []
    if "json" in kind or body.lstrip()[:1] in ("{", "["):
        names += _paths(_json(body))
    elif "multipart" in kind:
        names += _MULTIPART_NAME.findall(body)
    elif "urlencoded" in kind or not kind:
        names += [unquote_plus(field.partition("=")[0]) for field in body.split("&") if "=" in field]
    return _shown(names)


def fields_of_json(text: str) -> FieldNames:
    """The fields of a JSON object, also of those in it (`order.amount`); none of anything else."""
    return _shown(_paths(_json(text)))


def _paths(data: object, path: str = "", depth: int = 0) -> Iterator[str]:
    if depth < _DEEPEST and isinstance(data, (dict, list)) and data:
        members = data.items() if isinstance(data, dict) else (("", entry) for entry in data)
        for name, value in members:
            yield from _paths(value, f"{path}.{name}" if path and name else path or name, depth + 1)
    elif path:
        yield path


def _shown(names: Iterable[str]) -> FieldNames:
    """All that have room. Those of money, persons or secrets come before others, which could crowd them out."""
    distinct = list(dict.fromkeys(names))
    room, chosen = _LONGEST_FIELDS, set[str]()
    for name in sorted(distinct[:_MOST_COMPARED], key=lambda name: _TELLING.isdisjoint(_words(name))):
        room -= min(len(name), _LONGEST_FIELD)
        if room < 0:
            break
        chosen.add(name)
    return FieldNames([_cut(name) for name in distinct if name in chosen], len(distinct) - len(chosen))


def _cut(name: str) -> str:
    half = _LONGEST_FIELD // 2
    return name if len(name) <= _LONGEST_FIELD else f"{name[:half]}…{name[1 - half :]}"


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


def _path_words(request: fetch.PausedRequest, path: str) -> set[str]:
    """The words of a path, and of one that the request's headers name."""
    others = [value for name, value in request.headers.items() if name.lower() in _OTHER_ADDRESS]
    return {word for each in (path, *others) for word in _words(each)}


def _words(text: str) -> Iterator[str]:
    """The words of a path or value; `deleteItem`, `delete-item` and `%64elete_item` give the same ones."""
    plain = _decoded(text)
    for spelling in {plain} if plain.islower() else {plain, _CAMEL.sub(r"\1 \2", plain)}:
        for step in spelling.lower().split("/"):
            words = [word for part in _NO_WORD.split(step) if (word := part.rstrip("0123456789"))]
            yield from words
            yield from ("delete" for word in words if _GLUED.search(word))
            yield from ("close_account" if pair == ("close", "account") else "logout" for pair in _pairs(words))


def _decoded(text: str) -> str:
    """The text as a server may read it: without escapes, also of escapes, and with letters in their usual form."""
    for _ in range(3 if "%" in text else 0):
        text = unquote_plus(text)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return [pair for pair in itertools.pairwise(words) if pair in _PAIRS]


def _parameters(query: str) -> Iterator[tuple[str, str]]:
    """Names and values: those of `a=1;b=2` and `a={"b": 2}`, too."""
    for name, value in parse_qsl(query.replace(";", "&"), keep_blank_values=True):
        yield name, value
        yield from _members(_json(value) if value.lstrip()[:1] in ("{", "[") else None)


def _members(data: object) -> Iterator[tuple[str, str]]:
    items = data.items() if isinstance(data, dict) else (("", each) for each in data) if isinstance(data, list) else ()
    for name, value in items:
        if isinstance(value, (dict, list)):
            yield from _members(value)
        else:
            yield str(name), str(value)


def _action_words(query: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in query:
        for part in re.split(r"[\[\].]+", name.lower()):  # q[action]=delete
            if part in _ACTION_PARAMETERS:
                yield from _words(value)
            elif part in _DESTRUCTIVE:
                yield part


def _method(request: fetch.PausedRequest, query: Iterable[tuple[str, str]]) -> str:
    """The method by which servers take the request: an override counts, wherever one may stand."""
    methods = [request.method.upper()]
    for name, value in (*request.headers.items(), *query):
        name, stated = name.lower(), value.strip().upper()
        is_stated = name in _OVERRIDES or value in _CHANGING or ("method" in name and stated in _CHANGING)
        if stated and is_stated and name != "access-control-request-method":
            methods.append(stated)
    return next((each for each in reversed(methods) if each not in _SAFE), methods[0])


def _may_write(name: str, value: str) -> bool:
    """Whether a parameter is a GraphQL document that does more than read."""
    is_document = name.lower() == "query" and "{" in value
    return (is_document and not _reads(value)) or _GRAPHQL_WRITES.match(value) is not None


def _only_queries(request: fetch.PausedRequest, query: list[tuple[str, str]]) -> bool:
    """Whether the request has only GraphQL queries, which are sent with POST but change nothing.

    A server may take what the address says before the body, and a body that is a form for something else.
    """
    if any(value and name.lower() not in _ACTION_PARAMETERS for name, value in query):
        return False
    kind = _content_type(request)
    if kind and "json" not in kind and not kind.startswith("text/plain"):
        return False
    data = _json(request.post_data or "", members=_once)
    operations = data if isinstance(data, list) else [data]
    return bool(operations) and all(map(_is_query, operations))


def _is_query(operation: object) -> bool:
    """Whether that is a request in GraphQL, and not just anything with a `query`, which only reads.

    With the id of another document beside it, a server may carry out that one.
    """
    if not isinstance(operation, dict) or not operation.keys() <= _GRAPHQL_KEYS or operation.get("extensions"):
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


def _json(body: str, members: Callable[[list[tuple[str, Any]]], dict[str, Any]] = dict) -> Any:
    """The value; None for what is no JSON, or is nested too deep."""
    try:
        return json.loads(body, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return None


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, where nothing is said twice: servers differ in which of both counts."""
    if len(dict(members)) < len(members):
        raise ValueError
    return dict(members)


def _content_type(request: fetch.PausedRequest) -> str:
    return next((value.lower() for name, value in request.headers.items() if name.lower() == "content-type"), "")
