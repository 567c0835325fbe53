"""How dialogs are answered, by their kind: a setting, which a session's process reads before its Chrome starts."""

from __future__ import annotations

from typing import Literal

import msgspec

Handling = Literal["accept", "dismiss", "ask"]
DialogKind = Literal["alert", "confirm", "prompt", "beforeunload"]


class DialogPolicy(msgspec.Struct, frozen=True):
    """How each kind of dialog is answered; "ask" leaves it open for the caller, who answers by `Page.answer_dialog`.

    `beforeunload`: "ask" asks where something may be lost, because it was filled in and not sent, or in a Chrome that
    is not ours. There `goto`, `back`, `forward` and `reload` fail instead, unless they are told to leave. Else the page
    is left, and the receipt tells that it asked.
    A prompt that the policy accepts gets `prompt_text`; None: the page's default text.
    """

    alert: Handling = "accept"
    confirm: Handling = "ask"
    prompt: Handling = "ask"
    beforeunload: Handling = "ask"
    prompt_text: str | None = None

    @staticmethod
    def all(answer: Handling) -> DialogPolicy:
        """The policy that answers all kinds alike. An alert asks nothing, so "ask" closes it."""
        return DialogPolicy("accept" if answer == "ask" else answer, answer, answer, answer)
