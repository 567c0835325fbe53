"""https://chromedevtools.github.io/devtools-protocol/tot/DOM/"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from .runtime import RemoteObject
from .types import Command, Empty, Result


class Node(Result, frozen=True):
    backend_node_id: int
    node_name: str
    frame_id: str | None = None
    shadow_root_type: str | None = None
    shadow_roots: list[Node] = []
    children: list[Node] = []


class Described(Result, frozen=True):
    node: Node


class Resolved(Result, frozen=True):
    object: RemoteObject


class FrameOwner(Result, frozen=True):
    backend_node_id: int


class DescribeNode(Command[Described], frozen=True):
    backend_node_id: int | None = None
    object_id: str | None = None
    depth: int | None = None
    pierce: bool | None = None


class ResolveNode(Command[Resolved], frozen=True):
    backend_node_id: int
    execution_context_id: int | None = None
    object_group: str | None = None


class GetFrameOwner(Command[FrameOwner], frozen=True):
    frame_id: str


class OuterHtml(Result, frozen=True):
    outer_html: msgspec.Raw = msgspec.field(name="outerHTML")
    """A JSON string, not decoded, since it is large and only searched."""


class GetOuterHtml(Command[OuterHtml], frozen=True):
    method: ClassVar[str] = "DOM.getOuterHTML"
    object_id: str | None = None
    include_shadow_dom: bool | None = msgspec.field(name="includeShadowDOM", default=None)


class SetFileInputFiles(Command[Empty], frozen=True):
    files: list[str]
    object_id: str | None = None
    backend_node_id: int | None = None


Quad = list[float]
"""The four corners, x before y, clockwise from the one that is top left before any transform."""


class BoxModel(Result, frozen=True):
    content: Quad


class Boxes(Result, frozen=True):
    model: BoxModel


class GetBoxModel(Command[Boxes], frozen=True):
    """Coordinates are CSS pixels of the viewport of the session's own frame."""

    backend_node_id: int
