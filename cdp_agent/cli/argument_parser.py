"""The argument parser of all commands, and the format of their help.

It imports little, since even the quickest commands wait for its imports.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence

from cdp_agent.errors import SetupError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn  # importing it at run time takes 3 ms

_WIDEST = 30
_TEXT = "\0"
"""Begins a word that is no option, although argparse would take it for one; no word of a command line contains it."""


class Parser(argparse.ArgumentParser):
    """An argument parser with one-line errors and a short help. It accepts `--some_option` for `--some-option`.

    `more` is the option group that the help points to (`cdp-agent options GROUP`), if any.
    """

    def __init__(self, name: str, description: str, usage: str | None = None, more: str | None = None) -> None:
        super().__init__(
            prog=f"cdp-agent {name}", description=description, usage=usage or "%(prog)s", allow_abbrev=False
        )
        self._more = more

    def error(self, message: str) -> NoReturn:
        raise SetupError(f"{message.replace(_TEXT, '')}; see `{self.prog} --help`.")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments in the words. Those after `--` are no options, nor is `-x` where no option is called that."""
        end = words.index("--") if "--" in words else len(words)
        options = [self._unless_option(word) for word in map(_with_dashes, _with_values(words[:end]))]
        return self.parse_intermixed_args([*options, *(_TEXT + word for word in words[end + 1 :])])

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        return super()._get_value(action, arg_string.removeprefix(_TEXT))

    def _unless_option(self, word: str) -> str:
        """The word, marked as a text if it begins with one dash and no option of one letter is meant."""
        is_text = word.startswith("-") and not word.startswith("--") and word[:2] not in self._option_string_actions
        return _TEXT + word if is_text else word

    def format_help(self) -> str:
        options = [(_written(each), each.help or "") for each in self._actions if each.help != argparse.SUPPRESS]
        rows = columns({written: text for written, text in options if written != "--help"})
        usage = str(self.usage) % {"prog": self.prog}
        lines = [f"usage: {usage}", *([self.description.removesuffix(".")] if self.description else []), *rows]
        if self._more is not None:
            lines.append(f"More: {' '.join(['cdp-agent options', self._more]).strip()}")
        return "\n".join(lines).replace("%%", "%") + "\n"


def port_number(text: str) -> int:
    """The port number in an option's text, for the `type` of the option; 0 means any free port."""
    if not text.isdigit() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number of at most 65535")
    return int(text)


def columns(rows: Mapping[str, str]) -> list[str]:
    """The rows as lines of two columns, aligned with spaces, since a run of spaces is one token for a model."""
    width = min(max(map(len, rows), default=0), _WIDEST)
    return [f"  {written:<{width}}  {text}".rstrip() for written, text in rows.items()]


def _written(action: argparse.Action) -> str:
    """The argument as the help shows it."""
    name = action.option_strings[-1] if action.option_strings else ""
    if isinstance(action, argparse.BooleanOptionalAction):
        return f"--[no-]{name.removeprefix('--no-')}"
    if action.nargs == 0:
        return name if name != "-h" else "--help"
    return f"{name} {action.metavar}".strip() if action.metavar else name


def _with_values(words: Iterable[str]) -> list[str]:
    """Joins `--by -400,0` to `--by=-400,0`, and the same with an option of Chrome: argparse takes both for our options.

    (It knows single negative numbers.)
    """
    joined: list[str] = []
    for word in words:
        is_pair = word.startswith("-") and word[1:2].isdigit() and "," in word
        before = joined[-1] if joined else ""
        if (is_pair and before.startswith("--") and "=" not in before) or (before == "--args" and word[:1] == "-"):
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return joined


def _with_dashes(word: str) -> str:
    if not word.startswith("--"):
        return word
    name, equals, value = word.partition("=")
    return name.replace("_", "-") + equals + value
