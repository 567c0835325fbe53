"""A model whose replies a policy decides: the agent's loop, requests and views are the real ones.

The policy is a coroutine, and the server answers from a thread of its own: each request of the agent goes to the
policy by one queue, and the call that the policy makes then goes back by another.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from queue import SimpleQueue
from typing import Any

from bench.evals.task import Play, Policy
from cdp_agent import Page
from cdp_agent.page.snapshot.budget import tokens
from fixtures.replay import PLAIN, ReplayServer, forced_tool, newest_page, reply, with_public_refs

_Call = tuple[str, dict[str, Any]]
_DONE: _Call = ("done", {"result": "Done."})
_STOPPED: _Call = ("abort", {"reason": "The run is over."})


class ScriptedModel(ReplayServer):
    """Answers requests for an action as the policy says, those for a plan or a verdict plainly.

    `problem`: what the policy raised, "" if nothing. Tokens are counted as
    `cdp_agent.page.snapshot.budget` does; cached are those with which the request before began, too.
    """

    def __init__(self) -> None:
        super().__init__(replies=[b"(the policy decides)"])
        self.problem = ""
        self._loop = asyncio.get_running_loop()
        self._asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._answer = _DONE
        self._ended: _Call | None = None
        self._before: dict[bool, list[str]] = {}
        """The texts of the last request for an action, and of the last other one."""

    def answer(self, request: dict[str, Any]) -> bytes:
        """Called in the thread of the request, which waits there for the policy."""
        forced = forced_tool(request)
        if forced in PLAIN:
            call = (forced, PLAIN[forced])
        elif self._ended is not None:
            call = self._ended
        else:
            self._loop.call_soon_threadsafe(self._asked.put_nowait, request)
            call = self._calls.get()
        return reply(call, tokens=self._counts(request, call))

    async def follow(self, policy: Policy, page: Page, utterance: str) -> None:
        """Runs the policy. What it raises ends the run as well, and is the `problem`."""
        play = Play(page, utterance, _view(await self._asked.get()), self._ask)
        try:
            await policy(play)
            self._end(self._answer)
        except Exception as error:  # noqa: BLE001  # a policy may fail in any way, and the table names it
            self.problem = f"{type(error).__name__}: {error}"
            self._end(("abort", {"reason": self.problem[:500]}))

    def stop(self) -> None:
        """Lets a request that waits for the policy end."""
        self._end(_STOPPED)

    async def _ask(self, tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
        call = (tool, arguments)
        if tool in ("done", "abort"):
            self._answer = call  # given again if it was not accepted
        self._calls.put(call)
        request = await self._asked.get()
        return _view(request), latest_result(request)

    def _end(self, call: _Call) -> None:
        self._ended = call
        self._calls.put(call)

    def _counts(self, request: dict[str, Any], call: _Call) -> tuple[int, int, int]:
        texts = [json.dumps(part, ensure_ascii=False) for part in (request.get("tools"), *request["messages"])]
        before = self._before.get(call[0] in PLAIN, [])
        self._before[call[0] in PLAIN] = texts
        same = next((at for at, (now, then) in enumerate(zip(texts, before, strict=False)) if now != then), len(before))
        counts = [tokens(text) for text in texts]
        return sum(counts), tokens(json.dumps(call)), sum(counts[:same])


def _view(request: dict[str, Any]) -> str:
    return with_public_refs(newest_page(request))


def latest_result(request: dict[str, Any]) -> str:
    """What the model is told after its last reply."""
    texts: list[str] = []
    for message in reversed(request["messages"]):
        if message["role"] == "assistant":
            break
        content = message.get("content") or ""
        texts.append(content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content))
    return "\n".join(reversed(texts))


@asynccontextmanager
async def scripted(policy: Policy, page: Page, utterance: str) -> AsyncIterator[ScriptedModel]:
    """The server of a model that does what the policy says, while the `with` lasts."""
    model = ScriptedModel()
    with model:
        following = asyncio.create_task(model.follow(policy, page, utterance))
        try:
            yield model
        finally:
            following.cancel()
            model.stop()
            await asyncio.gather(following, return_exceptions=True)
