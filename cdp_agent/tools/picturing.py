"""The tool that takes pictures, for people and programs: what a model sees is shown to it without asking."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import msgspec
from msgspec import Meta

from cdp_agent.errors import InvalidArguments
from cdp_agent.tools.base import ALWAYS, Arguments, Context, Observation, tool


class ScreenshotArguments(Arguments, frozen=True):
    full_page: Annotated[bool, Meta(description="All of the page, not only what is in view.")] = False
    marks: Annotated[bool, Meta(description="With a box and the ref around each element to act on.", extra=ALWAYS)] = (
        False
    )
    path: Annotated[str | None, Meta(description="A new .png file to save it to.")] = None


class Screenshot(msgspec.Struct, frozen=True):
    """A PNG of `size` bytes: as `image` (base64 in JSON), or in the file `path`."""

    path: str | None
    size: int
    image: bytes | None


@tool(read_only=True, by_default=False, by_callers=True, gives="the picture or its file, nothing to read")
async def screenshot(args: ScreenshotArguments, context: Context) -> Observation:
    """Take a picture of the page as PNG."""
    if args.path is not None and not args.path.lower().endswith(".png"):
        raise InvalidArguments(f"{args.path} is no .png file.")
    hidden = context.secrets.spans if context.secrets else None
    picture = await context.page.screenshot(full_page=args.full_page, marks=args.marks, hidden=hidden)
    size = f"{len(picture):,} bytes"
    if args.path is None:
        return Observation(f"A picture of {size}.", Screenshot(None, len(picture), picture))
    try:
        path = await asyncio.to_thread(_write_new, context.path(args.path), picture)
    except OSError as error:
        raise InvalidArguments(f"{args.path} was not written: {error.strerror or error}.") from error
    return Observation(f"Saved {size} to {path}.", Screenshot(path, len(picture), None))


def _write_new(path: str, picture: bytes) -> str:
    # What is there is somebody's; and what pages show is for the user alone.
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(picture)
    return path
