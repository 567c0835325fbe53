"""https://chromedevtools.github.io/devtools-protocol/tot/DigitalCredentials/"""

from __future__ import annotations

from typing import Literal

from .types import Command, Empty


class SetVirtualWalletBehavior(Command[Empty], frozen=True):
    """Answers in place of a wallet."""

    action: Literal["decline"]
