"""Tools that make files of the page, for people and programs: a model with vision gets pictures without asking."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from cdp_agent.errors import InvalidArguments
from cdp_agent.page.picture.pdf import PaperFormat
from cdp_agent.page.tab.saving import har_content
from cdp_agent.security import files
from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, Ref, tool


class SavingArguments(Arguments, frozen=True):
    """Arguments of a tool that makes a file with this `suffix`, or returns its content if no path is given."""

    suffix: ClassVar[str] = ""
    path: Annotated[str | None, Meta(description="A new file for it.")] = None


class ScreenshotArguments(SavingArguments, frozen=True):
    suffix: ClassVar[str] = ".png"
    full_page: Annotated[bool, Meta(description="All of the page, not only what is in view.")] = False
    marks: Annotated[bool, Meta(description="With a box and ref around each element.", extra=ALWAYS)] = False
    ref: Annotated[Ref | None, Meta(description="Of that element.")] = None


class ZoomIntoArguments(SavingArguments, frozen=True, kw_only=True):
    suffix: ClassVar[str] = ".png"
    region: Annotated[list[float], Meta(description="Left, top, right, bottom in what is in view, CSS pixels.")]


class PdfArguments(SavingArguments, frozen=True):
    suffix: ClassVar[str] = ".pdf"
    format: Annotated[PaperFormat, Meta(description="The paper.")] = "a4"
    landscape: Annotated[bool, Meta(description="Wider than high.")] = False
    page_ranges: Annotated[str, Meta(description='Such as "1-5, 8".')] = ""


class HarArguments(SavingArguments, frozen=True):
    suffix: ClassVar[str] = ".har"
    bodies: Annotated[bool, Meta(description="Include response bodies.")] = True


class Screenshot(msgspec.Struct, frozen=True):
    """A PNG of `size` bytes: as `image` (base64 in JSON), or in the file `path`."""

    path: str | None
    size: int
    image: bytes | None


class WrittenFile(msgspec.Struct, frozen=True):
    """A file of `size` bytes: as `content` (base64 in JSON), or in `path`; `left_out` lists what is not in it."""

    path: str | None
    size: int
    content: bytes | None
    left_out: list[str] = []


@tool(read_only=True, by_default=False, by_callers=True, gives="the picture or its file, nothing to read")
async def screenshot(args: ScreenshotArguments, context: Context) -> Observation:
    """Take a PNG of the page."""
    _check(args.path, args.suffix)
    hidden = context.secrets.spans if context.secrets else None
    picture = await context.page.screenshot(full_page=args.full_page, marks=args.marks, ref=args.ref, hidden=hidden)
    return await _pictured(args.path, picture, context)


@tool(read_only=True, by_default=False, by_executors=False, gives="the picture or its file")
async def zoom(args: ZoomIntoArguments, context: Context) -> Observation:
    """Take a picture of a part of what is in view, enlarged."""
    _check(args.path, args.suffix)
    hidden = context.secrets.spans if context.secrets else None
    return await _pictured(args.path, await context.page.zoom(args.region, hidden=hidden), context)


@tool(read_only=True, by_default=False, by_executors=False, gives="the file, nothing to read")
async def pdf(args: PdfArguments, context: Context) -> Observation:
    """Print the page as a PDF."""
    _check(args.path, args.suffix)
    hidden = context.secrets.spans if context.secrets else None
    content = await context.page.pdf(
        format=args.format, landscape=args.landscape, page_ranges=args.page_ranges, hidden=hidden
    )
    return await _made(args.path, content, [], context)


@tool(read_only=True, by_default=False, by_executors=False, gives="the file, nothing to read")
async def har(args: HarArguments, context: Context) -> Observation:
    """Save the requests of the page as a HAR file: headers, timings and bodies, since the page was opened."""
    _check(args.path, args.suffix)
    mask = context.secrets.mask if context.secrets else None
    content, _, left_out = await har_content(context.tab, bodies=args.bodies, mask=mask)
    return await _made(args.path, content, left_out, context)


def why_not_written(call: str, arguments: Arguments, folder: str | None) -> str | None:
    """Why a client of a server may not have this file written: they write below `folder` alone, with None nowhere."""
    if not isinstance(arguments, SavingArguments) or arguments.path is None:
        return None
    if folder is None:
        return f"No file is written here: call {call} without `path`, and it comes with the answer."
    path = os.path.realpath(os.path.join(folder, os.path.expanduser(arguments.path)))
    if os.path.commonpath([path, whole := os.path.realpath(folder)]) != whole:
        return f"Files are written below {folder} alone: give {call} a `path` there, such as a mere name, or none."
    return None


def _check(path: str | None, suffix: str) -> None:
    if path is not None and not path.lower().endswith(suffix):
        raise InvalidArguments(f"{path} is no {suffix} file.")


async def _pictured(path: str | None, picture: bytes, context: Context) -> Observation:
    if path is None:
        return Observation(f"A picture of {len(picture):,} bytes.", Screenshot(None, len(picture), picture))
    whole, summary = await _saved(path, picture, context)
    return Observation(summary, Screenshot(whole, len(picture), None))


async def _made(path: str | None, content: bytes, left_out: list[str], context: Context) -> Observation:
    if path is None:
        return Observation(f"A file of {len(content):,} bytes.", WrittenFile(None, len(content), content, left_out))
    whole, summary = await _saved(path, content, context)
    return Observation("\n".join([summary, *left_out]), WrittenFile(whole, len(content), None, left_out))


async def _saved(path: str, content: bytes, context: Context) -> tuple[str, str]:
    try:
        # An existing file is never overwritten.
        await asyncio.to_thread(files.write_new, Path(whole := context.path(path)), content)
    except OSError as error:
        raise InvalidArguments(f"{path} was not written: {error.strerror or error}.") from error
    return whole, f"Saved {len(content):,} bytes to {whole}."
