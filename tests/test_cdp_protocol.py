"""Every command, parameter, result and event that we define, against the protocol that the running Chrome serves."""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
import types
import typing
import urllib.request
from typing import Any

import msgspec
import pytest

import cdp_agent.cdp
from cdp_agent.browser.launch.chrome import LaunchOptions
from cdp_agent.browser.launch.launcher import ChromeProcess, wait_until_listening
from cdp_agent.browser.launch.starting import start_with_port
from cdp_agent.cdp.types import Command, Event, Part, Result
from tests.tables import table

PLAIN = {"string": str, "integer": int, "number": float, "boolean": bool, "binary": bytes}


@pytest.fixture(scope="module")
def protocol() -> dict[str, Any]:
    return {domain["domain"]: domain for domain in asyncio.run(_served())["domains"]}


async def _served() -> Any:
    chrome = ChromeProcess(start_with_port(LaunchOptions(), 0))
    try:
        address = (await wait_until_listening(chrome, 60)).split("/")[2]
        return await asyncio.to_thread(_get, f"http://{address}/json/protocol")
    finally:
        await chrome.close()


def _get(url: str) -> Any:
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def _messages() -> list[type[Command[Any]] | type[Event]]:
    found: list[Any] = []
    for module in pkgutil.iter_modules(cdp_agent.cdp.__path__):
        for value in vars(importlib.import_module(f"cdp_agent.cdp.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, (Command, Event)) and "method" in vars(value):
                found.append(value)
    return sorted(set(found), key=lambda each: each.method)


@table("message", _messages())
def test_is_as_chrome_defines_it(message: type[Command[Any]] | type[Event], protocol: dict[str, Any]) -> None:
    domain, name = message.method.split(".")
    kind = "events" if issubclass(message, Event) else "commands"
    definition = next((each for each in protocol[domain][kind] if each["name"] == name), None)
    assert definition is not None, f"this Chrome has no {message.method}"

    faults = _compare(message, definition.get("parameters", []), domain, protocol, sent=kind == "commands")
    if issubclass(message, Command):
        (result,) = typing.get_args(message.__orig_bases__[0])  # type: ignore[attr-defined]  # set by typing.Generic
        faults += _compare(result, definition.get("returns", []), domain, protocol, sent=False)

    assert faults == []


def _compare(
    struct: Any, properties: list[dict[str, Any]], domain: str, protocol: dict[str, Any], *, sent: bool
) -> list[str]:
    """What does not fit: unknown fields, other types, and what one side needs and the other leaves out."""
    known = {each["name"]: each for each in properties}
    faults: list[str] = []
    ours = msgspec.structs.fields(struct)
    for field in ours:
        path = f"{struct.__name__}.{field.encode_name}"
        if field.encode_name not in known:
            faults.append(f"{path}: Chrome has no such field")
            continue
        theirs = known[field.encode_name]
        if not sent and field.required and theirs.get("optional"):
            faults.append(f"{path}: Chrome may leave it out")
        faults += _compare_type(path, field.type, theirs, domain, protocol, sent)
    if sent:
        named = {field.encode_name for field in ours}
        faults += [
            f"{struct.__name__}: Chrome needs {name}"
            for name, each in known.items()
            if not each.get("optional") and name not in named
        ]
    return faults


_seen: set[tuple[str, str, bool]] = set()


def _compare_type(
    path: str, ours: Any, theirs: dict[str, Any], domain: str, protocol: dict[str, Any], sent: bool
) -> list[str]:
    if "$ref" in theirs:
        ref_domain, _, ref_name = theirs["$ref"].rpartition(".")
        domain = ref_domain or domain
        theirs = next(each for each in protocol[domain]["types"] if each["id"] == ref_name)
    ours = _without_none(ours)
    if ours in (Any, msgspec.Raw):
        return []
    if typing.get_origin(ours) is typing.Literal:
        values = set(typing.get_args(ours))
        unknown = values - set(theirs.get("enum", []))
        return [f"{path}: Chrome knows no {sorted(unknown)}"] if unknown else []
    if typing.get_origin(ours) is list:
        if theirs["type"] != "array":
            return [f"{path}: Chrome has {theirs['type']}"]
        return _compare_type(f"{path}[]", typing.get_args(ours)[0], theirs["items"], domain, protocol, sent)
    if typing.get_origin(ours) is dict and theirs["type"] == "object":
        return []
    if isinstance(ours, type) and issubclass(ours, (Result, Part)):
        key = (ours.__name__, domain, sent)
        if key in _seen:
            return []
        _seen.add(key)
        return _compare(ours, theirs.get("properties", []), domain, protocol, sent=sent)
    return [] if PLAIN.get(theirs["type"]) is ours else [f"{path}: Chrome has {theirs['type']}, we have {ours}"]


def _without_none(ours: Any) -> Any:
    if typing.get_origin(ours) in (types.UnionType, typing.Union):
        rest = [each for each in typing.get_args(ours) if each not in (type(None), msgspec.UnsetType)]
        return rest[0] if len(rest) == 1 else ours
    return ours
