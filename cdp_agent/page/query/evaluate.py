"""The JSON value of a script of the caller's, which runs in the page's main world."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from cdp_agent.cdp import runtime
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_too_deep
from cdp_agent.errors import InvalidArguments, ProtocolError, ScriptError
from cdp_agent.page import js
from cdp_agent.page.frames.world import deadline
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.page.tab.tab import Tab
from cdp_agent.patterns import pattern

_OWN_CALL = pattern(r"\n +at [^\n]*jsonValueOf .*", re.DOTALL)
_AROUND = pattern(r"(?:[\s();]|//[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
"""What may stand around a function for the source to be that function, and not something that gives one."""
_TOO_DEEP = "The value is nested too deep to be told. Ask for a part of it."


class _Answer(msgspec.Struct, frozen=True):
    """See js/read/json_value.js."""

    value: Any
    refused: str
    path: list[str | int]


async def evaluate(tab: Tab, source: str, arguments: Sequence[object], timeout_s: float) -> Any:
    """See `Page.evaluate`."""
    _check(arguments)
    async with tab.drawn() as tree, deadline((root := tree.root).session, timeout_s):
        root.is_static = False
        result = await _run(root.session, source)
        is_function = _is_function(source, result)
        if arguments and not is_function:
            raise InvalidArguments("Arguments are for a function, and this is an expression: give a function.")
        if result.object_id is None:
            return _primitive(result)
        call = runtime.CallFunctionOn(
            function_declaration=js.json_value(),
            object_id=result.object_id,
            arguments=[runtime.CallArgument(value=each) for each in (is_function, *arguments)],
            return_by_value=True,
            await_promise=True,
        )
        try:
            answer = msgspec.json.decode(_result(await root.session.send(call)).value, type=_Answer)
        except ProtocolError as error:
            if is_too_deep(error):
                raise ScriptError(_TOO_DEEP) from error
            raise
        finally:
            root.session.tell(runtime.ReleaseObject(object_id=result.object_id))
    if answer.refused:
        raise _no_json(answer.refused, answer.path)
    return answer.value


def _check(arguments: Sequence[object]) -> None:
    try:
        json.dumps(arguments, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidArguments(f"The arguments of a function in the page have to be JSON values: {error}.") from error


async def _run(session: Session, source: str) -> runtime.RemoteObject:
    """The value of the source: as an expression, even one that begins with `function` or `{`, else as statements."""
    expression = source.rstrip().removesuffix(";")
    answer = await session.send(runtime.Evaluate(expression=f"({expression}\n)", await_promise=True))
    if _thrown(answer).startswith("SyntaxError"):  # by the script itself, or since it is no expression and did not run
        parsed = runtime.Evaluate(expression=f"() => ({expression}\n)", return_by_value=True)
        if (await session.send(parsed)).exception_details is not None:
            answer = await session.send(runtime.Evaluate(expression=source, await_promise=True))
    return _result(answer)


def _is_function(source: str, result: runtime.RemoteObject) -> bool:
    """Whether the source is a function, to be called, and no expression such as the setting of a handler."""
    if result.type != "function" or not result.description:
        return False
    before, function, after = source.partition(result.description)
    return bool(function and _AROUND.fullmatch(before) and _AROUND.fullmatch(after))


def _result(answer: runtime.Evaluated) -> runtime.RemoteObject:
    if answer.exception_details is not None:
        raise ScriptError(_thrown(answer))
    return answer.result


def _thrown(answer: runtime.Evaluated) -> str:
    """What was thrown, or ""."""
    if (details := answer.exception_details) is None:
        return ""
    thrown = details.exception
    if thrown is None or thrown.description:
        return _OWN_CALL.sub("", (thrown and thrown.description) or details.text)
    return f"{details.text} {bytes(thrown.value).decode()}"


def _primitive(result: runtime.RemoteObject) -> Any:
    if result.unserializable_value == "-0":
        return 0
    if result.unserializable_value is not None:
        raise _no_json("bigint" if result.type == "bigint" else result.unserializable_value, [])
    return msgspec.json.decode(result.value) if bytes(result.value) else None


def _no_json(what: str, path: Sequence[str | int]) -> ScriptError:
    if what == "too deep":
        return ScriptError(_TOO_DEEP)
    steps = (f".{key}" if str(key).isidentifier() else f"[{json.dumps(key)}]" for key in path)
    where = f" at {shortened(''.join(steps))}" if path else ""
    return ScriptError(
        f"It ran, but gave what is no JSON value: {what}{where}. Give what you need of that, such as a text, or null."
    )
