"""A market stall's app on Streamlit; judged by the files that it keeps."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.cache import python_in, python_packages
from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play, last_match
from bench.server import serving_itself
from tests.ports import free_port

PROGRAM = Path(__file__).parent / "apps/stall.py"
# What the app imports first takes seconds, which are then not a part of its first page.
START = "import pandas; from streamlit.web.cli import main; main(prog_name='streamlit')"
GOODS = {
    "cheese": ["Gouda", "Brie", "Feta", "Comté", "Halloumi"],
    "fruit": ["Apples", "Pears", "Plums", "Quinces", "Cherries"],
    "bread": ["Rye loaf", "Baguette", "Pretzel", "Focaccia", "Spelt roll"],
    "drink": ["Cider", "Elder syrup", "Coffee", "Birch sap", "Beer"],
}


@contextmanager
def stall(folder: Path, rng: random.Random) -> Iterator[Site]:
    """Twenty articles, each with a price and a number in stock."""
    stock = [
        {"name": name, "kind": kind, "price": rng.randint(10, 300) / 10, "count": rng.randint(1, 99)}
        for kind, names in GOODS.items()
        for name in names
    ]
    (folder / "stock.json").write_text(json.dumps(stock), "utf-8")
    shutil.copy(PROGRAM, folder)
    python = str(python_in(python_packages("streamlit==1.67.0")))
    options = {
        "server.headless": "true",
        "server.address": "127.0.0.1",
        "server.port": str(free_port()),
        "browser.gatherUsageStats": "false",
        "server.fileWatcherType": "none",
        "client.toolbarMode": "viewer",
    }
    command = (
        python,
        "-m",
        "streamlit",
        "run",
        PROGRAM.name,
        *(f"--{name}={value}" for name, value in options.items()),
    )
    with serving_itself(*command, cwd=folder) as url:
        yield Site(url, folder, stock)


STALL = ("Streamlit", stall)


async def _begin(play: Play) -> None:
    """The first run of the app takes long on a busy machine."""
    if "Download as CSV" not in play.view:
        await play.call("wait_for", text="Download as CSV")
        await play.look()


def _order(rng: random.Random) -> dict[str, str]:
    return {
        "name": rng.choice(["Ada Berg", "Tor Lie", "Ine Moe"]),
        "vat": f"NO{rng.randrange(10**8, 10**9)}",
        "article": rng.choice([name for names in GOODS.values() for name in names]),
        "count": str(rng.randint(2, 40)),
        "day": f"2027-02-{rng.randint(10, 28)}",
        "note": rng.choice(["Ring twice", "Leave it at the gate", "Before noon"]),
        "kind": rng.choice(list(GOODS)),
        "least": str(rng.randint(10, 50)),
    }


async def _ordered(episode: Episode) -> str:
    file = episode.site.folder / "orders.jsonl"
    orders = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    asked = episode.asked
    wanted: dict[str, object] = {name: asked[name] for name in ("name", "vat", "article", "day", "note")}
    wanted |= {"count": int(asked["count"]), "gift": True}
    return "" if orders == [wanted] else f"the orders are {orders}"


@own(
    "stall_order",
    STALL,
    "Order {count} of '{article}' for the company '{name}', VAT number '{vat}', delivered on '{day}', wrapped as a "
    "gift and with the note '{note}'.",
    _ordered,
    asked=_order,
)
async def order(play: Play) -> None:
    await _begin(play)
    article, name, vat, day, note = quoted(play)
    count = re.findall(r"Order (\d+)", play.utterance)[0]
    await play.call("click", ref=play.ref('radio "Order"'))
    await play.call("fill", ref=play.ref('textbox "Name"'), value=name, submit=True)
    for part, number in zip(("year", "month", "day"), day.split("-"), strict=True):
        await play.call("fill", ref=play.ref(f'spinbutton "{part}'), value=number)
    await play.call("press_key", key="Escape")  # the calendar lies over what follows
    await play.call("click", ref=play.ref('radio "Company"'))
    await play.call("fill", ref=play.ref('textbox "VAT number"'), value=vat)
    await play.call("click", ref=play.ref('tab "Goods"'))
    await play.call("select", ref=play.ref("combobox.*Article"), value=article)
    await play.call("fill", ref=play.ref('spinbutton "How many"'), value=count)
    await play.call("check", ref=play.ref('(switch|checkbox) "Wrap'))
    await play.call("fill", ref=play.ref('textbox "Note"'), value=note)
    await play.call("click", ref=play.ref('button "Place order"'))
    await play.answer(play.seen("Ordered .*for.*"))


def _filtered(episode: Episode) -> list[dict[str, Any]]:
    asked = episode.asked
    return [row for row in episode.site.server if row["kind"] == asked["kind"] and row["count"] >= int(asked["least"])]


async def _worth_told(episode: Episode) -> str:
    worth = f"{sum(row['price'] * row['count'] for row in _filtered(episode)):,.2f}"
    return "" if worth in episode.answer else f"it is {worth}"


@own(
    "stall_worth",
    STALL,
    "What are the articles of the kind '{kind}' worth of which at least {least} are in stock, all together?",
    _worth_told,
    asked=_order,
)
async def worth(play: Play) -> None:
    await _begin(play)
    (kind,) = quoted(play)
    least = re.findall(r"least (\d+)", play.utterance)[0]
    await play.call("select", ref=play.ref("combobox.*Kinds"), value=kind)
    await play.call("fill", ref=play.ref("slider"), value=least)
    await play.answer(f"They are worth {play.seen('(?:now|paragraph:) (€ [0-9.,]+[0-9])')}.")


async def _saved(episode: Episode) -> str:
    texts = [file.read_text("utf-8").splitlines() for file in episode.downloads.iterdir()]
    rows = [f"{row['name']},{row['kind']},{row['price']},{row['count']}" for row in _filtered(episode)]
    return "" if texts == [["name,kind,price,count", *rows]] else f"the files are {texts}"


@own(
    "stall_export",
    STALL,
    "Download the articles of the kind '{kind}' of which at least {least} are in stock, as CSV.",
    _saved,
    asked=_order,
)
async def export(play: Play) -> None:
    await _begin(play)
    (kind,) = quoted(play)
    least = re.findall(r"least (\d+)", play.utterance)[0]
    await play.call("select", ref=play.ref("combobox.*Kinds"), value=kind)
    await play.call("fill", ref=play.ref("slider"), value=least)
    receipt = await play.call("click", ref=play.ref('button "Download as CSV"'))
    await play.answer(last_match("downloaded (.*) to", receipt))


async def _imported(episode: Episode) -> str:
    file = episode.site.folder / "imported.json"
    rows = json.loads(file.read_text("utf-8")) if file.exists() else []
    return "" if rows == [{"name": "Leek", "price": 3}, {"name": "Kale", "price": 4}] else f"imported are {rows}"


@own(
    "stall_import",
    STALL,
    "Import the file '{file}' on the page Import. How many rows has it?",
    _imported,
    file="name,price\nLeek,3\nKale,4\n",
)
async def import_(play: Play) -> None:
    await _begin(play)
    (file,) = quoted(play)
    await play.call("click", ref=play.ref('radio "Import"'))
    await play.call("upload", ref=play.ref('(button "(Browse|Upload)|file)'), files=[file])
    await play.call("click", ref=play.ref('button "Import 2 rows"'))
    await play.answer(f"{play.seen('Imported')}: 2 rows.")
