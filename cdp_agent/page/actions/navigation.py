"""Navigation: goto, back, forward, reload.

https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-navigate
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec

from cdp_agent.action_log import log_line
from cdp_agent.cdp import emulation, runtime
from cdp_agent.cdp import page as cdp_page
from cdp_agent.cdp.connection import retrieve_exception
from cdp_agent.cdp.known_errors import is_not_active
from cdp_agent.errors import (
    ActionError,
    CdpAgentError,
    NavigationFailed,
    PageUnresponsive,
    ProtocolError,
    SessionClosed,
)
from cdp_agent.page.frames.deadline import Deadline
from cdp_agent.page.frames.responsiveness import check_chrome, is_responsive
from cdp_agent.page.frames.world import CALL_TIMEOUT_S, deadline
from cdp_agent.page.receipts.action_runner import ActionRunner
from cdp_agent.page.receipts.baseline import Baseline
from cdp_agent.page.receipts.dialog_stops import receipt_until_dialog
from cdp_agent.page.receipts.receipts import Outcome, Receipt
from cdp_agent.page.receipts.stability import NAVIGATION_S
from cdp_agent.page.receipts.watch import Watch
from cdp_agent.page.snapshot.file_text import open_file
from cdp_agent.page.tab.closing import disable_scripts
from cdp_agent.page.tab.dialogs import Dialog
from cdp_agent.page.tab.hanging import (
    NEW_PAGE_HANGS,
    OLD_PAGE_HANGS,
    UnloadWatchdog,
    ask_along,
    end_scripts,
    hangs,
    stop_loading,
)
from cdp_agent.page.tab.limit import CALL_S, call_limit
from cdp_agent.page.tab.tab import Tab

from .leaving import leaving

T = TypeVar("T")
_Do = Callable[[bool], Coroutine[Any, Any, Outcome]]

NAVIGATION_TIMEOUT_S = 30.0
_BEGINS_WITHIN_S = 3.0
_CRASHED = "its process ended, as it does when it runs out of memory: go elsewhere, or try again"
_LOOK_EVERY_S = 1.0
_NOT_KEPT = "net::ERR_CACHE_MISS"
"""Chrome's error for the answer to a form that would have to be sent again."""
_NO_PAGE = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
"""Chrome's error for an answer with an error status and nothing to show."""
_OPENED_ANEW = "a script of the page was in the way: its address was opened anew, by way of an empty page"
_REASONS = {
    "ERR_NAME_NOT_RESOLVED": "there is no such host. Check the spelling of the address",
    "ERR_CONNECTION_REFUSED": "nothing listens at that host and port. Check the address, or start the server",
    "ERR_CONNECTION_TIMED_OUT": "the host does not answer. Try again later, or go elsewhere",
    "ERR_CONNECTION_RESET": "the server closed the connection. Try again",
    "ERR_CONNECTION_CLOSED": "the server closed the connection. Try again",
    "ERR_EMPTY_RESPONSE": "the server closed the connection without an answer. Try again, or check the address",
    "ERR_ADDRESS_UNREACHABLE": "the host cannot be reached from here. Check the address",
    "ERR_INTERNET_DISCONNECTED": "this machine has no network",
    "ERR_TOO_MANY_REDIRECTS": "the site redirects in a circle. Its cookies may be the cause",
    "ERR_FILE_NOT_FOUND": "there is no such file",
    "ERR_ACCESS_DENIED": "the file may not be read",
    "ERR_UNKNOWN_URL_SCHEME": "Chrome knows no addresses of that kind. Give one that begins with https:// or http://",
    "ERR_INVALID_URL": "that is no address. Give a whole one such as https://example.com/page",
    "ERR_UNSAFE_PORT": "Chrome refuses that port",
    "ERR_SSL_PROTOCOL_ERROR": "the server speaks no TLS there. Try http:// in place of https://",
    "ERR_BLOCKED_BY_CLIENT": "something in this browser blocks it",
    "ERR_BLOCKED_BY_RESPONSE": "the server forbids to show it like this",
    "ERR_UNSAFE_REDIRECT": "its server redirects to an address of a kind that a server may not lead to",
    "ERR_INVALID_AUTH_CREDENTIALS": (
        "its server asks for a user name and a password. Give them in the address, as in https://NAME:PASSWORD@host/"
    ),
}


async def goto(tab: Tab, url: str, *, timeout_s: float | None = None, leave: bool = False) -> Receipt:
    """Opens an address, waits until the page has settled, and reports where that led.

    `leave`: see leaving.py. The receipt has HTTP errors, redirects and downloads. Raises NavigationFailed,
    PageUnresponsive, BrowserError.
    """
    timeout_s = timeout_s or tab.settings.navigation_timeout_s or NAVIGATION_TIMEOUT_S
    return await receipt_until_dialog(tab, _goto(tab, url, timeout_s, leave), Receipt(action="goto", detail=url))


