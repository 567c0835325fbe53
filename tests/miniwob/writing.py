"""Terminals, editors, selected text."""

from __future__ import annotations

import re

from .play import Play, solves


@solves("terminal")
async def delete_a_file(play: Play) -> None:
    match = re.search(r"extension \.(\S+)$", play.utterance)
    await type_line(play, "ls")
    listing = (await play.look()).text.rpartition("ls")[2]
    names = [name for name in re.findall(r"[\w.]+", listing) if name not in ("user", "text", "generic")]
    # The listing comes first after the command.
    chosen = next(name for name in names if (name.endswith(f".{match[1]}") if match else "." not in name))
    await type_line(play, f"rm {chosen}")


async def type_line(play: Play, line: str) -> None:
    box = (await play.one("textbox")).ref
    for key in line:
        await play.press("Space" if key == " " else key, ref=box)
    await play.press("Enter", ref=box)


async def _block(play: Play, selector: str, nth: int = 0) -> str:
    return (await play.find(selector))[nth].ref


@solves("highlight-text")
async def select_the_paragraph(play: Play) -> None:
    await play.click_on(await _block(play, "#randomText"), count=3)
    await play.submit()


@solves("highlight-text-2")
async def select_the_nth_paragraph(play: Play) -> None:
    nth = int(play.said(r"the (\d)\w\w paragraph")[1])
    await play.click_on(await _block(play, "p", nth - 1), count=3)
    await play.submit()


STYLES = {"bold": 0, "italics": 1, "underlined": 2}


@solves("text-editor")
async def style_text(play: Play) -> None:
    editor = (await play.find(".ql-editor"))[0]
    match = re.search(r"give the text (\S+) the", play.utterance)
    await play.call("focus", ref=editor.ref)
    if match:
        await play.press("Control+Home")
        await play.press("ArrowRight", times=editor.text.index(match[1]))
        await play.press("Shift+ArrowRight", times=len(match[1]))
    else:
        await play.press("Control+A")
    if "color" in play.utterance:
        colour = play.said(r"the color (\w+)")[1]
        await play.click_on(await _block(play, ".ql-picker-label"))
        items = await play.find(".ql-picker-item", "data-value")
        await play.click_on(next(each.ref for each in items if each.attributes["data-value"] == EDITOR_COLOURS[colour]))
    else:
        style = next(name for name in STYLES if f"style {name}" in play.utterance)
        await play.click_on((await play.look()).all("button")[STYLES[style]].ref)
    await play.submit()


# The colours of the palette, as a sighted user would name them.
EDITOR_COLOURS = {
    "red": "#e60000",
    "orange": "#ff9900",
    "yellow": "#ffff00",
    "green": "#008a00",
    "blue": "#0066cc",
    "purple": "#9933ff",
}


@solves("copy-paste")
async def copy_the_text(play: Play) -> None:
    look = await play.look()
    await _copy(play, look.one("textbox", id="to-copy").text)


@solves("copy-paste-2")
async def copy_the_nth_text(play: Play) -> None:
    nth = play.said(r"from the (\d)\w\w text area")[1]
    await _copy(play, (await play.one("textbox", id=f"text-{nth}")).text)


async def _copy(play: Play, text: str) -> None:
    await play.call("fill", ref=(await play.one("textbox", id="answer-input")).ref, value=text)
    await play.submit()


@solves("text-transform")
async def read_the_skewed_text(play: Play) -> None:
    await play.fill((await play.one("text")).text.replace(" ", ""))
    await play.submit()


@solves("scroll-text")
async def enter_the_last_word(play: Play) -> None:
    text = (await play.one("textbox", id="text-area")).text
    await _copy(play, re.findall(r"\w+", text)[-1])


@solves("scroll-text-2")
async def scroll_to_an_end(play: Play) -> None:
    direction = "bottom" if "bottom" in play.utterance else "top"
    await play.call("scroll", direction=direction, ref=(await play.one("textbox")).ref)
    await play.submit()


@solves("sign-agreement")
async def sign_or_cancel(play: Play) -> None:
    if play.quoted:
        name, button = play.quoted
        await play.call("scroll", direction="bottom", ref=(await play.one("textbox", id="text-area")).ref)
        await play.call("fill", ref=(await play.one("textbox", "Name")).ref, value=name)
    await play.submit(button if play.quoted else "Cancel")
