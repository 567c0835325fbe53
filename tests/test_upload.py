"""Files get into file fields, shown or not, and through file choosers."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.actions.upload import inside, upload
from cdp_agent.page.page import Page
from cdp_agent.page.receipts.receipts import Outcome
from tests.acting import at, in_frame, log, until_named
from tests.conftest import Serve
from tests.writing import opened, show

LOGGING = """<script>
window.log = [];
for (const type of ["input", "change"]) addEventListener(type, () => log.push(type))
</script>"""
HIDDEN = "<input id=i type=file style='display:none'>"
CHOOSER = "through the file chooser that it opened"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """a.txt and b.pdf."""
    for name in ("a.txt", "b.pdf"):
        (tmp_path / name).write_text(name)
    return [str(tmp_path / "a.txt"), str(tmp_path / "b.pdf")]


UPLOADED = {
    "field": ("<input type=file aria-label=F>", 1, Outcome("a.txt")),
    "several": ("<input type=file aria-label=F multiple>", 2, Outcome("a.txt, b.pdf")),
    "of other kinds": (
        "<input type=file aria-label=F multiple accept='.pdf, image/*'>",
        2,
        Outcome("a.txt, b.pdf", "the field asks for .pdf, image/*, which a.txt is not"),
    ),
    "hidden in its label": (f"<label role=button tabindex=0>F{HIDDEN}</label>", 1, Outcome("a.txt")),
    "chooser": (f"<button onclick='i.click()'>F</button>{HIDDEN}", 1, Outcome("a.txt", CHOOSER)),
}


async def test_upload(page: Page, serve: Serve, files: list[str], subtests: pytest.Subtests) -> None:
    await opened(page, serve, LOGGING)
    for what, (content, count, outcome) in UPLOADED.items():
        with subtests.test(what):
            await show(page, content)

            assert await upload(await at(page, "F"), files[:count]) == outcome
            assert await log(page) == ["input", "change"]


async def test_what_a_page_shows_of_its_files_a_while_after_is_told(page: Page, serve: Serve, files: list[str]) -> None:
    shows = "setTimeout(() => { o.textContent = this.files[0].name }, 250)"
    await opened(page, serve, f'<input type=file onchange="{shows}"><p id=o></p>')
    field = (await page.find("input")).elements[0].ref

    receipt = await page.upload(field, files[:1])

    assert receipt.changed == ["+ - paragraph: a.txt"]


async def test_upload_in_a_frame_of_another_process(page: Page, serve: Serve, files: list[str]) -> None:
    url = serve(f"<button onclick='i.click()'>F</button>{HIDDEN}", other_site=True)
    await page.goto(serve(f"<iframe src='{url}'></iframe>"))
    await until_named(page, "F")

    assert await upload(await at(page, "F"), files[:1]) == Outcome("a.txt", CHOOSER)
    assert await in_frame(page, "i.files[0].name") == "a.txt"


async def test_upload_of_what_is_no_file(page: Page, serve: Serve, tmp_path: Path) -> None:
    await opened(page, serve, "<input type=file aria-label=F>")
    field = await at(page, "F")

    with pytest.raises(InvalidArguments, match=r"There is no file /nowhere/cv.pdf"):
        await upload(field, ["/nowhere/cv.pdf"])
    with pytest.raises(InvalidArguments, match="is a folder: name the files in it"):
        await upload(field, [tmp_path])
    with pytest.raises(InvalidArguments, match="/dev/null is no file, but a device or a pipe"):
        await upload(field, ["/dev/null"])


async def test_upload_of_too_many(page: Page, serve: Serve, files: list[str]) -> None:
    await opened(page, serve, f"<input type=file aria-label=Field><button onclick='i.click()'>Chooser</button>{HIDDEN}")

    with pytest.raises(InvalidArguments) as refused:
        await upload(await at(page, "Field"), files)
    with pytest.raises(InvalidArguments) as refused_too:
        await upload(await at(page, "Chooser"), files)

    assert str(refused.value) == 'Button E1 "Field" takes one file, not 2.'
    assert str(refused_too.value) == 'Button E2 "Chooser" opened a chooser for one file, not for 2.'


@pytest.mark.parametrize("late", [0, 100])
async def test_a_click_that_opens_a_chooser_says_how_to_give_it_files(
    late: int, page: Page, serve: Serve, files: list[str]
) -> None:
    await opened(page, serve, f"<button onclick='setTimeout(() => i.click(), {late})'>F</button>{HIDDEN}")
    button = (await at(page, "F")).ref

    receipt = await page.click(button)
    await page.upload(button, files[:1])

    note = f"it opened a file chooser, which was closed: give it files with upload {button}"
    assert receipt.text == f'clicked {button} button "F"\n({note})'
    assert await page.evaluate("i.files.length") == 1


async def test_upload_to_what_opens_no_chooser(page: Page, serve: Serve, files: list[str]) -> None:
    await opened(page, serve, "<button>F</button>")

    with pytest.raises(NotInteractable, match="opened no file chooser when it was clicked") as refused:
        await upload(await at(page, "F"), files)

    assert refused.value.why == "wrong_element"


def test_a_file_is_taken_out_of_the_folders_that_are_allowed_alone(files: list[str], tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    (allowed / "deep").mkdir(parents=True)
    (allowed / "deep" / "c.txt").write_text("c")
    (allowed / "link.txt").symlink_to(files[0])
    (tmp_path / "allowed too").mkdir()
    (tmp_path / "in").symlink_to(allowed)

    assert inside([str(tmp_path / "in" / "deep" / "c.txt")], [str(allowed)]) == [str(allowed / "deep" / "c.txt")]
    for outside in (files[0], f"{allowed}/../a.txt", f"{allowed}/link.txt", f"{allowed} too/d.txt", str(allowed)):
        with pytest.raises(InvalidArguments) as refused:
            inside([outside], [str(allowed)])
        assert str(refused.value) == f"The file {outside} may not be uploaded, only those in {allowed}."


def test_a_file_of_an_allowed_folder_goes_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").write_text("Ada")

    assert inside(["cv.pdf"], ["/nowhere", str(tmp_path)]) == [str(tmp_path / "cv.pdf")]
    with pytest.raises(InvalidArguments, match=r"only those in .*, such as cv\.pdf\."):
        inside(["../cv.pdf"], [str(tmp_path)])


async def test_a_name_that_no_file_can_have_is_told(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    await opened(page, serve, "<input type=file aria-label=F>")
    field = await at(page, "F")
    for name in ("a\0.txt", "a/\0", "a\ud800.txt", "x" * 300, "a/" + "é" * 200):
        with subtests.test(ascii(name)):
            with pytest.raises(InvalidArguments, match=r"names no file: it .* Correct the name"):
                await upload(field, [name])
            with pytest.raises(InvalidArguments, match=r"names no file: it .* Correct the name"):
                inside([name], ["/"])


def test_without_folders_no_file_is_taken(files: list[str]) -> None:
    with pytest.raises(InvalidArguments, match="none at all, since no upload_folders are set: do without"):
        inside(files, [])
