"""Giving files to a page: to a file field, even a hidden one, to what opens a file chooser, or where it takes a drop.

Chrome tells of the pickers of the File System Access API (showOpenFilePicker) as of choosers, but takes no files for
them.
"""

from __future__ import annotations

import asyncio
import mimetypes
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import dom
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.input import DispatchDragEvent, DragData, DragKind
from cdp_agent.errors import DocumentGone, InvalidArguments
from cdp_agent.page.actions.actionability import (
    Obstacle,
    aim,
    describe,
    element_label,
    input_session,
    obstacle_error,
    refusal,
)
from cdp_agent.page.actions.actions import click_element
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, Handle, deadline
from cdp_agent.page.receipts.baseline import UNANSWERABLE
from cdp_agent.page.receipts.receipts import Outcome
from cdp_agent.page.refs.locate import Located

_CHOOSER_WITHIN_S = 3.0
_LONGEST_NAME = 255  # bytes, on all systems
_SHOWN = 60
_NAMED = 5
_COPY = 1
"""In the mask of what a drag allows. https://chromedevtools.github.io/devtools-protocol/tot/Input/#type-DragData"""
_OVER: tuple[DragKind, ...] = ("dragEnter", "dragOver", "dragOver")


class _Field(msgspec.Struct, frozen=True):
    """See fileField in js/act/files.js; `local` is 0 if there is no file field."""

    local: int
    multiple: bool
    folder: bool
    accept: str
    refusal: Obstacle | None


class _Drop(msgspec.Struct, frozen=True):
    """See dropState in js/act/files.js."""

    accepted: bool
    dropped: int


async def upload(at: Located, paths: Sequence[str | os.PathLike[str]]) -> Outcome:
    """Gives the files to a file field (`at` may be its label or a wrapper), or to the chooser that a click opens.

    An element without either gets them dropped on it, if the page takes that. Without paths, the field is emptied.
    `Outcome.value` has the names of the files. Raises InvalidArguments for files that do not exist or are too many,
    NotInteractable if the element accepts no files.
    """
    field = await at.world.call("fileField", at.local, returning=_Field)
    if field.refusal is not None:
        raise obstacle_error(at, field.refusal, at.world)
    files = _files(paths)
    if not field.local:
        return await _without_field(at, files)
    _check_folders(files, folder=field.folder)
    log_line("decision", "gives {} files to a file field", len(files))
    if len(files) > 1 and not (field.multiple or field.folder):
        raise InvalidArguments(f"{await describe(at)} takes one file, not {len(files)}.")
    before = at.requests.mark()
    element = await at.world.handle("resolveElement", field.local)
    async with deadline(at.world.session, CALL_TIMEOUT_S):
        await at.world.session.send(dom.SetFileInputFiles(files=files, object_id=element.object_id))
    at.world.release(element)

    async def again() -> Outcome:
        names = await at.world.call("fileNames", field.local, returning=str)
        if names or not files:
            return Outcome(names)
        # Pages that have read a file empty the field, so that it can be chosen again.
        if at.requests.any_since(before) or await at.world.call("isAnythingNewBeside", field.local):
            return Outcome(names, f"the page has taken {_names(files)} out of it: see what became of that")
        message = f"{await describe(at)} did not keep {_names(files)} and is empty, and nothing else changed."
        return Outcome(names, failure=InvalidArguments(message))

    return Outcome(_names(files), _unlike(files, field.accept), read_again=again)


async def takes_files(at: Located) -> bool:
    """Whether the element is a file field, or the label or wrapper of one."""
    field = await at.world.call("fileField", at.local, returning=_Field)
    return field.local != 0


def inside(paths: Sequence[str], folders: Sequence[str]) -> list[str]:
    """The real paths of files in the given folders, with links and `..` resolved. Looks relative paths up in them.

    Raises InvalidArguments for a file that is in none of the folders.
    """
    roots = [os.path.realpath(os.path.expanduser(folder)) for folder in folders]
    files = [_in_a_root(os.path.expanduser(_checked_path(path)), roots) for path in paths]
    for path, file in zip(paths, files, strict=True):
        if not any(file != root and os.path.commonpath([file, root]) == root for root in roots):
            allowed = (
                f"only those in {', '.join(folders)}{_such_as(roots)}"
                if folders
                else "nor any other: the user set no upload_folders. Do without, and say so"
            )
            raise InvalidArguments(f"The file {path} may not be uploaded, {allowed}.")
    return files


def _such_as(roots: Sequence[str]) -> str:
    """A phrase with the names of some files that may be uploaded, or ""."""
    entries = sorted(
        entry.name
        for root in roots
        if os.path.isdir(root)
        for entry in os.scandir(root)
        if entry.is_file(follow_symlinks=False)
    )
    return f", such as {', '.join(entries[:_NAMED])}" if entries else ""


def _in_a_root(path: str, roots: Sequence[str]) -> str:
    beside = [os.path.realpath(os.path.join(root, path)) for root in roots]
    return next((each for each in beside if os.path.exists(each)), os.path.realpath(path))


async def _without_field(at: Located, files: list[str]) -> Outcome:
    """Presses what is there to be pressed, for the chooser that this opens, and drops the files on what is not."""
    presses_first = await at.world.call("isToBePressed", at.local, returning=bool)
    ways = (_by_chooser, _by_drop) if presses_first else (_by_drop, _by_chooser)
    for way in ways if files else (_by_chooser,):
        if (outcome := await way(at, files)) is not None:
            return outcome
    message = (
        "opened no file chooser when it was clicked, and takes no files that are dropped on it: give the ref of a file "
        "field, of what opens a chooser, or of the place where files are dropped."
    )
    raise refusal(at, "wrong_element", await element_label(at), message)


