"""`python -m bench.evals`: tasks in the agent's loop by scripted policies, files that go on, and what they come to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from bench.evals.__main__ import how_of, main, parsed, run
from bench.evals.episodes import Episode, How, play
from bench.evals.files import OtherRun, append, begin, read
from bench.evals.report import compared, sign_test, summary, wilson
from bench.evals.task import Env, NotInView, Play, Task
from bench.evals.webgames.policies import password_in
from cdp_agent import Browser, Page
from tests.miniwob import pages

BOX = "<title>Box</title><label>Name <input id=box></label><button onclick='document.title = box.value'>Save</button>"
needs_miniwob = pytest.mark.skipif(pages.folder() is None, reason="MiniWoB++ is missing: pip install --no-deps miniwob")


def episode(task: str = "a", seed: int = 0, **changes: object) -> Episode:
    base = Episode(task, "own", seed, "m", "tools", "c0ffee", "2026-11-28", True, turns=4, calls=6, input_tokens=1000)
    return msgspec.structs.replace(base, **changes)


@asynccontextmanager
async def _box(env: Env, seed: int) -> AsyncIterator[str]:
    yield f"data:text/html,{BOX}"


async def _is_saved(env: Env, page: Page, answer: str) -> str:
    title = await page.evaluate("document.title")
    return "" if title == "Ada" and answer == "It is saved." else f"the title is {title}, the answer {answer}"


async def _save(play: Play) -> None:
    result = await play.call("fill", ref=play.ref('textbox "Name"'), value="Ada")
    assert 'value: "Ada"' in result
    await play.call("click", ref=play.ref('button "Save"'))
    await play.answer("It is saved.")


async def _look_for_what_is_not_there(play: Play) -> None:
    play.ref("button", nth=1)


def task(policy: object = _save) -> Task:
    return Task("box", "own", "Save the name Ada.", _box, _is_saved, policy)  # type: ignore[arg-type]  # some fail


async def test_a_policys_calls_are_the_turns_of_the_agent(shared_browser: Browser) -> None:
    result = await play(task(), 0, How(), shared_browser)

    assert (result.solved, result.why, result.answer, result.turns, result.actions) == (True, "", "It is saved.", 3, 3)
    assert result.input_tokens > result.cached_tokens > 1000


async def test_a_policy_that_fails_is_told(shared_browser: Browser) -> None:
    result = await play(task(_look_for_what_is_not_there), 0, How(), shared_browser)

    assert (result.solved, result.kind) == (False, "policy")
    assert result.why.startswith("NotInView: no line 'button' (number 2) in")


async def test_a_task_whose_check_fails_is_told(shared_browser: Browser) -> None:
    async def check(env: Env, page: Page, answer: str) -> str:
        raise KeyError("books")

    result = await play(Task("box", "own", "Save.", _box, check, _save), 0, How(), shared_browser)

    assert (result.solved, result.kind, result.why) == (False, "task", "KeyError: 'books'")


async def test_without_a_policy_steps_are_resolved_in_code(shared_browser: Browser) -> None:
    steps = Task("box", "own", 'Type "Ada" into Name and click Save', _box, _title_is_ada)

    assert (await play(steps, 0, How(mode="steps"), shared_browser)).solved


async def _title_is_ada(env: Env, page: Page, answer: str) -> str:
    return "" if await page.evaluate("document.title") == "Ada" else "it was not saved"


async def test_the_newest_line_of_an_element_counts() -> None:
    whole = '- button "One" [ref=E1]\n- button "Two" [ref=E2]'
    view = f'{whole}\n  ~ - button "One" → "Three" [ref=E1]\n  - - button "Two" [ref=E2]'
    play = Play(None, "", view, None)  # type: ignore[arg-type]  # it only reads

    assert (play.ref("Three"), play.ref("button")) == ("E1", "E1")
    with pytest.raises(NotInView, match="number 2"):
        play.ref("button", nth=1)


@needs_miniwob
@pytest.mark.chrome
def test_three_tasks_of_miniwob_are_solved_and_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "episodes.jsonl"
    words = ["--suite", "miniwob", "--out", str(file), "click-button", "enter-text", "count-sides"]

    main(words)
    played = read(file)
    main([*words, "--resume"])

    assert [(one.task, one.solved) for one in sorted(played, key=lambda one: one.task)] == [
        ("click-button", True),
        ("count-sides", True),
        ("enter-text", True),
    ]
    assert read(file) == played
    assert "3 of 3, 100% (44–100)" in capsys.readouterr().out


def test_what_is_in_the_file_is_not_played_again(tmp_path: Path) -> None:
    how = How("m", "tools", "c0ffee")
    file = tmp_path / "episodes.jsonl"
    append(file, [episode(), episode("b"), episode("d", solved=False, kind="model", why="429")])
    with file.open("ab") as cut_off:
        cut_off.write(b'{"task": "c", "su')

    assert begin(file, how, resume=True) == [episode(), episode("b")]
    append(file, [episode("c")])
    assert [one.task for one in read(file)] == ["a", "b", "c"]


def test_a_file_of_another_run_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    append(file, [episode()])

    with pytest.raises(OtherRun, match="1 episodes: go on with --resume"):
        begin(file, How("m", "tools", "c0ffee"), resume=False)
    with pytest.raises(OtherRun, match="of commit c0ffee, and this is beef"):
        begin(file, How("m", "tools", "beef"), resume=True)


@needs_miniwob
def test_nothing_is_played_where_all_is_there(tmp_path: Path) -> None:
    arguments = parsed(["--suite", "miniwob", "--model", "m", "--out", str(tmp_path / "f"), "no-such-task"])

    assert run(arguments, how_of(arguments)) == []


@needs_miniwob
@pytest.mark.chrome
def test_a_missing_key_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(SystemExit, match="OPENAI_API_KEY"):
        main(["--suite", "miniwob", "--model", "openai/gpt-6-luna", "click-button"])


def test_the_mode_that_is_not_there_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(["--mode", "code"])

    assert "cdp-agent has no mode in which a model writes code" in capsys.readouterr().err


# Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_a_difference_by_chance_is_likely() -> None:
    assert [sign_test(0, 0), sign_test(1, 1), sign_test(0, 5)] == [1, 1, 0.0625]


def test_the_summary_names_what_was_not_solved() -> None:
    failed = episode("b", solved=False, kind="unsolved", why="no | order")
    skipped = episode("c", solved=False, kind="skipped", why="MLflow: no pip")

    told = summary([episode(cost=0.5), failed, skipped])

    assert "| own | 2 | 1 of 2, 50% (9–91) | 4 | 6 | 1,000 | 0.00 | 0.00 |  | 0 |" in told
    assert "| unsolved | 1 | unsolved, seed 0: no / order |" in told
    assert "| own/c | 0 of 1 | skipped, seed 0: MLflow: no pip |" in told


def test_two_runs_stand_beside_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    append(before, [episode(solved=False, kind="stuck"), episode("b", turns=8), episode("only-here")])
    append(after, [episode(commit="beef"), episode("b", commit="beef")])

    main(["--compare", str(before), str(after)])

    told = capsys.readouterr().out
    assert "| solved (95 %) | 1 of 2, 50% (9–91) | 2 of 2, 100% (34–100) |" in told
    assert "| turns | 6.00 | 4.00 |" in told
    assert "Solved only in the first: none. Solved only in the second: own/a." in told
    assert compared([episode()], []) == "No episode is in both files."


@pytest.mark.parametrize(
    ("view", "password"),
    [
        ("- paragraph: Secret Password: DATE_MASTER_2024", "DATE_MASTER_2024"),
        ('- text: "Password:"\n- text: waitForIt2023', "waitForIt2023"),
        ("The secret password is: PRECISEMOTION", "PRECISEMOTION"),
    ],
)
def test_the_password_is_found(view: str, password: str) -> None:
    assert password_in(f"{view}\n- button") == password
