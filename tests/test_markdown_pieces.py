"""A long page is cut where a reader would cut it."""

from __future__ import annotations

from cdp_agent.page.markdown.markdown import join
from cdp_agent.page.markdown.markdown_pieces import split
from cdp_agent.page.markdown.markdown_sink import Block
from cdp_agent.page.snapshot.budget import tokens


def blocks(*texts: str) -> list[Block]:
    kinds = {"#": "h", "-": "l", "|": "t"}
    return [Block(text, kinds.get(text[0], "p"), 0, head=2 if text[0] == "|" else 0) for text in texts]


def cards(count: int) -> list[str]:
    return [
        text
        for number in range(count)
        for text in (f"Enamel mug number {number}", f"€ {number}.00", f"[Details](/{number})")
    ]


def test_a_card_with_a_heading_stays_whole() -> None:
    page = blocks(
        "# Shop",
        *(text for n in range(40) for text in (f"### Mug {n}", "Made of enamel, blue and white.", f"€ {n}.00")),
    )

    pieces = list(map(join, split(page, 120)))

    assert len(pieces) > 5
    for piece in pieces:
        assert piece.count("### Mug") == piece.count("€")


def test_a_card_without_a_heading_stays_whole() -> None:
    pieces = list(map(join, split(blocks("## Mugs", *cards(40)), 120)))

    assert len(pieces) > 3
    for piece in pieces:
        assert piece.startswith("## Mugs\n\nEnamel mug number")
        assert piece.endswith(")")


def test_each_piece_stands_under_its_headings() -> None:
    mugs = [f"Mug {number}, made of enamel in a small town." for number in range(30)]
    cups = [f"Cup {number}, made of glass in another town." for number in range(30)]

    pieces = list(map(join, split(blocks("# Shop", "## Mugs", *mugs, "## Cups", *cups), 150)))

    for piece in pieces:
        assert piece.startswith(
            "# Shop\n\n## Cups" if "Cup 2" in piece and "Mug" not in piece.replace("# Shop", "") else "# Shop\n\n## "
        )


def test_the_rows_of_a_group_stand_under_its_row() -> None:
    rows = [f"| Transaction {number} | {number}.00 |" for number in range(60)]
    table = "\n".join(["| What | Amount |", "| --- | --- |", "| January |", *rows[:40], "| February |", *rows[40:]])

    pieces = list(map(join, split(blocks("## Account", table), 150)))

    assert len(pieces) > 3
    for piece in pieces:
        first = piece.split("\n")[4]
        assert piece.startswith("## Account\n\n| What | Amount |\n| --- | --- |\n")
        assert first in ("| January |", "| February |")
        assert ("| Transaction 45 |" in piece) <= ("| February |" in piece)
    assert sum(piece.count("| Transaction") for piece in pieces) == 60


def test_an_item_of_a_list_stays_whole() -> None:
    pieces = list(map(join, split(blocks("\n".join(f"- **Plate {n}**\n\n  € {n}.00" for n in range(60))), 100)))

    assert len(pieces) > 3
    for piece in pieces:
        assert piece.startswith("- **Plate")
        assert piece.count("Plate") == piece.count("€")


def test_no_piece_is_larger_than_that_and_nothing_is_lost() -> None:
    words = [f"word{number}" for number in range(2_000)]
    page = blocks(
        "# A heading",
        " ".join(words[:900]),
        "- " + " ".join(words[900:1500]),
        "\n".join(["| a | b |", "| --- | --- |", f"| {' '.join(words[1500:])} | c |"]),
    )

    pieces = list(map(join, split(page, 200)))

    assert max(map(tokens, pieces)) <= 200
    assert [each for piece in pieces for each in piece.split() if each.startswith("word")] == words