async def _goto(tab: Tab, url: str, timeout_s: float, leave: bool) -> Receipt:
    async with tab.act(), _stopped_if_cancelled(tab), call_limit(tab, timeout_s) as limit:
        if tab.request_policy.has_retired_rules and not tab.related:
            await _drop_retired_rules(tab, timeout_s, limit)
        tab.request_policy.check(url.strip())
        tree = await tab.frames()
        question = ask_along(tab, tree)
        watch = Watch(tab, tree)
        runner = ActionRunner(limit, Baseline(watch))
        async with leaving(tab, leave=leave) as stays:
            outcome = await runner.act(_leave_for(tab, url.strip(), timeout_s, limit, watch.watchdog, stays, question))
        receipt = await runner.finish("goto", outcome, detail=url, navigation_s=max(1.0, limit.remaining()))
        tab.check_open()
        if receipt.settled == OLD_PAGE_HANGS and receipt.navigated_to is None and not tab.activity.crashed:
            raise _not_opened(url, timeout_s, stays=True, hangs=False)
        if tab.activity.crashed:
            return msgspec.structs.replace(receipt, note=_CRASHED)
        if receipt.navigated_to is None and (path := _opened(receipt)) is not None:
            open_file(await tree.root.world(), path)
        return receipt


def _opened(receipt: Receipt) -> Path | None:
    """The file that the address led to, if Chrome has saved it on this machine."""
    download = next((each for each in receipt.downloads if each.state == "completed" and each.path), None)
    return Path(download.path) if download is not None and download.path is not None else None


async def back(tab: Tab, *, leave: bool = False) -> Receipt:
    """Goes back one entry of the tab's history. Raises ActionError if there is none, BrowserError."""
    return await _through_history(tab, -1, leave)


async def can_go_back(tab: Tab) -> bool:
    """Whether a page is before this one in the tab. The blank one with which a tab that another opened begins is none.

    Raises BrowserError, PageClosed.
    """
    history = await (await tab.frames()).root.session.send(cdp_page.GetNavigationHistory())
    first = 1 if tab.opener is not None and history.entries[0].url == "about:blank" else 0
    return history.current_index > first


def opener_of(tab: Tab) -> Tab | None:
    """The tab that opened this one, or if that is closed the one that opened that; None if none is open."""
    opener = tab.opener
    while opener is not None and opener.closed:
        opener = opener.opener
    return opener


async def forward(tab: Tab, *, leave: bool = False) -> Receipt:
    """Goes forward one entry of the tab's history. Raises ActionError if there is none, BrowserError."""
    return await _through_history(tab, 1, leave)


async def reload(tab: Tab, *, leave: bool = False) -> Receipt:
    """Reloads the page, even after it crashed. Chrome sends a form again whose answer the page is: the receipt says so.

    Raises PageUnresponsive, BrowserError.
    """
    address, requests = tab.url, tab.activity.requests
    before = requests.mark()

    async def do(took_detour: bool) -> Outcome:
        nonlocal before
        tree, before = await tab.frames(), requests.mark()
        how = cdp_page.Navigate(url=address) if took_detour else cdp_page.Reload()
        await _begin(tab, tree.root.session.post(how), "The page was not loaded anew")
        return Outcome(note=_OPENED_ANEW if took_detour else "")

    receipt = await _navigation(tab, "reload", do, leave)
    sent_again = requests.posted_since(before, tab.target_id)
    if not sent_again:
        return receipt
    is_sent = not receipt.withheld
    log_line("navigation", "the page is the answer to a form; sent again: {}: {}", sent_again, is_sent)
    result = f"which was sent again: {sent_again}" if is_sent else "which would be sent again: it stays as it is"
    note = f"the page is the answer to a form, {result}"
    return msgspec.structs.replace(receipt, note="; ".join(filter(None, (receipt.note, note))))


async def _through_history(tab: Tab, step: int, leave: bool) -> Receipt:
    async def do(_: bool) -> Outcome:
        session = (await tab.frames()).root.session
        async with deadline(session, CALL_TIMEOUT_S):
            history = await session.send(cdp_page.GetNavigationHistory())
        index = history.current_index + step
        if not 0 <= index < len(history.entries):
            where = "back" if step < 0 else "forward"
            opener = opener_of(tab) if step < 0 else None
            from_tab = "" if opener is None else f" This tab was opened from t{opener.number}."
            which = "first" if step < 0 else "last"
            raise ActionError(f"There is no page to go {where} to: this is the {which} one.{from_tab}")
        entry = history.entries[index]
        tab.request_policy.check(entry.url)
        answer = session.post(cdp_page.NavigateToHistoryEntry(entry_id=entry.id))
        await _begin(tab, answer, f"The tab stayed where it is and did not go to {entry.url}")
        return Outcome()

    return await _navigation(tab, "back" if step < 0 else "forward", do, leave)


