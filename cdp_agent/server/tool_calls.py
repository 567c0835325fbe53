"""Tool calls over HTTP: in a session, or in the page of a run that waits for its user."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from cdp_agent.config import Config, endpoint_of
from cdp_agent.page.page import Page
from cdp_agent.providers.client import Client
from cdp_agent.security.origins import WEB_AND_DATA
from cdp_agent.security.secrets import Secrets
from cdp_agent.server.browsers import OpenedContext
from cdp_agent.server.files import HeldFiles
from cdp_agent.server.problems import decoded, no_model, not_found
from cdp_agent.server.streams import disconnected
from cdp_agent.session.calls import Call, InvalidCall, parse_call
from cdp_agent.session.leaving import unless
from cdp_agent.session.session import Session
from cdp_agent.tools import CALLABLE
from cdp_agent.tools.aliases import nearest
from cdp_agent.tools.picturing import why_not_written

_READS_SECRETS = (
    "A script could read the secrets, and tell them in a form in which they are not recognized. Do it with other "
    "tools, or open a session without secrets, or with allow_evaluate; beside secrets of the server, only its operator "
    "can allow scripts (--allow-evaluate)."
)


class ToolCaller:
    """Opens sessions for callers, and calls tools in them."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._model: Client | None = None

    def session(
        self,
        opened: OpenedContext,
        files: HeldFiles,
        secrets: Secrets,
        page: Page | None = None,
        *,
        allow_evaluate: bool = False,
    ) -> Session:
        """A session in this context, within what the server allows its callers; see Session.

        `allow_evaluate`: its caller wants scripts beside their own secrets.
        """
        may_read_secrets = self._config.allow_evaluate or (allow_evaluate and not self._config.secrets)

        async def refuse(call: Call, page: Page) -> str | None:
            if call.tool.effect == "script" and secrets and not may_read_secrets:
                return _READS_SECRETS
            return why_not_written(call.name, call.arguments, None)

        return Session(
            opened.browser,
            secrets=secrets,
            upload_folders=(str(files.given_folder), *map(str, self._config.upload_folders)),
            schemes=WEB_AND_DATA,
            approve=refuse,
            page=page,
        )

    async def answer(
        self, request: Request, call: Call | InvalidCall, session: Session, opened: OpenedContext
    ) -> Response:
        """Makes the call, and returns a `ToolAnswer`; cancelled when the client leaves. Raises HttpProblem."""
        if isinstance(call, Call) and call.tool.needs_model:
            call = msgspec.structs.replace(call, model=self._client())
        outcome = await unless(session.perform(call), disconnected(request.receive))
        if outcome is None:
            return Response()  # nobody reads it
        answer = opened.without_paths(msgspec.json.encode(outcome.as_json()))
        return Response(answer, media_type="application/json")

    def _client(self) -> Client:
        """A client for the model in the settings, for tools that ask one. Raises HttpProblem."""
        if self._config.model is None:
            raise no_model("This server has no model to ask.")
        if self._model is None:
            self._model = Client(endpoint_of(self._config))
        return self._model

    async def close(self) -> None:
        if self._model is not None:
            await self._model.close()


async def call_of(request: Request) -> Call | InvalidCall:
    """The call that a request asks for. Raises HttpProblem if there is no tool of that name."""
    name: str = request.path_params["name"]
    call = parse_call(name, decoded(await request.body(), dict[str, Any]), CALLABLE)
    if isinstance(call, Call):
        return msgspec.structs.replace(call, tab=request.query_params.get("tab"))
    if call.is_unknown:
        near = ", ".join(nearest(name, CALLABLE))
        raise not_found(
            f"There is no tool {name[:80]!r}.{f' The nearest: {near}.' if near else ''} GET /v1/tools lists them."
        )
    return call
