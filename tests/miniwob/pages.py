"""Where the tasks' pages are: in the package `miniwob`, of which nothing else is wanted.

`pip install --no-deps miniwob`
"""

from __future__ import annotations

import importlib.util
from pathlib import Path


def folder() -> Path | None:
    """The folder to serve; task pages are at `/miniwob/<task>.html`. None where the package is not installed."""
    # Not imported: the package itself needs gymnasium and selenium.
    found = importlib.util.find_spec("miniwob")
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0], "html")
