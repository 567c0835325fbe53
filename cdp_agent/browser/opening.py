"""Objects that are opened by `await`, or by `async with`, which closes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from typing import Any, Generic, Protocol, TypeVar


class Closes(Protocol):
    async def close(self) -> None: ...


T = TypeVar("T", bound=Closes)


class Opens(ABC, Generic[T]):
    """Something that is opened by `await`, or by `async with`, which closes it at the end."""

    def __init__(self) -> None:
        self._entered: T | None = None

    def __await__(self) -> Generator[Any, None, T]:
        return self._opened().__await__()

    async def __aenter__(self) -> T:
        self._entered = await self._opened()
        return self._entered

    async def __aexit__(self, *_: object) -> None:
        if self._entered is not None:
            await self._entered.close()

    @abstractmethod
    async def _opened(self) -> T:
        """Opens the object, and returns it."""
