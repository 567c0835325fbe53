"""The planner: turns a request and the page into steps in plain English, all at once or one at a time."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.browser_state import BLANK
from cdp_agent.agent.state.conversation import Conversation, Question
from cdp_agent.agent.state.recovery import observe
from cdp_agent.errors import ActionError
from cdp_agent.page.snapshot.lines import heading
from cdp_agent.providers.base import Image
from cdp_agent.security.fence import fence
from cdp_agent.steps.flow.outputs import LINE_CHARS, format_outputs
from cdp_agent.tools.base import Arguments, Tool, answer_tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cdp_agent.steps.flow.step_run import StepRun
    from cdp_agent.steps.resolve.call import Output

_HTML_TOKENS = 5_000
_MAX_STEPS_SHOWN = 30
MOST_STEPS = 100
"""The most steps in a plan, since a person reads all of them before approving it."""
LONGEST_STEP = 20_000
"""In characters; long, since a step may contain a text to be typed."""
_STEPS = """\
How a step is written: one act, in plain English, for someone who sees the page as it is then, but not your plan. No \
tool syntax, no selectors, no refs.
- Quote what is to be typed, and names as the page shows them: "Type 'cats' into the 'Search' box", "Click the 'Save' \
button", "Select 'Oslo' in 'City'", "Press Enter", "Open https://example.com", "Wait until 'Welcome' appears".
- Where names are the same, say which: "Click the first link in the 'Results' list", "Click 'Delete' in the row 'Ada'".
- A step may refer to what an earlier one gave: "Open the first address found in step 2", "Type the value extracted in \
step 3 into 'Code'". What steps can use, and what that gives:
{abilities}
- Give addresses in full, and only such as the task or the page names, or the main page of a well-known site.
- Look at where the browser is before you send it somewhere: it may be there already. Go elsewhere in this tab unless \
another one is asked for.
- Do what the task asks and no more: do not sign up, buy, send or delete unless the task says so."""
_SYSTEM = f"""\
You plan how a user's request is carried out with a real web browser. Someone else carries the steps out, one after \
the other; the user sees them before. Today is {{today}}.

A request that needs no step, such as a question that the page below answers, you answer at once: needs_steps is \
false, and the message is the answer. When it cannot be done in a browser at all, or what the page shows rules it out, \
needs_steps is false, impossible is true, and the message says why. When you cannot know what the user wants, ask in \
ask_user. Else needs_steps is true, the steps say all that is to be done in order, and the message tells the user \
briefly what you are going to do.

{_STEPS}
- When what was asked for has to be read off a page at the end, let the last step wait until it is there.

{prompts.DATA_ONLY}{{guardrails}}"""
_ONE_BY_ONE = f"""\
You carry out a user's request with a real web browser, one step at a time: you say the next step, someone else \
carries it out, and you look again. Today is {{today}}.

Judge afresh each time what the page shows now, not what it should show. {prompts.CHANGES}

needs_action is true while something is left to do: then the action is the next step. What failed is not tried in the \
same way again, and what was done is not done again. When everything that was asked for is done or shown, needs_action \
is false and the message is the whole answer, by what the pages showed. When you found that it cannot be done, \
needs_action is false, impossible is true, and the message says why, and what was found anyway. When something is \
unclear that only the user can know, ask in ask_user.

{_STEPS}

