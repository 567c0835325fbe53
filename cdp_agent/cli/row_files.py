"""Rows in the file that `--output` names, in the form that its suffix says.

Cells are written as the page has them: a spreadsheet may take one that begins with "=" as a formula.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.security import files
from cdp_agent.tools.as_csv import as_csv
from cdp_agent.tools.rows import Rows

_SUFFIXES = (".csv", ".jsonl", ".json")
OUTPUT: Mapping[str, Any] = {"metavar": "FILE", "help": f"rows as {', '.join(_SUFFIXES)}"}
ANY_ROWS = {"type": "array", "items": {"type": "object"}}


def output_path(path: str | None, folder: str) -> Path | None:
    """The file that is named. Raises SetupError if its suffix does not say how to write it."""
    if path is None:
        return None
    whole = Path(os.path.abspath(os.path.join(folder, os.path.expanduser(path))))
    if whole.suffix.lower() not in _SUFFIXES:
        raise SetupError(
            f"{path}: rows are written as {', '.join(_SUFFIXES)}, which the name of the file has to end in."
        )
    return whole


def schema_for(path: Path | None, schema: object) -> object:
    """The schema of an answer whose rows go to the file; a list of objects, if none is given.

    Raises SetupError for a schema that is not for rows, unless the file takes any JSON.
    """
    if path is None:
        return schema
    from cdp_agent.agent.rows.fitting import takes_rows  # late: its patterns take 80 ms

    if isinstance(schema, dict) and path.suffix.lower() != ".json" and not takes_rows(schema):
        raise SetupError(f"{path.name} takes a list of rows, and the schema is for something else: give a .json file.")
    return ANY_ROWS if schema is None else schema


def write_rows(path: Path, rows: Rows | None, content: object) -> str:
    """Writes the rows, or all of the content as .json; returns how many there are and where. Raises SetupError."""
    suffix = path.suffix.lower()
    if suffix == ".json" and content is not None:
        text = msgspec.json.format(msgspec.json.encode(content), indent=1).decode()
    elif rows is None:
        raise SetupError(f"{path} was not written: there is no single list of rows to write.")
    elif suffix == ".csv":
        text = as_csv(rows.columns, rows.rows)
    else:
        text = "\n".join(msgspec.json.encode(row).decode() for row in rows.rows)
    try:
        files.write(path, f"{text}\n".encode())
    except OSError as error:
        raise SetupError(f"{path} was not written: {error.strerror or error}.") from error
    if rows is None:
        return str(path)
    return f"{len(rows.rows):,} row{'' if len(rows.rows) == 1 else 's'} → {path}"
