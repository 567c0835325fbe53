"""Puts the page's scripts into a wheel minified: half as much to send to each page."""

from __future__ import annotations

import runpy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """See https://hatch.pypa.io/latest/plugins/build-hook/custom/. The scripts as they are written are left out."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        pack = runpy.run_path(str(Path(self.root) / "scripts/pack.py"))
        if version == "editable":
            pack["minified"]()
            return
        folder = TemporaryDirectory()
        self._folder = folder  # removed with this hook, after the wheel is built
        for name in pack["scripts_of_wheel"](Path(folder.name)):
            build_data["force_include"][f"{folder.name}/{name}"] = f"cdp_agent/page/js/{name}"
