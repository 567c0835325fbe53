"""The names that programs import, and what it costs to have them at hand."""

import subprocess
import sys

import pytest

import cdp_agent

NAMES = [
    "Agent",
    "AgentResult",
    "Answer",
    "Arguments",
    "Browser",
    "Config",
    "Context",
    "Event",
    "Limits",
    "Observation",
    "Page",
    "Ref",
    "Rule",
    "Rules",
    "Secret",
    "Snapshot",
    "Tool",
    "Totp",
    "tool",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(cdp_agent, name) is not None


def test_there_are_no_others() -> None:
    assert list(vars(cdp_agent)["_MODULES"]) == NAMES


def test_the_version_is_that_of_the_package() -> None:
    assert cdp_agent.__version__.count(".") == 2


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nobody'"):
        cdp_agent.Nobody  # noqa: B018


@pytest.mark.parametrize(
    "module",
    ["httpx", "jsonschema_rs", "xml", "regex", "argparse", "cdp_agent.security.masking", "cdp_agent.security.totp"],
)
def test_what_only_some_need_is_not_imported(module: str) -> None:
    program = f"from cdp_agent import Agent, Browser; import sys; sys.exit({module!r} in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
