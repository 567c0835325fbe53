"""The tool `done` for a task whose answer has a form: the model is given the form there, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.errors import InvalidArguments
from cdp_agent.extract.shape import WRAPPER, as_argument
from cdp_agent.providers.shared.lenient import read_object
from cdp_agent.tools.base import Arguments, Tool
from cdp_agent.tools.ending import DoneArguments, done

if TYPE_CHECKING:
    from cdp_agent.extract.form import Form

_DESCRIPTION = "The whole answer to the task, in this form."


class TypedDone(Tool):
    """`done` whose result has a form; what it is called with is JSON text, whichever way the model wrote it."""

    def __init__(self, form: Form) -> None:
        super().__init__(done.run, DoneArguments, read_only=True, terminal=True)
        self._form = form
        parameters = as_argument(form.source)
        described = {"description": _DESCRIPTION, **parameters["properties"][WRAPPER]}
        self.__dict__["parameters"] = {**parameters, "properties": {WRAPPER: described}}

    def parse(self, source: str | Mapping[str, Any]) -> Arguments:
        """See Tool.parse."""
        try:
            found = read_object(source) if isinstance(source, str) else dict(source)
        except ValueError as error:
            raise InvalidArguments(f"done: {error}. It takes {{result}}: call it again with that.") from error
        if WRAPPER in found:
            result = found[WRAPPER]
        elif found and not self._form.convert(found)[1]:
            result = found  # the answer itself, without its wrapping
        else:
            raise InvalidArguments("done: there is no `result`. It takes {result}: call it again with that.")
        return DoneArguments(result if isinstance(result, str) else msgspec.json.encode(result).decode())
