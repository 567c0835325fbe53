"""Files get into file fields, shown or not, and through file choosers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cdp_agent.browser import Browser
from cdp_agent.errors import InvalidArguments, NotInteractable
from cdp_agent.page.fields.upload import inside, upload
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import locate
from cdp_agent.session import Session
from tests.acting import at, in_frame, log, ref, until_named
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
    "emptied by the page": ("<input type=file aria-label=F onchange='value = ``'>", 1, Outcome("a.txt")),
    "replaced by the page": ("<input type=file aria-label=F onchange='outerHTML += ``'>", 1, Outcome("a.txt")),
    "chooser": (f"<button onclick='i.click()'>F</button>{HIDDEN}", 1, Outcome("a.txt", CHOOSER)),
}


async def test_upload(page: Page, serve: Serve, files: list[str], subtests: pytest.Subtests) -> None:
    await opened(page, serve, LOGGING)
    for what, (content, count, outcome) in UPLOADED.items():
        with subtests.test(what):
            await show(page, content)

            uploaded = await upload(await at(page, "F"), files[:count])

            assert (uploaded.value, uploaded.note) == (outcome.value, outcome.note)
            assert await log(page) == ["input", "change"]


ZONE = """<div id=z aria-label=F role=group style="width:200px;height:60px">Drop files here</div><script>
z.ondragenter = z.ondragover = (event) => event.preventDefault();
z.ondrop = (event) => {
  event.preventDefault();
  const { files, items } = event.dataTransfer;
  window.dropped = [...files].map((file) => file.name).join() + " " + items[0].kind;
  [...files].forEach((file) => file.text().then((text) => z.append(" " + text)));
}</script>"""
AREA, TAKES = ZONE.split("<script>")
WHOLE_PAGE = ZONE.replace("z.ondrag", "document.ondrag").replace("= z.ondragover", "= document.ondragover")
ZONES = {
    "an area": ZONE,
    "one that opens an overlay": ZONE.replace("z.ondragenter =", "").replace(
        "<script>",
        """<b id=o style="position:fixed;inset:0;display:none"></b><script>var z = o;
document.ondragenter = () => { o.style.display = "block" };""",
    ),
    "one that stops the events": ZONE.replace(
        "event.preventDefault()", "{event.preventDefault();event.stopPropagation()}"
    ),
    "the whole page": WHOLE_PAGE.replace("z.ondrop", "document.ondrop"),
    "a button that opens nothing": ZONE.replace("role=group", "role=button tabindex=0"),
    "in a shadow root": f"""<div id=h></div><template id=t>{AREA}</template><script>
