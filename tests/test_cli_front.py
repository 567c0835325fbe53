"""The way of a command to the process of its session: what every command waits for."""

from __future__ import annotations

import subprocess
import sys


def test_a_command_imports_little_before_it_reaches_its_session() -> None:
    program = "import sys; before = {*sys.modules}; import cdp_agent.cli.front; print(*{*sys.modules} - before)"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)

    imported = {each.partition(".")[0] for each in told.stdout.split()}
    ours = {each for each in told.stdout.split() if each.startswith("cdp_agent.")}

    assert not imported & {"typing", "argparse", "asyncio", "logging", "msgspec", "pathlib", "subprocess"}
    assert ours == {
        *("cdp_agent.cli", "cdp_agent.cli.front", "cdp_agent.cli.status", "cdp_agent.cli.words"),
        *("cdp_agent.errors", "cdp_agent.session", "cdp_agent.session.client", "cdp_agent.session.runtime"),
    }
