"""Ten questions about what a page has, answered with the tools that ask no model, and with extract instead.

The model is scripted: it plans, calls the tools that are written down here, answers with what they said, and judges
the answer. Where a page is to be extracted from, it reads without a fault. So what is counted is what each way costs,
not how well a model chooses: its calls, and the tokens of all message texts that it is sent, by our own upper bound
(cdp_agent.page.snapshot.budget.tokens). The answers are held against what the page itself says by JavaScript.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Sequence
from typing import Any, Literal, Self

import msgspec

from bench import raw
from bench.chrome import running_chrome
from bench.options import keep, options
from bench.pages import Served, named, opened, serve_all
from bench.report import Machine, table, this_machine
from cdp_agent import Agent, Browser, Limits, Page
from cdp_agent.page.snapshot.budget import tokens
from fixtures.replay import ReplayServer, reply, tool_call

LEFT_OUT = "… left out: "
Call = tuple[str, dict[str, Any]]
Way = Literal["free", "extract"]


class Question(msgspec.Struct, frozen=True):
    """`calls`: the free tools, one after the other; `answer`: what in their last result is it; `truth`: JavaScript."""

    page: str
    text: str
    calls: list[Call]
    answer: Literal["count", "presence", "address"]
    truth: str


def _how_many(page: str, text: str, selector: str) -> Question:
    truth = f"document.querySelectorAll({json.dumps(selector)}).length"
    return Question(page, text, [("find_elements", {"selector": selector})], "count", truth)


def _is_there(page: str, text: str, *spellings: str) -> Question:
    """With every further spelling that is tried before the answer is no."""
    has = f"{json.dumps(spellings)}.some(word => document.body.innerText.toLowerCase().includes(word.toLowerCase()))"
    return Question(
        page, text, [("search_page", {"pattern": each}) for each in spellings], "presence", f"{has} ? 'yes' : 'no'"
    )


def _leads_to(page: str, text: str, selector: str) -> Question:
    call = ("find_elements", {"selector": selector, "attributes": ["href"]})
    return Question(page, text, [call], "address", f"document.querySelector({json.dumps(selector)}).href")


QUESTIONS = [
    _how_many("todo examples", "How many examples are linked?", "a[href*='examples/']"),
    _leads_to("kitchen sink", "Where does the link “viewport” lead?", "a[href$='/viewport']"),
    _how_many("admin table", "How many books are listed?", "#result_list tbody tr"),
    _is_there("admin table", "Is “Book 058” on the page?", "Book 058"),
    _how_many("reference page", "How many functions are described?", "dl.function > dt"),
    _is_there("reference page", "Is “PYTHONCASEOK” on the page?", "PYTHONCASEOK"),
    _is_there("long reference", "Is “removewhitespace” on the page?", "removewhitespace", "remove_whitespace"),
    _leads_to("long reference", "Where does “decimal.Decimal” lead?", "a.reference[href$='#decimal.Decimal']"),
    _how_many("index page", "How many entries lead to the module zipfile?", "a[href*='library/zipfile.html']"),
    _leads_to("index page", "Where does the entry “removesuffix() (str method)” lead?", "a[href$='#str.removesuffix']"),
]


class Cost(msgspec.Struct, frozen=True):
    answer: str
    calls: int
    prompt_tokens: int


class Row(msgspec.Struct, frozen=True):
    page: str
    elements: int
    cut: bool
    """Whether the snapshot that the agent begins with leaves some of the page out."""
    question: str
    truth: str
    free: Cost
    extract: Cost


class Result(msgspec.Struct, frozen=True):
    machine: Machine
    rows: list[Row]
    not_measured: dict[str, str]


class Reader(ReplayServer):
    """Makes the calls, then answers with what the last of them said; `fact` is what it reads in a page to extract."""

    def __init__(self, question: Question, way: Way, fact: str) -> None:
        calls = question.calls if way == "free" else [("extract", {"description": question.text})]
        super().__init__(replies=[tool_call(name, arguments) for name, arguments in calls])
        self._kind = question.answer if way == "free" else "text"
        self._fact = fact
        self._steps = len(calls)

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def answer(self, request: dict[str, Any]) -> bytes:
        if not request.get("tools"):  # only an extraction offers none
            self.requests.append(request)
            return reply(text=self._fact)
        if len(self.turns) == self._steps and len(request["tools"]) > 1:
            said = next(each["content"] for each in reversed(request["messages"]) if each["role"] == "tool")
            self._replies.append(tool_call("done", {"result": _told(self._kind, said)}))
        return super().answer(request)

    @property
    def prompt_tokens(self) -> int:
        return sum(tokens(text) for request in self.requests for text in _texts(request))


def _told(kind: str, said: str) -> str:
    """The answer in what a tool said."""
    total = re.search(r"^(\d+) (?:element|match)", said, re.MULTILINE)
    if kind == "count":
        return total[1] if total else "0"
    if kind == "presence":
        return "yes" if total else "no"
    found = re.search(r" href=(\S+)" if kind == "address" else r">\n(.*)\n", said)
    return found[1] if found else said


def _texts(request: dict[str, Any]) -> list[str]:
    """All that the messages say, calls included; not the tools' schemas."""
    texts: list[str] = []
    for message in request["messages"]:
        content = message.get("content") or ""
        texts += [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        texts += [each["function"]["arguments"] for each in message.get("tool_calls", ())]
    return texts


async def ask(browser: Browser, page: Page, question: Question, way: Way, fact: str) -> Cost:
    with Reader(question, way, fact) as model:
        agent = Agent(browser, model="openai-compatible/scripted", base_url=model.base_url)
        result = await agent.run(question.text, page=page)
        answer = str(result.answer) if result.success else f"failed: {result.error}"
        return Cost(answer, len(model.requests), model.prompt_tokens)


async def measure(endpoint: str, served: Served, questions: Sequence[Question]) -> list[Row]:
    """All questions about one page."""
    rows = []
    with opened(endpoint, served) as (tab, elements):
        browser = await Browser.connect(endpoint)
        try:
            url = tab.evaluate("location.href")
            page = next(page for page in browser.pages if page.url == url)
            for question in questions:
                truth = str(tab.evaluate(question.truth))
                free = await ask(browser, page, question, "free", truth)
                extract = await ask(browser, page, question, "extract", truth)
                cut = LEFT_OUT in (await page.snapshot(budget_tokens=Limits().observation_tokens)).text
                rows.append(Row(served.page.name, elements, cut, question.text, truth, free, extract))
        finally:
            await browser.close()
    return rows


def run() -> Result:
    rows: list[Row] = []
    asked = list(dict.fromkeys(question.page for question in QUESTIONS))
    with serve_all(named(asked)) as (pages, not_measured), running_chrome() as endpoint:
        for served in pages:
            print(f"{served.page.name} …", file=sys.stderr)
            questions = [each for each in QUESTIONS if each.page == served.page.name]
            rows += asyncio.run(measure(endpoint, served, questions))
        return Result(this_machine(raw.version(endpoint)), rows, not_measured)


def wrong(rows: Sequence[Row]) -> list[str]:
    """The answers that the page does not bear out."""
    return [
        f"{row.page}: {row.question} {cost.answer!r} {way}, but it is {row.truth!r}"
        for row in rows
        for way, cost in (("with the free tools", row.free), ("with extract", row.extract))
        if cost.answer != row.truth
    ]


def written(result: Result) -> str:
    """The table for people."""
    heads = ["question", "page", "answer", "snapshot", "calls, free tools", "calls, extract"]
    heads += ["prompt tokens, free tools", "prompt tokens, extract", "ratio"]
    rows = [
        [
            row.question,
            f"{row.page}, {row.elements:,} elements",
            re.sub(r"^http://[^/]+", "", row.truth),
            "cut" if row.cut else "whole",
            *_costs(row.free.calls, row.extract.calls, row.free.prompt_tokens, row.extract.prompt_tokens),
        ]
        for row in result.rows
    ]
    free, extract = [row.free for row in result.rows], [row.extract for row in result.rows]
    calls = sum(each.calls for each in free), sum(each.calls for each in extract)
    prompts = sum(each.prompt_tokens for each in free), sum(each.prompt_tokens for each in extract)
    rows.append(["**all**", "", "", "", *_costs(*calls, *prompts)])
    notes = [
        "Calls and tokens of whole runs: planning and judging (one call each) are in both. Snapshot: whether the agent "
        "is shown the whole page anyway, so that it needs neither way. Tokens: all message texts of all requests, by "
        "`budget.tokens`, an upper bound; the tools' schemas are not counted. The model is scripted: it "
        "calls the tools that are named, and reads what it is to extract without a fault.",
        *(f"Not measured: {name}: {why}" for name, why in result.not_measured.items()),
        str(result.machine),
    ]
    return "\n\n".join([table(heads, rows), *notes])


def _costs(free_calls: int, calls: int, free_tokens: int, prompt_tokens: int) -> list[str]:
    ratio = f"{prompt_tokens / free_tokens:.1f}×"
    return [str(free_calls), str(calls), f"{free_tokens:,}", f"{prompt_tokens:,}", ratio]


def main() -> None:
    arguments = options(__doc__).parse_args()
    result = run()
    keep(result, arguments.json)
    print(written(result) if result.rows else "Nothing was measured.")
    for reason in (mistakes := wrong(result.rows)):
        print(f"wrong: {reason}", file=sys.stderr)
    if mistakes or result.not_measured:
        sys.exit(1)


if __name__ == "__main__":
    main()
