"""The files of a session as resources: its downloads, and a trace of its calls."""

from __future__ import annotations

import asyncio
import base64
import mimetypes
from pathlib import Path
from urllib.parse import quote, unquote

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    BlobResourceContents,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from cdp_agent.errors import CdpAgentError
from cdp_agent.mcp.calls import TRACE, FilesRequest, SessionFile, ToolCalls

MOST_BYTES = 64 << 20
"""Larger files are not served: their path is in the receipt of the action that began the download."""
_SCHEME, _OWN = "cdp-agent://", "own"
_Context = ServerRequestContext[object, object]


class Resources:
    """Serves resources at cdp-agent://SESSION/NAME; those of the server's own session at cdp-agent://own/NAME."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def list_files(self, context: _Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """The files of the server's own session. Files of other sessions can be read by their URIs."""
        return ListResourcesResult(resources=[_entry(each) for each in await self._files(None)])

    async def list_templates(
        self, context: _Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        template = ResourceTemplate(
            uri_template=f"{_SCHEME}{{session}}/{{name}}",
            name="files of a session",
            description=f"What was downloaded in it, by the names of the files, and {TRACE}: its calls.",
        )
        return ListResourceTemplatesResult(resource_templates=[template])

    async def read(self, context: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        session, _, name = uri.removeprefix(_SCHEME).partition("/")
        files = await self._files(None if session == _OWN else session) if uri.startswith(_SCHEME) else []
        file = next((each for each in files if each.name == unquote(name)), None)
        if file is None:
            raise MCPError(INVALID_PARAMS, f"There is no resource {uri}.", {"uri": uri})
        if file.path is None:
            return ReadResourceResult(
                contents=[TextResourceContents(uri=uri, mime_type=_type_of(file), text=file.text or "")]
            )
        content = await asyncio.to_thread(_content, file.path)
        blob = base64.b64encode(content).decode()
        return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type=_type_of(file), blob=blob)])

    async def _files(self, session: str | None) -> list[SessionFile]:
        try:
            return await self._calls.files(FilesRequest(session))
        except CdpAgentError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error


def _entry(file: SessionFile) -> Resource:
    about = "The calls that were made." if file.path is None else f"Downloaded to {file.path}."
    return Resource(
        uri=f"{_SCHEME}{_OWN}/{quote(file.name)}", name=file.name, description=about, mime_type=_type_of(file)
    )


def _type_of(file: SessionFile) -> str:
    return (
        "application/jsonl" if file.path is None else mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    )


def _content(path: str) -> bytes:
    try:
        if (size := Path(path).stat().st_size) > MOST_BYTES:
            raise MCPError(INVALID_PARAMS, f"{path} has {size:,} bytes: read it there.")
        return Path(path).read_bytes()
    except OSError as error:
        raise MCPError(INVALID_PARAMS, f"{path} cannot be read: {error.strerror}.") from error
