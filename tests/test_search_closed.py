"""What is in a closed <details> is found by a search, with what opens it."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page

from .tables import table
from .writing import show

CLOSED = {
    "a text": "<details><summary>More</summary>needle</details>",
    "a paragraph": "<details><summary>More</summary><div><p>one</p><p>two <b>need</b>le</p></div></details>",
    "a button": "<details><summary>More</summary><button>needle</button></details>",
    "a table": "<details><summary>More</summary><table><tr><td>a<td>needle</table></details>",
    "one in another": "<details><summary>More</summary><details><summary>x</summary>needle</details></details>",
    "the summary of one in another": "<details><summary>More</summary><details><summary>needle</summary>x"
    "</details></details>",
    "one in an open one": "<details open><summary>x</summary><details><summary>More"
    "</summary>needle</details></details>",
    "one in a shadow tree": "<div></div><script>document.querySelector('div').attachShadow({mode: 'open'}).innerHTML ="
    " '<details><summary>More</summary>needle</details>'</script>",
}


@table("content", CLOSED)
async def test_text_in_what_is_closed_is_found_with_what_opens_it(content: str, sheet: Page) -> None:
    await show(sheet, f"<p>words</p>{content}")

    (match,) = (await sheet.search("needle")).matches
    await sheet.click(match.ref)

    assert (match.closed, match.name) == (True, "More")
    assert match.ref in (await sheet.snapshot()).text


@pytest.mark.parametrize(
    "content",
    [
        "<details open><summary>x</summary>needle</details>",
        "<details><summary>needle</summary>x</details>",
    ],
    ids=["open", "the summary"],
)
async def test_what_is_shown_is_not_said_to_be_closed(content: str, sheet: Page) -> None:
    await show(sheet, content)

    (match,) = (await sheet.search("needle")).matches

    assert not match.closed


@pytest.mark.parametrize(
    "content", ["<details hidden><summary>x</summary>needle</details>", "<details><summary>x</summary><p hidden>needle"]
)
async def test_what_opening_does_not_show_is_not_found(content: str, sheet: Page) -> None:
    await show(sheet, content)

    assert (await sheet.search("needle")).total == 0
