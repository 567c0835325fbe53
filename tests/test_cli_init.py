"""`cdp-agent config init`: finds a model, tries it, writes it down. Local servers are played by the test's own."""

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.cli import main
from cdp_agent.cli.flags import SETTINGS
from cdp_agent.cli.subcommands.init import Ask, LocalServer, set_up
from cdp_agent.config.file import ConfigFile
from cdp_agent.errors import SetupError

NOWHERE = LocalServer("LM Studio", "lmstudio", "http://127.0.0.1:9")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConfigFile:
    for setting in SETTINGS.values():
        for name in setting.variables:
            monkeypatch.delenv(name, raising=False)
    return ConfigFile.read(tmp_path / "config.toml")


@pytest.fixture
def vllm(httpserver: HTTPServer) -> LocalServer:
    """A server with two models, of which the first one answers."""
    address = httpserver.url_for("").rstrip("/")
    httpserver.expect_request("/v1/models").respond_with_json({"data": [{"id": "small"}, {"id": "large"}]})
    chunk = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "ready"}, "finish_reason": "stop"}]}
    httpserver.expect_request("/v1/chat/completions").respond_with_data(
        f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", content_type="text/event-stream"
    )
    return LocalServer("vLLM", "openai-compatible", address)


def answering(*answers: str) -> tuple[Ask, list[tuple[str, bool]]]:
    """Answers one question after the other; and the questions."""
    left, asked = list(answers), list[tuple[str, bool]]()

    def ask(question: str, hidden: bool) -> str:
        asked.append((question, hidden))
        return left.pop(0)

    return ask, asked


def test_a_running_server_is_taken_without_a_question(
    file: ConfigFile, vllm: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_up(file, yes=True, servers=[NOWHERE, vllm]) == 0

    assert file.path.read_text() == f'model = "openai-compatible/small"\nbase_url = "{vllm.address}/v1"\n'
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("openai-compatible/small answers, in ")
    assert told[0].endswith(": ready")
    assert told[1].startswith(f"Wrote {file.path}.")


def test_the_user_chooses_server_and_model(
    file: ConfigFile, vllm: LocalServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ask, asked = answering("", "large")

    assert set_up(file, yes=False, ask=ask, servers=[vllm]) == 0

    assert file.path.read_text() == f'model = "openai-compatible/large"\nbase_url = "{vllm.address}/v1"\n'
    assert asked == [("Which one? [1] ", False), ("Which model? [small] ", False)]
    assert capsys.readouterr().out.startswith(f"  1  vLLM at {vllm.address} (small, large)\n  2  another provider\n")


def test_the_key_of_another_provider_is_asked_for_unseen_and_kept(file: ConfigFile, vllm: LocalServer) -> None:
    ask, asked = answering("1", "openai-compatible", f"{vllm.address}/v1", "small", "sk-123")

    assert set_up(file, yes=False, ask=ask, servers=[]) == 0

    assert asked[-1] == ("Its key, which is not shown (nothing: it needs none): ", True)
    assert [hidden for _, hidden in asked] == [False, False, False, False, True]
    assert file.path.read_text() == (
        f'model = "openai-compatible/small"\nbase_url = "{vllm.address}/v1"\nopenai_compatible_api_key = "sk-123"\n'
    )
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_a_key_of_the_environment_stays_there(
    file: ConfigFile, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-env")
    ask, asked = answering("1", "m", "n")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # nothing of this test gets out

    assert set_up(file, yes=False, ask=ask, servers=[]) == 4

    told = capsys.readouterr().out
    assert "  1  openrouter: OPENROUTER_API_KEY is set\n" in told
    assert [question for question, _ in asked] == ["Which one? [1] ", "Which model? ", "Write it all the same? [y/N] "]
    assert "sk-env" not in told
    assert not file.path.exists()


def test_what_does_not_answer_is_written_only_if_the_user_insists(file: ConfigFile) -> None:
    ask, _ = answering("1", "openai-compatible", "http://127.0.0.1:9/v1", "m", "", "y")

    assert set_up(file, yes=False, ask=ask, servers=[]) == 0
    assert file.path.read_text() == 'model = "openai-compatible/m"\nbase_url = "http://127.0.0.1:9/v1"\n'


def test_an_old_address_goes_with_the_old_model(file: ConfigFile) -> None:
    file.path.write_text('# mine\nbase_url = "http://old"\nmax_steps = 9\n')
    ask, _ = answering("1", "lmstudio", "m", "", "y")

    assert set_up(ConfigFile.read(file.path), yes=False, ask=ask, servers=[]) == 0
    assert file.path.read_text() == '# mine\nmax_steps = 9\nmodel = "lmstudio/m"\n'


def test_with_nothing_to_be_found_it_says_what_to_do(file: ConfigFile) -> None:
    with pytest.raises(SetupError) as caught:
        set_up(file, yes=True, servers=[NOWHERE])

    assert str(caught.value) == (
        "Found no server of models on this machine, and no key of a provider in the environment.\n"
        "To set a model up: `cdp-agent config set model openai/NAME`\n"
        "and its key, which is asked for or piped in: `cdp-agent config set openai_api_key`\n"
        "On a terminal, `cdp-agent config init` asks for all of it."
    )


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["7"], "'7' is not one of 1 to 1."),
        (["1", "nobody"], "There is no provider 'nobody'."),
        (["1", "lmstudio", ""], "No model was named: see what lmstudio has, and begin again."),
    ],
    ids=["choice", "provider", "model"],
)
def test_a_wrong_answer_ends_it(file: ConfigFile, answers: list[str], message: str) -> None:
    ask, _ = answering(*answers)

    with pytest.raises(SetupError) as caught:
        set_up(file, yes=False, ask=ask, servers=[])

    assert str(caught.value).startswith(message)
    assert not file.path.exists()


@pytest.fixture
def environment(file: ConfigFile) -> dict[str, str]:
    return {**os.environ, "CDP_AGENT_CONFIG": str(file.path)}


def test_off_a_terminal_it_asks_nothing(
    file: ConfigFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CDP_AGENT_CONFIG", str(file.path))
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        status = main(["config", "init"])

    assert status == 2
    assert "`cdp-agent config set model " in capsys.readouterr().out
    assert not file.path.exists()


def test_on_a_terminal_it_asks(environment: dict[str, str], file: ConfigFile, vllm: LocalServer) -> None:
    ours, terminal = pty.openpty()
    command = [sys.executable, "-m", "cdp_agent", "config", "init"]
    with subprocess.Popen(command, env=environment, stdin=terminal, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown = read_until(ours, "Which one? [1] ")
        another = re.findall(r"(\d+)  another provider", shown)[0]
        for answer, question in (
            (another, "Which provider? "),
            ("openai-compatible", "Where is its server? "),
            (f"{vllm.address}/v1", "Which model? "),
            ("small", "it needs none): "),
            ("sk-123", "Wrote "),
        ):
            os.write(ours, f"{answer}\n".encode())
            shown += read_until(ours, question)
        assert process.wait(20) == 0
    os.close(ours)

    assert "sk-123" not in shown
    assert 'openai_compatible_api_key = "sk-123"' in file.path.read_text()


def read_until(terminal: int, text: str) -> str:
    """What the terminal shows, up to this text."""
    shown = ""
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], 20)
        assert ready, shown
        shown += os.read(terminal, 1000).decode()
    return shown
