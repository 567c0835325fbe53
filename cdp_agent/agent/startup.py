"""Begins a run: makes its plan and opens its first page, or restores an interrupted run from its checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdp_agent.agent.base.task import Plan
from cdp_agent.agent.model import prompts
from cdp_agent.agent.observation.browser_state import BLANK, reopen_tabs
from cdp_agent.agent.observation.observer import ObservedPage
from cdp_agent.agent.state import checkpoint, planner, recovery
from cdp_agent.agent.state.checkpoint import Checkpoint
from cdp_agent.agent.state.recovery import observe
from cdp_agent.errors import ActionError, BrowserError
from cdp_agent.events import AgentStatus, TaskStarted
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.policy.limits import limit
from cdp_agent.session.tabs import Tabs

if TYPE_CHECKING:
    from cdp_agent.agent.state.run import Run


async def begin(run: Run, page: Page | None) -> None:
    """Makes the plan, if one is needed, opens the first address in `page` or a new tab, and tells the model its task.

    Ends the run if the planner finds the task impossible.
    """
    at_page = run.task.url is not None or (page is not None and page.url != BLANK)
    if planner.is_planned(run, at_page=at_page):
        run.plan = await planner.make_plan(run)
    plan = run.plan or Plan("", "")
    if plan.impossible:
        run.give_up(plan.impossible)
        return
    url = run.task.url or plan.url
    run.emit(
        TaskStarted(
            **run.stamp,
            task=run.task.text,
            success_criteria=plan.success_criteria,
            plan=plan.plan,
            action_items=plan.action_items,
            url=url,
        )
    )
    words = prompts.task(run.task.text, run.task.input_data, run.plan.text if run.plan else "", run.secrets.listed())
    run.addresses.learn(f"{words}\n{url or ''}")
    try:
        page = page or await run.browser.new_page()
        await limit_to_rules(page)
        run.tabs = Tabs(run.browser, page)
        await _start(run, url, words)
    except BrowserError as error:
        await recovery.recover(run, error)
        await _start(run, url, words)
    await checkpoint.keep(run)


async def open_first_page(run: Run, page: Page | None) -> bool:
    """Opens the first address in `page` or a new tab, without telling the model. Returns False when that failed."""
    url = run.task.url
    run.addresses.learn(f"{prompts.task(run.task.text, run.task.input_data)}\n{url or ''}")
    try:
        page = page or await run.browser.new_page()
        await limit_to_rules(page)
        run.tabs = Tabs(run.browser, page)
        opened = url is None or await _open(run, url)
    except BrowserError as error:
        await recovery.recover(run, error)
        opened = url is None or await _open(run, url)
    await checkpoint.keep(run)
    return opened


async def resume(run: Run, resumed: Checkpoint) -> None:
    """Restores the run and its tabs from a checkpoint, and tells the model that it was interrupted."""
    checkpoint.restore(run, resumed)
    run.tabs, missing = await reopen_tabs(run.browser, run.browser_state)
    run.history.add_user_message(prompts.resumed(at_page=run.tabs.page.url != BLANK, missing=len(missing)))
    if run.tabs.page.url != BLANK:
        seen, _ = await observe(run, [], whole=True)
        run.history.add_view(seen.view or "")
        await run.vision.add_picture(run.tabs.page, run.observer.refs)


async def limit_to_rules(page: Page) -> None:
    """Applies the run's rules to a tab that the caller gave, and to the tabs that it opens."""
    tab = tab_of(page)
    await tab.frames()
    await limit(tab.request_policy)


async def _start(run: Run, url: str | None, words: str) -> None:
    if url is not None and not await _open(run, url):
        return
    seen = ObservedPage(None)
    if run.tabs.page.url != BLANK:
        seen = await run.observer.observe(run.tabs.page)
        run.record_observation(seen)
    run.history.add_user_message(words, seen.view)
    await run.vision.add_picture(run.tabs.page, run.observer.refs)


async def _open(run: Run, url: str) -> bool:
    """Opens the first address, with retries. When all fail, ends the run and returns False."""
    for retries_left in range(run.limits.first_navigation_retries, -1, -1):
        try:
            await run.tabs.page.goto(url)
            return True
        except ActionError as error:
            if retries_left:
                run.emit(AgentStatus(**run.stamp, message=f"The first page is tried again: {error}"))
                continue
            run.fail("failed", f"The first page could not be opened: {error}")
    return False
