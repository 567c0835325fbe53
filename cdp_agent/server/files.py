"""Files of a run or a session: those that a caller gave it to upload, and its downloads.

They are in the private folder of its browser context, and callers refer to them by ids and names, never by paths.
"""

from __future__ import annotations

import asyncio
import mimetypes
import os
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from secrets import token_hex
from typing import Literal

import msgspec
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope

from cdp_agent.page.tab.downloads import Download, DownloadWatcher, safe_name
from cdp_agent.security.http_guard import REST_S
from cdp_agent.server.problems import HttpProblem, bad_request, json_response, not_found

MOST_BYTES = 64 << 20
"""The most bytes of one request with files."""
MOST_HELD_BYTES = 256 << 20
"""The most bytes of the files that callers gave for one run or session."""
MOST_FILES = 100
RUN_PART, FILE_PART = "run", "file"
"""The parts of a multipart request that begins a run with files."""
_PIECE = 1 << 20
_MULTIPART = b"multipart/form-data"


class FileInfo(msgspec.Struct, frozen=True):
    """A file with its `id`, which for a "given" file is its `name`. A download is listed once it is complete."""

    id: str
    name: str
    kind: Literal["given", "downloaded"]
    size: int
    media_type: str


class FileList(msgspec.Struct, frozen=True):
    """All files: first those that were given, then the downloads."""

    files: list[FileInfo]


