"""The options of an agent, which are written once: as the fields of `AgentOptions`."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import msgspec
import pytest

from cdp_agent import Agent, Config, Limits, Patience, sync
from cdp_agent.agent.base.agent_settings import AgentSettings
from cdp_agent.agent.base.options import AgentOptions, Options, SharedOptions
from cdp_agent.agent.state.checkpoint import FILE, load
from cdp_agent.browser.browser import Browser
from cdp_agent.errors import SetupError


@pytest.mark.parametrize("kind", [Agent, sync.Agent], ids=["async", "sync"])
def test_the_keywords_of_an_agent_are_the_fields_of_its_options(kind: type) -> None:
    first, *keywords = inspect.signature(kind).parameters.values()

    assert first.name == "browser"
    assert [each.name for each in keywords] == list(AgentOptions.__struct_fields__)
    assert [each.default for each in keywords] == [each.default for each in msgspec.structs.fields(AgentOptions)]


async def test_a_keyword_that_is_none_is_refused(browser: Browser) -> None:
    with pytest.raises(TypeError, match="modell"):
        Agent(browser, modell="ollama/m")  # type: ignore[call-arg]  # that is tested


def test_an_option_that_is_a_setting_is_one_by_its_name() -> None:
    assert set(AgentSettings.__struct_fields__) < set(Config.__struct_fields__)


def test_options_are_shown_without_keys() -> None:
    options = AgentOptions(model="openai/m", api_key="sk-123", secrets={"pin": "1234"})

    assert repr(options) == "AgentOptions(model='openai/m', planner=None)"


def test_a_run_has_the_options_in_the_form_in_which_they_are_saved(tmp_path: Path) -> None:
    options = AgentOptions(
        model="openai/m",
        api_key="sk-123",
        vision=True,
        limits=Limits(max_steps=3),
        patience=Patience(attempts=1),
        allow=["a.example"],
        upload_folders=[str(tmp_path / "x" / "..")],
        prices="prices.json",
        trace=tmp_path,
    )

    of_run = options.of_run()

    assert of_run == Options(
        model="openai/m",
        vision=True,
        limits=Limits(max_steps=3),
        patience=Patience(attempts=1),
        allow=("a.example",),
        upload_folders=(os.path.realpath(tmp_path),),
        prices=Path("prices.json"),
        trace=tmp_path,
    )
    assert b"sk-123" not in msgspec.json.encode(of_run, enc_hook=os.fspath)
    assert set(SharedOptions.__struct_fields__) <= set(Options.__struct_fields__)


def test_a_checkpoint_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"format": 1}')

    with pytest.raises(SetupError, match=r"run\.json cannot be read: .*format"):
        load(tmp_path)
