"""What the agent says to a model by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec

from cdp_agent import page
from cdp_agent.agent.model import prompts
from cdp_agent.page.receipts.receipts import NewTab, Receipt


def advice() -> Iterator[str]:
    """All that the page's errors say in which a snapshot is to be taken."""
    sources = [path.read_text("utf-8") for path in sorted(Path(page.__file__ or "").parent.rglob("*.py"))]
    for source in (each for each in sources if "snapshot" in each):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
                text = node.value
                if ("take a" in text.lower() and "snapshot" in text) or text.endswith("snapshot it."):
                    yield text


def test_no_error_advises_a_model_to_take_a_snapshot_of_the_page_that_it_is_shown() -> None:
    told = {text: prompts.failure("click", text) for text in advice()}

    assert len(told) > 10
    assert [text for text, each in told.items() if "snapshot" in each or each.count("\n") != 3] == []


def test_what_else_an_error_says_stays() -> None:
    found = [
        prompts.failure("click", text).split("\n")[2]
        for text in (
            "E3 is gone, and the page keeps rendering anew: wait, then take a new snapshot.",
            "There is no E99: this page has given E1 to E9. Take a snapshot and use a ref that the page shows.",
            "The page was replaced by another one meanwhile: take a new snapshot.",
            "Whether it had an effect is not known. Take a new snapshot, reload the page or go elsewhere.",
            "It became no text field: take a snapshot and see what that opened",
        )
    ]

    assert found == [
        "E3 is gone, and the page keeps rendering anew: wait.",
        "There is no E99: this page has given E1 to E9. Use a ref that the page shows.",
        "The page was replaced by another one meanwhile.",
        "Whether it had an effect is not known. Reload the page or go elsewhere.",
        "It became no text field: see what that opened",
    ]


def test_what_a_page_makes_endless_is_told_by_its_beginning() -> None:
    url, title = f"https://a.test/?{'a' * 1_000_000}", "T" * 1_000_000
    told = [prompts.view(url, title, "- button"), prompts.changes(url, ["+ - text"])]
    receipt = Receipt(action="click", navigated_to=url, title=title, new_tabs=[NewTab("1", url, title)])
    told += [receipt.text, msgspec.structs.replace(receipt, same_document=True).text]

    assert all("https://a.test/?aaa" in each and len(each) < 6_000 for each in told)
