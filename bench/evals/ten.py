"""What ten of our own tasks take of a model, task by task, also beside another commit.

python -m bench.evals.ten [--seed 0] [--json FILE] [--before FOLDER]

FOLDER is a checkout of the other commit, made by `git worktree add FOLDER COMMIT`: the same tasks and policies are
played with its `cdp_agent`. A task counts where both solve it. Calls are requests to the model, those for a plan and a
verdict too; tokens are counted as for budgets (`cdp_agent.page.snapshot.budget`), and an "in" is all that a request
holds: tools, system prompt and messages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from bench.evals.episodes import Episode
from bench.evals.files import read, this_commit
from bench.options import keep, options
from bench.report import table, this_machine

TEN = (
    "runs_best",
    "runs_delete",
    "books_begins_latest",
    "books_edit",
    "mail_delete",
    "mail_offers",
    "stall_order",
    "stall_worth",
    "library_turn_lent",
    "library_new_author",
)
ROOT = Path(__file__).parent.parent.parent
_OURS = ("bench", "tests", "fixtures")


class Sides(msgspec.Struct, frozen=True):
    after: list[Episode]
    before: list[Episode]


def played(package: Path, seed: int) -> list[Episode]:
    """The ten with the `cdp_agent` of that checkout, and all else of this one."""
    with tempfile.TemporaryDirectory() as folder:
        for name in _OURS:
            (Path(folder) / name).symlink_to(ROOT / name)
        (Path(folder) / "cdp_agent").symlink_to(package.resolve() / "cdp_agent")
        out = Path(folder) / "episodes.jsonl"
        command = [sys.executable, "-m", "bench.evals", "--suite", "own", "--seeds", str(seed + 1), "--out", str(out)]
        subprocess.run([*command, *TEN], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        commit = this_commit(package)
        return [msgspec.structs.replace(each, commit=commit) for each in read(out) if each.seed == seed]


def rows(sides: Sides) -> list[list[str]]:
    """A row a task, and one of all that both sides solved."""
    befores = {episode.task: episode for episode in sides.before}
    pairs = [(befores.get(after.task), after) for after in sides.after]
    lines = [[after.task, *_cells(before, after)] for before, after in pairs]
    solved = [(before, after) for before, after in pairs if after.solved and (before is None or before.solved)]
    total = [_total([before for before, _ in solved if before]), _total([after for _, after in solved])]
    return [*lines, ["all that are solved", *_cells(total[0] if sides.before else None, total[1])]]


def _total(episodes: list[Episode]) -> Episode:
    sums = {
        name: sum(getattr(each, name) for each in episodes)
        for name in ("turns", "calls", "input_tokens", "output_tokens")
    }
    return Episode("", "", 0, "", "tools", "", "", True, **sums)


def _cells(before: Episode | None, after: Episode) -> list[str]:
    sides = [episode for episode in (before, after) if episode is not None]
    cells = [
        [f"{number:,}" for number in (each.calls, each.turns, _in_a_call(each), each.input_tokens, each.output_tokens)]
        + ["yes" if each.solved else each.why.partition("\n")[0][:80]]
        for each in sides
    ]
    return [" → ".join(dict.fromkeys(values)) for values in zip(*cells, strict=True)]


def _in_a_call(episode: Episode) -> int:
    return round(episode.input_tokens / max(episode.calls, 1))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="a checkout of another commit")
    arguments = parser.parse_args()
    before = played(arguments.before, arguments.seed) if arguments.before else []
    sides = Sides(played(ROOT, arguments.seed), before)
    keep(sides, arguments.json)
    print(f"{this_machine('the Chrome that is found', program='python -m bench.evals.ten')}\n")
    heads = ["task", "calls", "turns", "tokens in a call", "tokens in", "tokens out", "solved"]
    print(table(heads, rows(sides)))


if __name__ == "__main__":
    main()
