"""What the text of a cell says: words without those struck out, yes or no, and a number as it is written.

Whether "." or "," begins decimals is for the callers to decide, who see the whole column: 1.234 may be 1234.
"""

from __future__ import annotations

import re
import unicodedata

import msgspec

Value = str | list[str]
MARKS = ".,"
"""What may begin decimals."""
BOOLEANS = {"yes": True, "true": True, "✓": True, "✔": True, "no": False, "false": False, "✗": False, "✘": False}

_STRUCK = re.compile(r"~~.*?~~", re.DOTALL)
_NUMERAL = re.compile(r"\d(?:[\d.,'_ ]*\d)?")
_LONGEST = 100  # characters
_SIGN = re.compile(r"[^\w\s]?\s?-\s?[^\w\s]?\s?")
_INEXACT = re.compile(r"[<>≤≥~≈±+]")
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+")
_MINUS = str.maketrans("−–’", "--'")


class Unfit(msgspec.Struct, frozen=True):
    """A cell that is no value of its field, and why not. `is_number`: it is one, but it is not clear which."""

    why: str
    is_number: bool = False


class Written(msgspec.Struct, frozen=True):
    """The only number in a text, as it is written, with what is around it."""

    before: str
    numeral: str
    after: str
    is_negative: bool

    def number(self, mark: str) -> str:
        """The number as Python writes it, if `mark` begins decimals; "" if it cannot be written so."""
        whole, _, decimals = self.numeral.partition(mark)
        first, *groups = re.split(r"[,'_ ]" if mark == "." else r"[.'_ ]", whole)
        if groups and not (
            first.strip("0") and len(first) <= 3 and len(groups[-1]) == 3 and all(len(one) in (2, 3) for one in groups)
        ):
            return ""
        digits = "".join([first, *groups])
        if not digits.isdecimal() or (decimals and not decimals.isdecimal()):
            return ""
        return f"{'-' * self.is_negative}{digits}{'.' * bool(decimals)}{decimals}"


def text_of_cell(cell: Value) -> str:
    """What is in a cell in one line, without what is struck out beside other words."""
    text = " · ".join(cell) if isinstance(cell, list) else cell
    return " ".join((_STRUCK.sub(" ", text).strip() or text.replace("~~", "")).split())


def written(text: str) -> Written | Unfit:
    """The number in the text, which is Unfit if there are several, or it is not said exactly."""
    if len(text) > _LONGEST:
        return Unfit("is too long for a number")
    text = unicodedata.normalize("NFKC", _RAISED.sub(r"^\g<0>", text)).translate(_MINUS)
    numerals = list(_NUMERAL.finditer(text))
    if len(numerals) != 1:
        return Unfit("has several numbers" if numerals else "has no number")
    before, numeral, after = text[: numerals[0].start()], numerals[0][0], text[numerals[0].end() :]
    if _INEXACT.search(before + after):
        return Unfit("is no exact number")
    if after.startswith("-") or (before.lstrip().startswith("(") and after.rstrip().endswith(")")):
        return Unfit("may be negative")
    is_negative = _SIGN.fullmatch(before.lstrip()) is not None
    if before.rstrip().endswith("-") and not is_negative:
        return Unfit("is a name with a number")
    return Written(before, numeral, after, is_negative)


def as_number(text: str) -> int | float:
    """What Python writes as `text`, as an int if it is whole."""
    whole, _, decimals = text.partition(".")
    return float(text) if decimals.strip("0") else int(whole)
