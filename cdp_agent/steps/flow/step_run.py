"""The state of a run by steps in addition to its `Run`: settings, approvals, conversations, and outputs of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from cdp_agent.agent.base.agent_settings import Flow, PlannerPage
from cdp_agent.agent.loop import wait_for_user
from cdp_agent.agent.model import prompts
from cdp_agent.agent.state.conversation import Conversation
from cdp_agent.steps.approval.policy import Rules
from cdp_agent.steps.approval.run_approval import RunApproval
from cdp_agent.steps.approval.settings import StepSettings
from cdp_agent.steps.resolve.call import Output

if TYPE_CHECKING:
    from cdp_agent.agent.observation.observer import Observer
    from cdp_agent.agent.state.run import Run
    from cdp_agent.page.receipts.receipts import Receipt
    from cdp_agent.providers.client import Client

_FILLING = ("fill", "select", "check", "uncheck")


class Said(msgspec.Struct, frozen=True):
    """A message of the conversation before this run."""

    who: str
    text: str


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress and the settings of a run by steps, for its checkpoint: see `StepRun`, `StepSettings`."""

    flow: Flow | Literal["given"]
    rules: Rules
    planner_page: PlannerPage
    executor: str | None
    executor_base_url: str | None
    said: list[Said]
    steps: list[str]
    begun: int
    over: int
    at_risk: str
    notes: list[str]
    outputs: list[Output]
    done: list[str]


class StepRun:
    """The state of a run by steps.

    `conversation` is the earlier one, `executor` the model for steps that code cannot resolve. `steps_given`: the steps
    were given, so there is no planner.
    """

    def __init__(
        self,
        run: Run,
        settings: StepSettings,
        conversation: Sequence[Said] = (),
        executor: Client | None = None,
        *,
        steps_given: bool = False,
    ) -> None:
        self.run = run
        self.settings = settings
        self.said = conversation
        self.executor = executor
        self.approval = RunApproval(run, settings)
        self.approvals = self.approval.approvals
        self.steps: list[str] = []
        """The approved steps; empty if they are chosen one at a time."""
        self.begun = 0
        """The number of the step that was begun last."""
        self.last_completed = 0
        """The number of the last step that was done or skipped."""
        self.at_risk = ""
        """The step that is being carried out, if doing it twice would do harm; "" otherwise."""
        self.notes: list[str] = []
        """Notes for a planner that chooses steps one at a time, such as the user's answers."""
        self.outputs: list[Output] = []
        self.receipts: list[Receipt] = []
        """The receipts of the steps that this process has carried out."""
        self.done: list[str] = []
        """A line for each step that was carried out, skipped or failed."""
        self._steps_given = steps_given
        self._conversations: dict[str, Conversation] = {}
        run.step_progress = lambda: msgspec.to_builtins(self._progress())

    async def pause_for_user(self) -> None:
        """If `run.pause` is set, waits until the user hands the page back, and notes it for planner and verifier."""
        if self.settings.user is None:
            return
        handed_back = await wait_for_user(self.run, self.approvals.ask_user, self.approval)
        if handed_back is not None:
            self.done.append(prompts.handed_back(*handed_back))

    def conversation(
        self, role: str, system: Callable[[], str], *, observer: Observer | None = None, client: Client | None = None
    ) -> Conversation:
        """The conversation of this role, created when it is first needed; see `Conversation`."""
        if role not in self._conversations:
            self._conversations[role] = self.run.conversation(system(), observer=observer, client=client)
        return self._conversations[role]

    def _progress(self) -> Progress:
        settings, executor = self.settings, self.settings.executor
        return Progress(
            flow="given" if self._steps_given else settings.flow,
            rules=settings.rules,
            planner_page=settings.planner_page,
            executor=f"{executor.provider}/{executor.model}" if executor is not None else None,
            executor_base_url=executor.base_url if executor is not None else None,
            said=list(self.said),
            steps=self.steps,
            begun=self.begun,
            over=self.last_completed,
            at_risk=self.at_risk,
            notes=self.notes,
            outputs=self.outputs,
            done=self.done,
        )

    def restore(self, progress: Progress) -> None:
        """Restores the progress; last steps that filled in fields count as not done, since the page is a new one."""
        self.steps, self.begun, self.last_completed = progress.steps, progress.begun, progress.over
        self.at_risk, self.notes = progress.at_risk, progress.notes
        self.outputs, self.done = progress.outputs, progress.done
        while (
            self.steps
            and self.outputs
            and self.outputs[-1].tool in _FILLING
            and self.outputs[-1].step == self.last_completed
        ):
            self.outputs.pop()
            self.last_completed -= 1
