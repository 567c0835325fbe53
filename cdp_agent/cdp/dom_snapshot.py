"""https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/"""

from __future__ import annotations

from typing import ClassVar

from .types import Command, Result


class Rare(Result, frozen=True):
    """Values that few nodes have: `value[i]` is that of the node `index[i]`."""

    index: list[int] = []
    value: list[int] = []


class Nodes(Result, frozen=True):
    parent_index: list[int] = []
    node_name: list[int] = []
    backend_node_id: list[int] = []
    attributes: list[list[int]] = []
    input_value: Rare = Rare()
    content_document_index: Rare = Rare()


class Layout(Result, frozen=True):
    """What has a place; the first is the document itself, as large as its viewport."""

    node_index: list[int]
    styles: list[list[int]]
    bounds: list[list[float]]
    text: list[int]


class TextBoxes(Result, frozen=True):
    layout_index: list[int]
    bounds: list[list[float]]
    start: list[int]
    length: list[int]


class DocumentSnapshot(Result, frozen=True):
    """Places are in CSS pixels of the document: left, top, width, height."""

    nodes: Nodes
    layout: Layout
    text_boxes: TextBoxes
    scroll_offset_x: float = 0
    scroll_offset_y: float = 0


class CapturedSnapshot(Result, frozen=True):
    """The documents of a process, the outermost first. Texts are numbers in `strings`, -1 where there is none."""

    documents: list[DocumentSnapshot]
    strings: list[str]


class CaptureSnapshot(Command[CapturedSnapshot], frozen=True):
    method: ClassVar[str] = "DOMSnapshot.captureSnapshot"
    computed_styles: list[str]
