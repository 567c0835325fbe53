"""Text boxes, lists, dates."""

from __future__ import annotations

import operator
import re

from cdp_agent.errors import ActionError

from .play import Play, solves


@solves("enter-text", "enter-text-dynamic")
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


@solves("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
async def choose_a_date(play: Play) -> None:
    await play.click("textbox")
    await pick_date(play, play.said(r"\d\d/\d\d/\d{4}")[0])
    await play.submit()


@solves("book-flight", "book-flight-nodelay")
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


@solves("login-user")
async def log_in(play: Play) -> None:
    for nth, text in enumerate(play.quoted):
        await play.fill(text, nth)
    await play.submit("Login")


@solves("choose-list")
async def choose_from_the_list(play: Play) -> None:
    option = play.said(r"Select (.*) from the list")[1]
    await play.call("select", ref=(await play.one("combobox")).ref, value=option)
    await play.submit()


@solves("enter-text-2")
async def enter_the_text_in_other_letters(play: Play) -> None:
    text = play.quoted[0]
    await play.fill(text.upper() if "upper case" in play.utterance else text.lower())
    await play.submit()


@solves("enter-date")
async def enter_a_date(play: Play) -> None:
    month, day, year = play.said(r"(\d+)/(\d+)/(\d+)").groups()
    await play.fill(f"{year}-{month:0>2}-{day:0>2}")
    await play.submit()


@solves("enter-time")
async def enter_a_time(play: Play) -> None:
    hour, minute, half = play.said(r"(\d+):(\d+) ([AP])M").groups()
    await play.fill(f"{int(hour) % 12 + 12 * (half == 'P'):02}:{minute}")
    await play.submit()


@solves("focus-text-2")
async def focus_the_nth_text_box(play: Play) -> None:
    await play.click_on((await play.look()).all("textbox")[_nth(play, r"the (\d)\w\w input")].ref)


def _nth(play: Play, pattern: str) -> int:
    """The number that the sentence says there, from 0."""
    return int(play.said(pattern)[1]) - 1


@solves("form-sequence-2")
async def check_one_and_fill_in_another(play: Play) -> None:
    look = await play.look()
    role = "radio" if "radio" in play.utterance else "checkbox"
    await play.call("check", ref=look.all(role)[_nth(play, r"Check the (\d)")].ref)
    await play.fill(play.quoted[0], _nth(play, r"into the (\d)"))
    await play.submit()


async def set_slider(play: Play, nth: int, value: int) -> None:
    """By keys, from where it is to the value."""
    look = await play.look()
    handle = look.all("generic", class_="ui-slider-handle")[nth]
    shown = int(next(line.text for line in look.after(handle) if re.fullmatch(r"-?\d+", line.text)))
    for start in range(0, abs(value - shown), 100):
        times = min(100, abs(value - shown) - start)
        await play.press("ArrowRight" if value > shown else "ArrowLeft", handle.ref, times)


@solves("form-sequence")
async def set_the_slider_and_check_one(play: Play) -> None:
    await set_slider(play, 0, int(play.said(r"Select (-?\d+)")[1]))
    box = (await play.look()).all("checkbox")[_nth(play, r"click the (\d)")]
    await play.call("check", ref=box.ref)
    await play.submit()


@solves("use-slider", "use-slider-2")
async def set_the_sliders(play: Play) -> None:
    for nth, value in enumerate(re.findall(r"-?\d+", play.utterance)):
        await set_slider(play, nth, int(value))
    await play.submit()


@solves("use-spinner")
async def set_the_spinner(play: Play) -> None:
    value = int(play.said(r"Select (-?\d+)")[1])
    button = (await play.look()).all("button")[0 if value > 0 else 1].ref  # the field takes no keys
    for _ in range(abs(value)):
        await play.click_on(button)
    await play.submit()


@solves("use-colorwheel-2")
async def enter_the_colour_that_is_shown(play: Play) -> None:
    levels = bytes(int(level) for level in play.said(r"\[rgb\((\d+), (\d+), (\d+)\)\]").groups())
    await play.fill(levels.hex().upper())
    await play.submit()


@solves("use-autocomplete", "use-autocomplete-nodelay")
async def choose_what_begins_and_ends_so(play: Play) -> None:
    begin, *end = play.quoted
    await play.fill(begin)
    await play.call("wait_for", selector="ul.ui-autocomplete li")
    choices = [line for line in (await play.look()).lines if line.name.startswith(begin) and "ref" in line.states]
    await play.click_on(next(line.ref for line in choices if line.name.endswith(tuple(end) or "")))
    await play.submit()


@solves("multi-layouts", "multi-orderings")
async def search_in_any_layout(play: Play) -> None:
    genre, director, year = play.said(r"for (.*) movies directed by (.*) from year (\d+)").groups()
    wanted = {"Genre": genre, "Director": director, "Year": year}
    look = await play.look()
    boxes, labels = [], []
    for line in look.lines:
        label = next((name for name in wanted if name in line.says and line.role != "textbox"), None)
        if label:
            labels.append(label)
        elif line.role == "textbox":
            boxes.append(line.ref)
    for label, ref in zip(labels, boxes, strict=True):
        await play.call("fill", ref=ref, value=wanted[label])
    await play.click_on(
        next(line.ref for line in look.lines if line.says in ("Submit", "Search") and "ref" in line.states)
    )


@solves("read-table", "read-table-2")
async def copy_from_the_table(play: Play) -> None:
    look = await play.look()
    values = dict(row.text.split(" | ", 1) for row in look.all("row"))
    one = re.search(r"the value of (.*) into", play.utterance)
    names = [one[1]] if one else [line.text.rstrip(":") for line in look.all("text")]
    for nth, name in enumerate(names):
        await play.fill(values[name], nth)
    await play.submit()


@solves("simple-arithmetic")
async def calculate(play: Play) -> None:
    match = re.search(r"(\d+) ([-+x×*/÷]) (\d+) =", (await play.look()).text)
    assert match is not None
    left, right = int(match[1]), int(match[3])
    results = {"+": left + right, "-": left - right, "/": left // (right or 1), "÷": left // (right or 1)}
    await play.fill(str(results.get(match[2], left * right)))
    await play.submit()


@solves("search-engine")
async def click_the_nth_result(play: Play) -> None:
    nth = _nth(play, r"the (\d)\w\w search result")
    await play.fill(play.quoted[0])
    await play.submit("Search")
    if nth >= 3:
        await play.click("link", str(nth // 3 + 1))
    results = [line for line in (await play.look()).all("link") if not re.fullmatch(r"\d|[<>]|First|Last", line.name)]
    await play.click_on(results[nth % 3].ref)
