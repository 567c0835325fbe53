"""Runs over HTTP: begin, list, follow, decide, pause and stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from cdp_agent.server.bodies import AnswerBody, ResumeBody, RunAccepted, RunList, RunRequest
from cdp_agent.server.files import HeldFiles, RunForm, file_routes, is_with_files
from cdp_agent.server.problems import ErrorAnswer, HttpProblem, bad_request, conflict, decoded, json_response
from cdp_agent.server.runs import Runs
from cdp_agent.server.served_run import ServedRun
from cdp_agent.server.streams import EventStream, NumberedEvent, as_sse
from cdp_agent.server.tool_calls import ToolCaller, call_of

NORMAL_CLOSURE = 1000
_WITHOUT_A_QUESTION = '{"pause": true}, {"resume": true}, {"stop": true}'


class SocketEvent(msgspec.Struct, frozen=True):
    """An event as it is sent over a WebSocket."""

    number: int
    event: msgspec.Raw


class SocketRefusal(msgspec.Struct, frozen=True):
    """The reply to a message that does not count: the reason, and the question that the message was about."""

    refused: str
    id: int | None


class RunRoutes:
    """The routes under /v1/runs."""

    def __init__(self, runs: Runs, caller: ToolCaller) -> None:
        self._runs = runs
        self._caller = caller
        self.routes: list[BaseRoute] = [
            Route("/v1/runs", self._begin, methods=["POST"]),
            Route("/v1/runs", self._list, methods=["GET"]),
            Route("/v1/runs/{id}", self._look, methods=["GET"]),
            WebSocketRoute("/v1/runs/{id}", self._converse),
            Route("/v1/runs/{id}/events", self._follow, methods=["GET"]),
            Route("/v1/runs/{id}/decisions", self._decide, methods=["POST"]),
            Route("/v1/runs/{id}/answers", self._answer_question, methods=["POST"]),
            Route("/v1/runs/{id}/pause", self._pause, methods=["POST"]),
            Route("/v1/runs/{id}/resume", self._resume, methods=["POST"]),
            Route("/v1/runs/{id}/tools/{name}", self._act, methods=["POST"]),
            *file_routes("/v1/runs/{id}", self._files),
            Route("/v1/runs/{id}/stop", self._stop, methods=["POST"]),
        ]

    async def _begin(self, request: Request) -> Response:
        if is_with_files(request.scope):
            form = await RunForm.read(request)
            try:
                run = await self._runs.begin(decoded(form.run, RunRequest), form=form)
            finally:
                await form.close()
        else:
            run = await self._runs.begin(decoded(await request.body(), RunRequest))
        path = f"/v1/runs/{run.id}"
        return json_response(RunAccepted(run.id, f"{path}/events"), HTTPStatus.ACCEPTED, {"Location": path})

    async def _list(self, request: Request) -> Response:
        return json_response(RunList([run.info for run in self._runs.all]))

    async def _look(self, request: Request) -> Response:
        return json_response(self._run(request).info)

    async def _follow(self, request: Request) -> Response:
        run = self._run(request)
        after = _after(request)
        if run.ended is not None and after >= run.log.last:
            return Response(status_code=HTTPStatus.NO_CONTENT)  # so that an EventSource does not reconnect
        return EventStream(_as_sse(run, after))

    async def _decide(self, request: Request) -> Response:
        run = self._run(request)
        decision = decoded(await request.body(), dict[str, Any])
        if (ask_id := _question_of(decision)) is None:
            raise bad_request("id has to be the number of the question.")
        return _decision_response(run, await run.decide(ask_id, decision), ask_id)

    async def _answer_question(self, request: Request) -> Response:
        run = self._run(request)
        body = decoded(await request.body(), AnswerBody)
        if body.text is not None and body.values is not None:
            raise bad_request("Give text or values, not both.")
        return _decision_response(run, await run.decide(body.id, body.decision), body.id)

    async def _pause(self, request: Request) -> Response:
        run = self._run(request)
        if (problem := run.ask_to_pause()) is not None:
            raise conflict(problem)
        return json_response(run.info, HTTPStatus.ACCEPTED)

    async def _resume(self, request: Request) -> Response:
        run = self._run(request)
        if (problem := await run.resume(decoded(await request.body(), ResumeBody).text)) is not None:
            raise conflict(problem)
        return json_response(run.info)

    async def _act(self, request: Request) -> Response:
        run = self._run(request)
        call = await call_of(request)
        if (handed_over := await run.handed_over(self._caller)) is None:
            raise conflict(
                "It will wait after its turn: call tools when its status is waiting."
                if run.status == "pausing"
                else "The page is the run's: pause it first, and call tools while it waits."
            )
        return await self._caller.answer(request, call, *handed_over)

    async def _stop(self, request: Request) -> Response:
        run = self._run(request)
        run.end()
        return json_response(run.info, HTTPStatus.ACCEPTED)

    async def _converse(self, socket: WebSocket) -> None:
        """Sends events and handles messages, until the run has ended or the client leaves."""
        try:
            run = self._run(socket)
            after = _after(socket)
        except HttpProblem as problem:
            await socket.send_denial_response(json_response(ErrorAnswer(problem.info), problem.status))
            return
        await socket.accept()
        with run.watched():
            sending = asyncio.ensure_future(_send_events(run, socket, after))
            receiving = asyncio.ensure_future(_receive_messages(run, socket))
            try:
                await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in (sending, receiving):
                    each.cancel()
                ends = await asyncio.gather(sending, receiving, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception) and not isinstance(end, WebSocketDisconnect | TimeoutError):
                raise end

    def _files(self, request: Request) -> HeldFiles:
        run = self._run(request)
        if request.method == "PUT" and run.ended is not None:
            raise conflict("The run has ended.")
        return run.files

    def _run(self, connection: HTTPConnection) -> ServedRun:
        return self._runs.find(connection.path_params["id"])


def _after(connection: HTTPConnection) -> int:
    """The number of the last event that the client has. Raises HttpProblem."""
    number = connection.headers.get("last-event-id") or connection.query_params.get("after") or "0"
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise bad_request(f"Last-Event-ID is the number of an event, not {number[:40]!r}.")
    return int(number)


async def _as_sse(run: ServedRun, after: int) -> AsyncGenerator[bytes, None]:
    with run.watched():
        async for event in run.log.after(after):
            yield as_sse(event)


def _question_of(body: dict[str, Any]) -> int | None:
    """Removes the number of the question from a decision, and returns it; None if the decision has none."""
    ask_id = body.pop("id", None)
    return ask_id if isinstance(ask_id, int) and not isinstance(ask_id, bool) else None


def _decision_response(run: ServedRun, problem: str | None, ask_id: int) -> Response:
    """The state of the run, if the decision counted. Raises HttpProblem if not."""
    if problem is None:
        return json_response(run.info)
    ask = run.question.ask
    if ask is not None and ask.id == ask_id:
        raise bad_request(problem, "DecisionRefused")
    raise conflict(problem, "DecisionRefused")


async def _send_events(run: ServedRun, socket: WebSocket, after: int) -> None:
    async for event in run.log.after(after):
        await socket.send_text(_as_message(event))
    await socket.close(NORMAL_CLOSURE)


def _as_message(event: NumberedEvent) -> str:
    return msgspec.json.encode(SocketEvent(event.number, msgspec.Raw(event.data))).decode()


async def _receive_messages(run: ServedRun, socket: WebSocket) -> None:
    while True:
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            return
        ask_id, problem = await _handle_message(run, message.get("text") or message.get("bytes") or b"")
        if problem is not None:
            await socket.send_text(msgspec.json.encode(SocketRefusal(problem, ask_id)).decode())


async def _handle_message(run: ServedRun, text: str | bytes) -> tuple[int | None, str | None]:
    """Handles a message. Returns the question it was about, and why it does not count (None if it does)."""
    try:
        message = msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return None, f"This is no JSON object: {error}."
    match message:
        case {"stop": True, **rest} if not rest:
            run.end()
            return None, None
        case {"pause": True, **rest} if not rest:
            return None, run.ask_to_pause()
        case {"resume": True, **rest} if rest.keys() <= {"text"} and isinstance(rest.get("text", ""), str):
            return None, await run.resume(rest.get("text", ""))
    if (ask_id := _question_of(message)) is None:
        return (
            None,
            f'Say {{"id": …, "decision": …}} about a question, or {_WITHOUT_A_QUESTION}.',
        )
    return ask_id, await run.decide(ask_id, message)
