"""`/pilo/run` as a WebSocket: a run whose user fills in forms, with the messages of Pilo's server.

A client sends {"event", "data"}: "task:details" with the body of `POST /pilo/run`, then "user_data_response" with the
`requestId` of a form and its `fields`, or `cancelled`. Earlier clients send "task:start" and "input:form_response" with
a `questionId`, and also get forms as "input:form". The server's messages have the same two fields, and `taskId`.

https://github.com/mozilla/pilo/blob/main/packages/server/src/routes/piloWs.ts
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from cdp_agent.decisions import FormRequested, QuestionAsked
from cdp_agent.events import Event
from cdp_agent.server.pilo_events import (
    ANSWER,
    FORM_ERROR,
    FORM_REQUEST,
    PiloBody,
    PiloEvents,
    code_of,
    envelope,
    pilo_result,
)
from cdp_agent.server.problems import HttpProblem
from cdp_agent.server.served_run import ServedRun

TIMEOUT_MS = 300_000
"""The time limit for an answer, as sent to earlier clients, in milliseconds: the default of `approval_timeout_s`."""
_NORMAL_CLOSURE = 1000
_BEGINS = ("task:details", "task:start")
_ANSWERS = {"user_data_response": "requestId", "input:form_response": "questionId"}
_BOXES = ("checkbox", "switch")
_DECODER = msgspec.json.Decoder(Event)


class Begin(Protocol):
    """Begins a run. Raises HttpProblem."""

    async def __call__(self, body: PiloBody, *, interactive: bool) -> ServedRun: ...


class PiloSocket:
    """The WebSocket route."""

    def __init__(self, begin: Begin) -> None:
        self._begin = begin

    async def converse(self, socket: WebSocket) -> None:
        """Serves one run over the socket. When the client leaves, the run is ended."""
        await socket.accept()
        conversation = _Conversation(socket, self._begin)
        receiving = asyncio.ensure_future(conversation.receive_messages(lambda: receiving.cancel()))
        try:
            await asyncio.wait([receiving])
        finally:
            receiving.cancel()
            ends = await asyncio.gather(receiving, conversation.end(), return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception) and not isinstance(end, WebSocketDisconnect | TimeoutError):
                raise end


class _Conversation:
    def __init__(self, socket: WebSocket, begin: Begin) -> None:
        self._socket = socket
        self._begin = begin
        self._run: ServedRun | None = None
        self._sending: asyncio.Task[None] | None = None
        self._give_up: Callable[[], object] = lambda: None

    async def receive_messages(self, give_up: Callable[[], object]) -> None:
        """Handles the client's messages until it leaves; `give_up` is called where sending to it fails."""
        self._give_up = give_up
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                received = msgspec.json.decode(message.get("text") or message.get("bytes") or b"", type=dict[str, Any])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                await self._refuse("INVALID_MESSAGE", "Invalid JSON message")
                continue
            await self._take(str(received.get("event")), received.get("data"))

    async def end(self) -> None:
        """Stops sending events, and thereby watching the run. Raises the error if sending failed."""
        if self._sending is not None:
            self._sending.cancel()
            await self._sending

    async def _take(self, event: str, about: Any) -> None:
        if event in _BEGINS and self._run is not None:
            await self._refuse("TASK_ALREADY_RUNNING", "A task is already running on this connection")
        elif event in _BEGINS and not isinstance(about, dict):
            await self._refuse("MISSING_DATA", "Missing data")
        elif event in _BEGINS:
            await self._begin_run(event, about)
        elif event not in _ANSWERS:
            await self._refuse("UNKNOWN_EVENT", "Unknown event type")
        elif not isinstance(about, dict) or not isinstance(about.get(_ANSWERS[event]), str):
            await self._refuse("INVALID_RESPONSE", f"Missing {_ANSWERS[event]} in response")
        else:
            await self._take_answer(about[_ANSWERS[event]], about.get("response", about))

    async def _begin_run(self, event: str, about: dict[str, Any]) -> None:
        try:
            body = msgspec.convert(about, PiloBody)
            self._run = run = await self._begin(body, interactive=True)
        except msgspec.ValidationError as error:
            await self._refuse("INVALID_REQUEST", f"{str(error).replace('`', '')}.")
            return
        except HttpProblem as problem:
            code = code_of(problem)
            await self._refuse("AT_CAPACITY" if code == "TOO_MANY_TASKS" else code, str(problem))
            return
        await self._send("task:accepted", {"taskId": run.id})
        await self._send("start", {"taskId": run.id, "task": body.task, "url": body.url})
        self._sending = asyncio.ensure_future(self._send_events(run, body, earlier=event == "task:start"))
        self._sending.add_done_callback(lambda task: task.cancelled() or task.exception() is None or self._give_up())

    async def _send_events(self, run: ServedRun, body: PiloBody, *, earlier: bool) -> None:
        translator = PiloEvents(run.id, images=bool(body.include_screenshot_images))
        with run.watched():
            async for event in run.log.after(0):
                for name, fields in translator.translate(_DECODER.decode(event.data)):
                    await self._send(name, fields)
                    if earlier and name in (FORM_REQUEST, FORM_ERROR):
                        await self._send("input:form", _as_input(fields))
            if run.result is None:
                failed = ("TASK_EXECUTION_FAILED", "The task failed due to an internal error.", "INTERNAL_ERROR")
                await self._send("error", envelope(*failed, "execution", run.id))
            else:
                await self._send("complete", pilo_result(run.result, run.id))
                await self._send("done", {})
            await self._socket.close(_NORMAL_CLOSURE, "Task finished")

    async def _take_answer(self, request_id: str, response: object) -> None:
        run = self._run
        ask = None if run is None else run.question.ask
        if run is None or not isinstance(ask, FormRequested | QuestionAsked) or request_id != str(ask.id):
            await self._refuse("UNKNOWN_REQUEST_ID", "No pending request matches the given requestId")
            return
        decision = _decision(ask, response)
        problem = "fields is missing" if decision is None else await run.decide(ask.id, decision)
        if problem is not None:
            await self._refuse("INVALID_RESPONSE", problem)

    async def _refuse(self, code: str, message: str) -> None:
        reason = "AT_CAPACITY" if code == "AT_CAPACITY" else "INVALID_REQUEST"
        task_id = None if self._run is None else self._run.id
        await self._send("error", envelope(code, message, reason, "setup" if task_id is None else "execution", task_id))

    async def _send(self, event: str, about: object) -> None:
        message = {"event": event, "taskId": "" if self._run is None else self._run.id, "data": about}
        await self._socket.send_text(msgspec.json.encode(message).decode())


