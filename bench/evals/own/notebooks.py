"""JupyterLab; judged by the files in its folder."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play
from bench.step_apps import jupyter

FILES = ["apples.txt", "birch.txt", "cod.txt", "dill.txt"]


@contextmanager
def lab(folder: Path, rng: random.Random) -> Iterator[Site]:
    """A folder with four notes, each with a number, and an empty folder."""
    texts = {name: f"{name.removesuffix('.txt').title()}: {rng.randint(100, 999)} crates\n" for name in FILES}
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "archive").mkdir()
    with jupyter(folder) as url:
        yield Site(url, folder, texts)


LAB = ("JupyterLab", lab)
PATH = "/lab?reset"


def _file(rng: random.Random) -> dict[str, str]:
    return {
        "file": rng.choice(FILES),
        "name": rng.choice(["inventory.txt", "list-of-may.txt", "old.txt"]),
        "first": str(rng.randint(100, 999)),
        "second": str(rng.randint(100, 999)),
    }


async def _begin(play: Play) -> None:
    await play.call("wait_for", text="Launcher")
    await play.look()


async def _product_saved(episode: Episode) -> str:
    product = str(int(episode.asked["first"]) * int(episode.asked["second"]))
    outputs = []
    for file in episode.site.folder.glob("*.ipynb"):
        for cell in json.loads(file.read_text("utf-8"))["cells"]:
            outputs += ["".join(output.get("data", {}).get("text/plain", "")) for output in cell.get("outputs", ())]
    if product not in outputs:
        return f"the outputs that are saved are {outputs}"
    return "" if product in episode.answer else f"it is {product}"


@own(
    "lab_multiply",
    LAB,
    "In a new Python notebook, work out {first} * {second}, and save the notebook. What is the product?",
    _product_saved,
    asked=_file,
    path=PATH,
)
async def multiply(play: Play) -> None:
    await _begin(play)
    factors = play.utterance.partition("work out ")[2].partition(",")[0]
    await play.call("click", ref=play.ref('button "Python 3'))
    await play.call("wait_for", text="| Idle")
    await play.look()
    await play.call("fill", ref=play.ref(r"textbox .*\[caret=1:1\]"), value=factors)
    await play.call("press", key="Shift+Enter")
    first, _, second = factors.split()
    product = str(int(first) * int(second))
    await play.call("wait_for", text=product)
    await play.call("press", key="Control+s")
    await play.look()
    if "Rename" in play.view:
        await play.call("click", ref=play.ref('button "Rename'))
    await play.answer(f"It is {product}.")


async def _renamed(episode: Episode) -> str:
    file, name = episode.asked["file"], episode.asked["name"]
    names = {path.name for path in episode.site.folder.glob("*.txt")}
    wanted = set(FILES) - {file} | {name}
    return "" if names == wanted else f"the files are {sorted(names)}"


@own("lab_rename", LAB, "Rename the file '{file}' to '{name}'.", _renamed, asked=_file, path=PATH)
async def rename(play: Play) -> None:
    """By the menu of the right mouse button."""
    await _begin(play)
    file, name = quoted(play)
    await play.call("click", ref=play.ref(f'listitem "(?:Name: )?{file}'), button="right")
    await play.call("click", ref=play.ref('menuitem "Rename'))
    await play.call(
        "fill", ref=play.ref(f"textbox.*{file.partition('.')[0]}|textbox .*focused"), value=name, submit=True
    )
    await play.answer(f"It is called {play.seen(name)}.")


async def _moved(episode: Episode) -> str:
    file = episode.asked["file"]
    names = {str(path.relative_to(episode.site.folder)) for path in episode.site.folder.rglob("*.txt")}
    wanted = set(FILES) - {file} | {f"archive/{file}"}
    return "" if names == wanted else f"the files are {sorted(names)}"


@own("lab_move", LAB, "Move the file '{file}' into the folder archive.", _moved, asked=_file, path=PATH)
async def move(play: Play) -> None:
    """By dragging it there."""
    await _begin(play)
    (file,) = quoted(play)
    target = play.ref('listitem "(?:Name: )?archive')
    await play.call("drag", from_ref=play.ref(f'listitem "(?:Name: )?{file}'), to_ref=target)
    await play.look()
    await play.answer(f"{file} is in the folder.")
