"""Describes an option that is also a setting; see config/setting.py for what is derived from that."""

from typing import Literal

import msgspec

User = Literal["agent", "limits", "patience", "launch", "connect", "page", "proxy", "environment", "command"]
"""What uses a setting: Agent, Limits, Patience, Proxy, Browser.launch, Browser.connect or both ("page"), as a keyword;
a provider or a search service ("environment": as the setting's second variable); or the commands themselves
("command").
"""
TASK, MODEL, STEPS, LIMITS, KEYS = "The task", "The model", "Steps", "Limits", "Keys and accounts"
CHROME, PAGES, MANY, OUTPUT, SERVER = "Chrome", "Pages", "Many tasks", "Output", "The server"
GROUPS = (TASK, MODEL, STEPS, LIMITS, KEYS, CHROME, PAGES, MANY, OUTPUT, SERVER)
"""The groups of settings, in the order in which they are shown."""


class Option(msgspec.Struct, frozen=True):
    """What `option` takes, besides the help."""

    group: str
    user: User
    keyword: str | None
    variables: tuple[str, ...]
    secret: bool
    short: str | None
    form: str | None
    separator: str


def option(
    group: str,
    help: str,
    user: User = "agent",
    *,
    keyword: str | None = None,
    variables: tuple[str, ...] = (),
    secret: bool = False,
    short: str | None = None,
    form: str | None = None,
    separator: str = ",",
) -> msgspec.Meta:
    """Describes a setting, in addition to its type and default; for `Annotated`.

    Its user gets it under its name, or as `keyword`. `variables` are read after the variable of the setting's own name.
    A `secret` has no flag, since every user of the machine can read the arguments of a command, and its value is
    never shown. `form` describes the format of a text, with an example. `separator` separates the items of a list in a
    variable or a flag.
    """
    about = Option(group, user, keyword, variables, secret, short, form, separator)
    return msgspec.Meta(description=help, extra={"option": about})
