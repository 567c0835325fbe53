"""A person at a terminal beside a run: questions, forms with hidden passwords, and taking the page over."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.browser import Browser
from cdp_agent.cli.terminal.approving import Terminal
from cdp_agent.cli.terminal.interactive import Interactive, with_window
from cdp_agent.cli.terminal.lines import Lines
from cdp_agent.config import Config
from cdp_agent.config.sources import Loaded
from cdp_agent.decisions import (
    Ask,
    Continue,
    Decision,
    Decline,
    Fill,
    FormField,
    FormRequested,
    Paused,
    QuestionAsked,
    Respond,
    Stop,
    UserAnswer,
    UserAsk,
)
from cdp_agent.page.page import Page
from cdp_agent.steps.approval.approval import ApprovalQueue
from fixtures.replay import ReplayServer, tool_call
from tests.agents import SHOP, WAIT, said, scripted
from tests.commands import Cli, OtherEnd
from tests.conftest import Serve
from tests.desktop import desktop

QUESTION = QuestionAsked(id=1, question="Which tea?", options=["green", "black"])
FORM = FormRequested(
    id=1,
    description="Your account",
    url="https://shop.example/",
    origins=["https://shop.example", "https://pay.example"],
    fields=[
        FormField(ref="E1", label="Name", required=True),
        FormField(ref="E2", label="Password", field_type="password"),
        FormField(ref="E3", label="Country", field_type="select", options=["Norway", "Sweden"]),
        FormField(ref="E4", label="News", field_type="checkbox"),
    ],
)
PAUSED = Paused(id=1, url="https://shop.example/", title="Shop")


class Person:
    """Types into a terminal, line by line, whenever the prompt that ends so is shown; `seen` is all of its screen."""

    def __init__(self) -> None:
        self.typing, self.terminal = os.openpty()
        self.lines = Lines(self.terminal)
        self.seen = ""
        self._answers: list[str] = []

    def write(self, text: str) -> int:
        """What the program shows; a prompt is what does not end its line."""
        self.seen += text
        if not text.endswith("\n") and self._answers:
            os.write(self.typing, f"{self._answers.pop(0)}\n".encode())
        return len(text)

    def flush(self) -> None: ...

    async def decides(self, ask: Ask, *answers: str) -> Decision:
        self._answers = list(answers)
        desk = ApprovalQueue(Terminal(self.lines, self), timeout_s=10)  # type: ignore[arg-type]  # all of it that is used
        assert desk.next_id == ask.id
        return await desk.decide(ask)


@pytest.fixture
def person() -> Iterator[Person]:
    someone = Person()
    yield someone
    os.write(someone.typing, b"\n")  # for the thread that reads to end
    os.close(someone.typing)


@pytest.mark.parametrize(
    ("ask", "typed", "decision"),
    [
        (QUESTION, ["the white one"], Respond("the white one")),
        (QUESTION, ["2"], Respond("black")),
        (QUESTION, [""], Decline()),
        (FORM, ["n"], Decline()),
        (FORM, ["q"], Stop()),
        (
            FORM,
            ["y", "", "Ada", "kiwi 77", "3", "2", "y"],
            Fill({"E1": "Ada", "E2": "kiwi 77", "E3": "Sweden", "E4": True}),
        ),
        (FORM, ["y", "Ada", "", "", ""], Fill({"E1": "Ada"})),
        (PAUSED, [""], Continue()),
        (PAUSED, ["go on"], Continue()),
        (PAUSED, ["I have logged in"], Continue("I have logged in")),
        (PAUSED, ["q"], Stop()),
    ],
)
async def test_what_a_person_types_is_what_is_decided(
    person: Person, ask: Ask, typed: list[str], decision: Decision
) -> None:
    assert await person.decides(ask, *typed) == decision


async def test_a_form_says_where_its_values_can_get_to(person: Person) -> None:
    await person.decides(FORM, "n")

    assert "Your account on https://shop.example/" in person.seen
    assert "can also get to https://pay.example" in person.seen


async def test_a_password_is_not_seen_as_it_is_typed(person: Person) -> None:
    await person.decides(FORM, "y", "Ada", "kiwi 77", "", "")

    os.set_blocking(person.typing, False)
    echoed = os.read(person.typing, 10_000).decode()
    assert "Ada" in echoed
    assert "kiwi" not in echoed


async def test_p_and_ctrl_c_have_the_run_wait_and_a_second_one_ends_it(person: Person) -> None:
    heard: list[str] = []
    paused = asyncio.Event()

    def pause() -> None:
        heard.append("pause")
        paused.set()

    beside = Interactive(person.lines, person)  # type: ignore[arg-type]  # see above
    async with beside.watching(pause, lambda: None):
        os.write(person.typing, b"p\n")
        async with asyncio.timeout(10):
            await paused.wait()
        beside.handle_interrupt(lambda: heard.append("stop"))

    assert heard == ["pause", "stop"]


@pytest.mark.parametrize(
    ("environment", "sources", "headless"),
    [({"DISPLAY": ":0"}, {}, False), ({}, {}, True), ({"DISPLAY": ":0"}, {"headless": "--headless"}, True)],
    ids=["a display", "none", "said otherwise"],
)
def test_a_window_is_opened_where_there_is_a_display(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], sources: dict[str, str], headless: bool
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")

    assert with_window(Loaded(Config(), sources), environment).config.headless is headless


async def test_the_model_is_told_what_the_user_did_meanwhile(browser: Browser, page: Page, serve: Serve) -> None:
    pause = asyncio.Event()
    pause.set()
    asks: list[UserAsk] = []

    async def ask_user(ask: UserAsk) -> UserAnswer:
        asks.append(ask)
        await page.evaluate("document.querySelector('p').textContent = 'Logged in as Ada'")
        return "I have logged in"

    replies = [WAIT, tool_call("done", {"result": "Logged in as Ada"})]
    url = serve(SHOP)
    with scripted(browser, replies, ask_user=ask_user) as (agent, server):
        result = await agent.run("Log in", url=url, page=page, pause=pause)

    assert result.success
    assert not pause.is_set()
    assert [type(ask) for ask in asks] == [Paused]
    assert "The user says: I have logged in" in said(server, 1)
    assert "Logged in as Ada" in said(server, 1).partition("The user says")[2]


# With NOFLSH, or what was shown and not read yet would be lost at a Ctrl-C.
IN_A_TERMINAL = """import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
mode = termios.tcgetattr(0)
mode[3] |= termios.NOFLSH
termios.tcsetattr(0, termios.TCSANOW, mode)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"""


@contextmanager
def at_a_terminal(environment: dict[str, str], *words: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command with a terminal of its own, where Ctrl-C is a signal, and the person's end of that."""
    command = [sys.executable, "-c", IN_A_TERMINAL, "-m", "cdp_agent", *words]
    ours, terminal = os.openpty()
    with subprocess.Popen(
        command, env=environment, stdin=terminal, stdout=subprocess.PIPE, stderr=terminal, start_new_session=True
    ) as process:
        os.close(terminal)
        try:
            yield process, ours
        finally:
            process.kill()
            os.close(ours)


