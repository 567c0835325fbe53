"""Lines that a person types at a prompt with completion and history; needs the extra `shell`. See `Lines`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory

from cdp_agent.cli.terminal.lines import Lines


class PromptLines(Lines):
    """Reads lines with prompt_toolkit. `words` are for completion; `history` is a file that only the user can read."""

    def __init__(self, history: Path, words: Callable[[], list[str]]) -> None:
        super().__init__()
        history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(history, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        self._commands: PromptSession[str] = PromptSession(history=FileHistory(str(history)), completer=_Words(words))
        self._answers: PromptSession[str] = PromptSession()
        self._is_hidden = False

    async def command(self, prompt: str) -> str | None:
        """The next command, which goes into the history; None at Ctrl-D, "" at Ctrl-C."""
        with suppress(KeyboardInterrupt):
            try:
                return await self._commands.prompt_async(prompt)
            except EOFError:
                return None
        return ""

    async def next(self) -> str | None:
        """An answer to a question, which is not added to the history."""
        try:
            return await self._answers.prompt_async("", is_password=self._is_hidden)
        except (EOFError, KeyboardInterrupt):
            return None

    @contextmanager
    def hidden(self) -> Iterator[None]:
        self._is_hidden = True
        try:
            yield
        finally:
            self._is_hidden = False

    async def drop_typed_ahead(self) -> None:
        """Does nothing, since input is read only at a prompt."""


class _Words(Completer):
    def __init__(self, words: Callable[[], list[str]]) -> None:
        self._words = words

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        begun = document.get_word_before_cursor(WORD=True)
        for word in self._words():
            if begun and word.lower().startswith(begun.lower()):
                yield Completion(word, -len(begun))
