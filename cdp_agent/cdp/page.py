"""https://chromedevtools.github.io/devtools-protocol/tot/Page/"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from .types import Command, Empty, Event, Part, Result


class FrameInfo(Result, frozen=True):
    id: str
    loader_id: str
    url: str
    parent_id: str | None = None
    url_fragment: str = ""
    unreachable_url: str | None = None
    mime_type: str = ""


class FrameTreeNode(Result, frozen=True):
    frame: FrameInfo
    child_frames: list[FrameTreeNode] = []


class FrameTreeResult(Result, frozen=True):
    frame_tree: FrameTreeNode


class Navigated(Result, frozen=True):
    frame_id: str
    loader_id: str | None = None
    error_text: str | None = None
    is_download: bool = False


class HistoryEntry(Result, frozen=True):
    id: int
    url: str
    title: str


class NavigationHistory(Result, frozen=True):
    current_index: int
    entries: list[HistoryEntry]


class IsolatedWorld(Result, frozen=True):
    execution_context_id: int


class CapturedScreenshot(Result, frozen=True):
    data: bytes


class Rect(Result, frozen=True):
    x: float
    y: float
    width: float
    height: float


class VisualViewport(Part, frozen=True):
    """The visible area, in CSS pixels without scrollbars; `scale` is the factor of pinch zoom."""

    client_width: float
    client_height: float
    scale: float


class LayoutMetrics(Result, frozen=True):
    css_content_size: Rect
    css_visual_viewport: VisualViewport


class AddedScript(Result, frozen=True):
    identifier: str


class ResourceContent(Result, frozen=True):
    content: str
    base64_encoded: bool


class Clip(Part, frozen=True):
    """`Page.Viewport`: the part of the document that a screenshot shows, in CSS pixels of the document."""

    x: float
    y: float
    width: float
    height: float
    scale: float


class Enable(Command[Empty], frozen=True): ...


class GetFrameTree(Command[FrameTreeResult], frozen=True): ...


class GetResourceContent(Command[ResourceContent], frozen=True):
    """What was loaded from the address for the frame, as Chrome still has it."""

    frame_id: str
    url: str


class Navigate(Command[Navigated], frozen=True):
    url: str
    referrer: str | None = None
    frame_id: str | None = None


class Reload(Command[Empty], frozen=True): ...


class StopLoading(Command[Empty], frozen=True): ...


class GetNavigationHistory(Command[NavigationHistory], frozen=True): ...


class NavigateToHistoryEntry(Command[Empty], frozen=True):
    entry_id: int


class AddScriptToEvaluateOnNewDocument(Command[AddedScript], frozen=True):
    source: str
    world_name: str | None = None
    run_immediately: bool | None = None


class RemoveScriptToEvaluateOnNewDocument(Command[Empty], frozen=True):
    identifier: str


class ResetNavigationHistory(Command[Empty], frozen=True): ...


class CreateIsolatedWorld(Command[IsolatedWorld], frozen=True):
    frame_id: str
    world_name: str | None = None
    grant_univeral_access: bool | None = None  # the protocol's own spelling


class HandleJavaScriptDialog(Command[Empty], frozen=True):
    accept: bool
    prompt_text: str | None = None


class GetLayoutMetrics(Command[LayoutMetrics], frozen=True): ...


class CaptureScreenshot(Command[CapturedScreenshot], frozen=True):
    format: Literal["png", "jpeg", "webp"] | None = None
    quality: int | None = None
    clip: Clip | None = None
    capture_beyond_viewport: bool | None = None
    optimize_for_speed: bool | None = None


class ScreenRecording(Result, frozen=True):
    """The stream of a video file, to be read with IO.read once the recording has ended."""

    stream: str = ""


class StartScreenRecording(Command[ScreenRecording], frozen=True):
    max_width: int | None = None
    max_height: int | None = None
    frame_rate: int | None = None


class StopScreenRecording(Command[ScreenRecording], frozen=True): ...


class Printed(Result, frozen=True):
    stream: str = ""


class PrintToPdf(Command[Printed], frozen=True):
    """Lengths are in inches."""

    method: ClassVar[str] = "Page.printToPDF"
    landscape: bool
    display_header_footer: bool
    print_background: bool
    scale: float
    paper_width: float
    paper_height: float
    margin_top: float
    margin_bottom: float
    margin_left: float
    margin_right: float
    page_ranges: str
    header_template: str
    footer_template: str
    prefer_css_page_size: bool = msgspec.field(name="preferCSSPageSize")
    generate_document_outline: bool
    generate_tagged_pdf: bool = msgspec.field(name="generateTaggedPDF")
    transfer_mode: Literal["ReturnAsBase64", "ReturnAsStream"]


class StartScreencast(Command[Empty], frozen=True):
    format: Literal["jpeg", "png"]
    quality: int
    max_width: int
    max_height: int


class StopScreencast(Command[Empty], frozen=True): ...


class SetInterceptFileChooserDialog(Command[Empty], frozen=True):
    enabled: bool


class Close(Command[Empty], frozen=True): ...


class Crash(Command[Empty], frozen=True): ...


class FrameAttached(Event, frozen=True):
    frame_id: str
    parent_frame_id: str


class FrameDetached(Event, frozen=True):
    frame_id: str
    reason: str


class FrameNavigated(Event, frozen=True):
    frame: FrameInfo
    type: str = "Navigation"


class FrameRequestedNavigation(Event, frozen=True):
    frame_id: str
    reason: str
    url: str
    disposition: str


class FrameStartedNavigating(Event, frozen=True):
    frame_id: str
    url: str
    loader_id: str
    navigation_type: str


class FrameScheduledNavigation(Event, frozen=True):
    """A script, a form or a timer has asked for a navigation."""

    frame_id: str
    delay: float
    reason: str
    url: str


class FrameClearedScheduledNavigation(Event, frozen=True):
    """The scheduled navigation has begun (FrameStartedNavigating came before this), or will not begin."""

    frame_id: str


class WindowOpen(Event, frozen=True):
    """A new tab or window is about to open. Its TargetInfo does not have this address."""

    url: str


class NavigatedWithinDocument(Event, frozen=True):
    frame_id: str
    url: str


class FrameStartedLoading(Event, frozen=True):
    frame_id: str


class FrameStoppedLoading(Event, frozen=True):
    frame_id: str


class DomContentEventFired(Event, frozen=True):
    timestamp: float = 0.0


class LoadEventFired(Event, frozen=True):
    timestamp: float = 0.0


class JavascriptDialogOpening(Event, frozen=True):
    url: str
    message: str
    type: str
    has_browser_handler: bool
    default_prompt: str | None = None
    frame_id: str = ""


class JavascriptDialogClosed(Event, frozen=True):
    result: bool
    frame_id: str = ""


class FileChooserOpened(Event, frozen=True):
    mode: str
    frame_id: str = ""
    backend_node_id: int | None = None
