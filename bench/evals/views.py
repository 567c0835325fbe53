"""Whether what a policy needs of a page is in its view at 2,000, 5,000 and 10,000 tokens: ours, and Playwright's cut.

python -m bench.evals.views > bench/results/evals_views.md
python -m bench.evals.views [--json FILE] [--seed 0] [TASK …]

The own tasks are done by their policies. What a policy takes from a view is what is needed: the elements that it acts
on, and the figures of its answers. At that moment the page is read at each budget, and by Playwright's snapshot (mode
"ai", as its MCP server's), which is cut after its last whole line within as many tokens. There an element counts as
shown when as many of its role and name are in the snapshot as stand up to it in ours; of other elements the text
counts. "whole": without a budget.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec

from bench.aria import INTERACTIVE, interactive
from bench.cache import NotFetched, python_in, python_packages
from bench.chrome import running_chrome
from bench.drivers.process import PLAYWRIGHT, DriverProcess, driving
from bench.evals.own import tasks
from bench.evals.task import Env, Play, Task
from bench.options import keep, options
from bench.report import Machine, table, this_machine
from cdp_agent import Browser, Page
from cdp_agent.errors import ActionError
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.page.snapshot.lines import line_of, refs_in
from cdp_agent.session.session import Session

WHOLE = 1_000_000
BUDGETS = (2_000, 5_000, 10_000, WHOLE)
_ENDS = ("done", "abort")
_ROLE = re.compile(r"^ *- /?[a-z]+(?=[ :]|$)")
_STATES = re.compile(r" \[[a-z-]+(?:=[^\]]*)?\]")
_TEXT = re.compile(r'(?<= )"(?:[^"\\]|\\.)*"|(?<=\]: ).*')


class Need(msgspec.Struct, frozen=True):
    """A line or a figure that a policy took from a view, and at which of the budgets ours and Playwright's show it."""

    task: str
    line: str
    tokens: int
    """Of our whole view."""
    ours: list[int]
    theirs: list[int]


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    seed: int
    needs: list[Need]
    failed: dict[str, str]
    """The tasks that were not solved, or could not be had, and why."""


class NotingPlay(Play):
    """Notes what its policy takes from the views: refs, and figures that are no refs."""

    refs: list[str]
    figures: list[str]

    def ref(self, pattern: str, *, nth: int = 0, near: str = "") -> str:
        self.refs.append(super().ref(pattern, nth=nth, near=near))
        return self.refs[-1]

    def seen(self, pattern: str) -> str:
        self.figures.append(super().seen(pattern))
        return self.figures[-1]


def cut(text: str, budget_tokens: int) -> str:
    """Its first lines, as many as the budget has room for."""
    lines = text.splitlines()
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if tokens("\n".join(lines[:middle])) <= budget_tokens else (low, middle - 1)
    return "\n".join(lines[:low])


def shows(theirs: str, line: str, ours_so_far: str) -> bool:
    """Whether a snapshot of Playwright's has the element of our line; `ours_so_far` ends with that line."""
    element = next(iter(interactive(line)), ("", ""))
    if element[0] in INTERACTIVE:
        return _counted(theirs)[_lower(element)] >= max(_counted(ours_so_far)[_lower(element)], 1)
    text = _TEXT.search(line)
    return text is not None and words(text[0]) in words(theirs)


def _counted(snapshot: str) -> Counter[tuple[str, str]]:
    return Counter(map(_lower, interactive(snapshot).elements()))


def _lower(element: tuple[str, str]) -> tuple[str, str]:
    return element[0], element[1].lower()


def words(view: str) -> str:
    """What a view says, without roles, states, quotes and white space: each puts the parts of a text in its own way."""
    said = "".join(_STATES.sub("", _ROLE.sub("", line)).strip(" :") for line in view.splitlines())
    return re.sub(r'[\s"\\|]', "", said).lower()


class Recorder:
    """Carries out the calls of a policy in a session, and looks what the views had before each of them."""

    def __init__(self, task: str, session: Session, playwright: DriverProcess) -> None:
        self._task, self._session, self._playwright = task, session, playwright
        self.needs: list[Need] = []
        self.play: NotingPlay
        self.answer = ""

    @property
    def page(self) -> Page:
        page = self._session.page
        assert page is not None  # the address was opened
        return page

    async def ask(self, tool: str, arguments: dict[str, Any]) -> tuple[str, str]:
        await self.note()
        if tool in _ENDS:
            self.answer = str(*arguments.values())
            return self.play.view, ""
        outcome = await self._session.call(tool, arguments)
        return await self.whole(), outcome.text

    async def whole(self) -> str:
        """The view; what stands in the way where the page cannot be read, such as a dialog."""
        try:
            return (await self.page.snapshot(budget_tokens=WHOLE)).text
        except ActionError as error:
            return str(error)

    async def note(self) -> None:
        """What the policy has taken since the last call."""
        refs, figures = self.play.refs, self.play.figures
        self.play.refs, self.play.figures = [], []
        if not refs and not figures:
            return
        ours = {budget: (await self.page.snapshot(budget_tokens=budget)).text for budget in BUDGETS}
        await asyncio.to_thread(self._playwright.do, "attach", url=self.page.url)
        theirs = str((await asyncio.to_thread(self._playwright.do, "snapshot"))["text"])
        cuts = {budget: cut(theirs, budget) for budget in BUDGETS}
        size = tokens(ours[WHOLE])
        for ref in refs:
            line = line_of(ours[WHOLE], ref)
            until = ours[WHOLE].partition(line)[0] + line
            at_ours = [budget for budget in BUDGETS if ref in refs_in(ours[budget])]
            at_theirs = [budget for budget in BUDGETS if shows(cuts[budget], line, until)]
            self.needs.append(Need(self._task, line.strip(), size, at_ours, at_theirs))
        for figure in figures:
            at_ours, at_theirs = (
                [budget for budget in BUDGETS if words(figure) in words(views[budget])] for views in (ours, cuts)
            )
            self.needs.append(Need(self._task, figure, size, at_ours, at_theirs))


