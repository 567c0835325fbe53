"""Policies for WebGames, which do what a reader of the view would do; what only a picture shows they know."""

from __future__ import annotations

import datetime
import re
from collections.abc import Awaitable, Callable

from bench.evals.task import NotInView, Play, Policy

POLICIES: dict[str, Policy] = {}
"""By the names of the games."""

Moves = Callable[[Play], Awaitable[str | None]]
_CODE = re.compile(r"\b(?=\w*(?:[a-z][A-Z]|_|[A-Za-z]\d))\w{7,}\b|\b[A-Z]{8,}\b")


def wins(*games: str) -> Callable[[Moves], Moves]:
    """Registers the moves that win these games. The answer is what they return, else the password that is shown."""

    def register(moves: Moves) -> Moves:
        async def policy(play: Play) -> None:
            await play.answer(await moves(play) or password_in(play.view))

        for game in games:
            POLICIES[game] = policy
        return moves

    return register


def password_in(view: str) -> str:
    """The last code after the word "password". Raises NotInView."""
    codes = [
        code[0]
        for word in re.finditer("password", view, re.IGNORECASE)
        if (code := _CODE.search(view[word.end() : word.end() + 160]))
    ]
    if not codes:
        raise NotInView(f"no password in\n{view}")
    return codes[-1]


async def click(play: Play, pattern: str, nth: int = 0) -> str:
    """Clicks the nth line that matches."""
    return await play.call("click", ref=play.ref(pattern, nth=nth))


async def fill(play: Play, pattern: str, value: str, nth: int = 0) -> str:
    return await play.call("fill", ref=play.ref(pattern, nth=nth), value=value)


def said(play: Play, pattern: str) -> str:
    """What the pattern's group is in the view. Raises NotInView."""
    match = re.search(pattern, play.view)
    if match is None:
        raise NotInView(f"{pattern!r} is not in\n{play.view}")
    return match[1]


@wins("date", "dateeasy", "datehard")
async def enter_a_date(play: Play) -> None:
    ago = 32 if "32 days ago" in play.view else 0
    date = datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=ago)
    await fill(play, "textbox", date.isoformat())
    await click(play, 'button "Check Date"')


@wins("buttons", "buttons-easy", "buttons-hard")
async def click_the_one(play: Play) -> None:
    await click(play, 'generic "(this does nothing|Maybe this one|this is the one)')


@wins("click-cubed", "click-cubed-easy", "click-cubed-hard")
async def click_three_times(play: Play) -> None:
    for name in ("First", "Second", "Third"):
        await click(play, f'button "[^"]*{name}')


@wins("patience", "patience-easy", "patience-hard")
async def wait_and_reload(play: Play) -> None:
    await play.call("wait", seconds=int(said(play, r"after (\d+) seconds")) + 1)
    await play.call("reload")


@wins("i-accept", "i-accept-easy")
async def agree(play: Play) -> None:
    await play.call("check", ref=play.ref("checkbox"))
    await click(play, 'button "Submit"')


@wins("wolf-goat-cabbage", "wolf-goat-cabbage-easy")
async def ferry(play: Play) -> None:
    trips = ["goat", "", "wolf", "goat", "cabbage", "", "goat"] if "Load cabbage" in play.view else ["goat", "", "wolf"]
    for nth, cargo in enumerate(trips):
        if cargo:
            await click(play, f'button "Load {cargo}"')
        await click(play, f'button "Move boat {"left" if nth % 2 else "right"}"')
        if cargo:
            await click(play, 'button "Unload"')


@wins("towers-of-hanoi", "towers-of-hanoi-easy", "towers-of-hanoi-hard")
async def move_the_tower(play: Play) -> None:
    pegs = [play.ref('button "Select"', nth=nth) for nth in range(3)]
    disks = len(re.findall(r'generic \[class="absolute', play.view))

    async def move(count: int, start: str, end: str, other: str) -> None:
        if count:
            await move(count - 1, start, other, end)
            await play.call("click", ref=start)
            await play.call("click", ref=end)
            await move(count - 1, other, end, start)

    await move(disks, pegs[0], pegs[2], pegs[1])


@wins("file-upload", "file-upload-hard")
async def upload_a_file(play: Play) -> None:
    file = re.search(r"(/\S+\.mp3)", play.utterance)
    assert file is not None
    await play.call("upload", ref=play.ref('button "Choose'), files=[file[1]])


@wins("button-hold", "button-hold-easy", "button-hold-hard")
async def hold_the_button(play: Play) -> None:
    seconds = {"one": 1, "three": 3, "five": 5}[said(play, r"for (\w+) second")]
    await play.call("drag", from_ref=play.ref("button"), by=[2, 2], hold_s=seconds + 0.2)


@wins("key-combo", "key-combo-easy", "key-combo-hard")
async def press_together(play: Play) -> None:
    await play.call("press", key=said(play, r"text: (.+?) Currently pressed").replace(" ", ""))


@wins("scroll-vertical", "scroll-vertical-easy", "scroll-vertical-hard")
async def scroll_down(play: Play) -> None:
    await play.call("scroll", direction="bottom")
    await play.look()


@wins("scroll-horizontal", "scroll-horizontal-easy", "scroll-horizontal-hard")
async def scroll_right(play: Play) -> None:
    await _scroll_on(play, "right")


@wins("scroll-diagonal", "scroll-diagonal-easy", "scroll-diagonal-hard")
async def scroll_to_the_corner(play: Play) -> None:
    await play.call("scroll", direction="bottom")
    await _scroll_on(play, "right")


