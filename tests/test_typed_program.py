"""What type checkers infer for a program that has the package installed from its wheel."""

from __future__ import annotations

import shutil
import site
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = Path(__file__).parent / "programs/typed.py"
PYRIGHT = ROOT / "scripts/js/node_modules/.bin/pyright"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the wheel, and with what it needs from the one that runs the tests."""
    pytest.importorskip("hatchling", reason="the wheel is built by hatchling: install the extra `check`")
    folder = tmp_path_factory.mktemp("installed")
    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)
    venv.create(folder / "venv", symlinks=True)
    (packages,) = folder.glob("venv/lib/python*/site-packages")
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(packages)
    (packages / "others.pth").write_text("\n".join(site.getsitepackages()))
    return folder / "venv/bin/python"


def test_mypy_finds_nothing_wrong(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="install the extra `check`")

    checked = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed), "--cache-dir", "cache"]
    done = subprocess.run([*checked, str(PROGRAM)], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("Success: no issues found in 1 source file\n", 0)


def test_pyright_finds_nothing_wrong(installed: Path, tmp_path: Path) -> None:
    if not PYRIGHT.exists() or shutil.which("node") is None:
        pytest.skip("scripts/check installs pyright, from npm")
    program = shutil.copy(PROGRAM, tmp_path)

    checked = [str(PYRIGHT), "--pythonpath", str(installed), str(program)]
    done = subprocess.run(checked, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("0 errors, 0 warnings, 0 informations\n", 0)


def test_what_is_inferred_wrongly_is_found(installed: Path, tmp_path: Path) -> None:
    """Else a package without types would pass."""
    pytest.importorskip("mypy", reason="install the extra `check`")
    program = tmp_path / "wrong.py"
    program.write_text(PROGRAM.read_text("utf-8").replace("AgentResult[list[Flight]])", "AgentResult[list[int]])"))

    checked = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(installed), "--cache-dir", "cache"]
    done = subprocess.run([*checked, str(program)], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert 'Expression is of type "AgentResult[list[Flight]]", not "AgentResult[list[int]]"' in done.stdout
