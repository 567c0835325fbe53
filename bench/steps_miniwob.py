"""MiniWoB++ by its own sentences, without a model: `python -m bench.steps_miniwob [--seeds 3] [--json FILE] [TASK …]`.

Each task's utterance is split into steps and each step is resolved in code. Told are the steps that were resolved, the
tasks that the page says are solved, and those that ended otherwise although every step was resolved: wrong resolutions.
A step that is refused ends its episode: it is what a model, or a person, would be asked for. Without names, the tasks
are those that are listed, but for the two of the mouse in real time.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.report import Machine, table, this_machine
from bench.server import serving
from cdp_agent import Browser, Page
from cdp_agent.errors import ActionError
from cdp_agent.session.calls import Call, perform
from cdp_agent.steps.language.grammar import read_step, split_step
from cdp_agent.steps.resolve.call import StepCall
from cdp_agent.steps.resolve.resolve import Unclear
from cdp_agent.steps.resolve.understanding import understand_step
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Context
from tests.miniwob import pages
from tests.miniwob.play import REWARD, begin
from tests.miniwob.policies import POLICIES

_IN_REAL_TIME = {"chase-circle", "moving-items"}
_NOTE = (
    "Everything else was refused; tasks of which no step was resolved are left out. A step that is refused ends its "
    "episode, so that the steps after it count as not resolved. What is done wrongly without the page noticing before "
    "a later refusal would not show here."
)
PATIENCE_S = 0.5  # nothing of these pages comes late; button-delay waits in words


class Episode(msgspec.Struct, frozen=True):
    """What became of one utterance. `reward` is None when the page had not ended the episode."""

    task: str
    seed: int
    utterance: str
    steps: int
    resolved: int
    reward: float | None
    refused: str = ""
    done: tuple[str, ...] = ()

    @property
    def solved(self) -> bool:
        return self.reward is not None and self.reward > 0

    @property
    def wrong(self) -> bool:
        """Something was done that the page judges to be wrong, or every step was and it is still not solved."""
        return not self.solved and (self.reward is not None or self.resolved == self.steps)


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    summary: dict[str, int]
    episodes: list[Episode]


async def attempt(page: Page, browser: Browser, site: str, task: str, seed: int) -> Episode:
    """Carries out the utterance as far as it is understood."""
    utterance = await begin(page, site, task, seed)
    steps = split_step(utterance)
    context = Context(page, browser)
    done: list[str] = []
    refused = ""
    for step in steps:
        call = await understand_step(step, page, patience_s=PATIENCE_S)
        if isinstance(call, Unclear):
            refused = f"{step}: {call}"
            break
        done.append(f"{step} = {call.tool} {call.about}")
        if failed := await _do(call, context):
            refused = f"{step}: {failed}"
            break
    resolved = len(done)
    reward = await page.evaluate(REWARD)
    return Episode(task, seed, utterance, len(steps), resolved, reward, refused, tuple(done))


async def _do(call: StepCall, context: Context) -> str:
    """Why it could not be done, "" when it was."""
    tool = BUILT_IN[call.tool]
    outcome = await perform(Call(tool, tool.parse(call.arguments)), context)
    return str(outcome) if isinstance(outcome, ActionError) else ""


def is_instruction(utterance: str) -> bool:
    """Whether all of it is acts in known words, though not all of them may be for elements that can be found."""
    return all(read_step(step) is not None for step in split_step(utterance))


async def measure(tasks: Sequence[str], seeds: int) -> Result:
    folder = pages.folder()
    if folder is None:
        sys.exit("MiniWoB++ is not installed: pip install --no-deps miniwob")
    found: list[Episode] = []
    with serving(folder) as port:
        async with Browser.launch(headless=True) as browser:
            for task in tasks:
                page = await browser.new_page()
                for seed in range(seeds):
                    found.append(await attempt(page, browser, f"http://127.0.0.1:{port}", task, seed))
                await page.close()
            machine = this_machine(browser.version.product, program="bench.steps_miniwob")
    return Result(machine, summary(found), found)


def row(task: str, episodes: Sequence[Episode]) -> list[str]:
    steps, resolved = sum(each.steps for each in episodes), sum(each.resolved for each in episodes)
    solved, wrong = sum(each.solved for each in episodes), sum(each.wrong for each in episodes)
    shown = next((each for each in episodes if each.wrong or each.refused), episodes[0])
    why = f"wrong: {shown.utterance} {shown.done}" if shown.wrong else shown.refused
    return [task, f"{resolved} of {steps}", f"{solved} of {len(episodes)}", str(wrong), why[:140].replace("|", "/")]


def summary(episodes: Sequence[Episode]) -> dict[str, int]:
    instructions = [each for each in episodes if is_instruction(each.utterance)]
    return {
        "episodes": len(episodes),
        "instructions": len(instructions),
        "steps": sum(each.steps for each in instructions),
        "resolved": sum(each.resolved for each in instructions),
        "solved": sum(each.solved for each in instructions),
        "wrong": sum(each.wrong for each in episodes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every episode there, too")
    args = parser.parse_args()
    tasks = args.tasks or sorted(set(POLICIES) - _IN_REAL_TIME)
    result = asyncio.run(measure(tasks, args.seeds))
    if args.json is not None:
        args.json.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    of = {task: [each for each in result.episodes if each.task == task] for task in tasks}
    rows = [row(task, of[task]) for task in tasks if any(each.done for each in of[task])]
    found = result.summary
    print(f"{result.machine}\n")
    print(table(["task", "steps resolved", "solved", "wrong", "refused at"], rows))
    print(
        f"\nOf {found['episodes']} utterances ({len(tasks)} tasks, seeds 0 to {args.seeds - 1}), "
        f"{found['instructions']} are acts in known words, in {found['steps']} steps: {found['resolved']} of them were "
        f"resolved without a model "
        f"({found['resolved'] / max(1, found['steps']):.0%}), {found['solved']} episodes solved by them alone, "
        f"{found['wrong']} ended wrongly. {_NOTE}"
    )


if __name__ == "__main__":
    main()