const z = h.attachShadow({{mode: "closed"}}).appendChild(t.content.firstChild);{TAKES}""",
}


async def test_files_are_dropped_where_no_field_is(
    page: Page, serve: Serve, files: list[str], monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """As Excalidraw and many uploaders have it: nothing but listeners for the drop."""
    monkeypatch.setattr("cdp_agent.page.fields.upload._CHOOSER_WITHIN_S", 0.2)
    for what, content in ZONES.items():
        with subtests.test(what):
            await page.goto(serve(f"<!doctype html>{content}"))

            zone = (await page.find("[aria-label=F]")).elements[0].ref
            assert await upload(await locate(tab_of(page), zone), files) == Outcome("a.txt, b.pdf", "dropped on it")
            assert await page.evaluate("dropped") == "a.txt,b.pdf file"


async def test_files_are_dropped_in_a_frame_of_another_process(page: Page, serve: Serve, files: list[str]) -> None:
    url = serve(ZONE, other_site=True)
    await page.goto(serve(f"<iframe src='{url}'></iframe>"))
    await until_named(page, "F")

    receipt = await page.upload((await at(page, "F")).ref, files[:1])

    assert (receipt.value, receipt.note) == ("a.txt", "dropped on it")
    assert await in_frame(page, "dropped") == "a.txt file"


async def test_what_takes_no_drop_gets_no_file(
    page: Page, serve: Serve, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdp_agent.page.fields.upload._CHOOSER_WITHIN_S", 0.2)
    await page.goto(serve(f"<div role=group aria-label=Other>Other</div>{ZONE}"))

    with pytest.raises(NotInteractable, match="takes no files that are dropped on it: give the ref of a file field"):
        await page.upload((await page.find("[aria-label=Other]")).elements[0].ref, files)

    assert await page.evaluate("typeof dropped") == "undefined"


PICKERS = "showOpenFilePicker showSaveFilePicker showDirectoryPicker".split()  # noqa: SIM905


async def test_pages_of_a_chrome_of_ours_have_no_pickers_that_nobody_can_answer(page: Page, serve: Serve) -> None:
    await page.goto(serve(""))

    assert await page.evaluate(f"{PICKERS}.map((each) => typeof window[each])") == ["undefined"] * 3
    assert await page.evaluate("isSecureContext && typeof navigator.storage.getDirectory") == "function"


async def test_a_picker_that_nobody_can_answer_is_told_as_what_it_is(serve: Serve, files: list[str]) -> None:
    buttons = "".join(
        f"<button onclick='{each}().catch((e) => document.title = e.name)'>{each}</button>" for each in PICKERS
    )
    told = r"opened a picker of Chrome itself \(.*, which only a person at that Chrome can answer: it was closed"

    async with Browser.launch(args=("--enable-blink-features=FileSystemAccessLocal",)) as browser:
        page = await browser.new_page(serve(f"<!doctype html>{buttons}"))
        receipt = await page.click(await ref(page, PICKERS[1]))
        with pytest.raises(NotInteractable, match=told):
            await page.upload(await ref(page, PICKERS[0]), files[:1])

        assert re.match(f"it {told}", receipt.note)
        assert await page.evaluate("document.title") == "AbortError"


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


EMPTIES = "<input type=file aria-label=F onchange=\"setTimeout(() => {{ this.value = ''; {} }}, 20)\"><p id=o></p>"


async def test_files_that_the_field_did_not_keep_are_an_error_unless_anything_came_of_them(
    page: Page, serve: Serve, files: list[str]
) -> None:
    await opened(page, serve, EMPTIES.format(""))
    with pytest.raises(InvalidArguments, match=r'"F" did not keep a.txt and is empty, and nothing else changed'):
        await page.upload(await ref(page, "F"), files[:1])

    await opened(page, serve, EMPTIES.format("o.textContent = 'Sent'"))
    receipt = await page.upload(await ref(page, "F"), files[:1])

    assert (receipt.value, receipt.note) == ("", "the page has taken a.txt out of it: see what became of that")


READS_FOLDER = """const { name, isDirectory } = event.dataTransfer.items[0].webkitGetAsEntry();
window.dropped = `${name} ${isDirectory}`; z.append("Read");"""


async def test_a_folder_is_dropped_or_given_where_that_is_taken_only(
    page: Page, serve: Serve, tmp_path: Path, files: list[str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one.txt").write_text("1")
    start, end = ZONE.index("  const { files"), ZONE.index("}</script>")

    await opened(page, serve, ZONE[:start] + READS_FOLDER + ZONE[end:])
    await page.upload(await ref(page, "F", "group"), [str(folder)])
    assert await page.evaluate("dropped") == "folder true"

    takes = HIDDEN.replace("type=file", "type=file webkitdirectory")
    await opened(page, serve, f"<button onclick='i.click()'>F</button>{takes}")
    await page.upload(await ref(page, "F"), [str(folder)])
    assert await page.evaluate("i.files[0].webkitRelativePath") == "folder/one.txt"
    with pytest.raises(InvalidArguments, match="is no folder, and this takes folders only"):
        await page.upload(await ref(page, "F"), files[:1])


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


async def test_a_click_in_a_menu_that_opens_a_chooser_and_closes_says_how_to_give_it_files(sheet: Page) -> None:
    await show(sheet, f"<button onclick='i.click(); this.remove()'>F</button>{HIDDEN}")

    receipt = await sheet.click(await ref(sheet, "F"))

    assert receipt.note == (
        "it opened a file chooser, which was closed, and it is gone now: bring it back, and upload to it instead of"
        " clicking it"
    )


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


async def test_where_no_file_may_be_uploaded_nobody_is_told_to(browser: Browser, sheet: Page) -> None:
    await show(sheet, f"<button onclick='i.click()'>F</button><input type=file aria-label=G>{HIDDEN}")
    button, field = await ref(sheet, "F"), await ref(sheet, "G")

    session = Session(browser, page=sheet, upload_folders=())
    told = [
        (await session.call(*call)).text
        for call in (("click", {"ref": button}), ("fill", {"ref": field, "value": "a"}))
    ]

    assert [text.partition(": ")[2].strip(").") for text in told] == ["no file may be uploaded here, so do without"] * 2


def test_without_folders_no_file_is_taken(files: list[str]) -> None:
    with pytest.raises(InvalidArguments, match="nor any other: the user set no upload_folders"):
        inside(files, [])
