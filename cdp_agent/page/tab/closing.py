"""Closing a tab, whatever its page does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from cdp_agent.cdp import emulation, runtime, target
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import Session, retrieve_exception
from cdp_agent.cdp.known_errors import is_target_gone
from cdp_agent.errors import PageUnresponsive, ProtocolError
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.frames import FrameTree

CLOSE_TIMEOUT_S = 5.0
DISABLE_SCRIPTS_TIMEOUT_S = 0.5
CLOSE_AGAIN_S = 1.2
"""How long to wait before asking Chrome again to close: a navigation may begin just after it was stopped. Asking sooner
would keep a tab that hangs: Chrome ends it 0.5 s after it was last asked."""


async def close(
    browser: Session,
    target_id: str,
    tree: FrameTree | None,
    related: Callable[[], Sequence[object]],
    *,
    ends_scripts: bool,
) -> bool:
    """Closes a tab; `tree` has its frames, unless we never attached. Returns False if it was gone already.

    `related` returns the other tabs that may have scripts in its process. `ends_scripts`: disables its own first.
    Raises PageUnresponsive, BrowserError.
    """

    def is_ours(event: target.TargetDestroyed) -> bool:
        return event.target_id == target_id

    if ends_scripts and tree is not None:
        await disable_scripts(tree)
    async with browser.expect(target.TargetDestroyed, is_ours) as destroyed:
        try:
            # Paused while somebody is asked about a `beforeunload` dialog.
            async with Deadline.on(browser if tree is None else tree.root.session, CLOSE_TIMEOUT_S):
                while not destroyed.done():
                    if tree is not None:
                        _end_what_delays_closing(tree, is_alone=not related())
                    # Chrome forgets the request to close when the tab navigates to another page meanwhile.
                    await browser.send(target.CloseTarget(target_id=target_id))
                    await asyncio.wait([destroyed], timeout=CLOSE_AGAIN_S)
                    # Chrome would forget it each time if a script of the page navigates without end.
                    if not destroyed.done() and tree is not None and tree.root.session.blocked_because is None:
                        await disable_scripts(tree)
        except TimeoutError as error:
            if tree is not None:
                tree.root.session.tell(emulation.SetScriptExecutionDisabled(value=False))
            raise PageUnresponsive(f"The tab did not close within {CLOSE_TIMEOUT_S:g} s.") from error
        except ProtocolError as error:
            if not is_target_gone(error):
                raise
            return False
    return True


async def disable_scripts(tree: FrameTree) -> None:
    """Disables scripts in a tab's pages: what they send as they unload would escape the rules."""
    sessions = {frame.session for frame in tree.all()}
    answers = [each.post(emulation.SetScriptExecutionDisabled(value=True)) for each in sessions]
    for answer in answers:
        answer.add_done_callback(retrieve_exception)
    await asyncio.wait(answers, timeout=DISABLE_SCRIPTS_TIMEOUT_S)


def _end_what_delays_closing(tree: FrameTree, *, is_alone: bool) -> None:
    """Ends hanging scripts, and the navigation, since Chrome would close the tab only after the server's answer.

    Chrome does not wait for a page that loops in `beforeunload`, but its process would go on looping.
    """
    session = tree.root.session
    session.tell(cdp_page.StopLoading())
    if session.unresponsive and is_alone:  # else it may be another tab's script
        session.tell(runtime.TerminateExecution())
    tree.terminate_hanging_scripts()
