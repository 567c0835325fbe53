"""Whether a page that asks whether to leave it is left: what was filled in there and not sent is lost with it."""

from __future__ import annotations

from collections.abc import Callable

from cdp_agent.action_log import log_line

from .dialog_policy import Handling
from .dialogs import Answer


class Unsent:
    """What is known of what we have entered in a tab's pages. `document` returns the number of the present one.

    `is_ours`: nobody else enters anything there.
    """

    def __init__(self, document: Callable[[], int], *, is_ours: bool) -> None:
        self._document = document
        self._is_ours = is_ours
        self.entered_in = -1
        """The number of the document in which something was last entered."""
        self.answer: Answer | None = None
        """The answer to a page that asks whether to leave it, during a navigation that knows what would be lost."""

    @property
    def has_entered(self) -> bool:
        """Whether something was entered in the present document."""
        return self.entered_in == self._document()

    def when_left(self) -> Handling:
        """The answer to a page that asks whether to leave it: it is left if nothing was entered that would be lost."""
        answer: Handling = self.answer or ("accept" if self._is_ours and not self.has_entered else "ask")
        log_line("dialog", "the page asks whether to leave it: {}", answer)
        return answer
