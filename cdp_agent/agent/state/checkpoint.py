"""The checkpoint from which a run is resumed after our own process died: one file, rewritten after each step."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from cdp_agent.agent.base.options import Options
from cdp_agent.agent.base.task import Plan, Task
from cdp_agent.agent.base.usage import UsageMeter
from cdp_agent.agent.model.history import HistoryItem
from cdp_agent.agent.observation.browser_state import BLANK, BrowserState, read_browser_state
from cdp_agent.agent.observation.known_addresses import KnownAddresses
from cdp_agent.agent.observation.stuck_detector import StuckDetector
from cdp_agent.agent.rows.named import NamedRows
from cdp_agent.agent.state.evidence import Evidence, Shown
from cdp_agent.errors import BrowserError, SetupError
from cdp_agent.security import files
from cdp_agent.security.secrets import GivenSecret, Secrets

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

FILE = "run.json"


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A run between two steps: no API keys, but cookies and all that the pages showed, so its file has mode 600."""

    format: Literal[2] = 2
    model: str
    base_url: str
    task: str
    url: str | None
    input_data: Any
    guardrails: str | None
    answer_schema: Any
    options: Options
    plan: Plan | None
    revisions: int
    validations: int
    judged_failed: bool = False
    next_ref: Annotated[int, msgspec.Meta(ge=1, le=2**53)] = 1
    """Refs below it are in the conversation: the browser of the resumed run gives none of them again."""
    usage: UsageMeter = msgspec.field(name="tally")
    history: list[HistoryItem]
    offered: list[str] = []
    evidence: list[Shown]
    rows: list[NamedRows] = []
    addresses: list[str]
    states: list[str]
    place: BrowserState
    secrets: list[str] = []
    """The names of the run's secrets; their values are not stored."""
    by_steps: dict[str, Any] | None = None
    """How far a run by steps has come: see steps/flow/flow.py."""


async def keep(run: Run) -> None:
    """Saves the run to its checkpoint folder, if any, and records its tabs. Raises SetupError if that fails."""
    try:
        browser_state = await read_browser_state(run.browser, run.tabs)
    except BrowserError:
        return  # the next action notices it, and the state before is known
    if browser_state.tabs:  # there are none while Chrome is closing
        run.browser_state = browser_state
    if run.options.checkpoint is not None:
        save(run, run.options.checkpoint)


def save(run: Run, folder: Path) -> None:
    """Writes the run to the folder, replacing the previous checkpoint atomically. Raises SetupError."""
    task = run.task
    checkpoint = Checkpoint(
        model=f"{run.models.endpoint.provider}/{run.models.endpoint.model}" if run.models.has_model else "",
        base_url=run.models.endpoint.base_url if run.models.has_model else "",
        task=task.text,
        url=task.url,
        input_data=task.input_data,
        guardrails=task.guardrails,
        answer_schema=task.form.source if task.form is not None else None,
        options=run.options,
        plan=run.plan,
        revisions=run.revisions,
        validations=run.validations,
        judged_failed=run.judged_failed,
        next_ref=run.browser.next_ref,
        usage=msgspec.structs.replace(run.usage, before_s=run.usage.took_s),
        history=run.history.entries,
        offered=run.offered,
        evidence=run.evidence.shown,
        rows=list(run.rows.values()),
        addresses=sorted(run.addresses.known),
        states=run.stuck_detector.states,
        place=_without_secrets(run),
        secrets=run.secrets.names,
        by_steps=run.step_progress(),
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.write(folder / FILE, msgspec.json.encode(run.secrets.masked(checkpoint), enc_hook=os.fspath))
    except OSError as error:
        raise SetupError(f"{error.filename or folder} cannot be written: {error.strerror}.") from error


def _without_secrets(run: Run) -> BrowserState:
    """The state of the browser, without the cookies and the parts of addresses that contain a secret."""

    def holds(value: object) -> bool:
        return run.secrets.masked(value) is not value

    tabs = [re.split("[?#]", tab, maxsplit=1)[0] if holds(tab) else tab for tab in run.browser_state.tabs]
    return BrowserState(
        [BLANK if holds(tab) else tab for tab in tabs], [each for each in run.browser_state.cookies if not holds(each)]
    )


def load(folder: Path) -> Checkpoint:
    """The checkpoint in the folder. Raises SetupError when there is none, it cannot be read, or may not be ours."""
    path = folder / FILE
    try:
        return msgspec.json.decode(_content(path), type=Checkpoint, dec_hook=lambda kind, value: kind(value))
    except FileNotFoundError as error:
        raise SetupError(f"There is no run to go on with in {folder}: it was never begun, or is done.") from error
    except (OSError, msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}.") from error


def _content(path: Path) -> bytes:
    """The content of the file. Raises OSError, and SetupError if it is no file, or others may have written it."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # a pipe would be waited for
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise SetupError(f"{path} cannot be read: it is no file.")
        if sys.platform != "win32" and (about.st_uid != os.getuid() or about.st_mode & 0o022):
            raise SetupError(
                f"{path} may have been written by somebody else, and says where a key is sent and what is written. If "
                "you know what is in it, make it yours alone: chown it, and chmod 600."
            )
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def forget(folder: Path) -> None:
    """Removes the checkpoint of a run that is done."""
    (folder / FILE).unlink(missing_ok=True)


def task_of(
    checkpoint: Checkpoint, given_secrets: Mapping[str, GivenSecret] | None = None, answer: object = None
) -> Task:
    """The task of a checkpoint. Its secrets and the type of its answer are not stored, so they are passed again.

    Raises SetupError.
    """
    if missing := [name for name in checkpoint.secrets if name not in (given_secrets or {})]:
        raise SetupError(f"The run had secrets that were not written down: give {', '.join(missing)} again.")
    form = None
    if checkpoint.answer_schema is not None or answer is not None:
        from cdp_agent.extract.form import form_of  # late: its dependencies take long to import

        schema = checkpoint.answer_schema
        form, _ = form_of(schema, None) if answer is None else form_of(None, answer)
        if form is None or msgspec.to_builtins(form.source) != schema:
            raise SetupError("The run was begun with another form of its answer: give the same, or none.")
    secrets = Secrets(given_secrets, checkpoint.url)
    return Task(checkpoint.task, checkpoint.url, checkpoint.input_data, checkpoint.guardrails, form, secrets)


def restore(run: Run, checkpoint: Checkpoint) -> None:
    """Restores the state of the run, except for its tabs."""
    run.plan = checkpoint.plan
    run.revisions, run.validations = checkpoint.revisions, checkpoint.validations
    run.judged_failed = checkpoint.judged_failed
    run.browser.skip_refs_to(checkpoint.next_ref)
    run.usage.continue_from(checkpoint.usage)
    run.history.entries = list(checkpoint.history)
    run.offered = list(checkpoint.offered)
    run.evidence = Evidence(checkpoint.evidence)
    run.rows.update((named.name, named) for named in checkpoint.rows)  # which the tools refer to
    run.addresses = KnownAddresses(checkpoint.addresses)
    run.stuck_detector = StuckDetector(checkpoint.states)
    run.browser_state = checkpoint.place
