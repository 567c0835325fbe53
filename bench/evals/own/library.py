"""Django's admin with 240 books; judged by its database."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play
from bench.step_apps import PASSWORD, django

BOOKS_A_PAGE = 20
TITLES = ["The Waves", "Hunger", "Growth of the Soil", "Kallocain", "The Birds"]
GENRES = ["essay", "novel", "poetry", "science"]
LOG_IN = f"Log in as librarian with the password '{PASSWORD}'."


@contextmanager
def library(folder: Path, rng: random.Random) -> Iterator[Site]:
    """The books as in the benchmark, each with a day of its own on which it appeared."""
    with django(folder, books_a_page=BOOKS_A_PAGE) as url:
        days = rng.sample(range(365 * 120), 240)
        with closing(sqlite3.connect(folder / "books.sqlite3")) as database, database:
            for number, day in enumerate(days, 1):
                database.execute(
                    "update admin_book set published = date('1900-01-01', ?) where id = ?", [f"{day} days", number]
                )
        yield Site(url, folder)


LIBRARY = ("Django's admin", library)


def rows(site: Site, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(site.folder / "books.sqlite3")) as database:
        return database.execute(query, values).fetchall()


def _book(rng: random.Random) -> dict[str, str]:
    return {
        "title": rng.choice(TITLES),
        "author": f"Author {rng.randrange(12)}",
        "new_author": rng.choice(["Virginia Woolf", "Knut Hamsun", "Karin Boye"]),
        "genre": rng.choice(GENRES),
        "day": f"{rng.randint(1900, 1999)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
        "ending": str(rng.randint(1, 9)),
        "number": f"{rng.randrange(100):03}",
    }


async def _log_in(play: Play) -> None:
    await play.call("fill", ref=play.ref('textbox "Username'), value="librarian")
    await play.call("fill", ref=play.ref('textbox "Password'), value=PASSWORD, submit=True)


async def _added(episode: Episode) -> str:
    asked = episode.asked
    query = (
        "select a.name, genre, published, lent from admin_book b join admin_author a on a.id = author_id "
        "where title = ?"
    )
    books = rows(episode.site, query, asked["title"])
    wanted = (asked["author"], asked["genre"], asked["day"], 1)
    return "" if books == [wanted] else f"of that title it has {books}"


@own(
    "library_add_book",
    LIBRARY,
    LOG_IN + " Add the book '{title}' by '{author}', genre '{genre}', published '{day}', which is lent.",
    _added,
    asked=_book,
    path="/admin/admin/book/add/",
)
async def add_book(play: Play) -> None:
    await _log_in(play)
    await _fill_in(play, *quoted(play)[1:])
    await play.answer(f"It was added: {play.seen('was (added|changed) successfully')}")


async def _fill_in(play: Play, title: str, author: str, genre: str, day: str) -> None:
    await play.call("fill", ref=play.ref('textbox "Title'), value=title)
    if author:
        await play.call("select", ref=play.ref('combobox "Author'), value=author)
    await play.call("select", ref=play.ref('combobox "Genre'), value=genre.title())
    await play.call("fill", ref=play.ref('textbox "Published'), value=day)
    await play.call("check", ref=play.ref('checkbox "Lent'))
    await play.call("click", ref=play.ref('button "(S|s)ave"'))


async def _added_with_its_author(episode: Episode) -> str:
    asked = episode.asked
    if len(rows(episode.site, "select 1 from admin_author where name = ?", asked["new_author"])) != 1:
        return "that author is not there once"
    return await _added(replace(episode, asked={**asked, "author": asked["new_author"]}))


@own(
    "library_new_author",
    LIBRARY,
    LOG_IN + " Add the book '{title}' by '{new_author}', who is not among the authors yet, genre '{genre}', published "
    "'{day}', which is lent.",
    _added_with_its_author,
    asked=_book,
    path="/admin/admin/book/add/",
)
async def new_author(play: Play) -> None:
    """The author is added in a window that closes itself."""
    await _log_in(play)
    _, title, author, genre, day = quoted(play)
    await play.call("click", ref=play.ref('link "Add another author'))
    await play.call("fill", ref=play.ref('textbox "Name'), value=author)
    await play.call("click", ref=play.ref('button "(S|s)ave"'))
    await _fill_in(play, title, "", genre, day)
    await play.answer(f"It was added: {play.seen('was (added|changed) successfully')}")


async def _deleted(episode: Episode) -> str:
    gone = {f"Book {hundreds}{episode.asked['ending']}0" for hundreds in (0, 1)}
    left = {title for (title,) in rows(episode.site, "select title from admin_book")}
    everything = {f"Book {number:03}" for number in range(240)}
    return "" if everything - left == gone else f"{sorted(everything - left)} are gone"


@own(
    "library_delete_books",
    LIBRARY,
    LOG_IN + " Delete the two books 'Book 0{ending}0' and 'Book 1{ending}0', and no other.",
    _deleted,
    asked=_book,
    path="/admin/admin/book/",
)
async def delete_books(play: Play) -> None:
    await _log_in(play)
    titles = quoted(play)[1:]
    await play.call("fill", ref=play.ref('textbox "Search"'), value=titles[0][-2:], submit=True)
    for title in titles:
        await play.call("check", ref=_box_of(play, title))
    await play.call("select", ref=play.ref('combobox "Action'), value="Delete selected books")
    await play.call("click", ref=play.ref('button "(Go|Run)'))
    await play.call("click", ref=play.ref('button "Yes, I.m sure'))
    await play.answer(play.seen("Successfully deleted 2 books"))


def _box_of(play: Play, title: str) -> str:
    return play.ref(f'checkbox ".*{title}')


async def _oldest_told(episode: Episode) -> str:
    query = "select title from admin_book where genre = ? and lent order by published limit 1"
    title = rows(episode.site, query, episode.asked["genre"])[0][0]
    return "" if title in episode.answer else f"it is {title}"


@own(
    "library_oldest_lent",
    LIBRARY,
    LOG_IN + " Which of the lent books of the genre '{genre}' was published first?",
    _oldest_told,
    asked=_book,
    path="/admin/admin/book/",
)
async def oldest_lent(play: Play) -> None:
    """By two filters and a column that sorts."""
    await _log_in(play)
    genre = quoted(play)[1]
    await play.call("click", ref=play.ref(f'link "{genre.title()}"'))
    await play.call("click", ref=play.ref('link "Yes"'))
    await play.call("click", ref=play.ref('link "(?i:published)"'))
    first = play.seen(r'(?s)link "(?i:lent)".*?link "(Book \d+)')
    await play.answer(f"{first} was published first.")


async def _count_told(episode: Episode) -> str:
    query = "select count(*) from admin_book b join admin_author a on a.id = author_id where genre = ? and not lent"
    ((count,),) = rows(episode.site, query, episode.asked["genre"])
    return "" if re.search(rf"\b{count}\b", episode.answer) else f"it is {count}"


@own(
    "library_count",
    LIBRARY,
    LOG_IN + " How many books of the genre '{genre}' are not lent?",
    _count_told,
    asked=_book,
    path="/admin/",
)
async def count(play: Play) -> None:
    await _log_in(play)
    genre = quoted(play)[1]
    await play.call("click", ref=play.ref('link "Books"'))
    await play.call("click", ref=play.ref(f'link "{genre.title()}"'))
    await play.call("click", ref=play.ref('link "No"'))
    await play.answer(f"There are {play.seen('([0-9]+) results')}.")


async def _returned(episode: Episode) -> str:
    number = int(episode.asked["number"])
    lent = {title for (title,) in rows(episode.site, "select title from admin_book where lent")}
    wanted = {f"Book {i:03}" for i in range(240) if i % 7 == 0} ^ {f"Book {number:03}"}
    return "" if lent == wanted else f"{sorted(lent ^ wanted)} is lent or not as it was not to be"


@own(
    "library_turn_lent",
    LIBRARY,
    LOG_IN
    + " Open 'Book {number}' by going through the pages of the list, not by a search, and mark it as lent if it is "
    "not, and as not lent if it is.",
    _returned,
    asked=_book,
    path="/admin/admin/book/",
)
async def turn_lent(play: Play) -> None:
    """The newest books come first, on twelve pages."""
    await _log_in(play)
    title = quoted(play)[1]
    page = 12 - int(title[-3:]) // BOOKS_A_PAGE
    while not re.search(f'link "{title}"', play.view):
        nearest = min(map(int, re.findall(r'link "(\d+)" .*\?p=', play.view)), key=lambda number: abs(number - page))
        await play.call("click", ref=play.ref(f'link "{nearest}"'))
    await play.call("click", ref=play.ref(f'link "{title}"'))
    box = play.ref('checkbox "Lent')
    lent = re.search(r'checkbox "Lent.*\[checked\]', play.view)
    await play.call("uncheck" if lent else "check", ref=box)
    await play.call("click", ref=play.ref('button "(S|s)ave"'))
    await play.answer(play.seen("was changed successfully"))


async def _unchanged(episode: Episode) -> str:
    if (
        len(rows(episode.site, "select 1 from admin_book")) != 240
        or len(rows(episode.site, "select 1 from auth_user")) != 1
    ):
        return "something was changed"
    return (
        ""
        if re.search(r"\b(no|not|wrong|refused|correct)\b", episode.answer)
        else "it was not said that it cannot be done"
    )


@own(
    "library_wrong_password",
    LIBRARY,
    "Log in as librarian with the password 'sesame', and delete the book 'Book {number}'.",
    _unchanged,
    asked=_book,
    path="/admin/admin/book/",
)
async def wrong_password(play: Play) -> None:
    await play.call("fill", ref=play.ref('textbox "Username'), value="librarian")
    await play.call("fill", ref=play.ref('textbox "Password'), value="sesame", submit=True)
    await play.call("abort", reason=f"The password is not right: {play.seen('Please enter the correct.*')}")
