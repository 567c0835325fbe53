"""cdp_agent: a web-agent runtime that speaks the Chrome DevTools Protocol itself.

The public names are imported on first use, so that importing the package costs next to nothing. Also public are
`cdp_agent.errors`, every exception; `cdp_agent.events` and `cdp_agent.step_events`, the events of a run;
`cdp_agent.decisions`, the questions that a run asks and the decisions that answer them; `cdp_agent.config`, the
settings; `cdp_agent.cdp`, the protocol; and `cdp_agent.sync`, the same classes with blocking calls.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # at run time this import would cost each command 5 ms

    from cdp_agent.action_log import LogLine as LogLine
    from cdp_agent.agent.agent import Agent as Agent
    from cdp_agent.agent.base.task import Limits as Limits
    from cdp_agent.browser.attach.connecting import Attempt as Attempt
    from cdp_agent.browser.browser import Browser as Browser
    from cdp_agent.browser.browser import Opening as Opening
    from cdp_agent.browser.context import BrowserContext as BrowserContext
    from cdp_agent.browser.launch.proxy import Proxy as Proxy
    from cdp_agent.browser.politeness import Politeness as Politeness
    from cdp_agent.config.settings import Config as Config
    from cdp_agent.errors import AmbiguousLocator as AmbiguousLocator
    from cdp_agent.errors import NoMatch as NoMatch
    from cdp_agent.errors import WaitTimeout as WaitTimeout
    from cdp_agent.events import Event as Event
    from cdp_agent.outcome import AgentResult as AgentResult
    from cdp_agent.outcome import Stats as Stats
    from cdp_agent.outcome import TaskError as TaskError
    from cdp_agent.page.actions.scroll import Scrolled as Scrolled
    from cdp_agent.page.activity.bodies import ResponseBody as ResponseBody
    from cdp_agent.page.activity.console import ConsoleMessage as ConsoleMessage
    from cdp_agent.page.activity.console import ConsoleResult as ConsoleResult
    from cdp_agent.page.activity.network import ErrorStatus as ErrorStatus
    from cdp_agent.page.activity.network import RequestFailure as RequestFailure
    from cdp_agent.page.activity.request_log import RequestInfo as RequestInfo
    from cdp_agent.page.activity.request_log import RequestsResult as RequestsResult
    from cdp_agent.page.data.records import Records as Records
    from cdp_agent.page.data.structured import StructuredData as StructuredData
    from cdp_agent.page.data.tables import PageTable as PageTable
    from cdp_agent.page.data.tables import Tables as Tables
    from cdp_agent.page.files.contents import FileContent as FileContent
    from cdp_agent.page.files.contents import FileTable as FileTable
    from cdp_agent.page.page import Locator as Locator
    from cdp_agent.page.page import Page as Page
    from cdp_agent.page.picture.video import VideoRecording as VideoRecording
    from cdp_agent.page.policy.holding import Withheld as Withheld
    from cdp_agent.page.policy.rules import Blocked as Blocked
    from cdp_agent.page.query.find import FindResult as FindResult
    from cdp_agent.page.query.find import FoundElement as FoundElement
    from cdp_agent.page.query.markup import CleanHtml as CleanHtml
    from cdp_agent.page.query.schema import PageSchema as PageSchema
    from cdp_agent.page.query.schema import SchemaElement as SchemaElement
    from cdp_agent.page.query.search import Match as Match
    from cdp_agent.page.query.search import SearchResult as SearchResult
    from cdp_agent.page.receipts.receipts import FilledField as FilledField
    from cdp_agent.page.receipts.receipts import NewTab as NewTab
    from cdp_agent.page.receipts.receipts import OtherTab as OtherTab
    from cdp_agent.page.receipts.receipts import Receipt as Receipt
    from cdp_agent.page.snapshot.refs import ElementRef as ElementRef
    from cdp_agent.page.snapshot.snapshot import Omitted as Omitted
    from cdp_agent.page.snapshot.snapshot import Snapshot as Snapshot
    from cdp_agent.page.tab.dialog_policy import DialogPolicy as DialogPolicy
    from cdp_agent.page.tab.dialogs import Dialog as Dialog
    from cdp_agent.page.tab.dialogs import dialogs_answered as dialogs_answered
    from cdp_agent.page.tab.downloads import Download as Download
    from cdp_agent.page.tab.downloads import DownloadWatcher as DownloadWatcher
    from cdp_agent.page.tab.saving import HarSaved as HarSaved
    from cdp_agent.page.tab.settings import Viewport as Viewport
    from cdp_agent.providers.request_options import Patience as Patience
    from cdp_agent.security.secrets import Secret as Secret
    from cdp_agent.security.secrets import Totp as Totp
    from cdp_agent.steps.approval.policy import Rule as Rule
    from cdp_agent.steps.approval.policy import Rules as Rules
    from cdp_agent.tools.base import Answer as Answer
    from cdp_agent.tools.base import Arguments as Arguments
    from cdp_agent.tools.base import Context as Context
    from cdp_agent.tools.base import Observation as Observation
    from cdp_agent.tools.base import Ref as Ref
    from cdp_agent.tools.base import Tool as Tool
    from cdp_agent.tools.base import tool as tool

_MODULES = {
    "Agent": "agent.agent",
    "AgentResult": "outcome",
    "AmbiguousLocator": "errors",
    "Answer": "tools.base",
    "Arguments": "tools.base",
    "Attempt": "browser.attach.connecting",
    "Blocked": "page.policy.rules",
    "Browser": "browser.browser",
    "BrowserContext": "browser.context",
    "CleanHtml": "page.query.markup",
    "Config": "config.settings",
    "ConsoleMessage": "page.activity.console",
    "ConsoleResult": "page.activity.console",
    "Context": "tools.base",
    "Dialog": "page.tab.dialogs",
    "DialogPolicy": "page.tab.dialog_policy",
    "Download": "page.tab.downloads",
    "DownloadWatcher": "page.tab.downloads",
    "ElementRef": "page.snapshot.refs",
    "ErrorStatus": "page.activity.network",
    "Event": "events",
    "FileContent": "page.files.contents",
    "FileTable": "page.files.contents",
    "FilledField": "page.receipts.receipts",
    "FindResult": "page.query.find",
    "FoundElement": "page.query.find",
    "HarSaved": "page.tab.saving",
    "Limits": "agent.base.task",
    "Locator": "page.page",
    "LogLine": "action_log",
    "Match": "page.query.search",
    "NewTab": "page.receipts.receipts",
    "NoMatch": "errors",
    "Observation": "tools.base",
    "Omitted": "page.snapshot.snapshot",
    "Opening": "browser.browser",
    "OtherTab": "page.receipts.receipts",
    "Page": "page.page",
    "PageSchema": "page.query.schema",
    "PageTable": "page.data.tables",
    "Patience": "providers.request_options",
    "Politeness": "browser.politeness",
    "Proxy": "browser.launch.proxy",
    "Receipt": "page.receipts.receipts",
    "Records": "page.data.records",
    "Ref": "tools.base",
    "RequestFailure": "page.activity.network",
    "RequestInfo": "page.activity.request_log",
    "RequestsResult": "page.activity.request_log",
    "ResponseBody": "page.activity.bodies",
    "Rule": "steps.approval.policy",
    "Rules": "steps.approval.policy",
    "SchemaElement": "page.query.schema",
    "Scrolled": "page.actions.scroll",
    "SearchResult": "page.query.search",
    "Secret": "security.secrets",
    "Snapshot": "page.snapshot.snapshot",
    "Stats": "outcome",
    "StructuredData": "page.data.structured",
    "Tables": "page.data.tables",
    "TaskError": "outcome",
    "Tool": "tools.base",
    "Totp": "security.secrets",
    "VideoRecording": "page.picture.video",
    "Viewport": "page.tab.settings",
    "WaitTimeout": "errors",
    "Withheld": "page.policy.holding",
    "dialogs_answered": "page.tab.dialogs",
    "tool": "tools.base",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module  # late: importing the package alone loads nothing, not even this

    if name == "__version__":
        from importlib.metadata import version  # takes 20 ms

        return version("cdp-agent")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