class Screen:
    """What a program shows at a terminal, of which this is the person's end."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._unread = b""

    def until(self, words: str) -> str:
        """What is shown up to these words, from where the last call ended."""
        while words.encode() not in self._unread:
            self._unread += os.read(self._terminal, 4096)
        seen, ended, self._unread = self._unread.partition(words.encode())
        return (seen + ended).decode()

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())


@pytest.mark.chrome
def test_a_run_at_a_terminal_asks_pauses_and_goes_on(attached: Cli, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/").respond_with_data(
        "<title>Log in</title><label>Key <input type=password></label><p>x</p>", content_type="text/html"
    )
    fields = [{"ref": "{{ref:textbox Key}}", "label": "Key"}]
    replies = [
        tool_call("wait", {"seconds": 2}),
        tool_call("ask_user", {"question": "Which tea?"}),
        tool_call("request_user_data", {"form_description": "The account", "fields": fields}),
        tool_call("done", {"result": "Green."}),
    ]
    seen = list[str]()
    with ReplayServer(replies=replies) as server:
        words = ["run", "Log in", "--url", httpserver.url_for("/"), "--model", "openai-compatible/scripted"]
        words += ["--base-url", server.base_url, "-i"]
        ours, terminal = os.openpty()

        def answer(run: OtherEnd) -> None:
            screen = Screen(ours)
            screen.until("wait 2")
            screen.type("p\n")
            screen.until("go on> ")
            screen.type("I looked around\n")
            screen.until("Answer (nothing to decline)> ")
            screen.type("green\n")
            screen.until("[q]uit: ")
            screen.type("y\n")
            screen.until("Key: ")
            screen.type("kiwi 77\n")
            seen.append(screen.until("steps, "))
            seen.extend(run.stdout)

        assert attached.beside(answer, *words, terminal=terminal) == 0
        os.close(ours)

    assert "The user filled in E" in seen[0]
    assert "kiwi" not in seen[0]
    assert seen[1:] == ["Green.\n"]
    assert "The user says: I looked around" in said(server, 2)


@pytest.mark.chrome
def test_steps_at_a_terminal_are_paused_by_ctrl_c_and_ended_by_a_second_one(
    attached: Cli, httpserver: HTTPServer, tmp_path: Path
) -> None:
    httpserver.expect_request("/").respond_with_data("<title>Shop</title><button>Go</button>", content_type="text/html")
    (tmp_path / "steps.txt").write_text("Wait 2 seconds\nClick Go\nWait 30 seconds\n")
    words = ["do", str(tmp_path / "steps.txt"), "--url", httpserver.url_for("/"), "-i"]
    with at_a_terminal(attached.environment, *words) as (process, terminal):
        screen = Screen(terminal)
        screen.until("Wait 2 seconds")
        screen.type("\x03")
        screen.until("It waits for you after this step.")
        screen.until("go on> ")
        screen.type("\n")
        screen.until("clicked E")
        screen.until("Wait 30 seconds")
        screen.type("\x03")
        screen.until("Ctrl-C again ends it.")
        screen.type("\x03")
        screen.until("steps, ")

        assert process.wait(20) == 130


FIELDS = [{"ref": "{{ref:textbox Key}}", "label": "Key"}]
ASKED = [
    tool_call("ask_user", {"question": "Which tea?"}),
    tool_call("request_user_data", {"form_description": "The account", "fields": FIELDS}),
    tool_call("done", {"result": "Green."}),
]


@pytest.fixture
def log_in(httpserver: HTTPServer) -> str:
    httpserver.expect_request("/").respond_with_data(
        "<title>Log in</title><label>Key <input type=password></label>", content_type="text/html"
    )
    return httpserver.url_for("/")


@pytest.mark.chrome
def test_a_program_answers_fills_in_and_pauses_by_json_lines_in_a_session(attached: Cli, log_in: str) -> None:
    with ReplayServer(replies=ASKED) as server:
        asking = ["run", "Log in", "--url", log_in, "--approve", "jsonl", "--session", "lines"]
        model = ["--model", "openai-compatible/scripted", "--base-url", server.base_url]
        kinds, lines = list[str](), list[str]()

        def answer(run: OtherEnd) -> None:
            for line in run.stdout:
                lines.append(line)
                if (ask := json.loads(line).get("ask")) is not None:
                    kinds.append(ask["type"])
                    for said in answers_to(ask):
                        run.stdin.write(json.dumps(said) + "\n")

        assert attached.beside(answer, *asking, *model) == 0

    assert kinds == ["question", "paused", "form"]
    assert json.loads(lines[-1])["answer"] == "Green."
    assert "kiwi 77" not in json.dumps(server.turns) + "".join(lines)
    assert "The user says: I looked around" in str(server.turns[1]["messages"])


@pytest.mark.chrome
def test_a_program_answers_and_fills_in_by_json_lines_in_a_chrome_of_the_runs_own(attached: Cli, log_in: str) -> None:
    said = [
        {"id": 1, "decision": "answer", "text": "green"},
        {"id": 2, "decision": "fill", "values": {"E1": "kiwi 77"}},
    ]
    with ReplayServer(replies=ASKED) as server:
        asking = ["run", "Log in", "--url", log_in, "--approve", "jsonl", "--once"]
        model = ["--model", "openai-compatible/scripted", "--base-url", server.base_url]
        done = attached.here(*asking, *model, typed="".join(json.dumps(each) + "\n" for each in said))

    *asked, result = map(json.loads, done.stdout.splitlines())
    assert [each["ask"]["type"] for each in asked] == ["question", "form"]
    assert result["answer"] == "Green."
    assert "The user filled in E1" in str(server.turns)
    assert "kiwi 77" not in json.dumps(server.turns) + done.stdout


def answers_to(ask: Any) -> list[dict[str, Any]]:
    match ask["type"]:
        case "question":
            return [{"pause": True}, {"id": ask["id"], "decision": "answer", "text": "green"}]
        case "paused":
            return [{"id": ask["id"], "decision": "continue", "text": "I looked around"}]
        case _:
            return [{"id": ask["id"], "decision": "fill", "values": {ask["fields"][0]["ref"]: "kiwi 77"}}]


@pytest.mark.chrome
@pytest.mark.whole_chrome
def test_a_window_is_opened_in_which_a_person_sees_the_page_of_a_run(cli: Cli, serve: Serve) -> None:
    """What the model is told of what they do in it: above, and in test_server_pausing.py."""
    with desktop() as screen_of:
        cli.environment |= screen_of
        cli.here("chrome", "start", "--headed")
        cli.here("open", serve(SHOP))
        seen = cli.here("evaluate", "document.visibilityState === 'visible' && outerWidth > 0").stdout
        cli.end()  # before its desktop does

    assert seen == "true\n"
