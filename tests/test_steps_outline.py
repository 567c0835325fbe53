"""A snapshot as a tree."""

from __future__ import annotations

from pathlib import Path

from cdp_agent.steps.resolve.outline import OutlineNode

from .outlines import shown
from .tables import table

SNAPSHOTS = sorted((Path(__file__).parent / "snapshots").glob("*.txt"))


@table("path", SNAPSHOTS)
def test_every_line_of_a_snapshot_is_a_node_at_its_depth(path: Path) -> None:
    lines = [line for line in path.read_text("utf-8").split("\n") if line.lstrip().startswith("- ")]

    found = [(node.depth, node.role) for node in shown("\n".join(lines)).nodes]

    assert found == [((len(line) - len(line.lstrip())) // 2, line.split()[1].rstrip(":")) for line in lines]


def test_a_value_of_several_lines_is_one_text() -> None:
    page = shown('- textbox "Code" [ref=E1]:\n  | if x:\n  |   - y\n  |\n- button "Run" [ref=E2]')

    assert [(node.role, node.text) for node in page.nodes] == [("textbox", "if x:\n  - y\n"), ("button", "")]


def test_a_line_gives_all_that_it_says() -> None:
    page = shown('- list "Links":\n  - link "A \\"b\\"" [current=page] [description="x [y\\u005d"] [ref=E1] → /a: text')

    node = page.nodes[1]

    assert (node.role, node.name, node.states, node.ref, node.target, node.text, _names(node)) == (
        "link",
        'A "b"',
        {"current": "page", "description": "x [y]"},
        "E1",
        "/a",
        "text",
        ["Links"],
    )


def _names(node: OutlineNode) -> list[str]:
    return [each.name for each in node.ancestors][:-1]
