"""Calls on a small page: evaluate, click, fill, and a form of six fields with a click at the end."""

from __future__ import annotations

from bench.drivers.process import DriverProcess
from bench.pages import Served, opened
from bench.peers import Peer

from . import figures
from .run import Bench

_FIELDS = ("Name", "E-mail", "Street", "City", "Country", "Phone")


def measure(bench: Bench, served: Served) -> None:
    page = served.page.name

    def work(peer: Peer, driver: DriverProcess) -> None:
        bench.row(figures.EVALUATE, page, peer.name, driver, "evaluate", expression="1")
        bench.row(figures.CLICK, page, peer.name, driver, "click", name="Send")
        bench.row(figures.FILL, page, peer.name, driver, "fill", name="Name", value="Ada")
        values = dict.fromkeys(_FIELDS, "Ada too")
        bench.row(figures.FORM, page, peer.name, driver, "form", values=values, button="Send")

    with opened(bench.endpoint, served):
        bench.in_shifts("calls", served.url, work)
