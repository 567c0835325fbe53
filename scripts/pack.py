"""Minifies what runs in pages, with esbuild (scripts/js): for this checkout, and for a wheel, see wheel.py.

python scripts/pack.py

A checkout uses what this writes until a script is changed.
"""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SCRIPTS = ROOT / "cdp_agent/page/js"
ESBUILD = ROOT / "scripts/js/node_modules/.bin/esbuild"


def scripts_of_wheel(folder: Path) -> list[str]:
    """Writes what a wheel has of the scripts into a folder, and returns the names; minified where that can be done."""
    bundle = _bundle()
    contents = {name: "\n".join(bundle["code_lines"](bundle["text"](name))) for name in bundle["NOT_PACKED"]}
    if minified() is None:
        contents[bundle["PACKED"]] = bundle["unpacked"]()
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    if bundle["PACKED"] not in contents:
        shutil.copy(SCRIPTS / bundle["PACKED"], folder)
    return [*bundle["NOT_PACKED"], bundle["PACKED"]]


def minified() -> Path | None:
    """The file of the minified scripts, written if it is not current; None where it is not and esbuild is not there."""
    bundle = _bundle()
    path: Path = SCRIPTS / bundle["PACKED"]
    if bundle["is_packed"]():
        return path
    if not ESBUILD.exists():
        return None
    command = [str(ESBUILD), "--minify", "--log-level=warning"]
    packing = subprocess.run(command, input=bundle["unpacked"](), capture_output=True, text=True, check=True)
    path.write_text(packing.stdout, encoding="utf-8")
    return path


def _bundle() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPTS / "__init__.py"))


if __name__ == "__main__":
    print(minified() or "Without esbuild (npm ci --prefix scripts/js) the scripts are sent as they are written.")
