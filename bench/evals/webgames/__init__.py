"""WebGames, 150 small games that end with a password: https://github.com/convergence-ai/webgames

Their repository is fetched and built into the folder of what is fetched. CDP_AGENT_WEBGAMES is a clone of it, where
GitHub cannot be reached.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from bench.cache import fetched, run
from bench.evals.task import Env, Task
from bench.evals.webgames.policies import POLICIES
from cdp_agent import Page

_REPOSITORY = "https://github.com/convergence-ai/webgames"
_COMMIT = "309866f64642b864414ca2c7ff956e59e01d3317"
_TASKS = "analysis/webgames_tasks.jsonl"
# Their pages do not come to it: the last that is unloaded does not count, and the corner has another id.
_UNRECORDED = {"wolf-goat-cabbage", "wolf-goat-cabbage-easy", "scroll-diagonal"}
_ANSWER = "When it is done, the page shows a password: answer with it."
_MP3 = b"ID3\x03\0\0\0\0\0\0" + (b"\xff\xfb\x90\0" + bytes(413)) * 4  # a tag without entries, four silent frames
# The games draw lots by Math.random alone (mulberry32, public domain).
_SEEDED = """<script>{
  let state = %d;
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}</script>"""


def tasks() -> Sequence[Task]:
    """Raises NotFetched."""
    lines = (_site() / "tasks.jsonl").read_text("utf-8").splitlines()
    recorded = set(json.loads((_site() / "recorded.json").read_text("utf-8")))
    return [_task(json.loads(line), recorded) for line in lines]


def _task(row: dict[str, Any], recorded: set[str]) -> Task:
    name, password = row["id"].removesuffix("/*"), row["password"]
    return Task(
        name,
        "webgames",
        "",
        partial(_start, row["path"].removesuffix("/*"), f"{row['description']} {_ANSWER}"),
        partial(_solved, password, name if row["id"] in recorded - _UNRECORDED else ""),
        POLICIES.get(name),
        app="WebGames",
    )


@asynccontextmanager
async def _start(path: str, description: str, env: Env, seed: int) -> AsyncIterator[str]:
    completed: list[str] = []
    env.state = completed
    env.utterance = description
    if "upload" in path:
        file = env.folder / "sound.mp3"
        file.write_bytes(_MP3)
        env.utterance = f"{description} There is one at {file}."
    with _serving(seed, completed) as site:
        yield f"{site}/{path}"


async def _solved(password: str, recorded_as: str, env: Env, page: Page, answer: str) -> str:
    if recorded_as and recorded_as not in env.state:
        return "the game has not recorded that it was won"
    return "" if password in answer else "the answer does not have the password"


def _site() -> Path:
    return fetched(f"webgames-{_COMMIT[:12]}", _build)


def _build(folder: Path) -> None:
    source, built = folder / "source", folder / "source/webgames"
    repository = os.environ.get("CDP_AGENT_WEBGAMES", _REPOSITORY)
    run("git", "clone", "--quiet", repository, str(source), cwd=folder)
    run("git", "checkout", "--quiet", _COMMIT, cwd=source)
    run("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", cwd=built)
    run("npx", "vite", "build", cwd=built)
    shutil.copytree(built / "dist", folder, dirs_exist_ok=True)
    shutil.copy(source / _TASKS, folder / "tasks.jsonl")
    (folder / "recorded.json").write_text(json.dumps(sorted(_recorded(built / "src/pages"))), "utf-8")
    shutil.rmtree(source)


def _recorded(pages: Path) -> Iterator[str]:
    """The ids of the games whose pages record that they were won; the others only show the password."""
    for page in pages.glob("*.tsx"):
        text = page.read_text("utf-8")
        if "recordSuccess(" in text:
            yield from re.findall(r'TASK_ID_\w+ = "([^"]+)"', text)


@contextmanager
def _serving(seed: int, completed: list[str]) -> Iterator[str]:
    """The address of the games; each that is won is put into `completed`."""
    site = _site()
    begin = (site / "index.html").read_text("utf-8").replace("<head>", "<head>" + _SEEDED % seed, 1).encode()

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if (site / self.path.partition("?")[0].lstrip("/")).is_file():
                super().do_GET()
            else:
                self._answer(begin, "text/html; charset=utf-8")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/api/record-completion":
                completed.append(body["taskId"])
            self._answer(b'{"success": true}', "application/json")

        def _answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
