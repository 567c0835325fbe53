"""The long-running process that owns a browser, and carries out the commands that arrive at its socket.

Only its user can open its socket. A command is cancelled when its client goes away; the process ends when it has no
session left, because each was closed or was idle for too long. Commands are carried out by a `CommandRunner`: this
module knows nothing about browsers.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import secrets
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

from cdp_agent.security import files
from cdp_agent.session.client import HAS_UNIX_SOCKETS
from cdp_agent.session.leaving import unless
from cdp_agent.session.messages import (
    ClientMessage,
    CommandBegun,
    CommandEnded,
    CommandRequest,
    Hello,
    Message,
    StderrText,
    StdoutText,
)

_LONGEST_REQUEST = 64 << 20
_LOOKS_EVERY_S = 1.0
_FIRST_COMMAND_S = 30.0
_CLIENT_MESSAGE = msgspec.json.Decoder(ClientMessage)
_log = logging.getLogger(__name__)


class ClientOutput:
    """The output of a command. It is dropped once the client is gone, since the command is cancelled then."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.client_messages: asyncio.Queue[ClientMessage] = asyncio.Queue()
        """The messages that the client has sent since its request."""

    def write(self, text: str) -> None:
        """Writes to the caller's standard output."""
        self.send(StdoutText(text))

    def write_error(self, text: str) -> None:
        """Writes to the caller's standard error."""
        self.send(StderrText(text))

    def send(self, message: Message) -> None:
        if not self._writer.is_closing():
            self._writer.write(msgspec.json.encode(message) + b"\n")

    async def end(self, status: int) -> None:
        """Sends the exit status as the last message, and returns when it has been written."""
        self.send(CommandEnded(status))
        with suppress(ConnectionError):  # the client is gone
            await self._writer.drain()


class CommandRunner(Protocol):
    """Carries out commands, and owns their sessions."""

    @property
    def sessions(self) -> list[str]:
        """The names of the sessions that are open, or being opened."""

    async def carry_out(self, request: CommandRequest, output: ClientOutput) -> int:
        """Carries out a command and returns its exit status. Raises only CancelledError, when the client went away."""

    async def close_idle(self) -> None:
        """Closes the sessions that have been idle for too long."""

    async def close(self) -> None:
        """Closes all sessions."""


class Host:
    """Serves commands at `NAME.sock` in the folder, which `serve` makes the current directory."""

    def __init__(self, folder: str, name: str, runner: CommandRunner) -> None:
        self._folder = folder
        self._path, self._pid = f"{name}.sock", f"{name}.pid"
        self._runner = runner
        self._token: str | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._links: set[str] = set()
        self._active_sessions: list[str] = []
        """The sessions of the commands that are being carried out."""
        self._wake = asyncio.Event()
        self._is_stopping = False
        self._first_command_deadline: float | None = None
        """The time by which the first command has to arrive, None once it has."""
        self._identity: tuple[int, int] | None = None

    async def serve(self, listening: Callable[[], object]) -> None:
        """Serves until no session is left, or a signal ends it; calls `listening` once commands can connect.

        Raises OSError when it cannot listen.
        """
        os.chdir(self._folder)  # so that no other folder is in use, and the socket's path is short
        server = await self._listen()
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):  # on Windows
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(number, self._end)
        self._first_command_deadline = loop.time() + _FIRST_COMMAND_S
        try:
            listening()
            while not self._is_over():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOKS_EVERY_S):
                        await self._wake.wait()
                self._wake.clear()
                await self._runner.close_idle()
                self._link()
        finally:
            server.close()
            self._forget()
            for call in self._calls:
                call.cancel()
            if self._calls:
                await asyncio.wait(self._calls)
            await self._runner.close()

    def _end(self) -> None:
        self._is_stopping = True
        self._wake.set()

    def _is_over(self) -> bool:
        """Whether to end: a signal came, no session is left, or our socket is not found, so that nobody could end us.

        Checked just before the socket is closed: a client that connected meanwhile is counted as a call, or is turned
        away before our hello.
        """
        waits = (
            self._first_command_deadline is not None
            and asyncio.get_running_loop().time() < self._first_command_deadline
        )
        holds = bool(self._runner.sessions or self._calls) or waits
        return self._is_stopping or not holds or not self._is_found()

    async def _listen(self) -> asyncio.Server:
        with suppress(FileNotFoundError):
            os.unlink(self._path)  # left by a killed host, or a link to its socket: nobody answers there
        if HAS_UNIX_SOCKETS:
            before = os.umask(0o177)
            try:
                server = await asyncio.start_unix_server(self._serve, self._path, limit=_LONGEST_REQUEST)
            finally:
                os.umask(before)
        else:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LONGEST_REQUEST)
            self._token = secrets.token_hex(32)
            port = server.sockets[0].getsockname()[1]
            files.write(Path(self._path), f"{port} {self._token}".encode())
        self._identity = _identity(self._path)
        files.write(Path(self._pid), str(os.getpid()).encode())
        return server

    def _is_found(self) -> bool:
        """Whether our socket is where commands look for it; otherwise nobody could ever end us."""
        return _identity(self._path) == self._identity

    def _link(self) -> None:
        """Links our socket under the names of the other sessions, so that commands find them."""
        names = {f"{name}.sock" for name in (*self._runner.sessions, *self._active_sessions)} - {self._path}
        for link in self._links ^ names:
            with suppress(FileNotFoundError):
                os.unlink(link)  # one that is not ours is left by a killed host: see `client.start_host`
        for link in names - self._links:
            os.symlink(self._path, link)
        self._links = names

    def _forget(self) -> None:
        for path in [*self._links, *([self._path, self._pid] if self._is_found() else [])]:
            with suppress(FileNotFoundError):
                os.unlink(path)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = asyncio.current_task()
        assert call is not None
        self._calls.add(call)
        try:
            await self._serve_client(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, msgspec.DecodeError, ValueError) as error:
            _log.debug("somebody came who asked nothing: %r", error)
        finally:
            self._calls.discard(call)
            writer.close()
            self._wake.set()

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._token is not None and not hmac.compare_digest((await reader.readline()).strip(), self._token.encode()):
            return
        output = ClientOutput(writer)
        output.send(Hello(os.getpid()))
        line = await reader.readline()
        if not line:
            return  # it only checked whether we are there
        request = msgspec.json.decode(line, type=CommandRequest)
        self._first_command_deadline = None
        self._active_sessions.append(request.session)
        self._link()
        output.send(CommandBegun())
        try:
            status = await unless(self._runner.carry_out(request, output), _read_messages(reader, output))
        finally:
            self._active_sessions.remove(request.session)
            self._link()
        if status is not None:
            await output.end(status)


async def _read_messages(reader: asyncio.StreamReader, output: ClientOutput) -> None:
    """Passes on the client's messages; returns when it is gone."""
    with suppress(ConnectionError):
        while line := await reader.readline():
            output.client_messages.put_nowait(_CLIENT_MESSAGE.decode(line))


def _identity(path: str) -> tuple[int, int] | None:
    try:
        about = os.lstat(path)
    except FileNotFoundError:
        return None
    return about.st_dev, about.st_ino
