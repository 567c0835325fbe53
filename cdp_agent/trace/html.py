"""One self-contained HTML file of a run, or of two side by side: it needs no network and no other file.

Content of pages is data for the file's own script, which inserts it as text. A Content-Security-Policy in the file
allows no other script, and no loading.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.security import files
from cdp_agent.trace.options import truncate_texts
from cdp_agent.trace.reading import ShownLines, latest_run, lines_of

MOST_BYTES = 300_000
"""The maximum length of the file in bytes, without its pictures."""
_STATIC = Path(__file__).parent / "static"
_SCRIPTS = ("model.js", "answer.js", "render.js", "main.js")
_CUT = "… ({:,} characters more are in the folder of the trace)"
_PLACE = re.compile(r"\{\{([a-z]+)\}\}")
_LONGEST = (None, 20_000, 8_000, 3_000, 1_000, 300, 100)
"""The limits on the characters of each text, tried in order until the file is short enough."""


def write_html(folder: Path | str, path: Path | str, *, other: Path | str | None = None, pictures: bool = True) -> None:
    """Writes the page of a trace to `path`, next to a second run if `other` is given.

    Each folder is that of a run, or contains folders of runs, of which the latest is used. Raises SetupError.
    """
    page = html_of([Path(folder), *([Path(other)] if other is not None else [])], pictures=pictures)
    try:
        files.write(Path(path), page)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}.") from error


def html_of(folders: Sequence[Path], *, pictures: bool = True) -> bytes:
    """The page as UTF-8; texts are cut so that it has MOST_BYTES at most, without its pictures. Raises SetupError."""
    runs = [latest_run(each) for each in folders]
    shown = [list(_shown(lines_of(run))) for run in runs]
    task = next((line["task"] for line in shown[0] if line["type"] == "task:setup"), runs[0].name)
    images = [_pictures(run, lines) if pictures else {} for run, lines in zip(runs, shown, strict=True)]
    page = b""
    for longest in _LONGEST:
        lines = shown if longest is None else [[truncate_texts(line, longest, _CUT) for line in each] for each in shown]
        data = [{"name": run.name, "lines": each} for run, each in zip(runs, lines, strict=True)]
        compressed = base64.b64encode(gzip.compress(msgspec.json.encode(data), 9, mtime=0)).decode()
        page = page_with(records=compressed, title=f"{task[:80]} – trace")
        if len(page) <= MOST_BYTES:
            break
    # Base64 and the names of our own files contain nothing that ends a script.
    return page.replace(b">[]</script>", b">" + msgspec.json.encode(images) + b"</script>", 1)


def page_with(*, records: str = "", title: str, live: bool = False) -> bytes:
    """The page with its records (gzip in Base64), or, with `live`, a page that requests them."""
    style, script = _static()
    ours = "'self'" if live else ""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            f"img-src data: {ours}".strip(),
            f"connect-src {ours or chr(39) + 'none' + chr(39)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = {
        "policy": policy,
        "title": html.escape(title),
        "style": style,
        "pictures": "[]",
        "live": "true" if live else "",
        "records": records,
        "script": script,
    }
    # At once, since a part may contain the place of another: a task can be any text.
    page = _PLACE.sub(lambda place: parts[place[1]], (_STATIC / "page.html").read_text("utf-8"))
    return page.encode()


@cache
def _static() -> tuple[str, str]:
    scripts = [(_STATIC / name).read_text("utf-8").removeprefix("'use strict';\n") for name in _SCRIPTS]
    return (_STATIC / "run.css").read_text("utf-8"), "'use strict';\n" + "".join(scripts)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _shown(lines: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    shown = ShownLines()
    return (found for line in lines if (found := shown.line(line)) is not None)


def _pictures(run: Path, lines: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The pictures that the lines refer to, as data URLs; missing ones are left out."""
    names = [line["file"] for line in lines if line["type"] == "picture"]
    messages = [line["message"] for line in lines if line["type"] == "model:message"]
    parts = [part for message in messages for part in (*message.get("parts", ()), *message.get("images", ()))]
    names += [part["file"] for part in parts if part.get("file")]
    data_urls = {}
    for name in dict.fromkeys(names):
        path = run / "pictures" / os.path.basename(name)
        if path.is_file():
            kind = "png" if path.suffix == ".png" else "jpeg"
            data_urls[name] = f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"
    return data_urls
