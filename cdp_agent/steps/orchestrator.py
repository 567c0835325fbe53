"""The planner: from a request and the page to steps in plain English, all at once or one at a time."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated, TypeVar

import msgspec
from msgspec import Meta

from cdp_agent.agent import prompts
from cdp_agent.agent.asking import ask_for
from cdp_agent.agent.looking import look
from cdp_agent.agent.place import BLANK
from cdp_agent.agent.vision import give_up_pictures, tell_picture
from cdp_agent.errors import ActionError, BrowserError, ModelError, ProtocolError
from cdp_agent.events import AgentStatus
from cdp_agent.providers.base import Image
from cdp_agent.providers.errors import is_of_pictures
from cdp_agent.providers.fence import fence
from cdp_agent.steps.outputs import told
from cdp_agent.tools.base import Arguments, Tool, only_asked_for

if TYPE_CHECKING:
    from cdp_agent.steps.work import Work

_A = TypeVar("_A", bound=Arguments)
_HTML_TOKENS = 5_000
_SHOWN_CHARS = 200
_STEPS = """\
How a step is written: one act, in plain English, for someone who sees the page as it is then, but not your plan. No \
tool syntax, no selectors, no refs.
- Quote what is to be typed, and names as the page shows them: "Type 'cats' into the 'Search' box", "Click the 'Save' \
button", "Select 'Oslo' in 'City'", "Press Enter", "Open https://example.com", "Wait until 'Welcome' appears".
- Where names are the same, say which: "Click the first link in the 'Results' list", "Click 'Delete' in the row 'Ada'".
- Earlier results may be referred to: "Open the address shown in step 2".
- Give addresses in full, and only such as the task or the page names, or the main page of a well-known site.
- Look at where the browser is before you send it somewhere: it may be there already. Go elsewhere in this tab unless \
another one is asked for.
- Do what the task asks and no more: do not sign up, buy, send or delete unless the task says so."""
_SYSTEM = f"""\
You plan how a user's request is carried out with a real web browser. Someone else carries the steps out, one after \
the other; the user sees them before. Today is {{today}}.

A request that needs no step, such as a question that the page below answers, you answer at once: needs_steps is \
false, and the message is the answer. When you cannot know what the user wants, ask in ask_user. Else needs_steps is \
true, the steps say all that is to be done in order, and the message tells the user briefly what you are going to do.

{_STEPS}
- When what was asked for has to be read off a page at the end, let the last step wait until it is there.

{prompts.DATA_ONLY}{{guardrails}}"""
_ONE_BY_ONE = f"""\
You carry out a user's request with a real web browser, one step at a time: you say the next step, someone else \
carries it out, and you look again. Today is {{today}}.

Judge afresh each time what the page shows now, not what it should show. What failed is not tried in the same way \
again. needs_action is true while something is left to do: then the action is the next step. When everything that was \
asked for is done or shown, needs_action is false and the message is the whole answer, by what the pages showed. When \
something is unclear that only the user can know, ask in ask_user.

{_STEPS}

