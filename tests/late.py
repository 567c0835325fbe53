"""Modules that take long to import, as the vendors' SDKs do: each process that runs tests imports every test file."""

from __future__ import annotations

import gc
import importlib
import sys
from typing import Any


class Late:
    """Stands for a module, which is imported when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks whether it is a fixture
            raise AttributeError(name)
        if self._name not in sys.modules:
            gc.disable()  # nothing of thousands of classes could be freed, and to look for it takes a sixth of the time
        try:
            return getattr(importlib.import_module(self._name), name)
        finally:
            gc.enable()
