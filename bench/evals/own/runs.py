"""MLflow, with an experiment of thirty runs; judged by what its API says afterwards."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from bench.cache import python_in, python_packages
from bench.evals.own.case import Episode, Site, own, quoted
from bench.evals.task import Play
from bench.server import serving_itself
from tests.ports import free_port

PROGRAM = Path(__file__).parent / "apps/mlflow_server.py"
OPTIMIZERS = ["adam", "sgd", "lion"]
BEGAN_MS = 1_767_225_600_000


@contextmanager
def runs(folder: Path, rng: random.Random) -> Iterator[Site]:
    """The experiment "tuning" with thirty runs, and an empty one."""
    python = str(python_in(python_packages("mlflow==3.17.2")))
    with serving_itself(python, str(PROGRAM), str(folder), str(free_port()), cwd=folder) as url:
        experiment = ask(url, "experiments/create", {"name": "tuning"})["experiment_id"]
        ask(url, "experiments/create", {"name": "scratch"})
        accuracies = rng.sample(range(500, 990), 30)
        for number, accuracy in enumerate(accuracies):
            _run(
                url, experiment, f"run-{number:02}", rng.choice(OPTIMIZERS), accuracy / 1000, rng.randint(5, 300) / 100
            )
        yield Site(url, folder, experiment)


RUNS = ("MLflow", runs)


def ask(url: str, method: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer of MLflow's REST API."""
    request = Request(f"{url}/api/2.0/mlflow/{method}", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request) as reply:
        return dict(json.load(reply))


def _run(url: str, experiment: str, name: str, optimizer: str, accuracy: float, loss: float) -> None:
    began = {"experiment_id": experiment, "run_name": name, "start_time": BEGAN_MS}
    run = ask(url, "runs/create", began)["run"]["info"]["run_id"]
    metrics = [
        {"key": key, "value": value, "timestamp": BEGAN_MS, "step": 0}
        for key, value in (("accuracy", accuracy), ("loss", loss))
    ]
    params = [{"key": "optimizer", "value": optimizer}]
    ask(url, "runs/log-batch", {"run_id": run, "metrics": metrics, "params": params})
    ask(url, "runs/update", {"run_id": run, "status": "FINISHED", "end_time": BEGAN_MS + 60_000})


def _choice(rng: random.Random) -> dict[str, str]:
    return {
        "optimizer": rng.choice(OPTIMIZERS),
        "name": rng.choice(["spring models", "night shift", "baseline"]),
        **dict(zip(("run", "other"), (f"run-{number:02}" for number in rng.sample(range(30), 2)), strict=True)),
        "stage": rng.choice(["chosen", "rejected", "to be seen"]),
    }


def runs_left(site: Site) -> list[dict[str, Any]]:
    """All runs that are not deleted, with their parameters and metrics by name."""
    answer = ask(site.url, "runs/search", {"experiment_ids": [site.server], "max_results": 100})
    return [
        {"name": run["info"]["run_name"]}
        | {
            entry["key"]: entry["value"]
            for kind in ("params", "metrics", "tags")
            for entry in run["data"].get(kind, [])
        }
        for run in answer["runs"]
    ]


async def _open(play: Play) -> None:
    """The table of the experiment's runs."""
    await play.call("click", ref=play.ref('button "Model training"'))
    await play.call("click", ref=play.ref('link "tuning"'))
    await play.call("wait_for", text="run-")
    await play.look()


async def _best_told(episode: Episode) -> str:
    alike = [run for run in runs_left(episode.site) if run["optimizer"] == episode.asked["optimizer"]]
    best = max(alike, key=lambda run: run["accuracy"])["name"]
    return "" if best in episode.answer else f"it is {best}"


@own(
    "runs_best",
    RUNS,
    "Of the runs of the experiment 'tuning' with the optimizer '{optimizer}', which has the highest accuracy?",
    _best_told,
    asked=_choice,
)
async def best(play: Play) -> None:
    """By a filter in the language of the program, and its order."""
    await _open(play)
    query = f"params.optimizer = '{quoted(play)[1]}'"
    await play.call("fill", ref=play.ref('combobox "metrics'), value=query, submit=True)
    await play.call("click", ref=play.ref('button "Sort: Created"'))
    await play.call("click", ref=play.ref('menuitemcheckbox "accuracy"'))
    await play.look()
    first = play.view.partition('link "run-')[2][:2]
    await play.answer(f"It is run-{first}.")


async def _tagged(episode: Episode) -> str:
    tagged = {run["name"]: run["stage"] for run in runs_left(episode.site) if "stage" in run}
    wanted = {episode.asked["run"]: episode.asked["stage"]}
    return "" if tagged == wanted else f"the tags are {tagged}"


@own(
    "runs_tag",
    RUNS,
    "Give the run '{run}' of the experiment 'tuning' the tag 'stage' with the value '{stage}'.",
    _tagged,
    asked=_choice,
)
async def tag(play: Play) -> None:
    run, _, key, value = quoted(play)
    await _open(play)
    await play.call("click", ref=play.ref(f'link "{run}"'))
    await play.call("click", ref=play.ref("button.*Add tags"))
    await play.call("select", ref=play.ref("combobox", near="text: Type a key"), value=key)
    await play.call("fill", ref=play.ref('textbox "Value'), value=value)
    await play.call("click", ref=play.ref('button "Add tag"'))
    await play.call("click", ref=play.ref('button "Save tags"'))
    await play.answer(f"It has the tag: {play.seen(f'{key}.*{value}')}")


async def _deleted(episode: Episode) -> str:
    gone = {f"run-{number:02}" for number in range(30)} - {run["name"] for run in runs_left(episode.site)}
    wanted = {episode.asked[name] for name in ("run", "other")}
    return "" if gone == wanted else f"{sorted(gone)} are gone"


@own(
    "runs_delete",
    RUNS,
    "Delete the runs '{run}' and '{other}' of the experiment 'tuning'.",
    _deleted,
    asked=_choice,
)
async def delete(play: Play) -> None:
    *names, _ = quoted(play)
    await _open(play)
    for name in names:
        await play.call("check", ref=play.ref('checkbox ".*row selection', near=f'link "{name}"'))
    await play.call("click", ref=play.ref('button "Delete"'))
    await play.call("click", ref=play.ref('button "Delete selected"'))
    await play.answer("Both are deleted.")


async def _renamed(episode: Episode) -> str:
    names = {run["name"] for run in runs_left(episode.site)}
    wanted = {f"run-{number:02}" for number in range(30)} - {episode.asked["run"]} | {episode.asked["name"]}
    return "" if names == wanted else f"the names are {sorted(names ^ wanted)}"


@own("runs_rename", RUNS, "Rename the run '{run}' of the experiment 'tuning' to '{name}'.", _renamed, asked=_choice)
async def rename(play: Play) -> None:
    run, _, name = quoted(play)
    await _open(play)
    await play.call("click", ref=play.ref(f'link "{run}"'))
    await play.call("click", ref=play.ref('button "Open header dropdown menu'))
    await play.call("click", ref=play.ref('menuitem "Rename"'))
    await play.call("fill", ref=play.ref('textbox ".*[Nn]ame'), value=name)
    await play.call("click", ref=play.ref('button "(Save|Rename)"'))
    await play.answer(f"It is called {name}.")
