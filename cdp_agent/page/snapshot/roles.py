"""Which roles are taken together, for all who ask what kind of thing a line of the snapshot is."""

from __future__ import annotations

FIELDS = ("textbox", "searchbox", "combobox", "spinbutton")
"""What text is typed into."""
WITH_VALUES = (*FIELDS, "slider", "progressbar", "meter", "scrollbar")
"""What they say is a value: it changes while they stay."""
ITEMS = ("row", "listitem", "treeitem", "article")
"""What is one of many of a kind."""