async def _navigation(tab: Tab, action: str, do: _Do, leave: bool) -> Receipt:
    return await receipt_until_dialog(tab, _navigate_by(tab, action, do, leave), Receipt(action=action))


async def _navigate_by(tab: Tab, action: str, do: _Do, leave: bool) -> Receipt:
    navigation_s = tab.settings.navigation_timeout_s or NAVIGATION_S
    async with tab.act(), _stopped_if_cancelled(tab), call_limit(tab, max(CALL_S, navigation_s)) as limit:
        took_detour = await end_scripts(tab, detour=action == "reload")
        runner = ActionRunner(limit, Baseline(Watch(tab, await tab.frames())))
        async with leaving(tab, leave=leave) as stays_because:  # Chrome may ask twice, as it goes back
            outcome = await runner.act(do(took_detour))
            receipt = await runner.finish(action, outcome, navigation_s=navigation_s)
        tab.check_open()
        if receipt.navigated_to is None and any(_kept(each) for each in receipt.dialogs):
            raise ActionError(f"The tab stayed where it is: {stays_because}.")
        if tab.activity.document.failed and any(failure.error == _NOT_KEPT for failure in receipt.failed_requests):
            raise _not_kept(tab.url, action)
        return receipt


def _not_kept(url: str, action: str) -> NavigationFailed:
    way = {"back": "forward", "forward": "back"}.get(action, "back")
    message = (
        f"{url} is not shown again: it was the answer to a form, and Chrome has not kept it. An error page stands in "
        f"its place: {way} leads away from it, reload sends the form again."
    )
    return NavigationFailed(url, _NOT_KEPT, message)


@asynccontextmanager
async def _stopped_if_cancelled(tab: Tab) -> AsyncIterator[None]:
    """A navigation that is cancelled does not load on: nobody waits for it any more."""
    tree = await tab.frames()
    try:
        yield
    except asyncio.CancelledError:
        with suppress(CdpAgentError):  # the tab or Chrome went away: nothing loads
            await stop_loading(tab)
        tree.root.session.tell(cdp_page.StopLoading())  # a document that had arrived by then is stopped as well
        raise


async def _drop_retired_rules(tab: Tab, timeout_s: float, limit: Deadline) -> None:
    """Clears the tab's page and history, then removes the rules of a run that is over. Raises as `goto`."""
    tree = await tab.frames()
    await disable_scripts(tree)
    try:
        await end_scripts(tab, detour=True)
        await _navigate(tab, "about:blank", timeout_s, limit, Watch(tab, tree).watchdog)
        await _error_page(tab)
        await tree.root.session.send(cdp_page.ResetNavigationHistory())
        await tab.request_policy.drop_retired_rules()
    finally:
        tree.root.session.tell(emulation.SetScriptExecutionDisabled(value=False))


async def _leave_for(
    tab: Tab,
    url: str,
    timeout_s: float,
    limit: Deadline,
    watchdog: UnloadWatchdog,
    stays_because: str,
    question: asyncio.Future[runtime.Evaluated] | None,
) -> Outcome:
    """Navigates, while the page that is left answers the question; if it hangs, anew when its script is ended."""
    if question is not None:
        hanging = asyncio.ensure_future(hangs(tab, question))
        hanging.add_done_callback(retrieve_exception)  # if the navigation comes to an end before
        navigating = asyncio.ensure_future(_navigate(tab, url, timeout_s, limit, watchdog, stays_because))
        navigating.add_done_callback(retrieve_exception)  # raised where it is awaited
        try:
            await asyncio.wait([hanging, navigating], return_when=asyncio.FIRST_COMPLETED)
            if not navigating.done() and (not hanging.result() or not await stop_loading(tab)):
                await asyncio.wait([navigating])
            if navigating.done() and not await _ended_with_its_page(tab, navigating, hanging):
                return navigating.result()
        finally:
            for task in (hanging, navigating):
                task.cancel()
            await asyncio.wait([hanging, navigating])
    await end_scripts(tab, detour=True)
    return await _navigate(tab, url, timeout_s, limit, watchdog, stays_because)


async def _ended_with_its_page(tab: Tab, navigating: asyncio.Future[Outcome], question: asyncio.Future[bool]) -> bool:
    """Whether a navigation came to nothing since the process of the page that was to be left ended meanwhile."""
    if navigating.exception() is not None or not navigating.result().note:
        return False
    await asyncio.wait([question])  # it has been answered, unless the page ends or hangs
    return tab.activity.crashed


