"""Text boxes, lists, dates."""

from __future__ import annotations

import operator
import re

from cdp_agent.errors import ActionError

from .play import Play, solves


@solves("enter-text")
async def enter_the_text(play: Play) -> None:
    await play.fill(play.quoted[0])
    await play.submit()


@solves("enter-password")
async def enter_the_password_twice(play: Play) -> None:
    await play.fill(play.quoted[0], nth=0)
    await play.fill(play.quoted[0], nth=1)
    await play.submit()


@solves("focus-text")
async def focus_the_text_box(play: Play) -> None:
    await play.click("textbox")


@solves("login-user-popup")
async def log_in_although_something_pops_up(play: Play) -> None:
    user, password = play.quoted
    for _ in range(2):  # it pops up once, when one of the two gets the focus
        try:
            await play.fill(user, nth=0)
            await play.fill(password, nth=1)
        except ActionError:
            pass
        if (await play.look()).has("button", "Cancel"):
            await play.click("button", "Cancel")
        else:
            break
    await play.submit("OK")


@solves("find-word")
async def type_the_nth_word(play: Play) -> None:
    nth = int(play.said(r"the (\d+)\w\w word")[1])
    words = (await play.one("paragraph")).text.split()
    await play.fill(re.sub("[^a-zA-Z]", "", words[nth - 1]))
    await play.submit()


@solves("simple-algebra")
async def solve_for_x(play: Play) -> None:
    match = re.search(r"(x|\d+) ([-+]) (x|\d+) = (-?\d+)", (await play.look()).text)
    assert match is not None
    left, sign, right, result = match.groups()
    inverse = {"+": operator.sub, "-": operator.add}[sign]
    x = inverse(int(result), int(right)) if left == "x" else int(result) - int(left)
    await play.fill(str(-x if sign == "-" and left != "x" else x))
    await play.submit()


@solves("guess-number")
async def guess_by_halves(play: Play) -> None:
    low, high = 0, 9
    while low <= high and not await play.done():
        guess = (low + high) // 2
        await play.fill(str(guess), role="spinbutton")
        await play.submit()
        if "is lower than" in (text := (await play.look()).text):
            high = guess - 1
        elif "is higher than" in text:
            low = guess + 1


@solves("form-sequence-3")
async def choose_then_click(play: Play) -> None:
    option = play.said(r"Choose (.*) from the dropdown")[1]
    await play.call("select", ref=(await play.one("combobox")).ref, value=option)
    await play.click("button", play.quoted[0])


@solves("click-scroll-list")
async def select_several(play: Play) -> None:
    look = await play.look()
    asked = play.said(r"Select (.*) from the scroll list")[1]
    wanted = [option for option in look.all("option") if option.name in asked]
    for option in wanted:
        if f"{option.name}," in f"{asked},":
            await play.call("check", ref=option.ref)
    await play.submit()


@solves("use-colorwheel")
async def enter_a_colour(play: Play) -> None:
    await play.fill(NAMED_COLOURS[play.said(r"Select (\w+) with")[1]])
    await play.submit()


# https://www.w3.org/TR/css-color-4/#named-colors
NAMED_COLOURS = {
    "black": "000000",
    "white": "FFFFFF",
    "aqua": "00FFFF",
    "blue": "0000FF",
    "gray": "808080",
    "green": "008000",
    "lime": "00FF00",
    "maroon": "800000",
    "navy": "000080",
    "olive": "808000",
    "purple": "800080",
    "red": "FF0000",
    "silver": "C0C0C0",
    "teal": "008080",
    "yellow": "FFFF00",
    "pink": "FFC0CB",
    "magenta": "FF00FF",
    "gold": "FFD700",
    "orange": "FFA500",
}

# fmt: off
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]
# fmt: on


async def pick_date(play: Play, date: str) -> None:
    """In the calendar that is open. `date` is "12/24/2016"."""
    month, day, year = (int(part) for part in date.split("/"))
    while True:
        look = await play.look()
        shown = re.search(rf"\b({'|'.join(MONTHS)}) *(\d{{4}})", look.text)
        assert shown is not None
        ahead = (int(shown[2]), MONTHS.index(shown[1]) + 1)
        if ahead == (year, month):
            break
        await play.click_on(look.one(None, "Prev" if ahead > (year, month) else "Next").ref)
    await play.click_on(look.one("link", str(day)).ref)


@solves("choose-date", "choose-date-easy")
async def choose_a_date(play: Play) -> None:
    await play.click("textbox")
    await pick_date(play, play.said(r"\d\d/\d\d/\d{4}")[0])
    await play.submit()


@solves("book-flight")
async def book_a_flight(play: Play) -> None:
    best, start, end, date = play.said(r"the (\w+) one-way flight from: (.*) to: (.*) on ([\d/]+)\.").groups()
    for field, place in (("From:", start), ("To:", end)):
        await play.call("fill", ref=(await play.one("textbox", field)).ref, value=place)
        # The list comes a moment after the last key. A place is named by its city or by its airport.
        label = f"({place})" if re.fullmatch("[A-Z]{3}", place) else f"{place} ("
        await play.call("wait_for", text=label)
        options = [line for line in (await play.look()).lines if label in line.name and "ref" in line.states]
        await play.click_on(next(each.ref for each in options if label[0] == "(" or each.name.startswith(label)))
    boxes = (await play.look()).all("textbox")
    await play.click_on(next(box.ref for box in boxes if "readonly" in box.states))
    await pick_date(play, date)
    await play.click("button", "Search")
    look = await play.look()
    offers = [line for line in look.all("button") if line.name.startswith("Book flight for $")]
    prices = [int(offer.name.rpartition("$")[2]) for offer in offers]
    durations = [60 * int(h) + int(m) for h, m in re.findall(r"(\d+)h (\d+)m", look.text)]
    values = durations if best == "shortest" else prices
    await play.click_on(offers[values.index(min(values))].ref)
