"""What episodes come to: success with its interval, what it took, why the others failed; two runs beside each other."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from bench.evals.episodes import Episode
from bench.report import number, table

_Z = 1.959964  # of 95 % of a normal distribution
_LONGEST_WHY = 160


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The interval in which the rate of success is with 95 % certainty.

    Wilson's score interval: it holds for few trials and for rates near 0 and 1, too.
    """
    if not trials:
        return 0.0, 1.0
    rate, spread = successes / trials, _Z**2 / trials
    middle = (rate + spread / 2) / (1 + spread)
    reach = _Z / (1 + spread) * math.sqrt(rate * (1 - rate) / trials + spread / 4 / trials)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def sign_test(one: int, other: int) -> float:
    """How likely it is by chance that of `one + other` differing pairs at least as many are on one side."""
    differing = one + other
    tail = sum(math.comb(differing, place) for place in range(min(one, other) + 1))
    return float(min(1.0, 2 * tail / 2**differing))


def success(episodes: Sequence[Episode]) -> str:
    """Such as "118 of 130, 91 % (84–95)"."""
    solved = sum(episode.solved for episode in episodes)
    low, high = wilson(solved, len(episodes))
    rate = solved / len(episodes) if episodes else 0
    return f"{solved} of {len(episodes)}, {rate:.0%} ({low * 100:.0f}–{high * 100:.0f})"


def played(episodes: Sequence[Episode]) -> list[Episode]:
    """Without those that were skipped."""
    return [episode for episode in episodes if episode.kind != "skipped"]


def summary(episodes: Sequence[Episode]) -> str:
    """The whole result of a run, as Markdown."""
    parts = [_by_suite(played(episodes)), _failures(episodes), _not_solved(episodes)]
    return "\n\n".join(part for part in parts if part)


def _by_suite(episodes: Sequence[Episode]) -> str:
    suites = _groups(episodes, lambda episode: episode.suite)
    rows = [
        [
            suite,
            str(len({episode.task for episode in of_suite})),
            success(of_suite),
            _median(of_suite, lambda episode: episode.turns),
            _median(of_suite, lambda episode: episode.calls),
            _mean(of_suite, lambda episode: episode.input_tokens),
            _mean(of_suite, lambda episode: episode.cached_tokens),
            _mean(of_suite, lambda episode: episode.output_tokens),
            _cost(of_suite),
            _median(of_suite, lambda episode: episode.seconds),
        ]
        for suite, of_suite in suites.items()
    ]
    heads = ["suite", "tasks", "solved (95 %)", "turns", "model calls", "tokens in", "of them cached", "tokens out"]
    words = "Turns, calls and seconds are medians of an episode, tokens are means; the cost is that of all."
    return f"{table([*heads, 'US$', 'seconds'], rows)}\n\n{words}"


def _failures(episodes: Sequence[Episode]) -> str:
    """How often each kind of failure came, with the first reason."""
    kinds = _groups([episode for episode in episodes if not episode.solved], lambda episode: episode.kind)
    by_count = sorted(kinds.items(), key=lambda pair: -len(pair[1]))
    rows = [[kind, str(len(of_kind)), _why(of_kind[0])] for kind, of_kind in by_count]
    return table(["not solved", "episodes", "the first of them"], rows) if rows else ""


def _not_solved(episodes: Sequence[Episode]) -> str:
    """The tasks that were not solved with every seed."""
    tasks = _groups(episodes, lambda episode: f"{episode.suite}/{episode.task}")
    rows = [
        [task, f"{sum(episode.solved for episode in of_task)} of {len(of_task)}", _why(_first_unsolved(of_task))]
        for task, of_task in sorted(tasks.items())
        if not all(episode.solved for episode in of_task)
    ]
    return table(["task", "solved", "why not"], rows) if rows else ""


def compared(one: Sequence[Episode], other: Sequence[Episode]) -> str:
    """Two runs beside each other, by the episodes that both have."""
    pairs = _pairs(one, other)
    if not pairs:
        return "No episode is in both files."
    befores, afters = [before for before, _ in pairs], [after for _, after in pairs]
    only_before = [before.key for before, after in pairs if before.solved and not after.solved]
    only_after = [before.key for before, after in pairs if after.solved and not before.solved]
    rows = [
        ["solved (95 %)", success(befores), success(afters)],
        *(
            [name, _mean(befores, value), _mean(afters, value)]
            for name, value in (
                ("turns", lambda episode: episode.turns),
                ("model calls", lambda episode: episode.calls),
                ("tokens in", lambda episode: episode.input_tokens),
                ("of them cached", lambda episode: episode.cached_tokens),
                ("tokens out", lambda episode: episode.output_tokens),
                ("seconds", lambda episode: episode.seconds),
            )
        ),
        ["US$, all", _cost(befores), _cost(afters)],
    ]
    chance = sign_test(len(only_before), len(only_after))
    lines = [
        table(["a mean episode", _name(befores[0]), _name(afters[0])], rows),
        f"{len(pairs)} episodes are in both. Solved only in the first: {_listed(only_before)}. Solved only in the "
        f"second: {_listed(only_after)}. A difference like this comes by chance with p = {chance:.2f} (sign test).",
        *([f"Left out, since only one has them: {left}."] if (left := len(one) + len(other) - 2 * len(pairs)) else []),
    ]
    return "\n\n".join(lines)


def _pairs(one: Sequence[Episode], other: Sequence[Episode]) -> list[tuple[Episode, Episode]]:
    others = {episode.key: episode for episode in played(other)}
    return [(episode, others[episode.key]) for episode in played(one) if episode.key in others]


def _name(episode: Episode) -> str:
    return f"{episode.commit}, {episode.day}: {episode.model}, {episode.mode}"


def _listed(keys: Sequence[tuple[str, str, int]]) -> str:
    counts = Counter(f"{suite}/{task}" for suite, task, _ in keys)
    return ", ".join(f"{task} ×{count}" if count > 1 else task for task, count in sorted(counts.items())) or "none"


def _groups(episodes: Sequence[Episode], key: Callable[[Episode], str]) -> dict[str, list[Episode]]:
    groups: defaultdict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        groups[key(episode)].append(episode)
    return groups


def _first_unsolved(episodes: Sequence[Episode]) -> Episode:
    return next(episode for episode in episodes if not episode.solved)


def _why(episode: Episode) -> str:
    words = " ".join(f"{episode.kind}, seed {episode.seed}: {episode.why}".split()).replace("|", "/")
    return words if len(words) <= _LONGEST_WHY else f"{words[:_LONGEST_WHY]}…"


def _median(episodes: Sequence[Episode], value: Callable[[Episode], float]) -> str:
    return f"{statistics.median(map(value, episodes)):g}" if episodes else ""


def _mean(episodes: Sequence[Episode], value: Callable[[Episode], float]) -> str:
    return number(statistics.fmean(map(value, episodes))) if episodes else ""


def _cost(episodes: Sequence[Episode]) -> str:
    """ "" unless the price of all is known."""
    costs = [episode.cost for episode in episodes if episode.cost is not None]
    return f"{sum(costs):.2f}" if costs and len(costs) == len(episodes) else ""
