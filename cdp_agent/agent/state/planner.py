"""Plans a run: its criteria of success and its steps, before anything is done, and revisions when they prove wrong."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from cdp_agent.agent.base.task import Plan
from cdp_agent.agent.model import prompts
from cdp_agent.agent.state.conversation import Question
from cdp_agent.errors import ActionError, InvalidArguments
from cdp_agent.events import PlanRevised
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.tools.addresses import complete_address
from cdp_agent.tools.base import Arguments, Context, Observation, Tool, answer_tool, tool

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run

MAX_REVISIONS = 3
LONGEST_PLAN = 10_000
"""In characters. The plan is part of the request of every turn."""
MOST_ITEMS = 50

_SYSTEM = """\
You plan how another model will carry out a user's task with a real web browser. Today is {today}.

Success criteria: what has to be true, and what the answer has to contain, for the task to count as done. Take every \
condition of the task (numbers, dates with their year, places, order) into them, and add none of your own.

Plan: a few steps in Markdown, as goals ("find the cheapest direct flight"), not as clicks: nobody has seen the pages \
yet. Say what to do when the obvious way fails. What is booked or scheduled lies in the future unless the task says \
otherwise. Do not invent facts, names or addresses of pages inside of a site.

Impossible is only what no page could change: the task contradicts itself, asks for what a browser cannot do, or goes \
against the user's limits. Say why then, and leave the rest empty. What may merely fail is planned.

