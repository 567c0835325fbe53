"""`cdp-agent serve`: runs and sessions over HTTP, until Ctrl-C."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Sequence

import msgspec

from cdp_agent.cli.argument_parser import Parser, port_number
from cdp_agent.cli.caller import Streams
from cdp_agent.cli.flags import FOR_DEBUGGING, FOR_OUTPUT, SETTINGS, add_settings, loaded
from cdp_agent.cli.status import DONE
from cdp_agent.cli.terminal.log import logged
from cdp_agent.config import Config
from cdp_agent.extras import missing_extra
from cdp_agent.security.http_guard import hosts_of
from cdp_agent.session.memory import give_memory_back

DEFAULT_PORT = 8765
_EXCLUDED_SETTINGS = {"url", "data", "answer_schema", "checkpoint", "tab", "save_storage_state", "approve"} | (
    FOR_OUTPUT - FOR_DEBUGGING - {"trace"}
)
_SHOWN = ("model", "max_runs")


def serve(words: Sequence[str]) -> int:
    """Serves until a signal stops it; returns the exit status. Raises SetupError, BrowserError."""
    parser = Parser("serve", "Serve runs and sessions over HTTP.", "%(prog)s [options]", more="server")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="HOST", help="the address to listen on (default: 127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"the port; 0 for any free one (default: {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--token",
        metavar="TOKEN",
        help="the token that callers must send; CDP_AGENT_SERVER_TOKEN keeps it hidden",
    )
    add_settings(parser, SETTINGS.keys() - _EXCLUDED_SETTINGS, shown=_SHOWN)
    args = parser.read(words)
    config = loaded(args).config
    if args.token is not None:
        config = msgspec.structs.replace(config, server_token=args.token)
    if any(importlib.util.find_spec(each) is None for each in ("starlette", "uvicorn", "httptools")):
        raise missing_extra("The server needs more than is installed", "server")
    with logged(config, Streams()):
        give_memory_back()
        asyncio.run(_serve(config, args.host, args.port))
    return DONE


async def _serve(config: Config, host: str, port: int) -> None:
    from cdp_agent.server.app import AgentApp  # late: Starlette and uvicorn are an extra
    from cdp_agent.server.options import ServerOptions
    from cdp_agent.server.serving import HttpServer, address_of, check_token, listening_at

    check_token(config.server_token, host, "--host 127.0.0.1")
    options = ServerOptions(
        token=config.server_token,
        hosts=(*hosts_of(host), *config.server_hosts),
        origins=config.server_origins,
        max_runs=config.max_runs,
        max_sessions=config.max_sessions,
        models=config.caller_models,
        caller_keys=config.caller_keys,
        webhooks=config.webhooks,
        webhook_secret=config.webhook_secret,
        session_idle_s=config.idle,
    )
    app = AgentApp(config, options)
    with listening_at(host, port) as listener:
        try:
            await app.browsers.open()  # so that a missing Chrome is reported at the start
        except BaseException:
            await app.browsers.close()
            raise
        print(f"cdp-agent serves at {address_of(host, listener)}", file=sys.stderr, flush=True)
        await HttpServer(app).serve([listener])
