"""Calling tools in a browser: the single entry point for calls, and the process that keeps the browser between calls.

Imports `tools` and the layers below. The command line, the agent and every server are above it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cdp_agent.session.calls import ToolError as ToolError
    from cdp_agent.session.calls import ToolOutcome as ToolOutcome
    from cdp_agent.session.session import Session as Session


def __getattr__(name: str) -> object:
    if name not in ("Session", "ToolError", "ToolOutcome"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cdp_agent.session import calls, session  # late: a command that only asks the host does not need it

    return getattr(session if name == "Session" else calls, name)