async def _by_chooser(at: Located, files: list[str]) -> Outcome | None:
    """Gives the files to the chooser that a click opens; None if it opens none."""
    log_line("decision", "clicks, and waits for a file chooser")
    session = at.world.session
    await session.send(cdp_page.SetInterceptFileChooserDialog(enabled=True))
    try:
        async with session.expect(cdp_page.FileChooserOpened) as opened:
            await click_element(at)
            await asyncio.wait([opened], timeout=_CHOOSER_WITHIN_S)
            if not opened.done():
                return None
            chooser = opened.result()
        if chooser.backend_node_id is None:
            message = f"opened {UNANSWERABLE}. If there is a place where files are dropped, upload to that."
            raise refusal(at, "wrong_element", await element_label(at), message)
        if len(files) > 1 and chooser.mode == "selectSingle":
            raise InvalidArguments(f"{await describe(at)} opened a chooser for one file, not for {len(files)}.")
        _check_folders(files, folder=await _takes_folder(at, chooser.frame_id, chooser.backend_node_id))
        await session.send(dom.SetFileInputFiles(files=files, backend_node_id=chooser.backend_node_id))
    finally:
        session.tell(cdp_page.SetInterceptFileChooserDialog(enabled=False))
    return Outcome(_names(files), "through the file chooser that it opened")


async def _takes_folder(at: Located, frame_id: str, node_id: int) -> bool:
    """Whether the field that opened a chooser takes a folder; False if it is in another frame than the element."""
    if frame_id != at.world.frame_id:
        return False
    field = await at.world.session.send(dom.ResolveNode(node_id, execution_context_id=at.world.context_id))
    return bool(await at.world.call("takesFolder", Handle(field.object.object_id or "")))


async def _by_drop(at: Located, files: list[str]) -> Outcome | None:
    """Drops the files on the element; None if the page takes none there, which then got no file."""
    point = await aim(at, place=True)
    session, data = input_session(at.frame), DragData(items=[], files=files, drag_operations_mask=_COPY)

    async def drag(kind: DragKind) -> None:
        await session.send(DispatchDragEvent(type=kind, x=point.x, y=point.y, data=data))

    await at.world.call("watchDrop", at.local)
    over = False
    try:
        async with deadline(session, CALL_TIMEOUT_S):
            for kind in _OVER:
                await drag(kind)
                over = True
            await at.world.call("nextTwoFrames")
            if not (await at.world.call("dropState", returning=_Drop)).accepted:
                log_line("decision", "the page takes no files that are dropped there")
                return None
            await drag("drop")
            over = False
            await at.world.call("nextTwoFrames")
            dropped = (await at.world.call("dropState", returning=_Drop)).dropped
        log_line("reading", "the page got {} files by the drop", dropped)
        if not dropped:
            return None
        return Outcome(_names(files), "dropped on it")
    except DocumentGone:
        over = False
        return Outcome(_names(files), "dropped on it")
    finally:
        if over:
            session.tell(DispatchDragEvent(type="dragCancel", x=point.x, y=point.y, data=data))
        at.world.tell("stopWatchingDrop")


def _names(files: Sequence[str]) -> str:
    return ", ".join(os.path.basename(each) for each in files)


def _check_folders(files: Sequence[str], *, folder: bool) -> None:
    """Raises InvalidArguments for a folder among files, or a file where folders are taken."""
    for file in files:
        if os.path.isdir(file) and not folder:
            raise InvalidArguments(f"{file} is a folder: name the files in it.")
        if folder and not os.path.isdir(file):
            raise InvalidArguments(f"{file} is no folder, and this takes folders only: name the one that it is in.")


def _files(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    files = [Path(os.path.expanduser(_checked_path(os.fspath(path)))).absolute() for path in paths]
    for path, file in zip(paths, files, strict=True):
        if not file.exists():
            raise InvalidArguments(f"There is no file {os.fspath(path)} (looked for {file}).")
        if not (file.is_dir() or file.is_file()):
            raise InvalidArguments(f"{os.fspath(path)} is no file, but a device or a pipe.")
        if not os.access(file, os.R_OK):
            raise InvalidArguments(f"The file {os.fspath(path)} cannot be read.")
    return [str(file) for file in files]


def _checked_path(path: str) -> str:
    """The path, unchanged. Raises InvalidArguments for one that no file can have."""
    try:
        written = os.fsencode(path)
    except UnicodeEncodeError:
        written = b"\0"
    if b"\0" in written:
        raise InvalidArguments(f"{path!r} names no file: it has a character in it that no name has. Correct the name.")
    if max(map(len, written.split(os.fsencode(os.sep)))) > _LONGEST_NAME:
        raise InvalidArguments(f"{path[:_SHOWN]!r}… names no file: it is too long. Correct the name.")
    return path


def _unlike(files: list[str], accept: str) -> str:
    """A note if the field asks for other kinds of files, or "": Chrome accepts them anyway, the page may not."""
    wanted = [each.strip().lower() for each in accept.split(",") if each.strip()]
    unlike = [os.path.basename(each) for each in files if wanted and not any(_fits(each, want) for want in wanted)]
    return f"the field asks for {accept}, which {', '.join(unlike)} is not" if unlike else ""


def _fits(file: str, wanted: str) -> bool:
    if wanted.startswith("."):
        return file.lower().endswith(wanted)
    kind = mimetypes.guess_type(file)[0] or ""
    return kind == wanted or (wanted.endswith("/*") and kind.startswith(wanted[:-1]))
