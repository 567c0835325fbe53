"""The script that runs in a page's isolated world, one file per subject.

`reading()` is one expression: the files that a snapshot and the wait for a settled page need, in order, inside a
function that returns the *agent object*, whose methods `world.py` calls. `added(part)` is the same for the files of a
later part: the agent object evaluates it in the scope of the part before, when one of its functions is first called.
Nothing is added to the page's window or written into its document.

A tab in which something is done gets `ahead()` once, for its future documents: it defines a function in the isolated
world of each, which returns the agent object. A later part that is needed there comes once, too: `kept(part)`.

What is sent is minified, all parts at once, as each uses names of those before: scripts/pack.py writes it to PACKED
when a wheel is built, and for a checkout. Where that file is older than a script, or there is none, the scripts are
sent as they are written, without comments: then errors in them name our functions.
"""

import os
import re
from functools import cache

WORLD = "cdp_agent"
"""The name of our isolated world in each document."""
PACKED = "packed.txt"
"""The file with all parts, minified: not under version control."""

READING = (
    "core/lifetime.js",
    "core/dom.js",
    "core/registry.js",
    "core/text.js",
    "names/decorated.js",
    "core/subjects.js",
    "core/sheets.js",
    "core/style.js",
    "core/on_top.js",
    "core/assistive.js",
    "names/generated.js",
    "names/counters.js",
    "names/roles_table.js",
    "names/roles.js",
    "snapshot/adopted.js",
    "names/references.js",
    "names/names.js",
    "names/math.js",
    "names/native_names.js",
    "names/states.js",
    "names/values.js",
    "snapshot/clickable.js",
    "snapshot/hover.js",
    "snapshot/tree.js",
    "names/line_names.js",
    "snapshot/widgets.js",
    "snapshot/drawings.js",
    "snapshot/wires.js",
    "editors/editors.js",
    "editors/caret.js",
    "snapshot/modal.js",
    "snapshot/overlay.js",
    "editors/code.js",
    "snapshot/spans.js",
    "snapshot/fold.js",
    "snapshot/order.js",
    "snapshot/sight.js",
    "snapshot/render.js",
    "snapshot/kept.js",
    "core/sheet_changes.js",
    "core/styles.js",
    "snapshot/stale.js",
    "activity/journal.js",
    "activity/passing.js",
    "activity/stability.js",
    "activity/busy.js",
    "snapshot/snapshot.js",
    "core/exports_of_reading.js",
)
EXPLORING = (
    "core/describe.js",
    "core/place.js",
    "read/html_fields.js",
    "read/html_media.js",
    "read/html_tags.js",
    "read/ways_on.js",
    "read/html.js",
    "read/reader.js",
    "read/closed.js",
    "read/sources.js",
    "read/search.js",
    "read/find.js",
    "read/matching.js",
    "read/listing.js",
    "read/stated.js",
    "activity/wait.js",
    "read/outer.js",
    "read/schema.js",
    "read/markup.js",
    "core/exports_of_exploring.js",
)
ACTING = (
    "names/identity.js",
    "activity/effects.js",
    "activity/looks.js",
    "core/hit.js",
    "names/preview.js",
    "act/layers.js",
    "act/press.js",
    "act/interception.js",
    "act/actionability.js",
    "act/controls.js",
    "act/input.js",
    "act/slider.js",
    "act/fill.js",
    "fields/meaning.js",
    "fields/filled.js",
    "fields/set_field.js",
    "fields/entering.js",
    "fields/pace.js",
    "fields/typing.js",
    "act/key_target.js",
    "act/submit.js",
    "editors/editing.js",
    "act/choose.js",
    "act/popup.js",
    "act/files.js",
    "act/drag.js",
    "act/secret.js",
    "act/user_data.js",
    "act/scroll.js",
    "act/screen.js",
    "act/scroll_to_text.js",
    "read/marks.js",
    "read/paint.js",
    "activity/consequence.js",
    "core/exports.js",
)
PARTS = (READING, EXPLORING, ACTING)
ADDING = ("", "addFunctions", "addMoreFunctions")
"""The functions that add the second and the third part, each of the part before."""

NOT_PACKED = (
    "editors/code_object.js",
    "read/json_value.js",
    "activity/removed_interfaces.js",
    "activity/close_worker.js",
)
"""What runs in a page's main world, each by itself."""


def make_ready() -> None:
    """Builds the scripts ahead of their use, which takes 1 ms, 8 if not packed; call it while waiting."""
    reading(), ahead()


@cache
def reading() -> str:
    """The part that every world gets, as one JavaScript expression."""
    return _parts()[0]


@cache
def added(part: int) -> str:
    """A later part, from 1 on: one JavaScript expression, whose value contains the functions by name."""
    return _parts()[part]


