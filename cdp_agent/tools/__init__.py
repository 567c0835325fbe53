"""The tools that models, people and programs can call.

`BUILT_IN` contains them by name, except those that ask the user, search the web or are a vendor's; `CALLABLE` those of
them that do not end the task. A model that works alone is offered those of `DEFAULT`: each costs tokens in every turn.
Models may call `evaluate` only if the user allows it; `web_search` (`searching`) exists only if a search is configured.
"""

from cdp_agent.tools import (
    data,
    dialogs,
    ending,
    exploring,
    input,
    inspecting,
    navigation,
    picturing,
    reading,
    scripting,
    tabs,
)
from cdp_agent.tools.base import Tool, by_name

_READING = (reading, exploring, data, inspecting)
_ACTING = (input, navigation, dialogs, tabs)
_FAMILIES = (*_READING, *_ACTING, picturing, scripting, ending)

BUILT_IN = by_name(*([each for each in vars(family).values() if isinstance(each, Tool)] for family in _FAMILIES))
CALLABLE = {name: tool for name, tool in BUILT_IN.items() if not tool.terminal}
DEFAULT = {name: tool for name, tool in BUILT_IN.items() if tool.by_default}
