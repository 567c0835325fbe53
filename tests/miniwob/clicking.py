"""Buttons, check boxes, tabs, menus: the thing is named in the task and clicked."""

from __future__ import annotations

import asyncio
import re
import time

from .play import Play, solves


@solves("click-button", "unicode-test")
async def click_the_quoted_button(play: Play) -> None:
    await play.click("button", play.quoted[0])


@solves("click-button-sequence")
async def click_one_then_two(play: Play) -> None:
    await play.click("button", "ONE")
    await play.click("button", "TWO")


@solves("button-delay")
async def wait_between_two_clicks(play: Play) -> None:
    clicked = time.monotonic()
    await play.click("button", "ONE")
    # What the task asks for; the page compares with its own clock. A click without an effect takes a second.
    await asyncio.sleep(clicked + int(play.said(r"wait (\d+) seconds")[1]) - time.monotonic())
    await play.click("button", "TWO")


@solves("click-test-transfer")
async def click_the_button_that_is_named(play: Play) -> None:
    await play.click("button", play.said(r"Click button (\w+)")[1])


@solves("buy-ticket")
async def buy_the_best_ticket(play: Play) -> None:
    look = await play.look()
    durations = [60 * int(h) + int(m) for h, m in re.findall(r"(\d+)h (\d+)m", look.text)]
    buttons = look.all("button")
    prices = [int(button.name.rpartition("$")[2]) for button in buttons]
    values = durations if "duration" in play.utterance else prices
    best = min(values) if re.search("cheapest|shortest", play.utterance) else max(values)
    await play.click_on(buttons[values.index(best)].ref)


@solves("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer", "click-option")
async def check_those_that_are_named(play: Play) -> None:
    wanted = play.said(r"Select (.*) and click Submit")[1].split(", ")
    for line in (await play.look()).lines:
        if line.role in ("checkbox", "radio") and line.name in wanted:
            await play.call("check", ref=line.ref)
    await play.submit()


# Words for the same, one group a line.
THESAURUS = """
big large huge enormous gigantic | small tiny little mini petite | red scarlet crimson vermillion
happy cheerful joyful gleeful delighted | sad unhappy sorrowful miserable tragic | angry mad furious irritated
evil wicked immoral sinful corrupt depraved | wrong incorrect mistaken erroneous | real genuine actual
strange odd peculiar unusual weird | stop cease halt end finish | scared terrified panicked fearful frightened afraid
quiet calm peaceful serene mild | old aged archaic | love like adore favor | kill murder assassinate
keep retain preserve sustain maintain | hide conceal camouflage | hate despise loathe detest dislike
funny humorous amusing comical laughable | fat fleshy plump chubby | stupid dumb dull unwise
delicious savory delectable appetizing | cut slice carve chop | brave courageous fearless
begin start initiate launch | answer reply response | television televisions TV TVs | house home houses homes
fire flame fires flames | pig pork swine | rabbit rabbits bunny bunnies | water
car cars automobile automobiles vehicle vehicles
"""
SENSES = [set(group.split()) for group in THESAURUS.replace("\n", "|").split("|")]


@solves("click-checkboxes-soft")
async def check_words_that_mean_the_same(play: Play) -> None:
    words = set(play.said(r"similar to (.*) and click Submit")[1].split(", "))
    wanted = set().union(*(sense for sense in SENSES if sense & words))
    for box in (await play.look()).all("checkbox"):
        if box.name in wanted:
            await play.call("check", ref=box.ref)
    await play.submit()


@solves("click-collapsible", "click-collapsible-nodelay")
async def expand_the_section(play: Play) -> None:
    section = next(tab for tab in (await play.look()).all("tab") if tab.name.startswith("Section"))
    await play.click_on(section.ref)
    await play.submit()


@solves(
    "click-collapsible-2",
    "click-collapsible-2-nodelay",
    "click-tab-2",
    "click-tab-2-easy",
    "click-tab-2-medium",
    "click-tab-2-hard",
)
async def look_behind_every_tab(play: Play) -> None:
    target = play.quoted[0]
    for tab in (await play.look()).all("tab"):
        # A tab that holds a link is clicked like any other.
        if not (await play.look()).has("generic", target):
            await play.click_on(tab.ref)
    if not await play.done():
        await play.click("generic", target)


