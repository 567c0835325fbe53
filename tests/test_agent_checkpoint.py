"""A run whose process died goes on where it was."""

import os
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.agent.agent import Agent
from cdp_agent.agent.model import prompts
from cdp_agent.agent.state.checkpoint import FILE
from cdp_agent.browser import Browser
from cdp_agent.cdp import storage
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.types import Command
from cdp_agent.errors import ProtocolError, SetupError
from cdp_agent.events import AgentAction
from cdp_agent.page.page import Page
from fixtures.replay import ReplayServer, tool_call
from tests.agents import DONE, SHOP, play, result_of, scripted
from tests.conftest import Serve


async def test_a_run_goes_on_with_its_plan_its_history_its_page_and_the_type_of_its_answer(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    second = serve("<title>Second</title><p>Cookie:<script>document.write(document.cookie)</script>")
    first = serve(f"<title>First</title><a href='{second}'>Go</a>", headers={"Set-Cookie": "user=ada"})
    replies = [tool_call("click", {"ref": "{{ref:link Go}}"}), tool_call("wait", {"seconds": 9})]
    async with await browser.new_context() as before_it_died:
        with scripted(before_it_died, replies, checkpoint=tmp_path, guardrails="Do not buy.") as (agent, before):
            async with aclosing(agent.stream("Find tea", url=first, data={"n": 1}, answer=tuple[int, ...])) as stream:
                async for event in stream:
                    if isinstance(event, AgentAction) and event.action == "wait":
                        break

    async with await browser.new_context() as anew:
        with pytest.raises(SetupError, match="another form of its answer"):
            Agent.resume(anew, tmp_path, answer=str)
        with ReplayServer(replies=[tool_call("done", {"result": [1, 2]})]) as after:
            resumed = Agent.resume(anew, tmp_path, base_url=after.base_url, answer=tuple[int, ...])
            events = [event async for event in resumed]

    old, new = before.turns[0]["messages"], after.turns[0]["messages"]
    assert new[: len(old)] == old
    assert [message["role"] for message in new[len(old) :]] == ["assistant", "tool", "user"]
    assert new[-1]["content"] == (
        f"{prompts.resumed(at_page=True, missing=0)}\n\nThe page now:\n"
        f'<untrusted label="page">\nAddress: {second}\nTitle: Second\n\n- paragraph: Cookie:user=ada\n</untrusted>'
    )
    result = result_of(events)
    assert (result.success, result.stats.steps, result.answer) == (True, 2, (1, 2))
    assert not (tmp_path / FILE).exists()


async def test_no_ref_of_the_conversation_is_given_again(browser: Browser, page: Page, tmp_path: Path) -> None:
    replies = [tool_call("snapshot", {}), tool_call("wait", {"seconds": 9})]
    with scripted(browser, replies, checkpoint=tmp_path) as (agent, _):
        async with aclosing(agent.stream("Find tea", url="data:text/html,<button>Keep</button>", page=page)) as stream:
            async for event in stream:
                if isinstance(event, AgentAction) and event.action == "wait":
                    break
    browser._instance.ref_counter.next = 1  # as in another process

    with ReplayServer(replies=[DONE]) as after:
        async for _ in Agent.resume(browser, tmp_path, base_url=after.base_url):
            pass

    assert '- button "Keep" E2' in after.turns[0]["messages"][-1]["content"]


async def test_what_is_written_is_for_the_user_alone_and_has_no_key(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "folder"
    replies = [tool_call("abort", {"reason": "No."})]

    await play(browser, page, replies, content=SHOP, checkpoint=folder, api_key="sk-secret")

    assert (folder / FILE).stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "sk-secret" not in (folder / FILE).read_text()


async def test_a_folder_that_cannot_be_written_is_a_result(browser: Browser, page: Page, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    events, _ = await play(browser, page, [DONE], content=SHOP, checkpoint=tmp_path / "file")

    error = result_of(events).error
    assert error is not None
    assert (error.code, error.where) == ("failed", "task")
    assert "cannot be written" in error.message


async def test_a_folder_without_a_run_is_refused(browser: Browser, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="There is no run to go on with in"):
        Agent.resume(browser, tmp_path)

    (tmp_path / FILE).write_text("{}")
    with pytest.raises(SetupError, match="cannot be read: Object missing required field"):
        Agent.resume(browser, tmp_path)


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        ('{"model": ', 0o600, "Input data was truncated"),
        ('{"input_data": ' + "[" * 100_000, 0o600, "recursion"),
        ('{"next_ref": 1' + "0" * 30 + "}", 0o600, "next_ref"),
        ("{}", 0o666, "may have been written by somebody else"),
        (None, 0o600, "it is no file"),
    ],
    ids=["cut", "nested", "number", "of others", "pipe"],
)
async def test_a_checkpoint_that_was_tampered_with_is_refused(
    browser: Browser, tmp_path: Path, content: str | None, mode: int, why: str
) -> None:
    file = tmp_path / FILE
    if content is None:
        os.mkfifo(file)
    else:
        file.write_text(content)
    file.chmod(mode)

    with pytest.raises(SetupError, match=why):
        Agent.resume(browser, tmp_path)


async def test_a_run_that_was_done_leaves_nothing(browser: Browser, page: Page, tmp_path: Path) -> None:
    events, _ = await play(browser, page, [DONE], content=SHOP, checkpoint=tmp_path)

    assert result_of(events).success
    assert not (tmp_path / FILE).exists()


async def test_a_chrome_that_gives_up_its_contexts_ends_no_run(
    browser: Browser, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Session.send

    async def ending(session: Session, command: Command[Any]) -> Any:
        if isinstance(command, storage.GetCookies):
            raise ProtocolError(command.method, -32000, "Browser context management is not supported.")
        return await send(session, command)

    monkeypatch.setattr(Session, "send", ending)
    events, _ = await play(browser, page, [DONE], content=SHOP)

    assert result_of(events).success
