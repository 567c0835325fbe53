"""Calibre-Web with the books of books.json on a port of its own, printed as the first line.

Run in an environment with calibreweb. Arguments: the folder with books.json, where its databases and files are made,
and the port. The user is admin, the password admin123.
"""

import json
import os
import sqlite3
import sys
from pathlib import Path

import calibreweb

folder, port = Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(Path(calibreweb.__file__).parent))
os.environ.update(CALIBRE_DBPATH=str(folder), CALIBRE_PORT=port)
sys.argv = ["cps", "-p", str(folder / "app.db"), "-i", "127.0.0.1"]

from cps import config_sql, db, ub  # noqa: E402  (it reads the environment when it is imported)
from cps.main import main  # noqa: E402
from sqlalchemy import Float, create_engine  # noqa: E402


def make_library(books: list[dict[str, object]]) -> None:
    db.Books.__table__.c.series_index.type = Float()  # as Calibre makes it
    engine = create_engine(f"sqlite:///{folder / 'metadata.db'}")
    db.Base.metadata.create_all(engine.execution_options(schema_translate_map={"calibre": None}))
    database = sqlite3.connect(folder / "metadata.db")
    database.execute("insert into library_id (uuid) values ('bench')")
    for number, book in enumerate(books, 1):
        place = f"{book['author']}/{book['title']} ({number})"
        (folder / place).mkdir(parents=True)
        text = f"{book['title']}\n\n{book['text']}\n"
        (folder / place / f"{book['title']}.txt").write_text(text, "utf-8")
        day = f"{book['year']}-06-01 00:00:00+00:00"
        database.execute(
            "insert into books (id, title, sort, author_sort, timestamp, pubdate, series_index, last_modified, path, "
            "has_cover, uuid) values (?, ?, ?, ?, ?, ?, 1.0, ?, ?, 0, ?)",
            [number, book["title"], book["title"], book["author"], day, day, day, place, f"book-{number}"],
        )
        database.execute(
            "insert into data (book, format, uncompressed_size, name) values (?, 'TXT', ?, ?)",
            [number, len(text), book["title"]],
        )
        for table, column in (("authors", "author"), ("tags", "tag")):
            if not database.execute(f"select 1 from {table} where name = ?", [book[column]]).fetchall():
                more = ", sort, link) values (?1, ?1, '')" if table == "authors" else ") values (?1)"
                database.execute(f"insert into {table} (name{more}", [book[column]])
            (link,) = database.execute(f"select id from {table} where name = ?", [book[column]]).fetchone()
            database.execute(f"insert into books_{table}_link (book, {column}) values (?, ?)", [number, link])
    database.commit()
    database.close()


def make_settings() -> None:
    ub.init_db(str(folder / "app.db"))
    key, _ = config_sql.get_encryption_key(str(folder))
    config_sql.load_configuration(ub.session, key)
    ub.session.close()
    database = sqlite3.connect(folder / "app.db")
    database.execute(
        "update settings set config_calibre_dir = ?, config_port = ?, config_uploading = 1", [str(folder), port]
    )
    database.commit()
    database.close()


if __name__ == "__main__":
    make_library(json.loads((folder / "books.json").read_text("utf-8")))
    make_settings()
    print(f"http://127.0.0.1:{port}", flush=True)
    main()