@solves("click-tab")
async def click_the_tab(play: Play) -> None:
    await play.click("tab", play.said(r"Tab #\d")[0])


@solves("click-color")
async def click_the_box_of_that_colour(play: Play) -> None:
    colour = play.said(r"Click on the (\w+) colored box")[1]
    boxes = await play.find("[style*=background]", "style")
    styles = {box.ref: box.attributes["style"] or "" for box in boxes if box.visible}
    await play.click_on(next(ref for ref, style in styles.items() if f": {colour};" in style))


@solves("click-dialog", "click-dialog-2")
async def click_in_the_dialog(play: Play) -> None:
    await play.click("button", "Close" if play.quoted[0] == "x" else play.quoted[0])


# What the icons of the menu mean to who sees them.
ICONS = {
    "disk": "Save",
    "seek-start": "Prev",
    "stop": "Stop",
    "play": "Play",
    "seek-end": "Next",
    "zoomin": "Zoom In",
    "zoomout": "Zoom Out",
}


@solves("click-menu-2")
async def click_in_the_menu(play: Play) -> None:
    target = play.quoted[1] if len(play.quoted) > 1 else ICONS[play.said(r"ui-icon-([\w-]+)\]")[1]]
    await play.click("button", "Menu")
    if target in ("Prev", "Stop", "Play", "Next"):
        await play.call("hover", ref=(await play.one("menuitem", "Playback")).ref)
        await play.call("wait_for", text=target)
    await play.click("menuitem", target)


@solves("odd-or-even")
async def mark_odd_and_even(play: Play) -> None:
    lines = (await play.look()).lines
    for odd, number, even in zip(lines, lines[1:], lines[2:], strict=False):
        if (odd.name, even.name) == ("Odd", "Even"):
            await play.click_on(odd.ref if int(number.text) % 2 else even.ref)
    await play.submit()


@solves("phone-book")
async def find_the_contact(play: Play) -> None:
    name, wanted = play.said(r"Find (\S+) in the contact book and click on their (\w+)").groups()
    while (look := await play.look()).one("heading").name != name:
        await play.click_on(look.one("link", ">").ref)
    label = next(line for line in look.lines if line.text.startswith(wanted.capitalize()))
    await play.click_on(look.after(label)[0].ref)


@solves("navigate-tree")
async def open_folders_until_it_shows(play: Play) -> None:
    name = play.quoted[0]
    opened: set[str] = set()
    while True:
        spans = [each for each in await play.find(".folder, .file", "class") if each.visible]
        found = next((each.ref for each in spans if each.text == name), None)
        closed = [each.ref for each in spans if "folder" in str(each.attributes["class"]) and each.ref not in opened]
        if found or not closed:
            break
        opened.add(closed[0])
        await play.click_on(closed[0])
    if found:
        await play.click_on(found)


# What the example shows: the digits in a grid of four by seven.
DIGITS = {
    0: ".XX. X..X X..X X..X X..X X..X .XX.",
    1: "..X. .XX. ..X. ..X. ..X. ..X. ..X.",
    2: ".XX. X..X X..X ..X. .X.. X... XXXX",
    3: ".XX. X..X ...X .XX. ...X X..X .XX.",
    4: "X... X.X. X.X. XXXX ..X. ..X. ..X.",
    5: "XXXX X... X... XXX. ...X X..X .XX.",
    6: ".XX. X..X X... XXX. X..X X..X .XX.",
    7: "XXXX X..X ...X ..X. ..X. .X.. .X..",
    8: ".XX. X..X X..X .XX. X..X X..X .XX.",
    9: ".XX. X..X X..X .XXX ...X X..X .XX.",
}


