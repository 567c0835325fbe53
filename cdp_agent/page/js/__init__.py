"""The script that runs in the page's isolated world, one subject a file.

`reading()` is one expression: the files that a snapshot needs, in order, inside a function that returns the *agent
object*, whose methods `page/world.py` calls. `rest()` is the same of all other files; that object evaluates it in the
scope of the first, before the first of its functions is called. Nothing is put on the page's window and nothing is
written into its document.

Evaluating all of it took 14 ms and what a snapshot needs 6, of which a third is the way of the bytes to the page.
"""

import os
import re
from functools import cache

READING = (
    "dom.js",
    "registry.js",
    "text.js",
    "decorated.js",
    "sheets.js",
    "style.js",
    "assistive.js",
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
    "drawings.js",
    "wires.js",
    "editors.js",
    "modal.js",
    "code.js",
    "fold.js",
    "render.js",
    "kept.js",
    "sheet_changes.js",
    "styles.js",
    "stale.js",
    "idle.js",
    "snapshot.js",
    "saved.js",
    "exports_of_reading.js",
)
REST = (
    "describe.js",
    "identity.js",
    "settle.js",
    "effects.js",
    "place.js",
    "hit.js",
    "told.js",
    "press.js",
    "guard.js",
    "aim.js",
    "controls.js",
    "fill.js",
    "editing.js",
    "choose.js",
    "popup.js",
    "files.js",
    "drag.js",
    "html_fields.js",
    "html_tags.js",
    "html.js",
    "reader.js",
    "search.js",
    "secret.js",
    "find.js",
    "listing.js",
    "wait.js",
    "outer.js",
    "scroll.js",
    "scroll_to_text.js",
    "marks.js",
    "paint.js",
    "schema.js",
    "markup.js",
    "consequence.js",
    "exports.js",
)


@cache
def reading() -> str:
    """The part that every world gets, as one JavaScript expression."""
    return _expression(READING)


@cache
def rest() -> str:
    """What a world gets when it is needed, as one JavaScript expression; its functions by their names."""
    return _expression(REST)


@cache
def held_code() -> str:
    """The one function for a page's own world, see held_code.py."""
    return _text("held_code.js")


@cache
def unheld() -> str:
    """What a page's own world runs first where there are rules for its tab, see unheld.py."""
    return _text("unheld.js")


@cache
def for_reading() -> frozenset[str]:
    """The functions that every world has from the beginning."""
    exported = _text("exports_of_reading.js").rpartition("return {")[2]
    return frozenset(re.findall(r"\w+", exported))


# Each world parses all of it: without them that takes a fifth less time. No text of ours goes over several lines.
_COMMENTS = re.compile(r"^[ ]*//[^\n]*\n|^[ ]*/\*\*(?:(?!\*/).)*\*/[ ]*\n|^[ ]+", re.MULTILINE | re.DOTALL)


def _expression(names: tuple[str, ...]) -> str:
    body = _COMMENTS.sub("", "\n".join(map(_text, names)))
    return f"(() => {{\n'use strict';\n{body}\n}})()"


def _text(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