{prompts.DATA_ONLY}{{guardrails}}"""
_BLANK_PAGE = "The browser is at a blank page."
_ANSWER_FORM = "The message that is the answer must be JSON that fits this schema:\n{form}"


class StepsArguments(Arguments, frozen=True):
    needs_steps: Annotated[bool, Meta(description="Whether anything has to be done in the browser.")]
    steps: Annotated[list[str], Meta(description="The steps in order; none when needs_steps is false.")] = []
    message: Annotated[str, Meta(description="The answer, or what you are going to do, to the user.")] = ""
    ask_user: Annotated[str | None, Meta(description="A question that only the user can answer.")] = None

    def __post_init__(self) -> None:
        if self.needs_steps and not self.ask_user and not any(step.strip() for step in self.steps):
            raise ValueError("needs_steps is true, so steps has to name them")
        if not self.needs_steps and not self.ask_user and not self.message.strip():
            raise ValueError("needs_steps is false, so message has to be the answer")


class MoveArguments(Arguments, frozen=True):
    needs_action: Annotated[bool, Meta(description="Whether anything is left to do.")]
    action: Annotated[str | None, Meta(description="The next step, in plain English.")] = None
    message: Annotated[str, Meta(description="The answer when nothing is left to do, else a word to the user.")] = ""
    ask_user: Annotated[str | None, Meta(description="A question that only the user can answer.")] = None
    reasoning: Annotated[str, Meta(description="Why this is next, in a sentence or two.")] = ""

    def __post_init__(self) -> None:
        if self.needs_action and not self.ask_user and not (self.action or "").strip():
            raise ValueError("needs_action is true, so action has to say what to do")
        if not self.needs_action and not self.ask_user and not self.message.strip():
            raise ValueError("needs_action is false, so message has to be the answer")


_PROPOSE = only_asked_for("propose_steps", "Give the steps, or the answer when none are needed.", StepsArguments)
_NEXT = only_asked_for("next_step", "Give the next step, or the answer when nothing is left to do.", MoveArguments)


class View(msgspec.Struct, frozen=True):
    """The page as the planner gets it: in words, and in a picture where it sees."""

    text: str
    picture: Image | None = None


async def capture(work: Work) -> View:
    """The page as it is now. Raises BrowserError."""
    run = work.run
    if run.tabs.page.url == BLANK:
        return View(_BLANK_PAGE)
    match work.settings.planner_page:
        case "snapshot":
            seen, _ = await look(run, [], whole=True)
            text = seen.view or ""
        case "html":
            text = await _html(work)
        case _:
            text = f"The browser is at {run.tabs.page.url}."
    return View(run.secrets.mask(text), await take(work))


async def take(work: Work) -> Image | None:
    """A picture of what the window shows, for a model that sees; None where there is none to be had."""
    run = work.run
    if not run.sees or run.tabs.page.url == BLANK:
        return None
    from cdp_agent.page.screenshot import take_picture

    try:
        picture = await take_picture(run.tabs.page, hidden=run.secrets.spans if run.secrets else None)
    except (ActionError, ProtocolError, BrowserError) as error:
        run.tell(AgentStatus, message=f"No picture of the page: {error}")
        return None
    tell_picture(run, picture)
    return Image(picture.data, f"image/{picture.format}")


async def propose(work: Work, view: View, notes: list[str]) -> StepsArguments:
    """A plan for the request; `notes` are plans before this one with what was wrong, and what was answered."""
    question = "\n\n".join([*begins(work), view.text, *notes, "Answer by calling propose_steps."])
    system = with_limits(work, _SYSTEM)
    return await asked(work, system, question, _PROPOSE, StepsArguments, "planning", view.picture)


async def next_move(work: Work, view: View, notes: list[str]) -> MoveArguments:
    """The next step, or that nothing is left to do; `notes` are what was asked, answered and found missing."""
    done = "\n".join(work.done[-30:])
    parts = [
        *begins(work),
        "What was done so far:\n" + fence(done, "done so far") if done else "Nothing was done so far.",
        "What the steps gave:\n\n" + told(work.outputs, most_chars=_SHOWN_CHARS) if work.outputs else "",
        *notes,
        view.text,
        "Answer by calling next_step.",
    ]
    question = "\n\n".join(part for part in parts if part)
    return await asked(work, with_limits(work, _ONE_BY_ONE), question, _NEXT, MoveArguments, "planning", view.picture)


def previous(plan: StepsArguments) -> str:
    """A plan that was made before, as a note."""
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(plan.steps, 1))
    return f"Your plan was:\n{steps}"


def begins(work: Work) -> list[str]:
    """What every question begins with: what was said before, and the request with what comes with it."""
    task = work.run.task
    said = [f"{each.who}: {each.text}" for each in work.said]
    form = msgspec.json.format(msgspec.json.encode(task.form.source), indent=1).decode() if task.form else ""
    return [
        *(["Said before:\n" + "\n".join(said)] if said else []),
        prompts.task(task.text, task.input_data, secrets=task.secrets.listed()),
        *([_ANSWER_FORM.format(form=form)] if form else []),
    ]


def with_limits(work: Work, system: str) -> str:
    """A system prompt with the day, and what the user forbids."""
    return system.format(today=prompts.written(date.today()), guardrails=prompts.limits(work.run.task.guardrails))


async def asked(
    work: Work, system: str, question: str, tool: Tool, arguments: type[_A], operation: str, picture: Image | None
) -> _A:
    """The model's answer; without the picture when it takes none. Raises ModelError, OverBudget."""
    if picture is None:
        return await ask_for(work.run, system, question, tool, arguments, operation)
    try:
        return await ask_for(work.run, system, question, tool, arguments, operation, picture=picture)
    except ModelError as error:
        if not is_of_pictures(error):
            raise
        give_up_pictures(work.run, error)
    return await ask_for(work.run, system, question, tool, arguments, operation)


async def _html(work: Work) -> str:
    run = work.run
    page = run.tabs.page
    try:
        found = await page.clean_html(budget_tokens=_HTML_TOKENS)
    except ActionError as error:
        return prompts.unreadable(str(error))
    notice = f"\n… cut here: {found.cut:,} characters more." if found.cut else ""
    run.addresses.learn(found.text, page.url)
    return "The page now, as HTML:\n" + fence(
        f"Address: {page.url}\nTitle: {page.title}\n\n{found.text}{notice}", "page"
    )
