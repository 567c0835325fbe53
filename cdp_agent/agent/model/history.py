"""The conversation that the model reads each turn: everything said so far, verbatim and in order.

It only grows, so that a provider that caches the beginning of a request has little to read anew. When it is too long,
all observations are replaced by one line each, at once; what was planned, tried and found out stays whole until that
alone is too long (see compaction.py).

An observation is put at the end of the message that led to it, the task or a tool's result, so that user and assistant
take turns: the chat templates of many local models accept nothing else.

Only the latest picture is kept. A picture takes about 1,365 tokens, the text of a turn 400, and a change to an earlier
message invalidates a provider's cache from there on. With cached tokens at a tenth of the price, pictures cost as much
per turn as 1,725 uncached tokens if one is kept (the text after the removed one is read anew), 3,450 if two are (the
other picture is read anew, too), and 1,365 plus 137 for each earlier one if all are: more from the fourth turn on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.page.picture.paint import MOST_PIXELS, Picture
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.providers.base import Assistant, Image, Message, System, TabState, Text, ToolResult, User

_CALL_TOKENS = 8
_PIXELS_A_TOKEN = 600
"""Fewer than with any provider: about 750 with Anthropic, 660 with Google, at most 630 with OpenAI (see paint.py)."""


class HistoryItem(msgspec.Struct, frozen=True):
    """A message, and the short form that replaces it when the conversation shrinks."""

    message: Message
    short: Message
    tokens: int


class CallResult(msgspec.Struct, frozen=True):
    """The result of a tool call: `text` for the model, and `short` to replace it once it is old (None: it is never
    replaced).

    `picture` is one that the model asked for. `is_error` and `tabs` are for members of a vendor's toolset.
    """

    call_id: str
    text: str
    short: str | None = None
    picture: Image | None = None
    is_error: bool = False
    tabs: tuple[TabState, ...] = ()


class History:
    """The conversation so far. `tokens` is an upper bound of its length."""

    def __init__(self, system: str, entries: Sequence[HistoryItem] = ()) -> None:
        self.entries = list(entries)
        if not entries:
            self._add(System(system))

    @property
    def tokens(self) -> int:
        return sum(entry.tokens for entry in self.entries)

    def add_user_message(self, text: str, view: str | None = None) -> None:
        """Adds a message from the user or from us, followed by a view of the page."""
        self._add(_user(text, view), _user(text, prompts.OLD_VIEW if view else None))

    def add_reply(self, reply: Assistant) -> None:
        """Adds a reply of the model."""
        self._add(reply)

    def add_results(self, results: Sequence[CallResult], view: str | None = None) -> None:
        """Adds the results of all of the model's tool calls, followed by a view of the page."""
        for call_result in results:
            shown = view if call_result is results[-1] else None
            old = call_result.text if call_result.short is None else call_result.short
            result = ToolResult(
                call_result.call_id, _joined(call_result.text, shown), (), call_result.is_error, call_result.tabs
            )
            self._add(result, msgspec.structs.replace(result, text=old))
            if call_result.picture is not None:
                self.add_image(call_result.picture, MOST_PIXELS // _PIXELS_A_TOKEN)

    def add_view(self, view: str) -> None:
        """Adds a view to the last message."""
        last = self.entries.pop()
        match last.message:
            case ToolResult(_, text) as message:
                self._add(msgspec.structs.replace(message, text=_joined(text, view)), last.short)
            case User((*parts, Text(text))):
                self._add(User((*parts, Text(_joined(text, view)))), last.short)
            case message:
                self._add(message, last.short)
                self.add_user_message(prompts.VIEW_FOLLOWS, view)

    def shrink(self) -> None:
        """Replaces every observation by its short form, of one line."""
        old, self.entries = self.entries, []
        for entry in old:
            self._add(entry.short)
        changed = [index for index, entry in enumerate(old) if entry.short != entry.message]
        self._displace(changed[0] if changed else len(old))

    @property
    def turns(self) -> list[tuple[Assistant, list[ToolResult]]]:
        """Each message of the model with the results of its tool calls.

        Results are matched to the message before them, not by id: some servers use the same ids in each reply.
        """
        turns: list[tuple[Assistant, list[ToolResult]]] = []
        for message in self.messages():
            if isinstance(message, Assistant):
                turns.append((message, []))
            elif isinstance(message, ToolResult) and turns:
                turns[-1][1].append(message)
        return turns

    @property
    def record(self) -> str:
        """The record that replaced the turns that were condensed, "" if none were."""
        return _text_of(self.entries[1].message).partition(prompts.RECORD)[2] if len(self.entries) > 1 else ""

    def condense(self, record: str, most_tokens: int) -> None:
        """Keeps the task, with `record` below it, and the last turn, each of whose texts is cut to `most_tokens`."""
        last = next((index for index in range(len(self.entries) - 1, 1, -1) if self._is_said(index)), None)
        if last is None:
            return
        task = _text_of(self.entries[1].message).partition(prompts.RECORD)[0].rstrip()
        turn = [_shortened(entry.message, most_tokens) for entry in self.entries[last:]]
        self.entries = self.entries[:1]
        for message in (_user(f"{task}\n\n{record}", None), *turn):
            self._add(message)
        self._displace(1)

    def _is_said(self, index: int) -> bool:
        return isinstance(self.entries[index].message, Assistant)

    @property
    def picture(self) -> Image | None:
        """The only picture in the conversation, None if there is none."""
        return next((image for entry in reversed(self.entries) for image in _images(entry.message)), None)

    def add_picture(self, picture: Picture) -> None:
        """Adds a picture to the last message; earlier ones are removed."""
        cost = picture.width_px * picture.height_px // _PIXELS_A_TOKEN
        self.add_image(Image(picture.data, f"image/{picture.format}"), cost)

    def add_image(self, image: Image, cost: int) -> None:
        """Adds an image that takes `cost` tokens to the last message; earlier ones are removed."""
        self.clip_pictures()
        last = self.entries.pop()
        message = last.message
        if isinstance(message, ToolResult):
            message = msgspec.structs.replace(message, text=_joined(message.text, prompts.PICTURE), images=(image,))
        elif isinstance(message, User):
            message = User((*message.parts, Text(prompts.PICTURE), image))
        self.entries.append(HistoryItem(message, last.short, _tokens(message) + cost))

    def clip_pictures(self) -> None:
        """Replaces every picture by a line of text."""
        for index, entry in enumerate(self.entries):
            if _images(entry.message):
                message = _without_images(entry.message)
                self.entries[index] = HistoryItem(message, entry.short, _tokens(message))
                self._displace(index)

    def messages(self) -> tuple[Message, ...]:
        return tuple(entry.message for entry in self.entries)

    def _displace(self, changed: int) -> None:
        """Marks the providers' states from entry `changed` on as displaced: some providers then refuse them."""
        for index, entry in enumerate(self.entries[changed:], changed):
            if isinstance(entry.message, Assistant) and entry.message.state is not None:
                state = msgspec.structs.replace(entry.message.state, displaced=True)
                message = msgspec.structs.replace(entry.message, state=state)
                self.entries[index] = HistoryItem(message, message, entry.tokens)

    def _add(self, message: Message, short: Message | None = None) -> None:
        self.entries.append(HistoryItem(message, message if short is None else short, _tokens(message)))


def _text_of(message: Message) -> str:
    match message:
        case User(parts):
            return "\n\n".join(part.text for part in parts if isinstance(part, Text))
        case System(text) | ToolResult(_, text) | Assistant(text):
            return text


def _shortened(message: Message, most_tokens: int) -> Message:
    match message:
        case ToolResult(_, text) | Assistant(text):
            return msgspec.structs.replace(message, text=prompts.cut_fenced(text, most_tokens))
        case _:
            return message


def _user(text: str, view: str | None) -> User:
    return User((Text(_joined(text, view)),))


def _joined(text: str, view: str | None) -> str:
    return f"{text}\n\n{view}" if view else text


def has_images(messages: Iterable[Message]) -> bool:
    return any(_images(each) for each in messages)


def _images(message: Message) -> tuple[Image, ...]:
    match message:
        case ToolResult(images=images):
            return images
        case User(parts):
            return tuple(part for part in parts if isinstance(part, Image))
        case _:
            return ()


def _without_images(message: Message) -> Message:
    def clipped(text: str) -> str:
        return text.replace(prompts.PICTURE, prompts.OLD_PICTURE)

    match message:
        case ToolResult(_, text):
            return msgspec.structs.replace(message, text=clipped(text), images=())
        case User(parts):
            return User(tuple(Text(clipped(part.text)) for part in parts if isinstance(part, Text)))
        case _:
            return message


def _tokens(message: Message) -> int:
    match message:
        case System(text) | ToolResult(_, text):
            return tokens(text)
        case User(parts):
            return sum(tokens(part.text) for part in parts if isinstance(part, Text))
        case Assistant(text, calls, state):
            kept = tokens(msgspec.json.encode(state.content).decode()) if state else 0
            return tokens(text) + kept + sum(tokens(call.name + call.arguments) + _CALL_TOKENS for call in calls)
