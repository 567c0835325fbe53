"""How much a receipt tells: its limits, and which of the changed lines are shown if all would be too many.

What opened comes first, and of it everything that can be acted on. Of the rest, the first and the last of the lines of
a kind come before those between them, so that a thousand new rows do not hide the one line that says "Saved".
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from cdp_agent.page.snapshot.budget import LONGEST_TOKEN, tokens
from cdp_agent.page.snapshot.diff_words import cut
from cdp_agent.page.snapshot.lines import FIELDS, ref_of, state_in, without_ref
from cdp_agent.patterns import pattern
from cdp_agent.security.secrets import masked_in_call

CHANGES_TOKENS = 400
"""For the changed lines; what opened has tokens of its own."""
OPENED_TOKENS = 1_600
MEANWHILE_TOKENS = 150
"""For what changed before the act."""
MAX_LISTED = 5
"""How many errors of each kind a receipt lists."""
LONGEST_VALUE = 300
"""In characters. Longer values and details are cut in a receipt's text; the `Receipt` has them complete."""
REST = "… for the rest: snapshot"
_FEW = 3
"""Up to this number, changed lines are shown even if the page itself is shorter."""
_OPENS = frozenset(["dialog", "alertdialog", "menu", "listbox", "tabpanel", "tooltip"])
"""The roles of what opens, with what is in it."""
_INPUTS = frozenset([*FIELDS, "checkbox", "radio", "switch", "slider"])
_LONG_LIST = 10
_GONE = 3
"""How much less what is gone counts: nobody can act on it."""
_LINE = pattern(r"[+~-] ( *)- ([^\s:]+)")
_MISSES = 30  # lines in a row that do not fit, after which no more are tried
_NOTES = 40  # tokens for the lines on what is left out


class _Node(msgspec.Struct, gc=False, eq=False):
    """A changed line with the lines below it that were added as well."""

    line: str
    role: str
    above: _Node | None
    below: list[_Node]
    rank: int = 0
    """How late it is chosen: the sum of the ranks of the lines around it and its own, see `_rank`."""
    shown: bool = False

    def all(self) -> Iterator[_Node]:
        yield self
        for node in self.below:
            yield from node.all()


def within_budget(lines: Sequence[str], page: str = "", budget_tokens: int = CHANGES_TOKENS) -> list[str]:
    """As many of the changed lines as fit, what opened first, with notes on what was left out and how to see it.

    Lines that read alike are told once, with their number. If the changes would be longer than the `page` itself, its
    lines ("= …") come in place of them.
    """
    nodes = _tree(masked_in_call(lines))
    opened = _opened(nodes)
    rest = [node for node in nodes if node not in opened]
    told = [node.line for top in (*opened, *rest) for node in top.all()]
    cost, shown = tokens("\n".join(told)), told
    if cost > budget_tokens:
        _rank(opened)
        _rank(rest)
        _choose(sorted((node for top in opened for node in top.all()), key=_use), OPENED_TOKENS, alone=True)
        _choose(sorted((node for top in rest for node in top.all()), key=_rank_of), budget_tokens - _NOTES)
        shown = [*_written(opened, 0), *_written(rest, 0)]
        hidden = any(not node.shown and node.line[0] != "-" for top in nodes for node in top.all())
        shown += [REST] if hidden else []
    if page and len(told) > _FEW and len(page) <= OPENED_TOKENS * LONGEST_TOKEN:
        whole = [f"= {cut(line)}" for line in page.split("\n")]
        needed = tokens("\n".join(whole))
        if needed < tokens("\n".join(shown)) or needed < min(cost, budget_tokens):
            return whole
    return shown


def _tree(lines: Sequence[str]) -> list[_Node]:
    """The lines as trees; those that have nothing below them and read alike are one, with their number."""
    top: list[_Node] = []
    path: list[_Node] = []
    for line in lines:
        head = _LINE.match(line)
        del path[len(head[1]) // 2 if head and line[0] == "+" else 0 :]
        node = _Node(line, head[2] if head else "", path[-1] if path else None, [])
        (path[-1].below if path else top).append(node)
        path.append(node)
    alike: dict[str, list[_Node]] = {}
    for node in top:
        if not node.below:
            alike.setdefault(as_read(node.line), []).append(node)
    for line, nodes in alike.items():
        if len(nodes) > 1:
            nodes[0].line = f"{line} ({len(nodes)} times)"
            for node in nodes[1:]:
                node.line = ""
    return [node for node in top if node.line]


def as_read(line: str) -> str:
    """A line as it reads: the ref of what is gone tells nobody anything."""
    return line[:2] + without_ref(line[2:]) if line.startswith("- ") else line


def _opened(nodes: list[_Node]) -> list[_Node]:
    """Of the top nodes those of what opened: dialogs, menus and the like, and what was added together with a field."""
    opened: list[_Node] = []
    for is_added, group in itertools.groupby(nodes, lambda node: node.line.startswith("+")):
        run = list(group) if is_added else []
        has_field = any(node.role in _INPUTS for node in run)
        if has_field and tokens("\n".join(node.line for top in run for node in top.all())) <= OPENED_TOKENS:
            opened += run
        else:
            opened += [node for node in run if node.role in _OPENS or state_in(node.line[2:], "modal")]
    return opened


def _rank(nodes: list[_Node], above: int = 0) -> None:
    """Ranks siblings of the same kind and role: the first and the last one first, then the others in order.

    So the lines of one row come together, and what there is only one of comes before what there are many of.
    """
    kinds: dict[tuple[str, str], list[_Node]] = {}
    for node in nodes:
        kinds.setdefault((node.line[0], node.role), []).append(node)
    for kind in kinds.values():
        for place, node in enumerate(kind):
            node.rank = above + (0 if place == len(kind) - 1 else place * (_GONE if node.line[0] == "-" else 1))
    for node in nodes:
        _rank(node.below, node.rank)


def _rank_of(node: _Node) -> int:
    return node.rank


def _use(node: _Node) -> tuple[bool, int]:
    """The order for what opened: first what can be acted on; of long lists of the same, the first and the last."""
    return ref_of(node.line[2:]) is None and node.above is not None, node.rank if node.rank > _LONG_LIST else 0


def _choose(nodes: Sequence[_Node], room: int, *, alone: bool = False) -> None:
    """Shows the first of the nodes that fit, with those around them, and unless `alone` those below of equal rank."""
    misses = 0
    for node in nodes:
        needed = [
            each for each in node.all() if not each.shown and (each is node or (each.rank == node.rank and not alone))
        ]
        around = node.above
        while around is not None and not around.shown:
            needed.append(around)
            around = around.above
        cost = sum(tokens(each.line) for each in needed)
        misses = misses + 1 if cost > room else 0
        if misses > _MISSES:
            return
        if cost <= room:
            room -= cost
            for each in needed:
                each.shown = True


def _written(nodes: Sequence[_Node], depth: int) -> list[str]:
    """The lines that are shown, and in place of others their number."""
    written: list[str] = []
    for (is_shown, sign), group in itertools.groupby(nodes, lambda node: (node.shown, node.line[0])):
        run = list(group)
        if is_shown:
            for node in run:
                written += [node.line, *_written(node.below, depth + 1)]
        else:
            role, count = Counter(node.role for node in run).most_common(1)[0]
            what = role if count == len(run) and role else "line"
            written.append(f"{sign} {'  ' * depth}… {len(run)} more {what}{'s'[: len(run) > 1]}")
    return written
