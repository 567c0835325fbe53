"""`cdp-agent trace html FOLDER` and `trace zip FOLDER`: convert the folder of a trace for viewing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cdp_agent.cli.argument_parser import Parser
from cdp_agent.cli.names import OWN
from cdp_agent.cli.status import DONE
from cdp_agent.errors import SetupError
from cdp_agent.trace.html import write_html
from cdp_agent.trace.playwright import write_zip


def show_trace(words: Sequence[str]) -> int:
    """Writes the file, and prints its path; returns the exit status. Raises SetupError."""
    parser = Parser("trace", OWN["trace"][1], "%(prog)s html|zip FOLDER [FOLDER] [options]")
    parser.add_argument(
        "form",
        choices=["html", "zip"],
        metavar="html|zip",
        help="a self-contained page, or a file for Playwright's trace viewer",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder given to --trace, or one inside it")
    parser.add_argument("other", type=Path, nargs="?", metavar="[FOLDER]", help="another run to show beside it")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="PATH", help="the file to write (default: run.html or trace.zip)"
    )
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures out")
    args = parser.read(words)
    if args.form == "zip" and args.other is not None:
        raise SetupError("trace zip takes one FOLDER: the viewer shows one run.")
    output = args.output or Path("run.html" if args.form == "html" else "trace.zip")
    if args.form == "zip":
        write_zip(args.folder, output)
    else:
        write_html(args.folder, output, other=args.other, pictures=not args.no_pictures)
    print(output)
    return DONE
