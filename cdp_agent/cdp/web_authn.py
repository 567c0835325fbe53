"""https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn/"""

from __future__ import annotations

from .types import Command, Empty


class Enable(Command[Empty], frozen=True):
    """Replaces the authenticators of machine and user by virtual ones, of which there are none yet."""
