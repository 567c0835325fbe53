"""The folders that the platform has for a user's files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from platformdirs import user_config_path, user_state_path

from cdp_agent.errors import SetupError


def user_folder(kind: Literal["config", "state"]) -> Path:
    """$XDG_CONFIG_HOME/cdp-agent or $XDG_STATE_HOME/cdp-agent, in ~/.config and ~/.local/state on Linux.

    Raises SetupError for a user without a home, such as a number that a container runs as.
    """
    try:
        return (user_config_path if kind == "config" else user_state_path)("cdp-agent", appauthor=False)
    except RuntimeError as error:
        raise SetupError(
            f"This user has no home folder, where the {kind} would be: set HOME, or XDG_{kind.upper()}_HOME, to a "
            "folder of its own."
        ) from error
