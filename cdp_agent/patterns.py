"""Regular expressions that are compiled when they are first used: all of them take longer than most other imports."""

from __future__ import annotations

import re
from typing import Any, AnyStr, Generic, cast


def pattern(expression: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[AnyStr]:
    """What `re.compile` returns for it, but compiled when one of its methods is first used."""
    return cast("re.Pattern[AnyStr]", _Pattern(expression, flags))  # it has all that a pattern has


class _Pattern(Generic[AnyStr]):
    def __init__(self, expression: AnyStr, flags: re.RegexFlag) -> None:
        self._expression: AnyStr = expression
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, found)  # from now on as fast as the pattern's own
        return found
