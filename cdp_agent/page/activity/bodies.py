"""The bodies of responses, if Chrome still has them, and the error messages in them.

https://chromedevtools.github.io/devtools-protocol/tot/Network/#method-getResponseBody
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from cdp_agent.cdp import network
from cdp_agent.cdp import page as cdp_page
from cdp_agent.errors import ActionError, InvalidArguments, ProtocolError
from cdp_agent.page.frames.frames import Frame
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, deadline
from cdp_agent.page.snapshot.lines import in_line, shortened

from .json_path import part_at
from .request_log import LoggedRequest

_LONGEST_ERROR = 200
_MESSAGE_FIELDS = ("message", "detail", "error", "title", "error_description", "description", "msg", "reason", "errors")
"""The fields in which APIs put error messages, the most informative first: RFC 9457, and common names."""
_DEEPEST = 4


class ResponseBody(msgspec.Struct, frozen=True):
    """The body of a response; with `base64` it is not text, and is encoded in Base64."""

    body: str
    base64: bool = False

    def json(self) -> Any:
        """Its JSON. Raises InvalidArguments if it is none."""
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError as error:
            raise InvalidArguments(f"The answer is no JSON: {error}.") from error

    def part(self, path: str) -> ResponseBody:
        """The part of its JSON at the path, as JSON: see `part_at`. Raises InvalidArguments."""
        return ResponseBody(msgspec.json.encode(part_at(self.json(), path)).decode())


async def document_or_body_of(request: LoggedRequest, root: Frame) -> ResponseBody:
    """The body of the response, also the long one that is the tab's document, such as a PDF. Raises as `body_of`."""
    try:
        return await body_of(request)
    except ActionError as error:
        url = request.info.url.partition("#")[0]
        if request.info.kind != "document" or url != root.url.partition("#")[0]:
            raise
        try:
            content = await root.session.send(cdp_page.GetResourceContent(frame_id=root.id, url=url))
        except ProtocolError:
            raise error from None
    return ResponseBody(content.content, content.base64_encoded)


async def body_of(request: LoggedRequest) -> ResponseBody:
    """The body of the response. Raises ActionError if there is none, or Chrome does not keep it."""
    async with deadline(request.session, CALL_TIMEOUT_S):
        try:
            body = await request.session.send(network.GetResponseBody(request_id=request.request_id))
        except ProtocolError as error:
            if isinstance(error, ActionError):  # the tab was closed
                raise
            why = "it is pending, empty, or not kept any more"
            raise ActionError(f"Chrome has no body of {request.info}: {why}.") from error
    return ResponseBody(body.body, body.base64_encoded)


async def error_message(request: LoggedRequest) -> str:
    """The beginning of the error message in a JSON response; "" for any other response."""
    if "json" not in request.info.mime_type:
        return ""
    try:
        error = msgspec.json.decode((await body_of(request)).body)
    except (ActionError, msgspec.DecodeError):
        return ""
    words = next(_messages(error, _DEEPEST), "")
    return in_line(shortened(words, _LONGEST_ERROR))


def _messages(error: object, depth: int) -> Iterator[str]:
    """The texts in a JSON error, the most informative first. Texts about a form field are preceded by its name."""
    if isinstance(error, str) and error.strip():
        yield error.strip()
    elif depth and isinstance(error, list):
        if texts := [words for part in error if (words := next(_messages(part, depth - 1), ""))]:
            yield "; ".join(texts)
    elif depth and isinstance(error, dict):
        for name in _MESSAGE_FIELDS:
            if name in error:
                yield from _messages(error[name], depth - 1)
        # Form fields by name: {"street": ["may not be empty"]}.
        if texts := [
            f"{name}: {words}" for name, value in error.items() if (words := next(_messages(value, depth - 1), ""))
        ]:
            yield "; ".join(texts)
