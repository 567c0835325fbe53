"""Tables whose rows need next to nothing: one test checks all of them, and a failure names its row.

To collect a test in each process, to send it to one and to report it costs about 7 ms of processor, and a page 30 more.
Where a row takes less than that, `@table` stands in the place of `@pytest.mark.parametrize`.
"""

from __future__ import annotations

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

Test = Callable[..., Any]


def table(names: str | tuple[str, ...], rows: Mapping[str, Any] | Iterable[Any]) -> Callable[[Test], Test]:
    """The test as one that goes through the rows in their order and ends at the first that fails.

    `names` are those of the arguments that a row gives: its only one, or a tuple of as many values. Rows of a mapping
    are its values, and named by their keys; others are named by what they hold.
    """

    def in_rows(test: Test) -> Test:
        taken = (names,) if isinstance(names, str) else names
        named = rows.items() if isinstance(rows, Mapping) else ((row, row) for row in rows)
        calls = [(name, dict(zip(taken, (row,) if len(taken) == 1 else row, strict=True))) for name, row in named]
        assert calls, "a table without rows checks nothing"

        def check(**fixtures: Any) -> None:
            for name, row in calls:
                with _named(name):
                    test(**row, **fixtures)

        async def check_awaited(**fixtures: Any) -> None:
            for name, row in calls:
                with _named(name):
                    await test(**row, **fixtures)

        whole = functools.wraps(test)(check_awaited if inspect.iscoroutinefunction(test) else check)
        signature = inspect.signature(test)
        fixtures = [parameter for name, parameter in signature.parameters.items() if name not in taken]
        whole.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]  # pytest reads it
        return whole

    return in_rows


@contextmanager
def _named(row: object) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        error.add_note(f"In the row {reprlib.repr(row)}.")
        raise
