"""The shop of the fixtures; judged by the orders that it has."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play
from fixtures.shop import PRODUCTS, ShopServer

CITIES = {"Oslo": "Norway", "Turku": "Finland", "Lund": "Sweden"}


@contextmanager
def shop(folder: Path, rng: random.Random) -> Iterator[Site]:
    with ShopServer() as server:
        yield Site(server.url, folder, server)


SHOP = ("shop", shop)


def _order(rng: random.Random) -> dict[str, str]:
    """Two products, one of them twice or more, and where they go."""
    first, second = rng.sample(list(PRODUCTS.values()), 2)
    city = rng.choice(list(CITIES))
    return {
        "first": first.name,
        "second": second.name,
        "count": str(rng.randint(2, 5)),
        "name": rng.choice(["Ada Berg", "Tor Lie", "Ine Moe"]),
        "city": city,
        "country": CITIES[city],
    }


async def _ordered(episode: Episode, *, with_second: bool) -> str:
    orders, asked = episode.site.server.orders, episode.asked
    ids = {product.name: product.id for product in PRODUCTS.values()}
    cart = {ids[asked["first"]]: int(asked["count"])} | ({ids[asked["second"]]: 1} if with_second else {})
    if len(orders) != 1:
        return f"{len(orders)} orders were placed"
    order = orders[0]
    if order.cart != cart:
        return f"the order has {order.cart}"
    wanted = (asked["name"], asked["city"], asked["country"])
    if (order.name, order.city, order.country) != wanted:
        return f"it goes to {order.name}, {order.city}, {order.country}"
    return "" if order.number in episode.answer else f"its number, {order.number}, was not told"


async def _put_into_cart(play: Play, product: str, count: str = "1") -> None:
    await play.call("fill", ref=play.ref("searchbox"), value=product, submit=True)
    await play.call("click", ref=play.ref(f'link "{product}"'))
    if count != "1":
        await play.call("fill", ref=play.ref("spinbutton"), value=count)
    await play.call("click", ref=play.ref('button "Add to cart"'))


async def _check_out(play: Play, name: str, city: str, country: str) -> None:
    await play.call("click", ref=play.ref('link "Go to checkout"'))
    await play.call("fill", ref=play.ref('textbox "Full name"'), value=name)
    await play.call("fill", ref=play.ref('textbox "Street"'), value="Storgata 5")
    await play.call("fill", ref=play.ref('textbox "City"'), value=city)
    await play.call("select", ref=play.ref('combobox "Country"'), value=country)
    await play.call("click", ref=play.ref('radio "Invoice'))
    await play.call("check", ref=play.ref('checkbox "I accept'))
    await play.call("click", ref=play.ref('button "Place order"'))
    number = play.seen(r"FF-\d+-\w")
    await play.answer(f"The order's number is {number}.")


async def _ordered_both(episode: Episode) -> str:
    return await _ordered(episode, with_second=True)


async def _ordered_the_first(episode: Episode) -> str:
    return await _ordered(episode, with_second=False)


async def _price_told(episode: Episode) -> str:
    price = next(each.price for each in PRODUCTS.values() if each.name == episode.asked["first"])
    return "" if f"{price:.2f}" in episode.answer else f"it costs {price:.2f}"


async def _nothing_ordered(episode: Episode) -> str:
    if episode.site.server.orders:
        return "something was ordered"
    return "" if re.search(r"\b(no|not)\b", episode.answer) else "it was not said that there is none"


@own(
    "shop_order",
    SHOP,
    "Order {count} of '{first}' and one '{second}', to '{name}', Storgata 5, '{city}', '{country}', by invoice. "
    "Report the order's number.",
    _ordered_both,
    asked=_order,
)
async def order(play: Play) -> None:
    first, second, *address = quoted(play)
    await _put_into_cart(play, first, re.findall(r"Order (\d)", play.utterance)[0])
    await _put_into_cart(play, second)
    await _check_out(play, *address)


@own(
    "shop_change_of_mind",
    SHOP,
    "Put {count} of '{first}' and one '{second}' into the cart. Then take '{second}' out of it, and order the rest, to "
    "'{name}', Storgata 5, '{city}', '{country}', by invoice. Report the order's number.",
    _ordered_the_first,
    asked=_order,
)
async def change_of_mind(play: Play) -> None:
    first, second, *address = quoted(play)
    await _put_into_cart(play, first, re.findall(r"Put (\d)", play.utterance)[0])
    await _put_into_cart(play, second)
    await play.call("click", ref=play.ref(f'button "Remove {second}'))
    await _check_out(play, *address)


@own("shop_price", SHOP, "What does '{first}' cost in this shop?", _price_told, asked=_order)
async def price(play: Play) -> None:
    (name,) = quoted(play)
    await play.call("fill", ref=play.ref("searchbox"), value=name, submit=True)
    await play.call("click", ref=play.ref(f'link "{name}"'))
    await play.answer(f"{name} costs {play.seen(r'€ ?[0-9.]+')}.")


@own("shop_not_sold", SHOP, "Order a porcelain teapot for Ada Berg, by invoice.", _nothing_ordered)
async def not_sold(play: Play) -> None:
    for words in ("porcelain teapot", "teapot"):
        await play.call("fill", ref=play.ref("searchbox"), value=words, submit=True)
    await play.call("abort", reason=f"The shop has no teapot: {play.seen('status: (.*)')}")
