"""One call at a time on a small page: evaluate, click, fill, and a form of six fields with a click at the end."""

from __future__ import annotations

from typing import Any

from bench.drivers.process import DriverProcess
from bench.pages import Served, opened
from bench.peers import Peer

from . import figures
from .run import Bench

FIELDS = ("Name", "E-mail", "Street", "City", "Country", "Phone")
_EVALUATIONS = 5


def measure(bench: Bench, served: Served) -> None:
    page = served.page.name

    def work(peer: Peer, driver: DriverProcess) -> None:
        def note(what: str, answer: dict[str, Any]) -> None:
            # Settling is waiting for the page, not work: where a library tells the two apart, so do we.
            bench.note(what, page, peer.name, "ms", answer.get("acted_ms", answer["ms"]))
            if "settled_ms" in answer:
                bench.note(what + figures.SETTLING, page, peer.name, "ms", answer["settled_ms"])

        one_round(driver, "warm-up")
        for turn in bench.pace.turns():
            for what, answers in one_round(driver, f"Ada {turn}").items():
                for answer in answers:
                    note(what, answer)

    with opened(bench.endpoint, served):
        bench.in_shifts("calls", served.url, work)


def one_round(driver: DriverProcess, value: str) -> dict[str, list[dict[str, Any]]]:
    return {
        figures.EVALUATE: [driver.do("evaluate", expression="1") for _ in range(_EVALUATIONS)],
        figures.CLICK: [driver.do("click", name="Send")],
        figures.FILL: [driver.do("fill", name="Name", value=value)],
        figures.FORM: [driver.do("form", values=dict.fromkeys(FIELDS, f"{value} too"), button="Send")],
    }
