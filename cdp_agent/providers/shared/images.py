"""Images for providers that take them only from the user, or as text."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from cdp_agent.providers.base import Image, Message, Text, ToolResult, User

_SHOWN = Text("What the tools showed:")


def base64_of(image: Image) -> str:
    return base64.b64encode(image.data).decode()


def data_url(image: Image) -> str:
    """The image as a data URL: https://www.rfc-editor.org/rfc/rfc2397."""
    return f"data:{image.media_type};base64,{base64_of(image)}"


def shown_by_the_user(messages: Sequence[Message]) -> list[Message]:
    """The messages, with the images of tool results moved to a user message after them."""
    result: list[Message] = []
    waiting: list[Image] = []
    for message in messages:
        if isinstance(message, ToolResult):
            waiting += message.images
        elif waiting:
            own = message.parts if isinstance(message, User) else ()
            result.append(User((_SHOWN, *waiting, *own)))
            waiting = []
            if own:
                continue
        result.append(message)
    return [*result, User((_SHOWN, *waiting))] if waiting else result
