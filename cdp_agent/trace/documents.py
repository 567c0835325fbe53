"""The documents of a tab in the form of Playwright's frame snapshots: nested lists of names, attributes and children.

They do not contain scripts, style rules added by scripts, the contents of canvases, frames of other sites, and slotted
children of shadow hosts, which Chrome does not report. Passwords are left out. If a secret is spread over elements, all
documents are left out.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

import msgspec

from cdp_agent.cdp import dom_snapshot
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.tab.tab import Tab
from cdp_agent.security.secrets import Secrets

TIMEOUT_S = 3.0
_DEEPEST = 400
"""The maximum depth; deeper elements are left out, since they could not be encoded."""
_ELEMENT, _TEXT, _DOCUMENT = 1, 3, 9
_LEFT_OUT = {"SCRIPT", "TEMPLATE"}
_OWN = {"open", "closed"}
_LINKS = {"stylesheet"}

Html = list[Any]


class FrameDocument(msgspec.Struct, frozen=True):
    """A document: `html` is `[name, {attribute: value}, child, …]`, where each child is such a list or a text."""

    frame_id: str
    url: str
    main: bool
    html: Html
    sheets: list[str] = []
    """The absolute addresses of its style sheets."""


async def capture(tab: Tab) -> dom_snapshot.CapturedDocuments:
    """The tab's documents as Chrome reports them. Raises PageUnresponsive, ProtocolError, BrowserError."""
    session = (await tab.frames()).root.session
    async with deadline(session, TIMEOUT_S):
        return await session.send(dom_snapshot.CaptureDocuments(computed_styles=[]))


def documents_of(captured: dom_snapshot.CapturedDocuments, secrets: Secrets) -> list[FrameDocument] | None:
    """The documents, masked; None if a secret is spread over elements."""
    strings = captured.strings
    if secrets and secrets.spans("\n".join(strings)):
        strings = [secrets.mask(each) for each in strings]
    names = [strings[each.frame_id] if each.frame_id >= 0 else str(at) for at, each in enumerate(captured.documents)]
    documents = [_Writer(each, strings, names).document(main=not at) for at, each in enumerate(captured.documents)]
    if secrets and any(secrets.spans("\n".join(_texts(each.html))) for each in documents):
        return None
    return documents


def _texts(html: Html) -> list[str]:
    """The texts in the document, in order."""
    texts: list[str] = []
    pending: list[Any] = [html]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            texts.append(node)
        else:
            pending += reversed(node[2:])
    return texts


class _Writer:
    """Converts one document; `frames` are the frame ids of all documents, by index."""

    def __init__(self, document: dom_snapshot.WholeDocument, strings: list[str], frames: list[str]) -> None:
        self._document = document
        self._strings = strings
        self._frames = frames
        nodes = document.nodes
        self._values = dict(zip(nodes.input_value.index, nodes.input_value.value, strict=True))
        self._values |= dict(zip(nodes.text_value.index, nodes.text_value.value, strict=True))
        self._checked = set(nodes.input_checked.index)
        self._selected = set(nodes.option_selected.index)
        self._shadow = dict(zip(nodes.shadow_root_type.index, nodes.shadow_root_type.value, strict=True))
        self._inside = dict(zip(nodes.content_document_index.index, nodes.content_document_index.value, strict=True))
        self._pseudo = set(nodes.pseudo_type.index)
        self._roots: dict[int, Html] = {}
        self._sheets: list[str] = []

    def document(self, *, main: bool) -> FrameDocument:
        nodes, texts = self._document.nodes, self._strings
        made: dict[int, tuple[Html, int]] = {}
        """The elements written so far, with their depth."""
        root: Html = ["HTML", {}]
        for at, parent in enumerate(nodes.parent_index):
            holder, depth = made.get(parent, (None, -1))
            kind, child = nodes.node_type[at], None
            if kind == _DOCUMENT or (holder is None and parent >= 0 and nodes.node_type[parent] != _DOCUMENT):
                continue
            if at in self._pseudo or depth > _DEEPEST:
                continue
            if at in self._shadow and parent not in self._shadow and holder is not None:
                if self._string(self._shadow[at]) not in _OWN:
                    continue
                holder = self._shadow_root(parent, holder)
            if kind == _TEXT and holder is not None:
                holder.append(self._string(nodes.node_value[at]))
            if kind == _ELEMENT and texts[nodes.node_name[at]].upper() not in _LEFT_OUT:
                child = self._element(at)
            if child is None:
                continue
            made[at] = child, depth + 1
            if holder is not None:
                holder.append(child)
            else:
                root = child
        url, frame_id = self._string(self._document.document_url), self._string(self._document.frame_id)
        return FrameDocument(frame_id, url, main, root, self._sheets)

    def _shadow_root(self, host: int, holder: Html) -> Html:
        """The shadow root that the viewer attaches to the host; Chrome reports only its children."""
        if host not in self._roots:
            self._roots[host] = ["TEMPLATE", {"__playwright_shadow_root_": "true"}]
            holder.append(self._roots[host])
        return self._roots[host]

    def _string(self, number: int) -> str:
        return self._strings[number] if number >= 0 else ""

    def _element(self, at: int) -> Html:
        nodes = self._document.nodes
        name = self._string(nodes.node_name[at])
        strings = [self._string(each) for each in nodes.attributes[at]]
        attributes = dict(zip(strings[::2], strings[1::2], strict=True))
        if name == "HTML":
            attributes["__playwright_scroll_top_"] = f"{self._document.scroll_offset_y:g}"
            attributes["__playwright_scroll_left_"] = f"{self._document.scroll_offset_x:g}"
        if at in self._values and attributes.get("type", "").lower() != "password":
            attributes["__playwright_value_"] = self._string(self._values[at])
        elif attributes.get("type", "").lower() == "password":
            attributes.pop("value", None)
        if attributes.get("type", "").lower() in ("checkbox", "radio"):
            attributes["__playwright_checked_"] = "true" if at in self._checked else "false"
        if name == "OPTION":
            attributes["__playwright_selected_"] = "true" if at in self._selected else "false"
        if name in ("IFRAME", "FRAME"):
            attributes.pop("srcdoc", None)
            attributes["src"] = f"/snapshot/{self._frames[self._inside[at]]}" if at in self._inside else ""
        if name == "LINK" and attributes.get("rel", "").lower() in _LINKS and (href := attributes.get("href")):
            self._add_sheet(href)
        if name == "HEAD":
            return [name, attributes, ["BASE", {"href": self._string(self._document.base_url)}]]
        return [name, attributes]

    def _add_sheet(self, href: str) -> None:
        try:
            self._sheets.append(urljoin(self._string(self._document.base_url), href))
        except ValueError:
            return  # the address is invalid
