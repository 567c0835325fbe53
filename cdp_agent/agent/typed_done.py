"""The tool `done` for a task whose answer has a form: the model is given the form, and may write it either way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.providers.lenient import read_object
from cdp_agent.tools.base import Arguments, Tool
from cdp_agent.tools.ending import DoneArguments, done

if TYPE_CHECKING:
    from cdp_agent.extract.form import Form

_DESCRIPTION = "The whole answer to the task, as JSON in the form that was asked for."


class TypedDone(Tool):
    """`done` whose result has a form; what it is called with is JSON text, whichever way the model wrote it."""

    def __init__(self, form: Form) -> None:
        super().__init__(done.run, DoneArguments, read_only=True, terminal=True)
        # A schema that refers to its own parts means nothing inside another one: then the result is JSON in a string.
        nested = b'"$ref"' not in msgspec.json.encode(form.sent)
        result = (
            {**form.sent, "description": _DESCRIPTION} if nested else {"type": "string", "description": _DESCRIPTION}
        )
        self.__dict__["parameters"] = {"type": "object", "properties": {"result": result}, "required": ["result"]}

    def parse(self, source: str | Mapping[str, Any]) -> Arguments:
        """See Tool.parse."""
        try:
            found = read_object(source) if isinstance(source, str) else dict(source)
        except ValueError as error:
            raise InvalidArguments(f"done: {error}. It takes {{result}}: call it again with that.") from error
        if "result" not in found:
            raise InvalidArguments("done: there is no `result`. It takes {result}: call it again with that.")
        result = found["result"]
        return DoneArguments(result if isinstance(result, str) else msgspec.json.encode(result).decode())
