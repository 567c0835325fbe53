"""The calls of a server of another process, in the process that holds the session."""

from __future__ import annotations

import asyncio
import logging
from typing import NoReturn

import msgspec

from cdp_agent.errors import CdpAgentError
from cdp_agent.mcp.calls import CallReply, CallRequest, FilesAsked, SessionFile, ToolCalls
from cdp_agent.session.host import ClientOutput
from cdp_agent.session.messages import CallAnswered, CallAsked, CallCancelled
from cdp_agent.session.session import ToolError

_REQUEST = msgspec.json.Decoder(CallRequest | FilesAsked)
_log = logging.getLogger(__name__)


async def make_calls(calls: ToolCalls, output: ClientOutput) -> NoReturn:
    """Makes what calls the client asks for. It goes on until it is cancelled, and gives up what is being made then."""
    making: dict[int, asyncio.Task[None]] = {}
    try:
        while True:
            match await output.said.get():
                case CallAsked(id=number, request=request):
                    making[number] = asyncio.ensure_future(_answer(calls, number, request, output))
                    making[number].add_done_callback(lambda _, number=number: making.pop(number))  # type: ignore[misc]  # as a default it has its type
                case CallCancelled(id=number) if number in making:
                    making[number].cancel()
    finally:
        left = list(making.values())
        for each in left:
            each.cancel()
        if left:
            await asyncio.wait(left)


async def _answer(calls: ToolCalls, number: int, request: msgspec.Raw, output: ClientOutput) -> None:
    reply: CallReply | list[SessionFile]
    try:
        match _REQUEST.decode(request):
            case CallRequest() as call:
                reply = await calls.call(call)
            case FilesAsked() as asked:
                reply = await calls.files(asked)
    except CdpAgentError as error:
        reply = CallReply(str(error), error=ToolError.of(error))
    except Exception as error:  # noqa: BLE001  # whoever called must not wait for ever on a bug of ours
        _log.exception("a call failed")
        reply = CallReply(fault := f"A fault of cdp-agent itself: {error!r}.", error=ToolError("Fault", fault))
    output.send(CallAnswered(number, msgspec.Raw(msgspec.json.encode(reply))))
