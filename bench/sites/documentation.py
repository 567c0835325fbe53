"""Pages of any size out of real ones: parts of the Python library's documentation, one after another."""

from __future__ import annotations

from pathlib import Path

_HEAD = '<!doctype html><html lang="en"><meta charset="utf-8">'


def write(library: Path, folder: Path, elements: int) -> str:
    """The name of a page of this many elements (a few more or less) in the folder; `library` has the documentation."""
    name = f"documentation-{elements}.html"
    if (folder / name).exists():
        return name
    from lxml import html  # of the extra `bench`; the tests do without

    parts: list[str] = []
    left = elements - 10
    for source in sorted(library.glob("*.html")):
        for part in html.parse(str(source)).xpath("//section/section/*[not(self::section)]"):
            size = sum(1 for _ in part.iter("*"))
            if size <= left and size < elements / 3:
                parts.append(html.tostring(part, encoding="unicode"))
                left -= size
        if left <= elements / 100:
            break
    body = "\n".join(parts)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"{_HEAD}<title>Documentation</title>\n<main>{body}</main>\n", encoding="utf-8")
    return name