{prompts.DATA_ONLY}{{guardrails}}"""
_BLANK_PAGE = "The browser is at a blank page."
_ANSWER_FORM = "The message that is the answer must be JSON that fits this schema:\n{form}"


_Impossible = Annotated[bool, Meta(description="Whether it cannot be done; the message says why.")]


def _check_length(name: str, step: str) -> None:
    if len(step) > LONGEST_STEP:
        raise ValueError(f"{name} has {len(step):,} characters, and {LONGEST_STEP:,} is the most: a step is one act")


class StepsArguments(Arguments, frozen=True):
    needs_steps: Annotated[bool, Meta(description="Whether anything has to be done in the browser.")]
    steps: Annotated[list[str], Meta(description="The steps in order; none when needs_steps is false.")] = []
    message: Annotated[str, Meta(description="The answer, or what you are going to do, to the user.")] = ""
    ask_user: Annotated[str | None, Meta(description="A question that only the user can answer.")] = None
    impossible: _Impossible = False

    def __post_init__(self) -> None:
        if self.needs_steps and self.impossible:
            raise ValueError("impossible is true, so needs_steps has to be false")
        if self.needs_steps and not self.ask_user and not any(step.strip() for step in self.steps):
            raise ValueError("needs_steps is true, so steps has to name them")
        if not self.needs_steps and not self.ask_user and not self.message.strip():
            raise ValueError("needs_steps is false, so message has to be the answer")
        if len(self.steps) > MOST_STEPS:
            raise ValueError(f"steps are {len(self.steps):,}, and {MOST_STEPS} is the most: give those that come first")
        for number, step in enumerate(self.steps, 1):
            _check_length(f"step {number}", step)


class MoveArguments(Arguments, frozen=True):
    needs_action: Annotated[bool, Meta(description="Whether anything is left to do.")]
    action: Annotated[str | None, Meta(description="The next step, in plain English.")] = None
    message: Annotated[str, Meta(description="The answer when nothing is left to do, else a word to the user.")] = ""
    ask_user: Annotated[str | None, Meta(description="A question that only the user can answer.")] = None
    reasoning: Annotated[str, Meta(description="Why this is next, in a sentence or two.")] = ""
    impossible: _Impossible = False

    def __post_init__(self) -> None:
        if self.needs_action and self.impossible:
            raise ValueError("impossible is true, so needs_action has to be false")
        if self.needs_action and not self.ask_user and not (self.action or "").strip():
            raise ValueError("needs_action is true, so action has to say what to do")
        if not self.needs_action and not self.ask_user and not self.message.strip():
            raise ValueError("needs_action is false, so message has to be the answer")
        _check_length("action", self.action or "")


_PROPOSE = answer_tool("propose_steps", "Give the steps, or the answer when none are needed.", StepsArguments)
_NEXT = answer_tool("next_step", "Give the next step, or the answer when nothing is left to do.", MoveArguments)


async def _observe(step_run: StepRun, conversation: Conversation, *, first: bool) -> tuple[str, Image | None]:
    """What the planner has not seen of the page yet, as text, and a picture of the window for a model with vision.

    Raises BrowserError.
    """
    run = step_run.run
    if run.tabs.page.url == BLANK:
        return conversation.if_changed(_BLANK_PAGE) or prompts.UNCHANGED, None
    match step_run.settings.planner_page:
        case "snapshot":
            short_receipts = [
                each for each in conversation.new_items("receipts", step_run.receipts) if len(each.text) <= LINE_CHARS
            ]
            seen, notes = await observe(run, short_receipts, whole=first, observer=conversation.observer)
            text = "\n\n".join([*notes, seen.view or prompts.UNCHANGED])
        case "html":
            text = conversation.if_changed(run.secrets.mask(await _html(step_run))) or prompts.UNCHANGED
        case _:
            text = run.secrets.mask(f"The browser is at {run.tabs.page.url}.")
    return text, await take_picture(step_run)


async def take_picture(step_run: StepRun) -> Image | None:
    """A picture of the window, for a model with vision; None if the run takes no pictures or none can be taken."""
    vision = step_run.run.vision
    picture = await vision.take(step_run.run.tabs.page)
    if picture is None:
        return None
    vision.tell(picture)
    return Image(picture.data, f"image/{picture.format}")


async def propose(step_run: StepRun, notes: list[str]) -> StepsArguments:
    """A plan for the request, based on the page as it was when the first plan was made.

    `notes` are the objections to earlier plans, and the user's answers. Raises ModelError, OverBudget.
    """
    conversation = step_run.conversation("planner", lambda: fill_system_prompt(step_run, _SYSTEM))

    async def compose(first: bool) -> Question:
        view, picture = await _observe(step_run, conversation, first=True) if first else ("", None)
        beginning = preamble(step_run) if first else []
        asked = "\n\n".join([*conversation.new_items("notes", notes), "Answer by calling propose_steps."])
        return Question(asked, picture, "\n\n".join(beginning), view)

    return await conversation.ask_for(compose, _PROPOSE, StepsArguments, "planning")


async def next_move(step_run: StepRun) -> MoveArguments:
    """The next step, a question for the user, or the answer if nothing is left to do. Raises ModelError, OverBudget."""
    conversation = step_run.conversation(
        "planner", lambda: fill_system_prompt(step_run, _ONE_BY_ONE), observer=step_run.run.observer
    )

    async def compose(first: bool) -> Question:
        done = "\n".join(conversation.new_items("done", step_run.done)[-_MAX_STEPS_SHOWN:])
        outputs = format_outputs(_read_outputs(step_run, conversation.new_items("outputs", step_run.outputs)))
        what = "What was done so far" if first else "What came of it"
        view, picture = await _observe(step_run, conversation, first=first)
        records = [
            *(preamble(step_run) if first else []),
            f"{what}:\n" + fence(done, "done so far") if done else "",
            outputs,
            *conversation.new_items("notes", step_run.notes),
        ]
        return Question("Answer by calling next_step.", picture, "\n\n".join(filter(None, records)), view)

    return await conversation.ask_for(compose, _NEXT, MoveArguments, "planning")


def _read_outputs(step_run: StepRun, outputs: Iterable[Output]) -> list[Output]:
    """The outputs of read-only tools; for other tools the line in `StepRun.done` is enough."""
    return [each for each in outputs if (tool := step_run.run.tools.get(each.tool)) is not None and tool.read_only]


def previous(plan: StepsArguments) -> str:
    """An earlier plan, as a note for the planner."""
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(plan.steps, 1))
    return f"Your plan was:\n{steps}"


def preamble(step_run: StepRun) -> list[str]:
    """The first texts of every conversation: earlier messages, and the request with its data and answer schema."""
    task = step_run.run.task
    said = [f"{each.who}: {each.text}" for each in step_run.said]
    form = msgspec.json.format(msgspec.json.encode(task.form.source), indent=1).decode() if task.form else ""
    return [
        *(["Said before:\n" + "\n".join(said)] if said else []),
        prompts.task(task.text, task.input_data, secrets=task.secrets.listed()),
        *([_ANSWER_FORM.format(form=form)] if form else []),
    ]


def fill_system_prompt(step_run: StepRun, system: str) -> str:
    """A system prompt with its placeholders filled in: the date, the user's guardrails, and the results of tools."""
    return system.format(
        today=prompts.written(date.today()),
        guardrails=prompts.limits(step_run.run.task.guardrails),
        abilities=_abilities(step_run.run.tools.values()),
    )


def _abilities(tools: Iterable[Tool]) -> str:
    """The result of each tool; tools with the same result share a line."""
    names: dict[str, list[str]] = {}
    for each in tools:
        names.setdefault(each.gives, []).append(each.name)
    return "\n".join(f"  {', '.join(each)}: {gives}" for gives, each in names.items())


async def _html(step_run: StepRun) -> str:
    run = step_run.run
    page = run.tabs.page
    try:
        html = await page.clean_html(budget_tokens=_HTML_TOKENS)
    except ActionError as error:
        return prompts.unreadable(str(error))
    notice = f"\n… cut here: {html.cut:,} characters more." if html.cut else ""
    run.addresses.learn_html(html.text, page.url)
    return "The page now, as HTML:\n" + fence(f"{heading(page.url, page.title)}\n\n{html.text}{notice}", "page")
