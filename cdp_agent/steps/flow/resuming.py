"""Going on with a run by steps whose process died: how it went about it, from its checkpoint."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cdp_agent.agent.loop import Course
from cdp_agent.agent.state.checkpoint import Checkpoint
from cdp_agent.decisions import AskUser
from cdp_agent.errors import SetupError
from cdp_agent.providers.services import Endpoint, endpoint
from cdp_agent.steps.approval.approval import Approver
from cdp_agent.steps.approval.setup import Approve, Given
from cdp_agent.steps.flow.flow import resumed
from cdp_agent.steps.flow.step_run import Progress


def rest_of(
    saved: Checkpoint,
    *,
    base_url: str | None,
    approve: Approve | None,
    approver: Approver | None,
    ask_user: AskUser | None,
    approval_timeout_s: float,
    environment: Mapping[str, str],
) -> Course:
    """The rest of the run. Who approves is given anew; without `approve` its rules are those that it had.

    Raises SetupError.
    """
    try:
        progress = msgspec.convert(saved.by_steps, Progress)
    except msgspec.ValidationError as error:
        raise SetupError(f"The checkpoint cannot be read: {error}.") from error
    settings = Given(
        approve=progress.rules if approve is None else approve,
        approver=approver,
        ask_user=ask_user,
        flow="iterative" if progress.flow == "iterative" else "plan",
        approval_timeout_s=approval_timeout_s,
        planner_page=progress.planner_page,
        executor=_executor(progress, saved, base_url, environment),
    ).settings(by_hand=progress.flow == "given")
    return resumed(settings, saved, progress)


def _executor(
    progress: Progress, saved: Checkpoint, base_url: str | None, environment: Mapping[str, str]
) -> Endpoint | None:
    if progress.executor is None:
        return None
    address = progress.executor_base_url
    if base_url is not None and address == saved.base_url:  # both have moved
        address = base_url
    return endpoint(progress.executor, base_url=address, environment=environment)