async def _scroll_on(play: Play, direction: str) -> None:
    for _ in range(4):
        await play.call("scroll", direction=direction, pages=20)
    await play.look()


@wins("file-credentials-easy")
async def log_in(play: Play) -> None:
    await fill(play, "textbox", said(play, r"Username: (\S+)"), 0)
    await fill(play, "textbox", said(play, r"Password: (\S+)"), 1)
    await click(play, 'button "Login"')


@wins("webs-assemble")
async def enter_the_code(play: Play) -> None:
    await fill(play, "textbox", said(play, r"paragraph: (WASM_\w+)"))
    await click(play, 'button "Submit Code"')


@wins("webgl-text", "webgl-text-easy", "webgl-text-hard")
async def name_the_shape(play: Play) -> None:
    easy = "Easy" in play.view
    await fill(play, "textbox", "square" if easy else "star" if "celestial" in play.view else "triangle")


@wins("menu-navigator", "menu-navigator-easy", "menu-navigator-hard")
async def look_through_the_menus(play: Play) -> None:
    """Hovers over whatever has not been, until the password's entry is shown."""
    tried: set[str] = set()
    secret = r"(?:button|menuitem|generic|text).*(?:Secret|Password)"
    while not re.search(secret, play.view):
        names = re.findall(r'(?:button|menuitem|generic) "([^"]+)"', play.view)
        name = next(name for name in reversed(names) if name not in tried)
        tried.add(name)
        await play.call("hover", ref=play.ref(re.escape(f'"{name}"')))
        await play.look()
    await click(play, secret)


@wins("popup-chaos", "popup-chaos-easy", "popup-chaos-hard")
async def close_all(play: Play) -> None:
    while (crosses := len(re.findall(r'button "✕"', play.view))) > 0:
        for nth in reversed(range(crosses)):  # the last lies on top
            if not (await click(play, 'button "✕"', nth)).startswith("Error"):
                break
        await play.look()


@wins("illegal-material", "illegal-material-easy", "illegal-material-hard")
async def proceed(play: Play) -> None:
    await _click_through(play, r'button "(?i:proceed|initiate)')
    if "CONFIRMATION REQUIRED" in play.view:
        await fill(play, "textbox", said(play, r"(?s)EXACTLY as shown.*?- paragraph: (.*?)\n"))
        await click(play, 'button "CONFIRM')


@wins("prompt-defender", "prompt-defender-easy", "prompt-defender-hard")
async def do_not_stop_early(play: Play) -> None:
    await _click_through(play, r'button "(?!View Previous)')


async def _click_through(play: Play, pattern: str) -> None:
    for _ in range(6):
        try:
            ref = play.ref(pattern)
        except NotInView:
            return
        await play.call("click", ref=ref)
        await play.look()


@wins("iframe-nest", "iframe-nest-easy", "iframe-nest-hard")
async def click_in_the_innermost_frame(play: Play) -> str:
    await click(play, 'button "Click me to complete!"')
    await play.look()
    return said(play, r"Challenge Complete! \S+ Password: (\w+)")  # the frame says another one


@wins("otp-entry", "otp-entry-easy")
async def enter_the_digits(play: Play) -> None:
    for nth, digit in enumerate(said(play, r"Enter this code: (\d+)")):
        await fill(play, "textbox", digit, nth)


@wins("shop-admin", "shop-admin-easy")
async def change_a_price(play: Play) -> None:
    product = said(play, r"(?i)(watermelon|apple)").lower()
    price = re.findall(r"\$(\d+\.\d\d)", play.view.partition("- table")[0])[-1]
    if "textbox" in play.view:
        await fill(play, 'textbox "Search', product)
        await play.look()
    edit = rf'(?is)- row: [^\n]*\b{product}\b[^\n]*\n(?:[^\n]*- cell:\n)?[^\n]*button "Edit" \[ref=(E\d+)\]'
    await play.call("click", ref=said(play, edit))
    await play.look()
    await fill(play, "spinbutton|textbox.*price", price)
    await click(play, 'button "(?i:[^"]*(save|update))')


@wins("recipe-calculator")
async def calculate_an_ingredient(play: Play) -> None:
    await fill(play, "spinbutton", "400")  # twice the 200 of the recipe
    await click(play, 'button "Check Answer"')


@wins("stock-market", "stock-market-easy", "stock-market-hard")
async def name_the_stock(play: Play) -> None:
    await fill(play, "textbox", "GOOG")
    await click(play, 'button "Submit')


@wins("right-click", "right-click-easy", "right-click-hard")
async def click_with_the_right_button(play: Play) -> None:
    result = play.view
    if "Right click me!" not in result:
        words = "Show Password" if "Show Password" in result else "Right Click Here!"
        result = await play.call("search_page", pattern=words)
    ref = re.findall(r"\[ref=(E\d+)\]", result)[-1]
    await play.call("click", ref=ref, button="right")


@wins("click-pixel", "click-pixel-easy")
async def click_the_pixel(play: Play) -> None:
    place = re.search(r"position: \((\d+), (\d+)\)", play.view)
    assert place is not None
    await play.call("click", ref=play.ref("generic"), at=[int(place[1]) + 2, int(place[2]) + 2])


@wins("pixel-copy", "pixel-copy-easy", "pixel-copy-hard")
async def copy_the_pixels(play: Play) -> None:
    cells = re.findall(r"generic \[color=(#\w+)\] \[ref=(E\d+)\]", play.view)
    half = len(cells) // 2
    for (wanted, _), (shown, ref) in zip(cells[:half], cells[half:], strict=True):
        if wanted != shown:
            await play.call("click", ref=ref)
