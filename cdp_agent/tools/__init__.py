"""What a model, a person or a program can call. `BUILT_IN` has every tool of this folder by its name, `CALLABLE` those
that end no task.

A model that works alone is offered those of `DEFAULT`: each costs tokens in every turn. `evaluate` is for models only
where the user allows it, `web_search` (`searching`) is there when a search is configured.
"""

from cdp_agent.tools import ending, exploring, input, inspecting, navigation, picturing, reading, scripting, tabs
from cdp_agent.tools.base import Tool, by_name

_READING = (reading, exploring, inspecting)
_ACTING = (input, navigation, tabs)
_FAMILIES = (*_READING, *_ACTING, picturing, scripting, ending)

BUILT_IN = by_name(*([each for each in vars(family).values() if isinstance(each, Tool)] for family in _FAMILIES))
CALLABLE = {name: tool for name, tool in BUILT_IN.items() if not tool.terminal}
DEFAULT = {name: tool for name, tool in BUILT_IN.items() if tool.by_default}
