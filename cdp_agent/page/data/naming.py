"""Names for columns and fields."""

from __future__ import annotations

LINK = "{} link"
"""The column for the addresses that the texts of another column lead to."""


def distinct(names: list[str]) -> list[str]:
    """The names, none twice: further ones get a number."""
    counts: dict[str, int] = {}
    taken = set(names)
    result: list[str] = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        numbered = name
        while counts[name] > 1 and (numbered := f"{name} {counts[name]}") in taken:
            counts[name] += 1
        taken.add(numbered)
        result.append(numbered)
    return result


def squashed(name: str) -> str:
    """A name without regard to letter case, white space and punctuation."""
    return "".join(filter(str.isalnum, name)).casefold() or name
