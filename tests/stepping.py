"""Runs by steps: a search page, and models over HTTP that say what a test wants."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.agent.agent import Agent
from cdp_agent.browser import Browser
from cdp_agent.events import Event
from cdp_agent.page.page import Page
from cdp_agent.step_events import StepResolved
from fixtures.replay import fill_refs, newest_page
from tests.agents import of
from tests.chat_model import Model
from tests.writing import write

HOME = """<title>Search</title><h1>Search</h1><form action="/results" role=search>
<input name=q aria-label="Search" placeholder="Search the web"><button>Search</button></form>"""
RESULTS = """<title>{q} - Search</title>
<form action="/results" role=search><input name=q aria-label="Search">
<button>Search</button></form><h2>Results</h2><ol><li><a href="/page/1">All about {q}</a> The first of 42 results
<li><a href="/page/2">{q} in pictures</a></ol>"""
ARTICLE = """<title>All about cats</title><h1>All about cats</h1><p>A cat sleeps 13 hours a day.
<form method=post action="/order"><label>Name <input name=who></label><button>Order a cat</button></form>"""
ORDERED = "<title>Ordered</title><h1>Thank you</h1><p>Order number K-81."
TASK = "Search for cats"
STEPS = [
    "Open a new tab with {home}",
    "Click on the search input box",
    "Type 'cats' in the search box",
    "Click the search button or press Enter",
]


class Site:
    """The search page at `home`; `ordered` are the bodies of the orders."""

    def __init__(self, server: HTTPServer) -> None:
        self.home = server.url_for("/home")
        self.article = server.url_for("/page/1")
        self.ordered: list[str] = []
        server.expect_request("/home").respond_with_data(HOME, content_type="text/html")
        server.expect_request("/results").respond_with_handler(self._results)
        server.expect_request("/page/1").respond_with_data(ARTICLE, content_type="text/html")
        server.expect_request("/order", method="POST").respond_with_handler(self._order)

    @property
    def steps(self) -> list[str]:
        return [step.format(home=self.home) for step in STEPS]

    async def open(self, page: Page, *, article: bool = False) -> None:
        """Has the page show `home`, or the article, to which it goes only from elsewhere."""
        url, content = (self.article, ARTICLE) if article else (self.home, HOME)
        if page.url.startswith(self.home.removesuffix("/home")):
            await page.evaluate(f"history.replaceState(null, '', {url!r})")
            await write(page, content)
        else:
            await page.goto(url)

    def _results(self, request: Request) -> Response:
        return Response(RESULTS.format(q=request.args.get("q", "")), content_type="text/html")

    def _order(self, request: Request) -> Response:
        self.ordered.append(request.get_data(as_text=True))
        return Response(ORDERED, content_type="text/html")


class Models(Model):
    """Planner and executor at one address, told apart by their names; each has its replies in order.

    A reply is a tool with its arguments, in which `{{ref:role name}}` is the ref of that element on the page shown.
    """

    def __init__(
        self,
        server: HTTPServer,
        planner: Sequence[tuple[str, dict[str, Any]]] = (),
        executor: Sequence[tuple[str, dict[str, Any]] | str] = (),
    ) -> None:
        super().__init__(server)
        self._left: dict[str, list[Any]] = {"planner": list(planner), "executor": list(executor)}
        self.says = self._next

    def asked(self, who: str) -> list[dict[str, Any]]:
        """The requests to that model."""
        return [each for each in self.requests if each["model"] == who]

    def read(self, who: str, turn: int) -> str:
        """All that it read in that request, from 1."""
        return (
            json.dumps(self.asked(who)[turn - 1]["messages"], ensure_ascii=False)
            .replace("\\n", "\n")
            .replace('\\"', '"')
        )

    def agent(self, browser: Browser, *, planner: bool = True, executor: bool = False, **options: Any) -> Agent:
        if planner:
            options["planner"] = "openai-compatible/planner"
        if executor:
            options["executor"] = "openai-compatible/executor"
        return Agent(browser, base_url=self.url, **options)

    def _next(self, body: dict[str, Any]) -> str | dict[str, Any] | tuple[int, Any]:
        said = self._left[body["model"]].pop(0)
        if isinstance(said, str):
            return fill_refs(said, newest_page(body))
        name, arguments = said
        return {"name": name, "arguments": fill_refs(json.dumps(arguments), newest_page(body))}


def plan(*steps: str, message: str = "I do it.") -> tuple[str, dict[str, Any]]:
    return "propose_steps", {"needs_steps": True, "steps": list(steps), "message": message}


def answer(message: str) -> tuple[str, dict[str, Any]]:
    return "propose_steps", {"needs_steps": False, "steps": [], "message": message}


def move(action: str) -> tuple[str, dict[str, Any]]:
    return "next_step", {"needs_action": True, "action": action, "message": "", "reasoning": "It is next."}


def finish(message: str) -> tuple[str, dict[str, Any]]:
    return "next_step", {"needs_action": False, "message": message}


def verdict(message: str, *, completed: bool = True) -> tuple[str, dict[str, Any]]:
    return "verify", {"task_completed": completed, "message": message}


async def every(events: AsyncGenerator[Event, None]) -> list[Event]:
    return [event async for event in events]


def resolved(events: Sequence[Event]) -> list[tuple[int, str, str]]:
    """Each step's number, who told what it is, and the tool."""
    return [(each.number, each.by, each.tool) for each in of(events, StepResolved)]


def deciding(*decisions: object) -> Callable[[object], object]:
    """A callback that decides so, one after the other; `asks` are the questions that it got."""
    left = list(decisions)
    asks: list[object] = []

    def decide(ask: object) -> object:
        asks.append(ask)
        return left.pop(0)

    decide.asks = asks  # type: ignore[attr-defined]  # for the test to look at
    return decide
