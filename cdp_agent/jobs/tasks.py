"""The tasks of a batch and its options.

A task is a line of JSON. All lines are read, and all their errors reported, before any task is begun.

{"id": "a1", "task": "Find the cheapest tent", "url": "https://shop.example", "data": {"most": 200}}
{"id": "a2", "steps": ["Open https://shop.example", "Click 'Tents'", "Read the page"]}
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from cdp_agent.agent.base.task import Limits
from cdp_agent.errors import BadLines, InvalidArguments, SetupError
from cdp_agent.extract.form import form_of
from cdp_agent.page.snapshot.lines import shortened
from cdp_agent.security.origins import WEB_AND_DATA, origin_of, scheme_of
from cdp_agent.steps.language.grammar import read_step
from cdp_agent.steps.language.intents import Open
from cdp_agent.steps.resolve.understanding import why_unresolvable
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.validation_errors import readable

_Natural = Annotated[int, msgspec.Meta(ge=1)]
_Amount = Annotated[float, msgspec.Meta(gt=0)]


class JobLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits for this task that replace those of the settings; see `Limits`."""

    max_steps: _Natural | None = None
    max_tokens_total: _Natural | None = None
    max_cost: _Amount | None = None
    max_seconds: _Amount | None = None

    def override(self, limits: Limits) -> Limits:
        """`limits`, with the values that the task sets replaced."""
        given = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        return msgspec.structs.replace(limits, **given)


