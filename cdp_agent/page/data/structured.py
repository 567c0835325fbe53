"""What a page states for programs: JSON-LD, microdata, <meta>, and the state that its scripts begin with."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec

from cdp_agent.errors import ActionError
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.tab.tab import Tab


class StructuredData(msgspec.Struct, frozen=True):
    """What all frames of a page state.

    `json_ld` are the values of its JSON-LD scripts; `microdata` its items, each with `type`, `id` and `properties`
    (https://html.spec.whatwg.org/multipage/microdata.html#json); `meta` the contents of its <meta> elements by name or
    property, a list for each; `state` the JSON in its scripts by the name that they give it. `unread` says what could
    not be read, and why.
    """

    json_ld: list[Any]
    microdata: list[dict[str, Any]]
    meta: dict[str, list[str]]
    state: dict[str, Any]
    unread: list[str]


class _Stated(msgspec.Struct, frozen=True, rename="camel"):
    """The result of `stated` in page/js."""

    json_ld: list[str]
    meta: list[tuple[str, str]]
    state: list[tuple[str, str]]
    microdata: list[dict[str, Any]]


async def structured_data(tab: Tab) -> StructuredData:
    """What the page states, all frames. Raises PageUnresponsive or DocumentGone for the tab's own document."""
    root, *others = (await tab.frames()).all()
    data = StructuredData([], [], {}, {}, [])
    _add(data, await _stated(root))
    answers = await asyncio.gather(*map(_stated, others), return_exceptions=True)
    for frame, answer in zip(others, answers, strict=True):
        if isinstance(answer, ActionError):
            data.unread.append(f"{frame.url}: {answer}")
        elif isinstance(answer, BaseException):
            raise answer
        else:
            _add(data, answer)
    return data


async def _stated(frame: Frame) -> _Stated:
    return await (await frame.world()).call("stated", returning=_Stated)


def _add(data: StructuredData, stated: _Stated) -> None:
    data.microdata.extend(stated.microdata)
    for name, content in stated.meta:
        data.meta.setdefault(name, []).append(content)
    for text in stated.json_ld:
        try:
            data.json_ld.append(json.loads(text, strict=False))
        except ValueError as error:
            data.unread.append(f"JSON-LD that is no JSON: {error}")
    for name, text in stated.state:
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(text.lstrip())
        except ValueError:
            continue  # an object of JavaScript that is not written as JSON, which nobody called data
        data.state.setdefault(name, value)
