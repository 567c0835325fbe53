"""The tools over the Model Context Protocol; needs the extra `mcp`. It adds nothing that the other interfaces lack.

A Session makes the calls; here they are only translated to and from the protocol. `server(session)` is for programs,
the command `cdp-agent mcp` for everybody else. `calls`, `asking` and `hosted` do not import the SDK: the process that
holds the sessions uses them, too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from cdp_agent.mcp.serving import server as server


def __getattr__(name: str) -> object:
    if name != "server":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cdp_agent.mcp.serving import server  # late: the SDK takes 0.6 s

    return server
