"""Approval on the command line, by a person at the terminal or a program at the other end of a pipe."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TextIO

import msgspec

from cdp_agent.cli.terminal.json_lines import JsonLines
from cdp_agent.cli.terminal.lines import Lines
from cdp_agent.config import Config
from cdp_agent.decisions import (
    LONGEST_ASKED,
    ActionProposed,
    Approve,
    Ask,
    Continue,
    Decision,
    Decline,
    Edit,
    Execute,
    FieldValue,
    Fill,
    FormField,
    FormRequested,
    Paused,
    PlanProposed,
    QuestionAsked,
    Reject,
    Respond,
    Retry,
    Reword,
    Skip,
    Stop,
    question_of,
)
from cdp_agent.errors import SetupError
from cdp_agent.security.quoting import LONGEST_TEXT, quote, shown_address, visible
from cdp_agent.steps.approval.approval import Submit
from cdp_agent.steps.approval.policy import rules_from

_PAUSED = """
Act in the window as you like. Then press Enter to let it go on, or type what it is to know first; q ends it."""
_EDITING = "d 2 drops step 2, m 3 1 moves 3 to 1, r 2 … rewords it, a 2 … adds one after it, ok carries it out"

Read = Callable[[str, bool], Awaitable[str | None]]
"""Reads a line at this prompt, which is not shown if the second argument is True; None when there are no more lines."""
HIDDEN = ("password",)
"""Types of fields whose text is not shown on the screen."""
_BOXES = ("checkbox", "switch")
_YES, _NO = ("y", "yes", "true", "on", "1"), ("n", "no", "false", "off", "0")


def approval_keywords(
    config: Config, *, at_terminal: bool, by_hand: bool = False, takes_stdin: bool = False
) -> dict[str, Any]:
    """The keywords of `Agent` for approval. `at_terminal`: a person can be asked.

    Steps that were written `by_hand` need no approval, unless the settings ask for it. Raises SetupError.
    """
    kind = config.approve
    if kind in ("ask", "jsonl") and takes_stdin:
        raise SetupError(f"--approve {kind} reads the standard input, from which the steps come: put them into a file.")
    at_terminal = at_terminal and not takes_stdin
    if kind is None and by_hand:
        return {"approve": rules_from([*config.approval_rules, "allow"])}
    if kind is None:
        kind = "ask" if at_terminal else "auto"
    rules = rules_from(config.approval_rules, "allow" if kind == "auto" else "ask")
    if kind == "jsonl":
        return {"approve": rules, "approver": JsonLines()}
    return {"approve": rules, "approver": Terminal() if kind == "ask" or at_terminal else None}


class Terminal:
    """An `Approver` that asks a person, on stderr, since stdout is for the answer."""

    def __init__(self, lines: Lines | None = None, stream: TextIO | None = None) -> None:
        self._lines = lines or Lines()
        self._stream = stream

    async def __call__(self, ask: Ask, submit: Submit) -> None:
        """Shows the question, and reads lines until a decision counts or there are no more lines."""
        await self._lines.drop_typed_ahead()
        self._say(question_shown(ask))
        while True:
            decision = await self._decision(ask)
            if decision is None:
                return
            problem = decision if isinstance(decision, str) else submit(ask.id, decision)
            if problem is None:
                return
            self._say(problem)

    async def _decision(self, ask: Ask) -> Decision | str | None:
        """A decision, or a message that states what is wrong with the line; None when there are no more lines."""
        if isinstance(ask, Paused):
            line = await self._asked("go on> ")
            return None if line is None else _pause_decision(line.strip())
        if isinstance(ask, QuestionAsked):
            line = await self._asked("Answer (nothing to decline)> ")
            return None if line is None else _answer_decision(ask, line.strip())
        line = await self._asked(_choices(ask))
        if line is None:
            return None
        letter, _, rest = line.strip().partition(" ")
        made = _LETTERS.get(type(ask), _STEP_FAILED_LETTERS).get(letter.lower()[:1])
        if made is None:
            return "Type one of the letters."
        if made is Edit and isinstance(ask, PlanProposed):
            return await self._edited(ask.steps)
        if made is Fill and isinstance(ask, FormRequested):
            values = await read_form(ask, self._read, self._say)
            return None if values is None else Fill(values)
        if made in _WITH_WORDS and not rest.strip():
            reply = await self._asked(_WITH_WORDS[made])
            if reply is None:
                return None
            rest = reply
        return made(rest.strip()) if made in _WITH_WORDS else made()

    async def _edited(self, steps: list[str]) -> Decision | None:
        self._say(_EDITING)
        while True:
            line = await self._asked("edit> ")
            if line is None:
                return None
            if line.strip().lower() == "ok":
                return Edit(steps)
            try:
                steps = edited(steps, line)
            except ValueError as error:
                self._say(str(error))
            self._say(_numbered(steps))

    async def _asked(self, prompt: str) -> str | None:
        self._write(prompt)
        return await self._lines.next()

    async def _read(self, prompt: str, hidden: bool) -> str | None:
        if not hidden:
            return await self._asked(prompt)
        with self._lines.hidden():
            line = await self._asked(prompt)
        self._say("")  # the line break was not shown either
        return line

    def _say(self, text: str) -> None:
        self._write(text + "\n")

    def _write(self, text: str) -> None:
        stream = self._stream or sys.stderr
        stream.write(text)
        stream.flush()


def edited(steps: list[str], command: str) -> list[str]:
    """The steps after one editing command. Raises ValueError for an invalid one, with the syntax."""
    act, _, rest = command.strip().partition(" ")
    number, _, words = rest.strip().partition(" ")
    least = 0 if act == "a" else 1
    if act not in ("d", "m", "r", "a") or not number.isdigit() or not least <= int(number) <= len(steps):
        raise ValueError(f"Write it so: {_EDITING}.")
    place, new_steps = int(number) - 1, list(steps)
    match act:
        case "d":
            del new_steps[place]
        case "m" if words.strip().isdigit() and 1 <= int(words) <= len(steps):
            new_steps.insert(int(words) - 1, new_steps.pop(place))
        case "r" if words.strip():
            new_steps[place] = words.strip()
        case "a" if words.strip():
            new_steps.insert(place + 1, words.strip())
        case _:
            raise ValueError(f"Write it so: {_EDITING}.")
    return new_steps


def _answer_decision(ask: QuestionAsked, line: str) -> Decision:
    """The decision that a line makes: an empty line declines, and a number chooses that option."""
    if line.isdigit() and 1 <= int(line) <= len(ask.options) and line not in ask.options:
        return Respond(ask.options[int(line) - 1])
    return Respond(line) if line else Decline()


def _pause_decision(line: str) -> Decision:
    """The decision of a line about a paused run: text for its model, unless it only continues or stops the run."""
    if line.lower() in ("q", "quit", "stop"):
        return Stop()
    return Continue("" if line.lower() in ("", "y", "c", "go", "go on", "continue") else line)


_LETTERS: dict[type, dict[str, Callable[..., Decision]]] = {
    PlanProposed: {"y": Approve, "n": Reject, "e": Edit, "q": Stop},
    ActionProposed: {"y": Execute, "a": partial(Execute, for_site=True), "s": Skip, "r": Reword, "q": Stop},
    FormRequested: {"y": Fill, "n": Decline, "q": Stop},
}
_STEP_FAILED_LETTERS: dict[str, Callable[..., Decision]] = {"a": Retry, "r": Reword, "s": Skip, "q": Stop}
_WITH_WORDS: dict[Callable[..., Decision], str] = {Reject: "What is wrong with it? ", Reword: "Do what instead? "}


def _choices(ask: Ask) -> str:
    match ask:
        case PlanProposed():
            return "Carry it out? [y]es, [n]o, [e]dit, [q]uit: "
        case ActionProposed(held=held) if held is not None:
            return "Let it? [y]es, [a]ll such at this site, [s]kip, [q]uit: "
        case ActionProposed():
            return "Do it? [y]es, [a]ll such at this site, [s]kip, [r]eword, [q]uit: "
        case FormRequested():
            return "Fill it in? [y]es, [n]o, [q]uit: "
        case _:
            return "[a]gain, [r]eword, [s]kip, [q]uit: "


def question_shown(ask: Ask) -> str:
    match ask:
        case PlanProposed(steps=steps, message=message):
            return "\n".join(filter(None, [visible(message, LONGEST_ASKED), _numbered(steps)]))
        case ActionProposed(number=number, step=step, held=held) if held is not None:
            return f"{number} {' → '.join(filter(None, (step, question_of(ask))))}"
        case ActionProposed(number=number, step=step, tool=tool, about=about, arguments=arguments, risks=risks):
            values = visible(msgspec.json.encode(arguments).decode(), LONGEST_ASKED)
            why = f" It {', '.join(risks)}." if risks else ""
            return f"{number} {' → '.join(filter(None, (step, f'{tool} {about} {values}{why}')))}"
        case QuestionAsked(question=question, options=options):
            return "\n".join(filter(None, [visible(question, LONGEST_ASKED), _numbered(options)]))
        case FormRequested():
            return form_shown(ask)
        case Paused(url=url):
            return f"Paused at {shown_address(url)}" + _PAUSED
        case failed:
            what = visible(f"{failed.step}: {failed.error}", LONGEST_ASKED)
            return f"{failed.number:>3}  {what} {failed.retries_left} retries are left."


def _numbered(steps: list[str]) -> str:
    return "\n".join(f"{number:>3}  {visible(step)}" for number, step in enumerate(steps, 1))


def form_shown(ask: FormRequested) -> str:
    """The form's description, the origins that its values can reach, and the errors of its fields."""
    where = f" on {shown_address(ask.url)}" if ask.url else ""
    lines = [f"{visible(ask.description, LONGEST_ASKED)}{where}"]
    if beyond := [origin for origin in ask.origins if not ask.url.startswith(origin)]:
        lines.append(visible(f"What you fill in can also get to {', '.join(beyond)}."))
    lines += [f"{visible(field.label)}: {quote(field.error, LONGEST_TEXT)}" for field in ask.fields if field.error]
    return "\n".join(lines)


