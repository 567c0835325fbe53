"""cdp_agent: a web-agent runtime that speaks the Chrome DevTools Protocol itself. The public names.

They are imported when they are first used, so that importing the package costs next to nothing. Exceptions are in
`cdp_agent.errors`, events in `cdp_agent.events`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdp_agent.agent.agent import Agent as Agent
    from cdp_agent.agent.base.task import Limits as Limits
    from cdp_agent.browser.browser import Browser as Browser
    from cdp_agent.config.settings import Config as Config
    from cdp_agent.events import Event as Event
    from cdp_agent.outcome import AgentResult as AgentResult
    from cdp_agent.page.page import Page as Page
    from cdp_agent.page.snapshot.snapshot import Snapshot as Snapshot
    from cdp_agent.security.secrets import Secret as Secret
    from cdp_agent.security.secrets import Totp as Totp
    from cdp_agent.steps.approval.policy import Rule as Rule
    from cdp_agent.steps.approval.policy import Rules as Rules
    from cdp_agent.tools.base import Answer as Answer
    from cdp_agent.tools.base import Arguments as Arguments
    from cdp_agent.tools.base import Context as Context
    from cdp_agent.tools.base import Observation as Observation
    from cdp_agent.tools.base import Ref as Ref
    from cdp_agent.tools.base import Tool as Tool
    from cdp_agent.tools.base import tool as tool

_MODULES = {
    "Agent": "agent.agent",
    "AgentResult": "outcome",
    "Answer": "tools.base",
    "Arguments": "tools.base",
    "Browser": "browser.browser",
    "Config": "config.settings",
    "Context": "tools.base",
    "Event": "events",
    "Limits": "agent.base.task",
    "Observation": "tools.base",
    "Page": "page.page",
    "Ref": "tools.base",
    "Rule": "steps.approval.policy",
    "Rules": "steps.approval.policy",
    "Secret": "security.secrets",
    "Snapshot": "page.snapshot.snapshot",
    "Tool": "tools.base",
    "Totp": "security.secrets",
    "tool": "tools.base",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version  # takes 20 ms

        return version("cdp-agent")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
