"""The script that runs in the page's isolated world, one subject a file.

`source()` is one expression: the files in order inside a function that returns the *agent object*, whose methods
`page/world.py` calls. Nothing is put on the page's window and nothing is written into its document.
"""

from functools import cache
from pathlib import Path

BUNDLE = (
    "dom.js",
    "registry.js",
    "text.js",
    "sheets.js",
    "style.js",
    "generated.js",
    "counters.js",
    "roles_table.js",
    "roles.js",
    "adopted.js",
    "references.js",
    "names.js",
    "native_names.js",
    "states.js",
    "values.js",
    "clickable.js",
    "tree.js",
    "line_names.js",
    "widgets.js",
    "fold.js",
    "render.js",
    "snapshot.js",
    "describe.js",
    "settle.js",
    "place.js",
    "hit.js",
    "told.js",
    "guard.js",
    "aim.js",
    "controls.js",
    "fill.js",
    "choose.js",
    "popup.js",
    "files.js",
    "html_fields.js",
    "html_tags.js",
    "html.js",
    "reader.js",
    "search.js",
    "secret.js",
    "find.js",
    "wait.js",
    "outer.js",
    "saved.js",
    "scroll.js",
    "marks.js",
    "paint.js",
    "schema.js",
    "markup.js",
    "consequence.js",
    "exports.js",
)


@cache
def source() -> str:
    """The whole script as one JavaScript expression, to be evaluated once per isolated world."""
    folder = Path(__file__).parent
    body = "\n".join((folder / name).read_text("utf-8") for name in BUNDLE)
    return f"(() => {{\n'use strict';\n{body}\n}})()"
