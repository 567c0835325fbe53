"""`cdp-agent trace html FOLDER`: what is made of the folder of a trace, to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.names import OWN
from cdp_agent.cli.status import DONE
from cdp_agent.trace.html import write_html


def show_trace(words: Sequence[str]) -> int:
    """Writes what is asked for, and prints where it is; the exit status. Raises SetupError."""
    parser = Parser("trace", OWN["trace"][1], "%(prog)s html FOLDER [FOLDER] [options]")
    parser.add_argument("form", choices=["html"], metavar="html", help="one page that needs no other file")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="that was given with --trace, or one in it")
    parser.add_argument("other", type=Path, nargs="?", metavar="FOLDER", help="a run to show beside the first")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("run.html"), metavar="PATH", help="(default: run.html)"
    )
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures out")
    found = parser.read(words)
    write_html(found.folder, found.output, other=found.other, pictures=not found.no_pictures)
    print(found.output)
    return DONE
