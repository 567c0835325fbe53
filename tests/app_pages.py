"""Real editors, grids and lists as pages: `apps/pages/quill.js` becomes `quill.html`, with what it imports from npm.

A page tells what it holds by `app`, a global: `app.value()` by the editor's own API, `app.set(text)` as at the
beginning, `app.editor` itself. The packages are installed and the pages bundled once, into the folder of what is
fetched; a new package goes into package.json, and `npm install --package-lock-only` there renews the lock file.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from bench.cache import fetched, run

APPS = Path(__file__).parent / "apps"
_PACKAGES = ("package.json", "package-lock.json")


def app_pages() -> Path:
    """The folder of the pages. Raises NotFetched where npm, or a package, cannot be had."""
    sources = sorted((APPS / "pages").glob("*.js"))
    return fetched(f"app-pages-{_hash(*_packages(), *sources, *(APPS / 'shared').glob('*.js'))}", _bundle)


def _bundle(folder: Path) -> None:
    modules = fetched(f"npm-apps-{_hash(*_packages())}", _install) / "node_modules"
    sources = sorted((APPS / "pages").glob("*.js"))
    loaders = ("--loader:.ttf=dataurl", "--loader:.woff2=dataurl", "--conditions=production")
    # Excalidraw's diagrams from text are fetched when somebody asks for one.
    options = (
        "--bundle",
        "--minify",
        "--format=esm",
        *loaders,
        "--external:@excalidraw/mermaid-to-excalidraw",
        f"--outdir={folder}",
    )
    esbuild = (str(modules / ".bin/esbuild"), *options, *map(str, sources))
    run("env", f"NODE_PATH={modules}", *esbuild, cwd=APPS)
    for name in (each.stem for each in sources if not each.stem.endswith("_worker")):
        sheet = f'<link rel="stylesheet" href="{name}.css">' if (folder / f"{name}.css").exists() else ""
        head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>{sheet}'
        body = f'<main><div id="editor"></div></main><script type="module" src="{name}.js"></script>'
        (folder / f"{name}.html").write_text(head + body + "</html>\n")


def _install(folder: Path) -> None:
    for each in _packages():
        shutil.copy(each, folder)
    run("npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=folder)


def _packages() -> list[Path]:
    return [APPS / name for name in _PACKAGES]


def _hash(*files: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:12]