async def needs_of(
    task: Task, seed: int, browser: Browser, downloads: Path, playwright: DriverProcess
) -> tuple[list[Need], str]:
    """What its policy needs, and why the task was not solved, if so. Raises NotFetched."""
    assert task.policy is not None  # all of ours have one
    async with AsyncExitStack() as stack:
        files = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        _empty(downloads)
        page = await browser.new_page()
        env = Env(files, downloads, page)
        url = await stack.enter_async_context(task.start(env, seed))
        session = Session(browser, page=page)
        recorder = Recorder(task.name, session, playwright)
        await session.call("goto", {"url": url})
        recorder.play = NotingPlay(page, env.utterance, await recorder.whole(), recorder.ask)
        recorder.play.refs, recorder.play.figures = [], []
        why = ""
        try:
            await task.policy(recorder.play)
            await recorder.note()
            why = await task.solved(env, page, recorder.answer)
        except Exception as error:  # noqa: BLE001  # a policy may fail in any way, and the table names it
            why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        for tab in browser.pages:
            await tab.close()
        return recorder.needs, why


def _empty(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()


async def measure(names: list[str], seed: int) -> Result:
    needs: list[Need] = []
    failed: dict[str, str] = {}
    with running_chrome() as endpoint, tempfile.TemporaryDirectory() as downloads:
        command = [str(python_in(python_packages(PLAYWRIGHT))), "-m", "bench.drivers.playwright"]
        async with Browser.connect(endpoint, downloads=downloads) as browser:
            version = browser.version.product
            with driving(command, endpoint) as playwright:
                for task in tasks():
                    if names and task.name not in names:
                        continue
                    try:
                        new, why = await needs_of(task, seed, browser, Path(downloads), playwright)
                    except NotFetched as error:
                        failed[task.name] = f"skipped: {error}"
                        continue
                    needs += new
                    if why:
                        failed[task.name] = why
    return Result(
        this_machine(version, program="python -m bench.evals.views", playwright=PLAYWRIGHT.partition("==")[2]),
        seed,
        needs,
        failed,
    )


def share(needs: list[Need], side: str, budget: int) -> str:
    count = sum(budget in getattr(need, side) for need in needs)
    return f"{count / len(needs):.0%} ({count})"


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    result = asyncio.run(measure(arguments.tasks, arguments.seed))
    keep(result, arguments.json)
    tell(result)


def tell(result: Result) -> None:
    """Prints the tables."""
    needs = result.needs
    names = dict.fromkeys(need.task for need in needs)
    shown_by_both = [need for need in needs if WHOLE in need.theirs]
    print(f"{result.machine}\n\nOf {len(needs)} needs of {len(names)} tasks, seed {result.seed}:\n")
    heads = ["in the view", *("whole" if budget == WHOLE else f"{budget:,} tokens" for budget in BUDGETS)]
    rows = [
        [f"{name}{which}", *(share(some, side, budget) for budget in BUDGETS)]
        for which, some in (("", needs), (f", the {len(shown_by_both)} that both have", shown_by_both))
        for side, name in (("ours", "cdp_agent"), ("theirs", "Playwright, cut"))
    ]
    print(table(heads, rows))
    print("\nWhat Playwright's whole snapshot lacks has another role or name there, or is not in it.")
    _tell_tasks(result, list(names))


def _tell_tasks(result: Result, names: list[str]) -> None:
    needs = result.needs
    print(
        "\nBy task: needs, tokens of our largest whole view, and what is shown at each budget, ours / Playwright's:\n"
    )
    rows = []
    for task in names:
        some = [need for need in needs if need.task == task]
        counts = [
            [sum(budget in seen for seen in side) for side in ([n.ours for n in some], [n.theirs for n in some])]
            for budget in BUDGETS[:-1]
        ]
        rows.append(
            [task, str(len(some)), f"{max(need.tokens for need in some):,}", *(f"{a} / {b}" for a, b in counts)]
        )
    print(table(["task", "needs", "tokens", "2,000", "5,000", "10,000"], rows))
    for name, why in result.failed.items():
        print(f"\nNot solved: {name}: {why}")


if __name__ == "__main__":
    main()
