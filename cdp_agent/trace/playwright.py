"""A trace as a `trace.zip` that Playwright's viewer opens: `npx playwright show-trace trace.zip`.

In format 8, which later viewers read as well: requests to the model, actions, the documents and pictures before and
after, network requests, the console, and errors. Times are in milliseconds since the run began.
"""

from __future__ import annotations

import gzip
import sys
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.security import files
from cdp_agent.trace.documents import FrameDocument, Html
from cdp_agent.trace.options import DOCUMENTS
from cdp_agent.trace.reading import latest_run, lines_in, lines_of

VERSION = 8
_LONGEST = 2_000
_LEVELS = {"warning": "warning", "error": "error", "debug": "debug", "info": "info"}

Line = dict[str, Any]


def write_zip(folder: Path, path: Path) -> None:
    """Writes the run in the folder, the latest if there are several, as a `trace.zip` that only the user can read.

    Raises SetupError if there is no run, or the file cannot be written.
    """
    run = latest_run(folder)
    content = _Zip(run).content()
    try:
        files.write(path, content)
    except OSError as error:
        raise SetupError(f"{path} was not written: {error.strerror or error}.") from error


class _Zip:
    """Collects the lines of the viewer's files."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._lines = lines_of(run)
        self._documents = list(lines_in(run / DOCUMENTS))
        self._began = min((each["timestamp"] for each in self._lines if each.get("timestamp")), default=0.0)
        self._trace: list[Line] = []
        self._network: list[Line] = []
        self._files: dict[str, bytes] = {}
        self._shown: dict[str, tuple[str, int]] = {}
        """For each frame, the trace's file with its last document, and the document's number of nodes."""
        self._step = ""
        self._call = 0
        self._page = "t1"

    def content(self) -> bytes:
        self._add_context()
        self._add_actions()
        self._add_pictures()
        self._add_requests()
        self._add_console()
        archive = BytesIO()
        with ZipFile(archive, "w", ZIP_DEFLATED) as file:
            for name, lines in (("trace.trace", self._trace), ("trace.network", self._network)):
                file.writestr(name, b"".join(msgspec.json.encode(each) + b"\n" for each in lines))
            for name, content in self._files.items():
                file.writestr(f"resources/{name}", content)
        return archive.getvalue()

    def _ms(self, line: Line) -> float:
        """The time of a line, in milliseconds since the run began."""
        return self._since(line["timestamp"])

    def _since(self, timestamp: float) -> float:
        return round(max(timestamp - self._began, 0.0) * 1000, 3)

    def _of(self, *kinds: str) -> list[Line]:
        return [each for each in self._lines if each.get("type") in kinds]

    def _add_context(self) -> None:
        setup = next(iter(self._of("task:setup")), {})
        sizes = [each for each in (*self._documents, *self._of("picture")) if "width" in each]
        viewport = {"width": round(sizes[0]["width"]), "height": round(sizes[0]["height"])} if sizes else None
        self._trace.append(
            {
                "version": VERSION,
                "type": "context-options",
                "origin": "library",
                "browserName": "chromium",
                "platform": sys.platform,
                "wallTime": self._began * 1000,
                "monotonicTime": 0,
                "sdkLanguage": "python",
                "title": setup.get("task", self._run.name)[:_LONGEST],
                "options": {"viewport": viewport} if viewport else {},
                "contextId": "run",
            }
        )

    def _add_actions(self) -> None:
        """Adds a group for each step, with its requests to the model and its actions."""
        open_actions: list[str] = []  # those of `steps` are inside its own
        model_calls: dict[int, str] = {}
        models = {each["number"]: each for each in self._of("model:request")}
        for line in self._lines:
            match line.get("type"):
                case "agent:step":
                    self._end_step(line)
                    self._step = f"step@{line['step']}"
                    self._begin(self._step, line, f"Step {line['step']}", "Run", "step", {}, parent=None)
                case "model:request":
                    model = f"{line['provider']}/{line['model']}"
                    model_calls[line["number"]] = call = self._next("model")
                    about = {"model": model, "messages": len(line["messages"])}
                    self._begin(call, line, f"Ask {model}: {line['operation']}", "Model", line["operation"], about)
                case "model:reply" if line["number"] in model_calls and line["number"] in models:
                    call = model_calls[line["number"]]
                    for text in (line["reasoning"], line["text"]):
                        if text:
                            self._log(call, line, text)
                    usage, cost = line["usage"], line["usage"].get("cost")
                    price = "" if cost is None else f", ${cost:.4f}"
                    self._log(call, line, f"{usage['input_tokens']} + {usage['output_tokens']} tokens{price}")
                    calls = [f"{each['name']} {each['arguments']}" for each in line["tool_calls"]]
                    self._end(call, line, result={"calls": calls} if calls else None)
                case "model:failure" if line["number"] in model_calls:
                    self._end(model_calls[line["number"]], line, error=(line["kind"], line["message"]))
                case "agent:action":
                    open_actions.append(self._next("call"))
                    arguments = ", ".join(f"{key}={value!r}" for key, value in line["arguments"].items())
                    title = f"{line['action']}({arguments})"[:200]
                    self._begin(open_actions[-1], line, title, "Page", line["action"], line["arguments"], shown=True)
                case "action:log" if open_actions:
                    for text in line["lines"]:
                        self._log(open_actions[-1], line, text)
                case "browser:action_completed" if open_actions:
                    self._log(open_actions[-1], line, line["text"])
                    error = None if line["success"] else ("ActionError", line["text"])
                    self._end(open_actions.pop(), line, error=error, shown=True)
                case "task:completed":
                    self._end_step(line)
                    if (error := line["result"].get("error")) is not None:
                        self._trace.append(
                            {"type": "error", "message": f"{error['code']}: {error['message']}", "stack": []}
                        )

    def _next(self, kind: str) -> str:
        self._call += 1
        return f"{kind}@{self._call}"

    def _begin(
        self,
        call: str,
        line: Line,
        title: str,
        holder: str,
        method: str,
        params: Line,
        *,
        parent: str | None = "",
        shown: bool = False,
    ) -> None:
        begun: Line = {
            "type": "before",
            "callId": call,
            "stepId": call,
            "startTime": self._ms(line),
            "title": title,
            "class": holder,
            "method": method,
            "params": params,
        }
        if parent is not None and self._step:
            begun["parentId"] = self._step
        name = f"before@{call}"
        document = self._document_of(line["step"]) if shown else None
        if document is not None:
            begun |= {"beforeSnapshot": name, "pageId": document["tab"]}
        self._trace.append(begun)
        if document is not None:
            self._show(document, call, name)
        target = self._target(line) if shown else None
        if target is not None:
            self._trace.append({"type": "input", "callId": call, "point": target})

    def _end(
        self,
        call: str,
        line: Line,
        *,
        result: Any = None,
        error: tuple[str, str] | None = None,
        shown: bool = False,
    ) -> None:
        ended: Line = {"type": "after", "callId": call, "endTime": self._ms(line)}
        if result is not None:
            ended["result"] = result
        if error is not None:
            ended["error"] = {"name": error[0], "message": error[1][:_LONGEST], "stack": ""}
        after = self._document_of(line["step"] + 1) if shown else None
        if after is not None:
            ended["afterSnapshot"] = f"after@{call}"
            self._show(after, call, f"after@{call}")
        self._trace.append(ended)

    def _end_step(self, line: Line) -> None:
        if self._step:
            self._end(self._step, line)
        self._step = ""

    def _log(self, call: str, line: Line, text: str) -> None:
        self._trace.append({"type": "log", "callId": call, "time": self._ms(line), "message": text[:_LONGEST]})

    def _document_of(self, step: int) -> Line | None:
        return next((each for each in self._documents if each["type"] == "document" and each["step"] == step), None)

    def _target(self, line: Line) -> dict[str, float] | None:
        """The center of the element that is acted on."""
        ref = line["arguments"].get("ref")
        targets = [each for each in self._of("picture:target") if each["step"] == line["step"] and each["ref"] == ref]
        if not ref or not targets or not targets[0]["boxes"]:
            return None
        box = targets[0]["boxes"][0]
        return {"x": (box["left"] + box["right"]) / 2, "y": (box["top"] + box["bottom"]) / 2}

    def _show(self, document: Line, call: str, name: str) -> None:
        """Adds the documents of a tab; unchanged ones refer to the earlier snapshot."""
        for frame in self._frames(document["file"]):
            last = self._shown.get(frame.frame_id)
            html: Any = frame.html
            if last is not None and last[0] == document["file"]:
                html = [[1, last[1] - 1]]
            else:
                last = document["file"], _count(frame.html)
            self._shown[frame.frame_id] = last if html is frame.html else (last[0], 0)
            if html is not frame.html:
                del self._shown[frame.frame_id]  # a reference has no nodes that could be referred to again
            self._trace.append(
                {
                    "type": "frame-snapshot",
                    "snapshot": {
                        "callId": call,
                        "snapshotName": name,
                        "pageId": document["tab"],
                        "frameId": frame.frame_id,
                        "frameUrl": frame.url,
                        "doctype": "html",
                        "html": html,
                        "resourceOverrides": [],
                        "viewport": {"width": round(document["width"]), "height": round(document["height"])},
                        "timestamp": self._ms(document),
                        "wallTime": document["timestamp"] * 1000,
                        "collectionTime": 0,
                        "isMainFrame": frame.main,
                    },
                }
            )

    def _frames(self, name: str) -> list[FrameDocument]:
        try:
            content = gzip.decompress((self._run / name).read_bytes())
            return msgspec.json.decode(content, type=list[FrameDocument])
        except (OSError, EOFError, ValueError) as error:
            raise SetupError(f"{self._run / name} cannot be read: {error}.") from error

    def _add_pictures(self) -> None:
        for line in self._of("picture"):
            name = Path(line["file"]).name
            self._files[name] = self._read(line["file"])
            self._trace.append(
                {
                    "type": "screencast-frame",
                    "pageId": line["tab"],
                    "sha1": name,
                    "width": round(line["width"]),
                    "height": round(line["height"]),
                    "timestamp": self._ms(line),
                }
            )

    def _add_requests(self) -> None:
        sheets = {each["url"]: each["file"] for each in self._documents if each["type"] == "document:sheet"}
        for line in self._of("network:request"):
            self._network.append({"type": "resource-snapshot", "snapshot": self._entry(line, sheets)})

    def _entry(self, line: Line, sheets: dict[str, str]) -> Line:
        request = line["request"]
        content: Line = {"size": request.get("size") or 0, "mimeType": request.get("mime_type") or "x-unknown"}
        if (file := sheets.get(request["url"])) is not None:
            name = Path(file).name
            self._files[name] = self._read(file)
            content["_sha1"] = name
        took = request.get("duration_ms") or 0.0
        unknown = {"httpVersion": "", "cookies": [], "headers": [], "headersSize": -1, "bodySize": -1}
        answer = {
            "status": request.get("status") or -1,
            "statusText": request.get("error") or "",
            "content": content,
            "redirectURL": "",
            "_transferSize": request.get("size") or 0,
        }
        if request.get("error"):
            answer["_failureText"] = request["error"]
        return {
            "pageref": line["tab"],
            "startedDateTime": datetime.fromtimestamp(line["timestamp"], UTC).isoformat(),
            "time": took,
            "request": {"method": request["method"], "url": request["url"], "queryString": [], **unknown},
            "response": {**answer, **unknown},
            "cache": {},
            "timings": {"send": 0, "wait": took, "receive": 0},
            "_monotonicTime": self._ms(line),
            "_resourceType": request["kind"],
        }

    def _add_console(self) -> None:
        for line in self._of("console:message"):
            message = line["message"]
            self._trace.append(
                {
                    "type": "console",
                    "time": self._ms(line),
                    "pageId": line["tab"],
                    "messageType": _LEVELS.get(message["level"], "log"),
                    "text": message["text"],
                    "location": {
                        "url": message.get("url", ""),
                        "lineNumber": message.get("line", 0),
                        "columnNumber": message.get("column", 0),
                    },
                }
            )

    def _read(self, name: str) -> bytes:
        try:
            return (self._run / name).read_bytes()
        except OSError as error:
            raise SetupError(f"{self._run / name} cannot be read: {error.strerror}.") from error


def _count(html: Html) -> int:
    """The number of elements and texts in the document."""
    count, pending = 0, [html]
    while pending:
        node = pending.pop()
        count += 1
        pending += [] if isinstance(node, str) else node[2:]
    return count
