"""Lists that libraries put in the place of <select>: what is chosen is so by the library's own word."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments
from cdp_agent.page.page import Page
from tests.conftest import AppUrl

# What stands for the list of each library: in the page once for one choice, and once for several.
LISTS = {
    "Choices": ".choices",
    "Tom": ".ts-wrapper input",
    "Slim": ".ss-main",
    "Select2": ".select2-selection",
    "React": "input[id^=React]",
}
TYPED = "[...document.querySelectorAll('input')].map((each) => each.value)"
COLOURS = '"Red", "Green", "Blue", "Light blue", "Yellow"'


async def ref_of(page: Page, selector: str, nth: int = 0) -> str:
    return (await page.find(selector)).elements[nth].ref


async def chosen(page: Page, name: str) -> list[str]:
    found: list[str] = await page.evaluate(f"app.chosen('{name}')")
    return found


@pytest.fixture(scope="module")
async def page(shared_browser: Browser) -> AsyncIterator[Page]:
    """One tab for all of these tests, which stays where it is: what `opened` loads takes long."""
    page = await shared_browser.new_page()
    yield page
    await page.close()


async def opened(page: Page, url: str) -> None:
    """The page, loaded once for tests that choose in lists of their own."""
    if page.url != url:
        await page.goto(url)


@pytest.fixture
def gives_up_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in none of these lists comes no later either: they have all that they filter."""
    monkeypatch.setattr("cdp_agent.page.fields.select.SUGGESTIONS_WAIT_S", 0.3)
    monkeypatch.setattr("cdp_agent.page.fields.select.OPTIONS_WAIT_S", 0.3)


async def test_one_is_chosen_and_another(page: Page, app_url: AppUrl, subtests: pytest.Subtests) -> None:
    await opened(page, app_url("selects"))

    for name in [*LISTS, "Radix"]:
        ref = await ref_of(page, LISTS.get(name, "#Radix"))
        for colour in ("Green", "Blue") if name in ("Choices", "React") else ("Green",):
            receipt = await page.select(ref, colour)

            with subtests.test(f"{colour} in {name}"):
                assert await chosen(page, name) == [colour]
                assert receipt.value in (colour, None)
                assert colour in receipt.text
                assert [each for each in receipt.changed if "came and went" in each and "Light blue" in each] == []


async def test_several_are_chosen(page: Page, app_url: AppUrl, subtests: pytest.Subtests) -> None:
    await opened(page, app_url("selects"))

    for name in ("Tom", "Slim", "React"):  # which show what is chosen as an item, in words and as a tag
        receipt = await page.select(await ref_of(page, LISTS[name], 1), ["Green", "Blue"])

        with subtests.test(name):
            assert await chosen(page, f"{name} many") == ["Green", "Blue"]
            assert "before" not in receipt.note


async def test_a_hidden_list_whose_page_chooses_otherwise_is_told(page: Page, app_url: AppUrl) -> None:
    await opened(page, app_url("selects"))
    await page.evaluate(
        "void (document.querySelector('[id=Select2]').onchange = ({target}) => { target.value = 'yellow' })"
    )

    with pytest.raises(InvalidArguments, match='shows "Yellow", not "Blue": the page changed it since'):
        await page.select(await ref_of(page, "select[id=Select2]"), "Blue")
    await page.evaluate("document.querySelector('[id=Select2]').onchange = null")


@pytest.mark.usefixtures("gives_up_sooner")
async def test_what_it_does_not_have_leaves_all_as_it_was(page: Page, app_url: AppUrl) -> None:
    """Also the list before, whose field has the focus."""
    await opened(page, app_url("selects"))
    names = ["Choices", "Tom", "React", "Radix"]  # whose filters, where they have one, stand in places of each kind
    before = {name: await chosen(page, name) for name in names}
    typed = await page.evaluate(TYPED)
    told = {}
    opened_before = 0

    for name in names:
        await page.evaluate(f"document.querySelector('{LISTS['Tom']}').focus()")
        opened_before += await page.evaluate("document.activeElement.getAttribute('aria-expanded') === 'true'")
        with pytest.raises(InvalidArguments) as refused:
            await page.select(await ref_of(page, LISTS.get(name, "#Radix")), "Purple")
        told[name] = str(refused.value)

    assert opened_before == len(names)
    wanted = f'has no option with the text "Purple". It has {COLOURS}'
    assert {name: text for name, text in told.items() if wanted not in text} == {}
    assert {name: await chosen(page, name) for name in names} == before
    assert await page.evaluate(TYPED) == typed


@pytest.mark.usefixtures("gives_up_sooner")
async def test_an_option_is_chosen_in_the_list_that_is_seen_not_in_the_one_for_screen_readers(
    page: Page, app_url: AppUrl
) -> None:
    await opened(page, app_url("rcselect"))
    city, tags = await ref_of(page, "input", 0), await ref_of(page, "input", 1)

    receipts = {name: await page.select(city, name) for name in ("City 55", "City 3")}
    await page.select(tags, "blue")

    assert {name: receipt.note for name, receipt in receipts.items()} == {
        name: f'"{name}" was clicked' for name in receipts
    }
    assert "came and went" not in " ".join(receipt.text for receipt in receipts.values())
    assert (await chosen(page, "City"), await chosen(page, "Tags")) == (["c3"], ["blue"])


@pytest.mark.usefixtures("gives_up_sooner")
async def test_what_a_long_list_does_not_have_is_told_with_what_it_begins_with(page: Page, app_url: AppUrl) -> None:
    await opened(page, app_url("rcselect"))
    before = [await chosen(page, "City"), await page.evaluate(TYPED)]

    with pytest.raises(InvalidArguments, match=r'has no option with the text "Nowhere"\. It has "City 0", "City 1"'):
        await page.select(await ref_of(page, "input"), "Nowhere")

    assert [await chosen(page, "City"), await page.evaluate(TYPED)] == before
