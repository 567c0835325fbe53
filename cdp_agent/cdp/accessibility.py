"""https://chromedevtools.github.io/devtools-protocol/tot/Accessibility/"""

from __future__ import annotations

import msgspec

from .types import Command, Result


class AXValue(Result, frozen=True):
    type: str
    value: msgspec.Raw = msgspec.Raw(b"null")


class AXProperty(Result, frozen=True):
    name: str
    value: AXValue


class AXNode(Result, frozen=True):
    node_id: str
    ignored: bool
    role: AXValue | None = None
    name: AXValue | None = None
    description: AXValue | None = None
    value: AXValue | None = None
    properties: list[AXProperty] = []


class AXNodes(Result, frozen=True):
    nodes: msgspec.Raw
    """A list of `AXNode`, not decoded: repeated queries mostly return equal bytes, which are compared as they are."""


class GetPartialAXTree(Command[AXNodes], frozen=True):
    object_id: str | None = None
    backend_node_id: int | None = None
    fetch_relatives: bool | None = None