@cache
def ahead() -> str:
    """A script for future worlds: defines a function with the world's name, which returns the agent object.

    V8 compiles the functions in it once in a process, for all documents to come there, and those of later parts, too.
    The outermost one is in parentheses, so that it is compiled while it is parsed.
    """
    return f"globalThis.{WORLD} = (() => {reading()})"


@cache
def kept(part: int) -> str:
    """A script that keeps `added(part)` for `taken(part)`: for the worlds that are there, and future ones.

    In single quotes, since the double ones in it are escaped once more when it is sent.
    """
    import json  # late: nothing else that opens a browser needs it; msgspec is not there when a wheel is built

    literal = json.dumps(added(part))[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"globalThis.{WORLD}_{part} = '{literal}'"


def taken(part: int) -> str:
    """A function that adds to the agent object, `this`, the part that is kept in its world."""
    return f"function(...args) {{ return this.{ADDING[part]}({WORLD}_{part}) }}"


@cache
def _parts() -> list[str]:
    return parts_of(text(PACKED) if is_packed() else unpacked())


def parts_of(whole: str) -> list[str]:
    """The parts of what `unpacked` returns, minified or not."""
    before, _, rest = whole.partition(_BEGIN)  # by expressions, a text of this length would take 2 ms
    if not rest:
        return [whole]
    source, _, rest = rest.partition(",")
    rest, _, after = rest.rpartition(_END)
    return [f"{before}eval({source}){after.rstrip().removesuffix(';')}", *parts_of(rest)]


def unpacked() -> str:
    """All parts as one expression, each where the one before evaluates it, between marks that minifying keeps."""
    inner = ""
    for part in reversed(PARTS):
        around = _expression(part[1:] if part is READING else part)
        inner = around.replace("eval(source)", f"{_BEGIN}source,{inner}{_END}")
    return f"(() => {{\n'use strict';\n{_body(READING[:1])}\nreturn {inner};\n}})()"


# The marks in what `unpacked` returns.
_BEGIN = "__rest__("
_END = ",__end__)"


def is_packed() -> bool:
    """Whether the minified script is there and current. A wheel has no other."""
    folder = os.path.dirname(__file__)
    packed, *scripts = (os.path.join(folder, name) for name in (PACKED, *READING, *EXPLORING, *ACTING))
    if not os.path.exists(packed) or not os.path.exists(scripts[0]):
        return os.path.exists(packed)
    return os.path.getmtime(packed) >= max(map(os.path.getmtime, (__file__, *scripts)))


def code_object() -> str:
    """The function that runs in a page's main world, see snapshot/code_editors.py."""
    return _body(("editors/code_object.js",))


@cache
def json_value() -> str:
    """The function that runs in a page's main world on the value of a caller's script, see query/evaluate.py."""
    return _body(("read/json_value.js",))


def removed_interfaces() -> str:
    """The script that runs first in a page's main world if its tab has rules, see policy/request_policy.py."""
    return _body(("activity/removed_interfaces.js",))


def close_worker() -> str:
    """The script that ends a worker, see policy/held_sockets.py."""
    return _body(("activity/close_worker.js",))


@cache
def part_of(name: str) -> int:
    """The number of the part that has the function of that name."""
    return next(part for part, names in enumerate(map(exported, _parts())) if name in names)


def exported(expression: str) -> frozenset[str]:
    """The names of the functions that a part returns, in an object at its end."""
    return frozenset(re.findall(r"(\w+)(?::[\w$]+)?[,\n}]", expression.rpartition("{")[2]))


# A comment after code on the same line. With a quotation mark, it may be part of a string.
_COMMENT_BEHIND = re.compile(r"(?<=[;{},)\]]) +//[^'`\"]*$")


def _expression(names: tuple[str, ...]) -> str:
    return f"(() => {{\n'use strict';\n{_body(names)}\n}})()"


@cache
def _body(names: tuple[str, ...]) -> str:
    return "\n".join(line for name in names for line in code_lines(text(name)))


def code_lines(content: str) -> list[str]:
    """The lines without comments and indentation, which each world parses a fifth faster.

    Line by line, as no string in our scripts spans several: one expression for a whole file takes three times as long.
    """
    lines: list[str] = []
    in_comment = False
    for line in content.split("\n"):
        line = line.strip()
        if in_comment or (line[:3] == "/**" and (line.endswith("*/") or "*/" not in line)):
            in_comment = not line.endswith("*/")
        elif line and line[:2] != "//":
            if " //" in line:
                line = _COMMENT_BEHIND.sub("", line)
            lines.append(line if line.isascii() else _BEYOND_ASCII.sub(_escaped, line))
    return lines


# One non-Latin-1 character makes Chrome store two bytes per character: a third longer to send and parse.
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def _escaped(letter: re.Match[str]) -> str:
    """The character as an escape, valid in strings and regular expressions, the only places where such occur."""
    units = letter[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def text(name: str) -> str:
    """The content of a script."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
