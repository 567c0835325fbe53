"""Calibre-Web, a library of electronic books; judged by its two databases."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bench.cache import python_in, python_packages
from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play, last_match, ref_in
from bench.server import serving_itself
from tests.ports import free_port

PROGRAM = Path(__file__).parent / "apps/calibre_web.py"
AUTHORS = ["Sigrid Undset", "Tove Jansson", "Karen Blixen", "Halldor Laxness", "Selma Lagerlof", "Inger Christensen"]
TAGS = ["Novel", "Essay", "Poetry", "Travel"]
NOUNS = ["Harbour", "Winter", "Letters", "Garden", "Island", "Voyage", "Mirror", "Orchard", "Lantern", "River"]
LOG_IN = "Log in as 'admin' with the password 'admin123'. "


@contextmanager
def books(folder: Path, rng: random.Random) -> Iterator[Site]:
    """Sixty books of six authors, each with a text of a line that names a place."""
    shelves = [
        {
            "title": f"The {noun} of {author.split()[1]}",
            "author": author,
            "tag": rng.choice(TAGS),
            "year": rng.randint(1900, 1999),
            "text": f"It begins in {rng.choice(['Narvik', 'Visby', 'Ribe', 'Turku'])}, on day {rng.randint(2, 99)}.",
        }
        for author in AUTHORS
        for noun in NOUNS
    ]
    rng.shuffle(shelves)
    (folder / "books.json").write_text(json.dumps(shelves), "utf-8")
    python = str(python_in(python_packages("calibreweb==0.6.27")))
    with serving_itself(python, str(PROGRAM), str(folder), str(free_port()), cwd=folder) as url:
        yield Site(url, folder, shelves)


BOOKS = ("Calibre-Web", books)


def rows(site: Site, file: str, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(site.folder / file)) as database:
        return database.execute(query, values).fetchall()


async def _log_in(play: Play) -> None:
    await play.call("fill", ref=play.ref('textbox "Username'), value="admin")
    await play.call("fill", ref=play.ref('textbox "Password'), value="admin123", submit=True)


def _book(rng: random.Random) -> dict[str, str]:
    titles = [f"The {noun} of {author.split()[1]}" for noun in NOUNS for author in AUTHORS]
    return {
        **dict(zip(("title", "other", "third"), rng.sample(titles, 3), strict=True)),
        "shelf": rng.choice(["To read", "For the train", "Rainy days"]),
        "series": rng.choice(["Northern Lights", "Old Masters"]),
        "user": rng.choice(["ada", "tor", "ine"]),
    }


async def _begins_told(episode: Episode) -> str:
    text = next(book["text"] for book in episode.site.server if book["title"] == episode.asked["title"])
    place = text.removeprefix("It begins in ").partition(",")[0]
    return "" if place in episode.answer else f"it begins in {place}"


async def _open(play: Play, title: str) -> None:
    """The book's dialog, by a search."""
    await play.call("fill", ref=play.ref('textbox "Search"'), value=title, submit=True)
    await play.call("click", ref=play.ref(f'link "{title}"'))


async def _read(play: Play, title: str) -> str:
    """Its text, which opens in a tab."""
    await _open(play, title)
    await play.call("click", ref=play.ref("Read in Browser"))
    return play.seen("It begins in [^.]*")


@own("books_begins", BOOKS, LOG_IN + "Read '{title}' in the browser: where does it begin?", _begins_told, asked=_book)
async def begins(play: Play) -> None:
    await _log_in(play)
    await play.answer(await _read(play, quoted(play)[2]))


async def _later_told(episode: Episode) -> str:
    days = {book["title"]: int(last_match("day ([0-9]+)", book["text"])) for book in episode.site.server}
    titles = [episode.asked[name] for name in ("title", "other", "third")]
    latest = max(titles, key=lambda title: days[title])
    return (
        ""
        if str(days[latest]) in episode.answer and latest in episode.answer
        else f"it is {latest}, day {days[latest]}"
    )


@own(
    "books_begins_latest",
    BOOKS,
    LOG_IN + "Read '{title}', '{other}' and '{third}' in the browser. Which of them begins on the latest day, and on "
    "which?",
    _later_told,
    asked=_book,
)
async def begins_latest(play: Play) -> None:
    """In a tab for each text."""
    await _log_in(play)
    days = {}
    for title in quoted(play)[2:]:
        days[title] = int(last_match("day ([0-9]+)", await _read(play, title)))
        await play.call("back")
        await play.call("click", ref=play.ref('button "Close"'))
    latest = max(days, key=lambda title: days[title])
    await play.answer(f"{latest}, on day {days[latest]}.")


