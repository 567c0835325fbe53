"""https://chromedevtools.github.io/devtools-protocol/tot/Input/"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from .types import Command, Empty, Event, Part

MouseButton = Literal["none", "left", "middle", "right", "back", "forward"]


class DragDataItem(Part, frozen=True):
    mime_type: str
    data: str
    title: str | None = None
    base_url: str | None = msgspec.field(name="baseURL", default=None)


class DragData(Part, frozen=True):
    items: list[DragDataItem]
    drag_operations_mask: int
    files: list[str] | None = None


class DispatchMouseEvent(Command[Empty], frozen=True):
    is_input: ClassVar[bool] = True
    is_mouse: ClassVar[bool] = True
    type: Literal["mousePressed", "mouseReleased", "mouseMoved", "mouseWheel"]
    x: float
    y: float
    modifiers: int | None = None
    button: MouseButton | None = None
    buttons: int | None = None
    click_count: int | None = None
    delta_x: float | None = None
    delta_y: float | None = None


class DispatchKeyEvent(Command[Empty], frozen=True):
    is_input: ClassVar[bool] = True
    type: Literal["keyDown", "keyUp", "rawKeyDown", "char"]
    modifiers: int | None = None
    text: str | None = None
    unmodified_text: str | None = None
    code: str | None = None
    key: str | None = None
    windows_virtual_key_code: int | None = None
    is_keypad: bool | None = None
    location: int | None = None
    commands: list[str] | None = None


class InsertText(Command[Empty], frozen=True):
    is_input: ClassVar[bool] = True
    text: str


class ImeSetComposition(Command[Empty], frozen=True):
    is_input: ClassVar[bool] = True
    text: str
    selection_start: int
    selection_end: int


class SetInterceptDrags(Command[Empty], frozen=True):
    enabled: bool


DragKind = Literal["dragEnter", "dragOver", "drop", "dragCancel"]


class DispatchDragEvent(Command[Empty], frozen=True):
    is_input: ClassVar[bool] = True
    type: DragKind
    x: float
    y: float
    data: DragData
    modifiers: int | None = None


class DragIntercepted(Event, frozen=True):
    data: DragData
