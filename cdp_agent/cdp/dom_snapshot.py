"""https://chromedevtools.github.io/devtools-protocol/tot/DOMSnapshot/"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from .types import Command, Result


class Rare(Result, frozen=True):
    """Values that few nodes have: `value[i]` belongs to the node `index[i]`."""

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
    """The nodes that have a layout; the first one is the document itself, as large as its viewport."""

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
    """Boxes are in CSS pixels of the document: left, top, width, height."""

    nodes: Nodes
    layout: Layout
    text_boxes: TextBoxes
    scroll_offset_x: float = 0
    scroll_offset_y: float = 0


class CapturedSnapshot(Result, frozen=True):
    """The documents of a process, the outermost first. Texts are indices into `strings`, -1 for none."""

    documents: list[DocumentSnapshot]
    strings: list[str]


class Marked(Result, frozen=True):
    """The indices of the nodes for which a Boolean property is true."""

    index: list[int] = []


class WholeNodes(Result, frozen=True):
    """Everything that is needed to reconstruct a document."""

    parent_index: list[int] = []
    node_type: list[int] = []
    node_name: list[int] = []
    node_value: list[int] = []
    attributes: list[list[int]] = []
    shadow_root_type: Rare = Rare()
    text_value: Rare = Rare()
    input_value: Rare = Rare()
    input_checked: Marked = Marked()
    option_selected: Marked = Marked()
    content_document_index: Rare = Rare()
    pseudo_type: Rare = Rare()


class WholeDocument(Result, frozen=True):
    nodes: WholeNodes
    base_url: int = msgspec.field(name="baseURL")
    document_url: int = msgspec.field(name="documentURL")
    frame_id: int
    scroll_offset_x: float = 0
    scroll_offset_y: float = 0


class CapturedDocuments(Result, frozen=True):
    """The same answer as `CapturedSnapshot`, with the contents of the documents in place of their layout."""

    documents: list[WholeDocument]
    strings: list[str]


class CaptureDocuments(Command[CapturedDocuments], frozen=True):
    method: ClassVar[str] = "DOMSnapshot.captureSnapshot"
    computed_styles: list[str]


class CaptureSnapshot(Command[CapturedSnapshot], frozen=True):
    computed_styles: list[str]
