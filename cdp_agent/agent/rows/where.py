"""Conditions on rows, such as `Price < 20 and 'mug' in Name`: read as an expression of Python, and never run as one.

Names of columns may be written as they are, with their spaces; `AND`, `=` and `<>` of SQL are understood. Texts are
compared without regard to letter case, numbers and dates as such, in whatever form the page has them.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from cdp_agent.agent.rows.values import boolean, dates, folded, numbers
from cdp_agent.errors import InvalidArguments
from cdp_agent.tools.data import column_named
from cdp_agent.tools.rows import Row

_Side = tuple[list[Any], str | None]
"""A side of a comparison: its value in each row, and the column that these are from, None for a constant."""
_LONGEST, _EXAMPLES = 1_000, 3
_ORDERS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_DENIED: dict[type[ast.cmpop], ast.cmpop] = {ast.NotEq: ast.Eq(), ast.IsNot: ast.Eq(), ast.NotIn: ast.In()}
_OF_TEXTS: dict[str, Callable[[str, str], bool]] = {
    "contains": operator.contains,
    "startswith": str.startswith,
    "endswith": str.endswith,
}
_OPERATORS = ("and", "or", "not", "in", "is")
_IN_PYTHON = {word: word for word in (*_OPERATORS, *_OF_TEXTS)}
_IN_PYTHON |= {"=": "==", "<>": "!=", "null": "None", "none": "None", "true": "True", "false": "False"}
_QUOTED, _WORD = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]+`""", r"<>|(?<![=<>!])=(?!=)|[^\W\d]\w*"
_COLUMN, _LETTER = "column_", re.compile(r"[^\W\d_]")
_TAKES = "It takes comparisons such as COLUMN < 20, 'text' in COLUMN and COLUMN in ['a', 'b'], with and, or, not"


def fitting(where: str, columns: Sequence[str], rows: Sequence[Row]) -> tuple[list[Row], list[Any]]:
    """The rows that fit the condition, and the values that it compares them with.

    Raises InvalidArguments if it cannot be read.
    """
    condition = _Condition(columns, rows)
    try:
        if len(where) > _LONGEST:
            raise ValueError(f"it is longer than {_LONGEST:,} characters")
        fits = condition.holds(ast.parse(condition.in_python(where), mode="eval").body)
    except SyntaxError as error:
        raise InvalidArguments(f"where cannot be read: {where!r}. {_TAKES}.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise InvalidArguments(f"where: {error}. {_TAKES}.") from error
    return [row for row, is_fitting in zip(rows, fits, strict=True) if is_fitting], condition.constants


class _Condition:
    def __init__(self, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self.constants: list[Any] = []
        self._columns = columns
        self._rows = rows

    def in_python(self, text: str) -> str:
        """The condition with a name of Python for each column."""
        named = sorted(
            filter(_LETTER.search, self._columns), key=len, reverse=True
        )  # 2024 is a number, `2024` a column
        names = [rf"(?<!\w){re.escape(name)}(?!\w)" for name in named]
        return re.sub("|".join([_QUOTED, *names, _WORD]), self._word, text.strip(), flags=re.IGNORECASE)

    def _word(self, match: re.Match[str]) -> str:
        word = match[0]
        if word[0] in "'\"":
            return word
        if word.casefold() in _OPERATORS or (word not in self._columns and word.casefold() in _IN_PYTHON):
            return _IN_PYTHON[word.casefold()]
        return f"{_COLUMN}{self._columns.index(column_named(word.strip('`'), self._columns))}"

    def holds(self, node: ast.expr) -> list[bool]:
        """Whether it holds, for each row."""
        match node:
            case ast.BoolOp(op, parts):
                decide = all if isinstance(op, ast.And) else any
                return [decide(row) for row in zip(*map(self.holds, parts), strict=True)]
            case ast.UnaryOp(ast.Not(), operand):
                return [not holds for holds in self.holds(operand)]
            case ast.Compare(left, ops, others):
                compared = [self._compared(*pair) for pair in zip(ops, [left, *others], others, strict=False)]
                return [all(row) for row in zip(*compared, strict=True)]
            case ast.Call(ast.Name(test), [text, part], []) | ast.Call(ast.Attribute(text, test), [part], []):
                if test in _OF_TEXTS:
                    return self._of_texts(_OF_TEXTS[test], text, part)
            case ast.Name():
                return [boolean(value) is not False and folded(value) not in ("", "0") for value in self._side(node)[0]]
        raise ValueError(f"{self._written(node)} is no condition")

    def _compared(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> list[bool]:
        if (asserted := _DENIED.get(type(op))) is not None:
            return [not holds for holds in self._compared(asserted, left, right)]
        if isinstance(op, ast.In):
            if not isinstance(right, ast.List | ast.Tuple):
                return self._of_texts(operator.contains, right, left)
            choices = (self._compared(ast.Eq(), left, choice) for choice in right.elts)
            return [any(row) for row in zip([False] * len(self._rows), *choices, strict=True)]
        order = _ORDERS.get(type(op))  # `is` is ==
        sides = self._alike(self._side(left), self._side(right), is_order=order is not None)
        return [None not in pair and (order or operator.eq)(*pair) for pair in zip(*sides, strict=True)]

    def _alike(self, *sides: _Side, is_order: bool) -> Sequence[Sequence[Any]]:
        """The values of both sides as what they can be compared as; None is neither equal to anything nor less."""
        constants = [values[0] for values, column in sides if column is None and values]
        if any(isinstance(constant, bool) for constant in constants):
            return [list(map(boolean, values)) for values, _ in sides]
        is_number = any(isinstance(constant, int | float) for constant in constants)
        if is_number or is_order:
            columns = [values for values, _ in sides]
            if (read := numbers(*columns) or dates(*columns)) is not None:
                return read
        if is_number and self._rows:
            values, column = next((side for side in sides if side[1]), (constants, "a text"))
            raise ValueError(f"{column!r} has no numbers, but {', '.join(map(repr, values[:_EXAMPLES]))}")
        return [list(map(folded, values)) for values, _ in sides]

    def _of_texts(self, test: Callable[[str, str], bool], text: ast.expr, part: ast.expr) -> list[bool]:
        pairs = zip(self._side(text)[0], self._side(part)[0], strict=True)
        return [test(folded(text), folded(part)) for text, part in pairs]

    def _side(self, node: ast.expr) -> _Side:
        match node:
            case ast.Name(name) if name.startswith(_COLUMN):
                column = self._columns[int(name.removeprefix(_COLUMN))]
                return [row[column] for row in self._rows], column
            case ast.Constant() | ast.UnaryOp(ast.USub(), ast.Constant(int() | float())):
                self.constants.append(ast.literal_eval(node))
                return self.constants[-1:] * len(self._rows), None
        raise ValueError(f"{self._written(node)} is neither a column nor a value")

    def _written(self, node: ast.expr) -> str:
        """A part of the condition as it was written."""
        return re.sub(rf"{_COLUMN}(\d+)", lambda match: self._columns[int(match[1])], ast.unparse(node))
