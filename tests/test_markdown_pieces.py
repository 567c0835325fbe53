"""A long page is cut where a reader would cut it."""

from __future__ import annotations

import msgspec

from cdp_agent.page.markdown.markdown import join
from cdp_agent.page.markdown.markdown_pieces import split
from cdp_agent.page.markdown.markdown_sink import Block
from cdp_agent.page.snapshot.budget import tokens
from tests.tables import table


def blocks(*texts: str) -> list[Block]:
    kinds = {"#": "h", "-": "l", "|": "t"}
    return [Block(text, kinds.get(text[0], "p"), 0, head=2 if text[0] == "|" else 0) for text in texts]


def cards(count: int, *texts: str) -> list[Block]:
    return [
        msgspec.structs.replace(block, record=number + 1)
        for number in range(count)
        for block in blocks(*(text.format(number) for text in texts))
    ]


@table(
    "texts",
    {
        "with a heading": ("### Mug {}", "Made of enamel, blue and white.", "€ {}.00"),
        "with a heading within": ("![Mug](/{}.png)", "### Mug {}", "€ {}.00"),
        "without a heading": ("Mug {}", "€ {}.00", "[Details](/{})"),
        "long": ("Mug {}", "#### Made of", "Enamel, blue and white, " * 10, "€ {}.00"),
    },
)
def test_a_card_stays_whole(texts: tuple[str, ...]) -> None:
    pieces = list(map(join, split([*blocks("# Shop"), *cards(40, *texts)], 120)))

    assert len(pieces) > 5
    for piece in pieces:
        assert piece.startswith(f"# Shop\n\n{texts[0][:4]}")
        assert piece.count("Mug") == piece.count("€") * sum("Mug" in text for text in texts)


def test_a_card_that_is_longer_than_a_piece_stays_under_its_heading() -> None:
    card = cards(3, "## Mug {}", *["Made of enamel in a small town, blue and white, with a rim."] * 12)

    pieces = list(map(join, split(card, 120)))

    assert len(pieces) > 5
    assert all(piece.startswith("## Mug") and piece.count("## Mug") == 1 for piece in pieces)


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