@solves("number-checkboxes")
async def draw_a_digit_in_check_boxes(play: Play) -> None:
    pattern = DIGITS[int(play.quoted[0])].replace(" ", "")
    for box, mark in zip((await play.look()).all("checkbox"), pattern, strict=True):
        if mark == "X":
            await play.call("check", ref=box.ref)
    await play.submit()


@solves("click-test", "click-test-2")
async def click_the_only_button_or_one(play: Play) -> None:
    await play.click("button", "ONE" if "ONE" in play.utterance else None)


@solves("click-link")
async def click_the_link(play: Play) -> None:
    await play.click("generic", play.quoted[0])


@solves("click-menu")
async def go_down_the_menu(play: Play) -> None:
    *above, last = play.said(r"Select (.*)")[1].split(">")
    for name, below in zip(above, [*above[1:], last], strict=True):
        await play.call("hover", ref=(await play.one("menuitem", name)).ref)
        await play.call("wait_for", text=below)
    await play.click("menuitem", last)


@solves("click-widget")
async def click_a_widget_of_that_kind(play: Play) -> None:
    # The view calls both "textbox": that one has several lines is seen.
    selectors = {"text": "input[type=input]", "textarea": "textarea", "button": "button"}
    kind = play.quoted[0]
    await play.click_on((await play.find(selectors.get(kind, f"input[type={kind}]")))[0].ref)


@solves("click-shades")
async def click_all_shades(play: Play) -> None:
    channel = ("red", "green", "blue").index(play.said(r"shades of (\w+)")[1])
    for line in (await play.look()).all("generic", color="#"):
        levels = bytes.fromhex(line.states["color"][1:])
        if levels[channel] == max(levels):
            await play.click_on(line.ref)
    await play.submit()


@solves("find-greatest")
async def pick_the_greatest_card(play: Play) -> None:
    cards = [line for line in (await play.look()).all("generic") if line.says.isdigit()]
    await play.click_on(max(cards, key=lambda card: int(card.says)).ref)
    await play.submit()


@solves("generate-number")
async def generate_until_it_fits(play: Play) -> None:
    limit = re.search(r"(less|greater) than (\d+)", play.utterance)
    while True:
        await play.click("button", "Generate")
        number = int(next(line.text for line in (await play.look()).lines if line.text.isdigit()))
        if limit:
            fits = number < int(limit[2]) if limit[1] == "less" else number > int(limit[2])
        else:
            fits = bool(number % 2) == ("odd" in play.utterance)
        if fits:
            break
    await play.submit()


@solves("order-food")
async def order_by_name_or_kind(play: Play) -> None:
    adding: dict[str, str] = {}
    kinds: dict[str, set[str]] = {}
    name = ""
    for line in (await play.look()).lines:
        if line.role == "text":
            name = line.text.strip()
        elif line.role == "img":
            kinds.setdefault(name, set()).add(line.name)
        elif line.says == "+":
            adding[name] = line.ref
    by_kind = re.search(r"Order (\d+) items that are (\S+)", play.utterance)
    if by_kind:
        chosen = [next(name for name in adding if by_kind[2] in kinds[name])] * int(by_kind[1])
    else:
        chosen = [name.strip() for name in play.said(r"each item: (.*)")[1].split(",")]
    for name in chosen:
        await play.click_on(adding[name])
    await play.submit("Order!")


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@solves("tic-tac-toe")
async def win_or_at_least_do_not_lose(play: Play) -> None:
    while not await play.done():
        squares = (await play.look()).all("generic")[:9]
        marks = [
            "XO"["mark-o" in square.states.get("class", "")] if "class" in square.states else " " for square in squares
        ]
        free = [place for place, mark in enumerate(marks) if mark == " "]
        await play.click_on(squares[max(free, key=lambda place: _worth(marks, place))].ref)


def _worth(marks: list[str], place: int) -> tuple[bool, bool, int]:
    """Whether it wins, whether it keeps the other from winning, and how many lines can still be won with it."""
    through = [[marks[other] for other in line if other != place] for line in LINES if place in line]
    open_lines = sum(2 if "X" in line else 1 for line in through if "O" not in line)
    return ["X", "X"] in through, ["O", "O"] in through, open_lines
