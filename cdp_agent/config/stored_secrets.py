"""Secrets as stored in the settings: the value itself, or where to read it from."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.security.secrets import Fields, Secret, Totp

_COMMAND_S = 30.0


class StoredSecret(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A secret's text, the variable that contains it, or a command that prints it, such as "pass show shop".

    With `totp`, the text is the key for one-time codes. The other fields are those of `Secret`.
    """

    value: str | None = None
    env: str | None = None
    command: str | None = None
    origins: tuple[str, ...] = ()
    purpose: str = ""
    fields: Fields = "any"
    totp: bool = False

    def __repr__(self) -> str:
        return "StoredSecret(…)"

    def __post_init__(self) -> None:
        if [self.value, self.env, self.command].count(None) != 2:
            raise ValueError("Expected one of `value`, `env` and `command`")

    def read(self, name: str, environment: Mapping[str, str] | None = None) -> Secret | Totp:
        """The secret, for an agent. Raises SetupError when it cannot be read from where it is stored."""
        kind = Totp if self.totp else Secret
        text = self._secret_text(name, os.environ if environment is None else environment)
        return kind(text, self.origins, self.purpose, self.fields)

    def _secret_text(self, name: str, environment: Mapping[str, str]) -> str:
        if self.value is not None:
            return self.value
        if self.env is not None:
            if text := environment.get(self.env):
                return text
            raise SetupError(f"The secret {name} is to be in {self.env}, which is not set.")
        return _printed(self.command or "", name)


def _printed(command: str, name: str) -> str:
    """The first line that the command prints. The command is run without a shell."""
    import shlex  # late: 4 ms with subprocess, and few secrets come from a command
    import subprocess

    try:
        done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=_COMMAND_S, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise SetupError(f"The command for the secret {name} cannot be run: {why}.") from error
    text = done.stdout.partition("\n")[0]
    if done.returncode or not text:
        raise SetupError(f"The command for the secret {name} printed none (exit status {done.returncode}).")
    return text