class Job(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of a tasks file: a `task` for a model, or `steps` that need none.

    `id` is a text or a whole number, different for each job. `url` is where it begins; `data` and `answer` (a JSON
    Schema) are only for a `task`; see `Agent.stream`.
    """

    id: str | int
    task: str | None = None
    steps: tuple[str, ...] | None = None
    url: str | None = None
    data: Any = None
    answer: Any = None
    limits: JobLimits | None = None

    @property
    def digest(self) -> str:
        """A digest of the whole job: equal for two jobs with equal fields."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:16]

    @property
    def key(self) -> str:
        """The name for its files, made from its id."""
        return hashlib.sha256(f"{type(self.id).__name__}:{self.id}".encode()).hexdigest()[:16]

    @property
    def origin(self) -> str | None:
        """The origin where the job begins: that of `url`, or of the address that its first step opens; else None."""
        url = self.url
        if url is None and self.steps:
            intent = read_step(self.steps[0])
            url = intent.url if isinstance(intent, Open) and isinstance(intent.url, str) else None
        try:
            origin = None if url is None else origin_of(complete_address(url))
        except InvalidArguments:
            return None  # the step names no address; the run finds out
        return None if origin is None else str(origin)


def read_jobs(
    text: str | bytes, source: str = "tasks", *, has_model: bool = True, has_executor: bool = False
) -> list[Job]:
    """The tasks in a text; empty lines are skipped. `source` is the name of the text in messages.

    Steps that code cannot understand are errors, unless there is an executor; tasks are errors without a model. Raises
    BadLines with all errors.
    """
    jobs: list[Job] = []
    problems: list[str] = []
    lines: dict[str, int] = {}
    raw = text.encode() if isinstance(text, str) else text
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if not line.strip():
            continue
        try:
            job = msgspec.json.decode(line, type=Job)
        except msgspec.MsgspecError as error:
            problems.append(f"{source}, line {number}: {_readable(error)}.")
            continue
        except UnicodeDecodeError:
            problems.append(f"{source}, line {number}: it is no UTF-8.")
            continue
        except RecursionError:
            problems.append(f"{source}, line {number}: it is nested too deeply.")
            continue
        if (before := lines.setdefault(str(job.id), number)) != number:
            problems.append(f"{source}, line {number}: the id {job.id!r} is that of line {before}, too.")
        wrong = wrong_with(job, has_model=has_model, has_executor=has_executor)
        problems += [f"{source}, line {number}: {each}." for each in wrong]
        jobs.append(job)
    if not jobs and not problems:
        problems.append(f"{source}: there are no tasks in it.")
    if problems:
        raise BadLines(problems)
    return jobs


def check_jobs(jobs: Iterable[Job], *, has_model: bool = True, has_executor: bool = False) -> list[Job]:
    """Checks tasks from a program, as `read_jobs` does for a text. Raises BadLines, which counts tasks from 1."""
    checked = list(jobs)
    problems: list[str] = []
    places: dict[str, int] = {}
    for number, job in enumerate(checked, 1):
        if (before := places.setdefault(str(job.id), number)) != number:
            problems.append(f"Task {number}: the id {job.id!r} is that of task {before}, too.")
        wrong = wrong_with(job, has_model=has_model, has_executor=has_executor)
        problems += [f"Task {number}: {each}." for each in wrong]
    if not checked:
        problems.append("There are no tasks.")
    if problems:
        raise BadLines(problems)
    return checked


def wrong_with(job: Job, *, has_model: bool, has_executor: bool) -> list[str]:
    """The errors in one job, each as a part of a sentence."""
    problems = []
    if job.id == "":
        problems.append("the id is empty")
    if (job.task is None) == (job.steps is None):
        problems.append("it has to have either a task or steps")
    if job.task is not None:
        problems += _wrong_with_task(job, has_model=has_model)
    if job.steps is not None:
        problems += _wrong_with_steps(job, has_executor=has_executor)
    if job.url is not None:
        problems += _wrong_with_address(job.url)
    return problems


def _wrong_with_task(job: Job, *, has_model: bool) -> list[str]:
    problems = []
    if not (job.task or "").strip():
        problems.append("the task is empty")
    if not has_model:
        problems.append("a task needs a model (--model, or `cdp-agent config init`)")
    if job.answer is not None:
        try:
            form_of(None, job.answer)
        except SetupError as error:
            problems.append(f"answer: {str(error).rstrip('.')}")
    return problems


def _wrong_with_steps(job: Job, *, has_executor: bool) -> list[str]:
    steps = job.steps or ()
    problems = [f"{name} is for a task, not for steps" for name in ("data", "answer") if getattr(job, name) is not None]
    if not any(step.strip() for step in steps):
        problems.append("there are no steps in it")
    if not has_executor:
        problems += [
            f"step {number}, {shortened(step)!r}: {why}"
            for number, step in enumerate(steps, 1)
            if step.strip() and (why := why_unresolvable(step)) is not None
        ]
    return problems


def _wrong_with_address(url: str) -> list[str]:
    try:
        whole = complete_address(url)
    except InvalidArguments as error:
        return [f"url: {str(error).rstrip('.')}"]
    if scheme_of(whole) not in WEB_AND_DATA and whole.lower() != "about:blank":
        return [f"url: only {', '.join(sorted(WEB_AND_DATA))} addresses are opened, not {url!r}"]
    return []


def _readable(error: msgspec.MsgspecError) -> str:
    """The message of msgspec's error, with the field first."""
    if not isinstance(error, msgspec.ValidationError):
        return f"it is no JSON ({error})"
    problem = readable(str(error), msgspec.json.schema(Job))
    return f"{problem[0].lower()}{problem[1:]}" if " - at `" not in str(error) else problem


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a batch. `concurrency`: tasks at once; "auto": by cores and memory, and then by measurement.

    A failed task is retried up to `retries` times, but never if that might repeat something that cannot be undone.
    `per_origin`: how many tasks at once may be on pages of one origin; `delay_s`: the seconds between two requests for
    a document to one origin. `robots`: what an origin's robots.txt does not allow is not opened, and its Crawl-delay is
    observed.

    `max_tokens`, `max_cost` (US dollars) and `max_seconds` are for all tasks together: when one is used up, no more
    tasks are begun, and those that are under way are stopped, so that they can be resumed later. `ordered`: results
    come in the order of the tasks. `tasks_per_chrome`: how many tasks at once share a Chrome. A Chrome is replaced
    after `chrome_tasks` tasks, or when its main process uses more than `chrome_memory_mb`.
    """

    concurrency: int | Literal["auto"] = "auto"
    retries: int = 0
    per_origin: int | None = None
    delay_s: float = 0.0
    robots: bool = False
    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None
    ordered: bool = False
    tasks_per_chrome: int = 8
    chrome_tasks: int = 500
    chrome_memory_mb: float = 1500.0

    def __post_init__(self) -> None:
        if self.concurrency != "auto" and self.concurrency < 1:
            raise SetupError(f"concurrency is at least 1, or auto, not {self.concurrency}.")
        for name in ("per_origin", "max_tokens", "max_cost", "max_seconds", "tasks_per_chrome", "chrome_tasks"):
            if (value := getattr(self, name)) is not None and not value > 0:
                raise SetupError(f"{name} is more than 0, not {value}.")
        for name in ("retries", "delay_s"):
            if getattr(self, name) < 0:
                raise SetupError(f"{name} is at least 0, not {getattr(self, name)}.")
