"""An order in the demo shop as ten steps, in the commands of each program.

`{role "name"}` stands for the ref of that element, as it was printed last since the page before was left. Where it was
not, a model would look first: so does play.py, with the program's own command for that.
"""

from __future__ import annotations

import msgspec

from fixtures.shop import Order

ORDER = Order({"mug-blue": 2}, "Ada Berg", "Storgata 5", "Oslo", "Norway", "invoice")
STEPS = (
    "open the shop",
    "search for mugs",
    "open the blue one",
    "enter how many",
    "put them into the cart",
    "go to the checkout",
    "enter the address",
    "choose to pay on invoice",
    "accept the terms and order",
    "read the order's number",
)


class Command(msgspec.Struct, frozen=True):
    """`leads`: to another page, so that what was printed before means nothing any more. `waits`: for the page that the
    one before it leads to; where that does not come, the one before is given once more, as a model would.
    """

    text: str
    leads: bool = False
    waits: bool = False


def leading(text: str) -> Command:
    return Command(text, leads=True)


def waiting(text: str) -> Command:
    return Command(text, waits=True)


class Flow(msgspec.Struct, frozen=True):
    """What is given to learn from, the commands of the steps but the last, and how a page is looked at.

    A command may do several steps at once, as far as what is learnt from teaches that.

    The last step is to read the number: by `read`, unless it is there to be read already. `places` are what else may
    stand in braces, as expressions whose group is what it stands for.
    """

    learn: str
    steps: tuple[tuple[Command, ...], ...]
    look: str
    read: str
    close: str
    places: dict[str, str] = {}


OURS = Flow(
    learn="cdp-agent skill",
    steps=(
        (leading("cdp-agent open {url}"),),
        (leading('cdp-agent fill {searchbox "Search products"} "enamel mug" --submit'),),
        (leading('cdp-agent click {link "Enamel mug, blue"}'),),
        (Command('cdp-agent fill {spinbutton "Quantity"} 2'),),
        (leading('cdp-agent click {button "Add to cart"}'),),
        (leading('cdp-agent click {link "Go to checkout"}'),),
        (
            leading(
                'cdp-agent fill {textbox "Full name"} "Ada Berg" {textbox "Street"} "Storgata 5"'
                ' {textbox "City"} Oslo {combobox "Country"} Norway'
                ' {radio "Invoice, 14 days"} on {checkbox "I accept the terms of sale"} on --submit'
            ),
        ),
        (),
        (),
    ),
    look="cdp-agent snapshot",
    read="cdp-agent snapshot",
    close="cdp-agent close",
)

# "After any page-changing action, wait for the thing you expect": its guide. Without, it shows the page before. A click
# that comes while the page is still being made does nothing now and then, and tells so by a wait in vain.
AGENT_BROWSER = Flow(
    learn="agent-browser skills get core",
    steps=(
        (leading("agent-browser open {url}"),),
        (
            Command('agent-browser fill @{searchbox "Search products"} "enamel mug"'),
            leading("agent-browser press Enter"),
            waiting('agent-browser wait --url "**/search*" --timeout 3000'),
        ),
        (
            leading('agent-browser click @{link "Enamel mug, blue"}'),
            waiting('agent-browser wait --url "**/product/*" --timeout 3000'),
        ),
        (Command('agent-browser fill @{spinbutton "Quantity"} 2'),),
        (
            leading('agent-browser click @{button "Add to cart"}'),
            waiting('agent-browser wait --url "**/cart" --timeout 3000'),
        ),
        (
            leading('agent-browser click @{link "Go to checkout"}'),
            waiting('agent-browser wait --url "**/checkout" --timeout 3000'),
        ),
        (
            Command('agent-browser fill @{textbox "Full name"} "Ada Berg"'),
            Command('agent-browser fill @{textbox "Street"} "Storgata 5"'),
            Command('agent-browser fill @{textbox "City"} Oslo'),
            Command('agent-browser select @{combobox "Country"} Norway'),
        ),
        (Command('agent-browser check @{radio "Invoice, 14 days"}'),),
        (
            Command('agent-browser check @{checkbox "I accept the terms of sale"}'),
            leading('agent-browser click @{button "Place order"}'),
            waiting('agent-browser wait --url "**/order/*" --timeout 3000'),
        ),
    ),
    look="agent-browser snapshot -i",
    read="agent-browser read",
    close="agent-browser close",
)

PLAYWRIGHT = Flow(
    learn="cat {skill}",
    steps=(
        (leading("playwright-cli open {url}"),),
        (leading('playwright-cli fill {searchbox "Search products"} "enamel mug" --submit'),),
        (leading('playwright-cli click {link "Enamel mug, blue"}'),),
        (Command('playwright-cli fill {spinbutton "Quantity"} 2'),),
        (leading('playwright-cli click {button "Add to cart"}'),),
        (leading('playwright-cli click {link "Go to checkout"}'),),
        (
            Command('playwright-cli fill {textbox "Full name"} "Ada Berg"'),
            Command('playwright-cli fill {textbox "Street"} "Storgata 5"'),
            Command('playwright-cli fill {textbox "City"} Oslo'),
            Command('playwright-cli select {combobox "Country"} Norway'),
        ),
        (Command('playwright-cli check {radio "Invoice, 14 days"}'),),
        (
            Command('playwright-cli check {checkbox "I accept the terms of sale"}'),
            leading('playwright-cli click {button "Place order"}'),
        ),
    ),
    # Each of its commands names a file with the page, so that nothing has to be asked of it.
    look="cat {snapshot}",
    read="cat {snapshot}",
    close="playwright-cli close",
    places={"snapshot": r"\[Snapshot\]\((.+?)\)"},
)