async def _in_series(episode: Episode) -> str:
    query = (
        "select s.name, b.series_index, b.pubdate, (select group_concat(t.name) from tags t join books_tags_link l on "
        "l.tag = t.id where l.book = b.id) from books b left join books_series_link l on l.book = b.id left join "
        "series s on s.id = l.series where b.title = ?"
    )
    ((series, index, day, tags),) = rows(episode.site, "metadata.db", query, episode.asked["title"])
    is_so = (series, float(index), day[:4], tags) == (episode.asked["series"], 3.0, "1950", "Classic")
    return "" if is_so else f"it is number {index} of {series}, of {day}, with {tags}"


@own(
    "books_edit",
    BOOKS,
    LOG_IN + "Edit '{title}': it is number 3 of the series '{series}', was published on '1950-05-17', and its only tag "
    "is 'Classic'.",
    _in_series,
    asked=_book,
)
async def edit(play: Play) -> None:
    await _log_in(play)
    _, _, title, series, day, tag = quoted(play)
    await _open(play, title)
    await play.call("click", ref=play.ref('"Edit Metadata"'))
    await play.call("fill", ref=play.ref('(textbox|combobox) "(Tags|Categories)'), value=tag)
    await play.call("fill", ref=play.ref('(textbox|combobox) "Series"'), value=series)
    await play.call("fill", ref=play.ref('(textbox|spinbutton) "Series ID"'), value="3")
    await play.call("fill", ref=play.ref('"Published Date'), value=day)
    await play.call("click", ref=play.ref('(button|generic) "Save"'))
    await play.answer(play.seen("Metadata successfully updated"))


async def _on_shelf(episode: Episode) -> str:
    shelved = {book for (book,) in rows(episode.site, "app.db", SHELVED, episode.asked["shelf"])}
    ids = {book["title"]: number for number, book in enumerate(episode.site.server, 1)}
    wanted = {ids[episode.asked[name]] for name in ("title", "other")}
    return "" if shelved == wanted else f"on it are {shelved}, not {wanted}"


SHELVED = "select book_id from book_shelf_link l join shelf s on s.id = l.shelf where s.name = ?"


@own(
    "books_shelf",
    BOOKS,
    LOG_IN + "Create a shelf '{shelf}' and put '{title}' and '{other}' on it.",
    _on_shelf,
    asked=_book,
)
async def shelf(play: Play) -> None:
    await _log_in(play)
    _, _, name, *titles = quoted(play)
    await play.call("click", ref=play.ref('link "Create a Shelf"'))
    await play.call("fill", ref=play.ref('textbox "Title'), value=name)
    await play.call("click", ref=play.ref('(button|generic) "Save"'))
    for title in titles:
        await _open(play, title)
        await play.call("click", ref=play.ref('button "(?i:add to shelf)"', near="Edit/Delete book"))
        await play.call("click", ref=play.ref(f"listitem.*{name}"))
        await play.call("click", ref=play.ref('button "Close"'))
    await play.answer(f"Both are on {name}.")


async def _user_made(episode: Episode) -> str:
    name = episode.asked["user"]
    users = rows(episode.site, "app.db", "select email, role from user where name = ?", name)
    # 2: may download, 4: may upload
    return "" if users == [(f"{name}@example.com", 2 + 4)] else f"the users of that name are {users}"


@own(
    "books_add_user",
    BOOKS,
    LOG_IN + "Add a user '{user}' with the mail address '{user}@example.com' and the password 'Sesame+2027', who may "
    "upload and download, and nothing else.",
    _user_made,
    asked=_book,
)
async def add_user(play: Play) -> None:
    await _log_in(play)
    _, _, name, address, password = quoted(play)
    await play.call("click", ref=play.ref('link "Admin"'))
    await play.call("click", ref=play.ref('"Add New User"'))
    await play.call("fill", ref=play.ref('textbox "Username'), value=name)
    await play.call("fill", ref=play.ref('textbox ".*[Ee]mail'), value=address)
    await play.call("fill", ref=play.ref('textbox "Password'), value=password)
    for line in re.findall('.*checkbox "Allow .*', play.view):
        wanted = "Allow Uploads" in line or "Allow Downloads" in line
        if wanted != ("[checked]" in line):
            await play.call("check" if wanted else "uncheck", ref=str(ref_in(line)))
    await play.call("click", ref=play.ref('(button|generic) "Save"'))
    await play.answer(play.seen("User .*created.*"))
