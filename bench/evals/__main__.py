"""Evaluations: how many tasks are solved, and what that takes.

python -m bench.evals [--model MODEL] [--mode tools|steps] [--seeds N] [--suite SUITE …] [--out FILE] [--resume]
                      [--processes K] [TASK …]
python -m bench.evals --compare A.jsonl B.jsonl

Each task begins in a fresh state for its seed, and the application's own state says whether it is solved. Without a
model, scripted policies call the tools in the agent's loop (tools), or code resolves the sentence (steps): what is
measured is then the runtime. TASK is a name, or a pattern such as "click-*". Every episode is a line of FILE; with
--resume, those that are there are not played again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.evals.episodes import SCRIPTED, Episode, How
from bench.evals.files import OtherRun, append, begin, read, this_commit
from bench.evals.jobs import SUITES, Job, chosen, play_all
from bench.evals.report import compared, summary
from bench.report import this_machine
from cdp_agent.errors import SetupError


def run(arguments: argparse.Namespace, how: How) -> list[Episode]:
    """Plays what is left, and gives all episodes. Raises OtherRun."""
    episodes = begin(arguments.out, how, resume=arguments.resume) if arguments.out else []
    played = {episode.key for episode in episodes}

    def keep(more: list[Episode]) -> None:
        episodes.extend(more)
        if arguments.out:
            append(arguments.out, more)

    jobs = [
        Job(task.suite, task.name, seeds, how)
        for task in chosen(arguments.suite, arguments.tasks, how)
        if (seeds := tuple(n for n in range(arguments.seeds) if (task.suite, task.name, n) not in played))
    ]
    if jobs:
        play_all(jobs, arguments.processes, keep)
    return episodes


def how_of(arguments: argparse.Namespace) -> How:
    scripted = arguments.model == SCRIPTED
    options: dict[str, Any] = {"vision": arguments.vision, "max_actions_per_step": arguments.actions}
    for name in ("base_url", "executor", "reasoning_effort"):
        if value := getattr(arguments, name):
            options[name] = value
    max_steps = arguments.max_steps or (300 if scripted else 50)
    return How(arguments.model, arguments.mode, this_commit(), max_steps, arguments.max_seconds, options)


def parsed(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.evals", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK")
    parser.add_argument("--model", default=SCRIPTED, help="provider/name; without it, scripted policies")
    parser.add_argument("--mode", choices=("tools", "steps", "code"), default="tools")
    parser.add_argument("--seeds", type=int, default=1, help="episodes of each task, with the seeds from 0 on")
    parser.add_argument("--suite", nargs="+", choices=SUITES, default=SUITES)
    parser.add_argument("--out", type=Path, metavar="FILE", help="a line for each episode")
    parser.add_argument("--resume", action="store_true", help="go on where FILE ends")
    parser.add_argument("--processes", type=int, default=1, metavar="K", help="tasks at once, each in its own Chrome")
    parser.add_argument("--max-steps", type=int, help="turns of an episode at most")
    parser.add_argument("--max-seconds", type=float, default=600, help="of an episode at most")
    parser.add_argument("--actions", type=int, default=1, help="tool calls of a turn at most")
    parser.add_argument("--vision", action="store_true", help="show the model pictures, too")
    parser.add_argument("--base-url", help="where the model is served, if not by its provider")
    parser.add_argument("--executor", metavar="MODEL", help="of --mode steps: for what code cannot resolve")
    parser.add_argument("--reasoning-effort", metavar="EFFORT")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FILE", help="two runs beside each other")
    arguments = parser.parse_args(words)
    if arguments.mode == "code":
        parser.error("cdp-agent has no mode in which a model writes code: use --mode tools or steps")
    return arguments


def main(words: Sequence[str] | None = None) -> None:
    arguments = parsed(words)
    if arguments.compare:
        print(compared(*map(read, arguments.compare)))
        return
    how = how_of(arguments)
    try:
        episodes = run(arguments, how)
    except (OtherRun, SetupError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Interrupted: the same command with --resume goes on.")
    machine = this_machine("the Chrome that is found", program="python -m bench.evals")
    print(f"{machine}; commit {how.commit}\n\n{summary(episodes)}")


if __name__ == "__main__":
    main()