class HeldFiles:
    """The files of one run or session."""

    def __init__(self, folder: Path) -> None:
        """`folder` is private to the run or session: downloads go there, given files into a subfolder."""
        self.folder = folder
        self.given_folder = folder / "files"
        self._downloads: Collection[Download] = ()

    @contextmanager
    def following(self, downloads: DownloadWatcher) -> Iterator[None]:
        """Inside the block, downloads are added to the files; they stay afterwards."""
        self._downloads = downloads.completed
        try:
            yield
        finally:
            self._downloads = tuple(downloads.completed)

    @property
    def names(self) -> list[str]:
        """The names of the files that were given."""
        return sorted(each.name for each in self._given())

    @property
    def size(self) -> int:
        """The size of all files together, in bytes."""
        return sum(info.size for _, info in self._all())

    @property
    def listed(self) -> FileList:
        return FileList([info for _, info in self._all()])

    def find(self, file_id: str) -> tuple[Path, FileInfo]:
        """The file of that id. Raises HttpProblem when there is none."""
        for path, info in self._all():
            if info.id == file_id:
                return path, info
        raise not_found("There is no such file, or it is not complete yet.")

    async def take(self, name: str, pieces: AsyncIterator[bytes]) -> FileInfo:
        """Stores a file, replacing one of the same name. Raises HttpProblem for a bad name, too many files or bytes."""
        if (valid := safe_name(name)) != name:  # two names that become one would replace each other
            raise bad_request(f"{name[:80]!r} is no name for a file here: {valid!r} would be one.")
        self.given_folder.mkdir(mode=0o700, exist_ok=True)
        sizes = {path.name: path.stat().st_size for path in self._given()}
        if name not in sizes and len(sizes) >= MOST_FILES:
            raise bad_request(f"{MOST_FILES} files are there, and no more may be.")
        bytes_left = MOST_HELD_BYTES - sum(size for other, size in sizes.items() if other != name)
        target, part = self.given_folder / name, self.given_folder / f".{token_hex(8)}"
        try:
            with os.fdopen(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
                async for piece in pieces:
                    bytes_left -= len(piece)
                    if bytes_left < 0:
                        raise too_long(f"All files together may have {MOST_HELD_BYTES:,} bytes.")
                    await asyncio.to_thread(file.write, piece)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return _given_info(target)

    def _given(self) -> list[Path]:
        if not self.given_folder.is_dir():
            return []
        return sorted(each for each in self.given_folder.iterdir() if not each.name.startswith("."))

    def _all(self) -> list[tuple[Path, FileInfo]]:
        files = [(path, _given_info(path)) for path in self._given()]
        for download in self._downloads:
            path = None if download.path is None else Path(download.path)
            if path is not None and path.is_file():  # Chrome may run on another machine
                info = FileInfo(download.id, path.name, "downloaded", path.stat().st_size, _type_of(path))
                files.append((path, info))
        return files


def _given_info(path: Path) -> FileInfo:
    return FileInfo(path.name, path.name, "given", path.stat().st_size, _type_of(path))


def _type_of(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def too_long(message: str) -> HttpProblem:
    return HttpProblem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RequestEntityTooLarge", message)


async def given_body(request: Request) -> AsyncIterator[bytes]:
    """The body of a request in pieces. Raises HttpProblem if it is too long."""
    async for piece in Request(request.scope, _counted(request.receive)).stream():
        yield piece


class RunForm:
    """A multipart request that begins a run: the run as JSON, and its files, of which large ones are on disk."""

    def __init__(self, run: bytes, files: list[UploadFile]) -> None:
        self.run = run
        self.files = files

    @staticmethod
    async def read(request: Request) -> RunForm:
        """Reads the form of a request. Raises HttpProblem for an invalid one."""
        try:
            form = await Request(request.scope, _counted(request.receive)).form(max_files=MOST_FILES, max_fields=1)
        except (HTTPException, MultiPartException) as error:
            raise bad_request(f"The form cannot be read: {getattr(error, 'detail', None) or error}.") from error
        run, files = form.get(RUN_PART), [each for each in form.getlist(FILE_PART) if isinstance(each, UploadFile)]
        if isinstance(run, UploadFile):
            run = (await run.read()).decode(errors="replace")
        if run is None or len(form.multi_items()) != 1 + len(files):
            await form.close()
            raise bad_request(f'A form has a part "{RUN_PART}", the run as JSON, and parts "{FILE_PART}" with names.')
        return RunForm(run.encode(), files)

    async def give(self, held: HeldFiles) -> None:
        """Stores its files in `held`. Raises HttpProblem."""
        for each in self.files:
            await held.take(each.filename or "", _pieces(each))

    async def close(self) -> None:
        for each in self.files:
            await each.close()


async def _pieces(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(_PIECE):
        yield piece


def file_routes(base_path: str, files_of: Callable[[Request], HeldFiles]) -> list[Route]:
    """The routes under `base_path`/files; `files_of` finds the files of a request, and raises HttpProblem."""

    async def show(request: Request) -> Response:
        return json_response(files_of(request).listed)

    async def fetch(request: Request) -> Response:
        return file_response(*files_of(request).find(request.path_params["file"]))

    async def give(request: Request) -> Response:
        info = await files_of(request).take(request.path_params["file"], given_body(request))
        return json_response(info, HTTPStatus.CREATED)

    return [
        Route(f"{base_path}/files", show, methods=["GET"]),
        Route(f"{base_path}/files/{{file}}", fetch, methods=["GET"]),
        Route(f"{base_path}/files/{{file}}", give, methods=["PUT"]),
    ]


def is_with_files(scope: Scope) -> bool:
    """Whether the body of the request is read piece by piece, since it contains files."""
    path: str = scope["path"]
    if scope["method"] == "PUT":
        return path.startswith("/v1/") and "/files/" in path
    kind = next((value for name, value in scope["headers"] if name == b"content-type"), b"")
    return scope["method"] == "POST" and path == "/v1/runs" and kind.lower().startswith(_MULTIPART)


def file_response(path: Path, info: FileInfo) -> FileResponse:
    """The file as an attachment to save, so that no browser shows a page's content under our origin."""
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox",
        "Cache-Control": "no-store",
    }
    return FileResponse(path, headers=headers, media_type=info.media_type, filename=info.name)


def _counted(receive: Receive) -> Receive:
    """A `receive` that raises HttpProblem when the body is longer than allowed."""
    bytes_left = MOST_BYTES

    async def receive_counted() -> Message:
        nonlocal bytes_left
        message = await receive()
        bytes_left -= len(message.get("body", b""))
        if bytes_left < 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(REST_S):
                    # See HttpGuard: otherwise many clients never see the response.
                    while message.get("more_body", False):
                        message = await receive()
            raise too_long(f"The body may have {MOST_BYTES:,} bytes at most.")
        return message

    return receive_counted
