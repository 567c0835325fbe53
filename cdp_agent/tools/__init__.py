"""What a model can call. `BUILT_IN` has every tool of this folder by its name."""

from cdp_agent.tools import ending, exploring, extract, fields, keyboard, mouse, navigation, reading, waiting
from cdp_agent.tools.base import Tool, by_name

_FAMILIES = (reading, exploring, extract, mouse, fields, keyboard, waiting, navigation, ending)

BUILT_IN = by_name(*([each for each in vars(family).values() if isinstance(each, Tool)] for family in _FAMILIES))