async def read_form(ask: FormRequested, read: Read, say: Callable[[str], None]) -> dict[str, FieldValue] | None:
    """The values that the person fills in, without fields left unchanged; None when there are no more lines."""
    values: dict[str, FieldValue] = {}
    for field in ask.fields:
        if field.options:
            say("\n".join(f"{number:>4}  {visible(option)}" for number, option in enumerate(field.options, 1)))
        while True:
            line = await read(_prompt(field), field.field_type in HIDDEN)
            if line is None:
                return None
            value = _value(field, line)
            if value is not None:
                values[field.ref] = value
            elif line.strip():
                say("Type y or n." if field.field_type in _BOXES else "Type one of the numbers or texts.")
                continue
            elif field.required and not field.current_value:
                say("This is required.")
                continue
            break
    return values


def _prompt(field: FormField) -> str:
    words = [field.label]
    if field.name and field.name != field.label:
        words.append(f"(on the page: {quote(field.name)})")
    if field.description:
        words.append(f"- {field.description}")
    if field.field_type in _BOXES:
        words.append("[y/n]")
    if field.current_value and field.field_type not in HIDDEN:
        words.append(f"[{visible(field.current_value)}]")
    if field.required:
        words.append("*")
    return f"{visible(' '.join(words), LONGEST_ASKED)}: "


def _value(field: FormField, line: str) -> FieldValue | None:
    """The value for the field in the line; None for an empty or an invalid line."""
    word = line.strip()
    if not word:
        return None
    if field.field_type in _BOXES:
        return True if word.lower() in _YES else False if word.lower() in _NO else None
    if not field.options:
        return line if field.field_type in HIDDEN else word
    if field.field_type == "multiselect":
        chosen = [_option(field, part.strip()) for part in word.split(",") if part.strip()]
        return [each for each in chosen if each] if all(chosen) else None
    return _option(field, word)


def _option(field: FormField, word: str) -> str | None:
    if found := next((each for each in field.options if each.casefold() == word.casefold()), None):
        return found
    if word.isdigit() and 1 <= int(word) <= len(field.options):
        return field.options[int(word) - 1]
    return None
