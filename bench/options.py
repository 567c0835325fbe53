"""What the benchmarks have in common on the command line: rounds, --json FILE, pages, --check."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec


def options(doc: str | None, *, rounds: int = 0, check: bool = False) -> argparse.ArgumentParser:
    """A parser with --json, and with --rounds and --check where they are asked for."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    if rounds:
        parser.add_argument("--rounds", type=int, default=rounds, help=f"how often each is measured; else {rounds}")
    if check:
        parser.add_argument("--check", action="store_true", help="exit with 1 when a figure is below what we claim")
    return parser


def keep(result: msgspec.Struct | Sequence[msgspec.Struct], file: Path | None) -> None:
    """Writes the figures where --json says."""
    if file is not None:
        file.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def finish(below: Sequence[str], *, check: bool) -> None:
    """Says what is below what we claim; ends with 1 for that if asked to."""
    for reason in below:
        print(f"below the mark: {reason}", file=sys.stderr)
    if check and below:
        sys.exit(1)