async def _navigate(
    tab: Tab, url: str, timeout_s: float, limit: Deadline, watchdog: UnloadWatchdog, stays_because: str = ""
) -> Outcome:
    def answered(answer: asyncio.Future[cdp_page.Navigated]) -> None:
        if not answer.cancelled():
            answer.exception()  # retrieved, since nobody awaits it if something else fails first
        tab.activity.wake()

    root = (await tab.frames()).root
    log_line("navigation", "asks Chrome for {}", url)
    navigating = root.session.post(cdp_page.Navigate(url=url))
    navigating.add_done_callback(answered)
    root.ask_for_next_world()
    while not navigating.done():
        events = tab.activity.event_count
        await tab.decided()
        if navigating.done():
            break
        stays = not await watchdog.end_blocking_scripts()
        if stays or limit.expired:
            navigating.cancel()
            await check_chrome(root.session)
            stays = stays or not tab.activity.waits_for_server()
            log_line("decision", "stops the loading, which came to nothing in {:g} s", timeout_s)
            new_hangs = await stop_loading(tab) and not await is_responsive(root.session)
            raise _not_opened(url, timeout_s, stays=stays, hangs=new_hangs)
        await tab.activity.wait_for_event(min(limit.remaining() + 0.001, _LOOK_EVERY_S), since=events)
    try:
        answer = navigating.result()
    except SessionClosed:
        raise
    except ProtocolError as error:
        _refuse(url, "ERR_INVALID_URL", error)
    log_line("navigation", "Chrome answers: {}", answer.error_text or "on its way")
    if answer.error_text is None or answer.is_download:
        return Outcome()
    if answer.error_text == "net::ERR_ABORTED":
        return _aborted(tab, url, stays_because)
    await _error_page(tab)
    if answer.error_text == _NO_PAGE and (status := tab.activity.error_status) is not None:
        message = f"{url} could not be opened: it came with {status}, and no page."
        raise NavigationFailed(url, answer.error_text, message)
    return _refuse(url, answer.error_text)


def _not_opened(url: str, timeout_s: float, *, stays: bool, hangs: bool) -> ActionError:
    if stays:
        return PageUnresponsive(f"{url} was not opened: {OLD_PAGE_HANGS}")
    then = f"; {NEW_PAGE_HANGS}." if hangs else ". Try again later, or go elsewhere."
    why = f"its server did not answer within {timeout_s:g} s{then}"
    return NavigationFailed(url, "timeout", f"{url} could not be opened: {why}")


def _aborted(tab: Tab, url: str, stays_because: str) -> Outcome:
    if tab.dialogs.stayed():
        tab.dialogs.take()  # told here
        raise NavigationFailed(url, "net::ERR_ABORTED", f"{url} was not opened: {stays_because}.")
    if tab.activity.navigating() not in (None, url):
        return Outcome(note=f"the page went elsewhere while {url} was loading")
    if tab.request_policy.hold.has_withheld:
        return Outcome()  # the receipt states what was not sent
    served = url.partition(":")[0].lower() in ("http", "https")
    return Outcome(note=f"{'the server' if served else 'Chrome'} had nothing to show: the page stays as it was")


def _kept(dialog: Dialog) -> bool:
    return dialog.kind == "beforeunload" and dialog.answer == "dismiss"


def _refuse(url: str, reason: str, cause: Exception | None = None) -> NoReturn:
    name = reason.removeprefix("net::")
    why = _REASONS.get(name) or (
        "its certificate is not valid" if name.startswith("ERR_CERT") else "Chrome could not load it"
    )
    raise NavigationFailed(url, reason, f"{url} could not be opened: {why} ({name}).") from cause


async def _error_page(tab: Tab) -> None:
    """Waits until Chrome shows its error page for the failed one, so that the next action finds the tab settled."""
    begins = Deadline.on((await tab.frames()).root.session, _BEGINS_WITHIN_S)
    while tab.activity.navigating() and not begins.expired:
        await tab.activity.wait_for_event(begins.remaining())


async def _begin(tab: Tab, answer: asyncio.Future[T], stayed: str) -> None:
    """Waits for the first event of the requested navigation; the reply to the command does not mean that it began."""
    activity = tab.activity
    begun, document, url = activity.navigations_begun, activity.document.number, activity.document.url
    begins = Deadline.on((await tab.frames()).root.session, _BEGINS_WITHIN_S)
    answer.add_done_callback(lambda _: activity.wake())
    while not (
        activity.navigations_begun != begun or activity.document.number != document or activity.document.url != url
    ):
        events = activity.event_count
        if answer.done() and (error := answer.exception()) is not None:
            if is_not_active(error):
                raise ActionError(f"{stayed}: it was just on its way to another page by itself. Try again.") from error
            raise error
        if tab.dialogs.stayed():
            return  # the receipt reports that
        await tab.decided()
        if not await activity.wait_for_event(begins.remaining(), since=events):
            if not answer.done():
                raise PageUnresponsive(f"{stayed}: the page did not answer within {_BEGINS_WITHIN_S:g} s.")
            return