def _decision(ask: FormRequested | QuestionAsked, response: object) -> dict[str, Any] | None:
    """A response to the question as a decision; None if it is invalid."""
    if not isinstance(response, dict):
        return None
    if response.get("cancelled") or response.get("type") == "declined":
        return {"decision": "decline"}
    fields = response.get("fields")
    if isinstance(fields, list):
        fields = {field.get("ref"): field.get("value") for field in fields if isinstance(field, dict)}
    if not isinstance(fields, Mapping):
        return None
    if isinstance(ask, QuestionAsked):
        return {"decision": "answer", "text": str(fields.get(ANSWER, ""))}
    types = {field.ref: field.field_type for field in ask.fields}
    values = {ref: _value(value, types.get(ref, "")) for ref, value in fields.items()}
    return {"decision": "fill", "values": values}


def _value(value: object, field_type: str) -> object:
    """The value of a field; Pilo sends the state of a checkbox as text."""
    if field_type in _BOXES and isinstance(value, str):
        return value.lower() in ("true", "on", "yes", "1")
    return value


def _as_input(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "questionId": fields["requestId"],
        "question": fields["formDescription"],
        "fields": fields["fields"],
        "timeoutMs": TIMEOUT_MS,
        "pageUrl": fields["pageUrl"],
    }
