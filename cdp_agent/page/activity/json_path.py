"""A part of a JSON value by its path: `items[].name`, `data.rows[0:10]`, `["a.b"][-1]`."""

from __future__ import annotations

import re

from cdp_agent.errors import InvalidArguments

_STEP = re.compile(r"""\.?([^.\[\]"']+)|\[(-?\d+)\]|\[(-?\d*):(-?\d*)\]|(\[\])|\[(?:"([^"]+)"|'([^']+)')\]""")
_MOST_NAMED = 12


def part_at(value: object, path: str) -> object:
    """What is there: names from the outermost on, `[]` for each element, `[2]` for one, `[0:10]` for some.

    What an element behind `[]` or `[0:10]` does not have is null. Raises InvalidArguments for a path that is none, or
    that leads nowhere, with what there is instead.
    """
    steps, end = list[re.Match[str]](), 0
    path = path.removeprefix("$")
    while end < len(path):
        step = _STEP.match(path, end)
        if step is None:
            raise InvalidArguments(
                f"The path {path!r} cannot be read from {path[end:]!r} on: write it as a.b[].c[0:10]."
            )
        steps.append(step)
        end = step.end()
    return _follow(value, steps, "")


def _follow(value: object, steps: list[re.Match[str]], at: str) -> object:
    if not steps:
        return value
    step, *rest = steps
    here = at + step[0]
    name, index, first, last, all_, *quoted = step.groups()
    name = name or quoted[0] or quoted[1]
    if name is not None:
        if not isinstance(value, dict) or name not in value:
            raise InvalidArguments(f"There is no {name!r} in {at or 'the answer'}, which is {_described(value)}.")
        return _follow(value[name], rest, here)
    if not isinstance(value, list):
        raise InvalidArguments(f"{at or 'The answer'} is no list, but {_described(value)}.")
    if index is not None:
        if not -len(value) <= int(index) < len(value):
            raise InvalidArguments(f"There is no {here}: {at or 'the answer'} is {_described(value)}.")
        return _follow(value[int(index)], rest, here)
    chosen = value if all_ else value[int(first) if first else None : int(last) if last else None]
    results, errors = list[object](), list[InvalidArguments]()
    for element in chosen:
        try:
            results.append(_follow(element, rest, here))
        except InvalidArguments as error:
            results.append(None)
            errors.append(error)
    if errors and len(errors) == len(chosen):
        raise errors[0]
    return results


def _described(value: object) -> str:
    if isinstance(value, dict):
        names = [repr(name) for name in value]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"an object with {', '.join(names[:_MOST_NAMED])}{more}" if names else "an empty object"
    return f"a list of {len(value):,}" if isinstance(value, list) else f"a {type(value).__name__}"