Answer by calling create_plan.{guardrails}"""
_BEGINS_AT = "The browser will be at {url} at the beginning."
_NAME_ADDRESS = """\
The browser begins with a blank page and cannot search the web by itself, so give the address to begin at: the site \
that the task names, else the one where a person would begin, such as a search engine."""
_ADDRESS_OR_SEARCH = """\
The browser begins with a blank page and can search the web (web_search). Give the address to begin at only when you \
are sure of it, such as a site that the task names; else give none, and begin the plan with what to search for."""


PLANNED_AFTER = 4
"""So many turns a task may take without a plan, with plan="auto"."""
_LONGEST_TASK = 40
"""In tokens: a task that is longer is planned."""
_SEVERAL = re.compile(
    r"[;\n•、，然并后]|[.!?…]\s+\S|[。！？]\s*\S|,.*,|(?:\d.*?){3}(?<!\d)\d|\b(?:and|or|then|after|before|until|if|unless|each"
    r"|every|all|both|compare|und|oder|dann|wenn|jede\w*|alle|vergleiche|og|eller|så|hvis|hver|y|o|cada|et|ou|puis"
    r"|but|not|never|don.t|without|stop|pause|wait|ask|confirm\w*|approv\w*|permission|aber|ohne|nicht|kein\w*|frag\w*"
    r"|halt\w*|warte\w*|bestätig\w*|men|uten|ikke|spør\w*|stopp\w*|vent\w*|pero|sin|pregunt\w*|mais|sans|demand\w*)\b",
    re.IGNORECASE,
)
"""What a task may have that is more than one question or act, or a limit to it, such as to ask before. Its words only
have more tasks planned."""


_Criteria = Annotated[str, Meta(description="What has to be true, and in the answer, for success.")]
_Steps = Annotated[str, Meta(min_length=1, description="The plan, in Markdown.")]
_PlanSteps = Annotated[str, Meta(description="The plan, in Markdown.")]
_Items = Annotated[list[str] | None, Meta(description="The steps as titles of three to six words, for people.")]


def _check_length(success_criteria: str, plan: str, items: list[str] | None) -> None:
    written = {"success_criteria": success_criteria, "plan": plan, "action_items": "\n".join(items or ())}
    for name, text in written.items():
        if len(text) > LONGEST_PLAN:
            raise ValueError(f"{name} has {len(text):,} characters, and {LONGEST_PLAN:,} is the most: give goals only")
    if items is not None and len(items) > MOST_ITEMS:
        raise ValueError(f"action_items are {len(items):,}, and {MOST_ITEMS} is the most: give the main ones")


class PlanArguments(Arguments, frozen=True):
    success_criteria: _Criteria
    plan: _PlanSteps
    action_items: _Items = None
    impossible: Annotated[str | None, Meta(description="Why the task cannot be done, only then.")] = None

    def __post_init__(self) -> None:
        if (self.impossible or "").strip():
            return
        empty = [name for name in ("success_criteria", "plan") if not getattr(self, name).strip()]
        if empty:
            raise ValueError(f"{empty[0]} is empty, so impossible has to say why")
        _check_length(self.success_criteria, self.plan, self.action_items)


class PlanAndStartArguments(PlanArguments, frozen=True):
    url: Annotated[str | None, Meta(description="The address to begin at.")] = None


class RevisePlanArguments(Arguments, frozen=True):
    reason: Annotated[str, Meta(min_length=1, description="What was found that the plan did not foresee.")]
    plan: _Steps
    action_items: _Items = None

    def __post_init__(self) -> None:
        _check_length("", self.plan, self.action_items)


_NAMED = "create_plan", "Say what counts as success, and how to get there."
_PLAN, _PLAN_AND_START = answer_tool(*_NAMED, PlanArguments), answer_tool(*_NAMED, PlanAndStartArguments)


def is_planned(run: Run, *, at_page: bool) -> bool:
    """Whether the run begins with a plan. With plan="auto", one question or act on a given page needs none."""
    task = run.task
    if run.options.plan != "auto":
        return run.options.plan == "always"
    is_short = tokens(task.text) <= _LONGEST_TASK and not _SEVERAL.search(task.text.strip())
    return not (is_short and at_page and task.input_data is None and task.form is None)


async def plan_if_long(run: Run) -> None:
    """Plans a run that was begun without a plan, once it takes more turns than one question does. Raises ModelError."""
    if run.options.plan != "auto" or run.plan is not None or run.usage.steps < PLANNED_AFTER:
        return
    plan = run.plan = await make_plan(run)
    if plan.impossible:
        run.give_up(plan.impossible)
        return
    run.history.add_user_message(plan.text)
    run.emit(PlanRevised(**run.stamp, plan=plan.plan, action_items=plan.action_items))


async def make_plan(run: Run) -> Plan:
    """The plan for the run's task. Raises ModelError."""
    task = run.task
    question = prompts.task(task.text, task.input_data, secrets=task.secrets.listed())
    if task.url is not None:
        question += "\n\n" + _BEGINS_AT.format(url=task.url)
    elif not run.usage.steps:
        question += "\n\n" + (_ADDRESS_OR_SEARCH if "web_search" in run.tools else _NAME_ADDRESS)
    system = _SYSTEM.format(today=prompts.written(date.today()), guardrails=prompts.limits(task.guardrails))
    tool = _PLAN if task.url is not None or run.usage.steps else _PLAN_AND_START

    async def compose(first: bool) -> Question:
        return Question(question)

    found = await run.conversation(system).ask_for(compose, tool, PlanArguments, "planning")
    url = found.url if isinstance(found, PlanAndStartArguments) else None
    impossible = (found.impossible or "").strip()
    return Plan(found.success_criteria, found.plan, found.action_items or [], _address(url), impossible)


def _address(url: str | None) -> str | None:
    try:
        return complete_address(url) if url and url.strip() else None
    except InvalidArguments:  # a name in place of an address: the run begins with a blank page
        return None


def revising(run: Run) -> Tool:
    """The tool with which the model revises the run's plan, at most MAX_REVISIONS times."""

    @tool(read_only=True)
    async def revise_plan(args: RevisePlanArguments, context: Context) -> Observation:
        """Replace the plan when what you found shows that it cannot work. The criteria of success stay."""
        if run.revisions >= MAX_REVISIONS:
            raise ActionError(f"The plan was revised {MAX_REVISIONS} times already: go on with it, or end the task.")
        run.revisions += 1
        plan = run.plan or Plan("", "")
        run.plan = msgspec.structs.replace(plan, plan=args.plan, action_items=args.action_items or [])
        return Observation(f"The plan is revised. {MAX_REVISIONS - run.revisions} revisions are left.", run.plan)

    return revise_plan
