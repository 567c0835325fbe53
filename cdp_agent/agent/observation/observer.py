"""Determines what the model is shown of the page: all of a new document, and from then on only what changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.budget import as_read
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.refs.locate import carry_over
from cdp_agent.page.snapshot import diff
from cdp_agent.page.snapshot.budget import LONGEST_TOKEN, is_whole, tokens
from cdp_agent.page.snapshot.lines import ref_of_change, refs_in
from cdp_agent.page.snapshot.short_form import short_form
from cdp_agent.page.snapshot.shown_pages import ShownPages
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.shown import passed_lines
from cdp_agent.security.secrets import Secrets

_MOST_TABS = 10
"""So many tabs are remembered."""
_SHOWN = ("are as on this tab's page before, and their refs still hold", short_form)


class ObservedPage(msgspec.Struct, frozen=True):
    """An observation of the page: `view` is what the model reads, None when it contains nothing new for the model.

    `shown` is the snapshot in the view; if the view has only the lines that changed, they are in `changed` instead.
    `problem` is why the page could not be read. `text` is the whole page, even if only a part of it is shown.
    """

    view: str | None
    url: str = ""
    title: str = ""
    shown: str = ""
    changed: list[str] = []
    same: bool = False
    """Whether the text of the page is as the model last saw it."""
    moved: bool = False
    text: str = ""
    frame_urls: dict[str, str] = {}
    """The address of each iframe's document, by the iframe's ref."""
    problem: str = ""


class _SeenTab:
    """What the model has seen of a tab: its page, as it was then, and what was shown of the pages before."""

    def __init__(self) -> None:
        self.document = -1
        self.snapshot: Snapshot | None = None
        self.shown = ShownPages(*_SHOWN)
        self.is_whole = False  # in the last view, with what that says is as before


class Observer:
    """Observes pages for the model. `budget_tokens` is the most that it is shown, `most_tokens` that it may ask for.

    Secrets are masked in everything that is returned.
    """

    def __init__(self, budget_tokens: int, most_tokens: int | None = None, secrets: Secrets | None = None) -> None:
        self._secrets = Secrets() if secrets is None else secrets
        self._budget_tokens = budget_tokens
        self._most_tokens = max(budget_tokens, most_tokens or 0)
        self._tabs: dict[str, _SeenTab] = {}
        """By target id. A tab that the model comes back to is not shown whole again."""
        self._tab = _SeenTab()
        self._address = ""

    @property
    def seen(self) -> Snapshot | None:
        """The whole page as it was when the model last saw it, None when the model no longer has it."""
        return self._tab.snapshot

    def seen_of(self, page: Page) -> Snapshot | None:
        """The page of a tab, which need not be the current one, as the model last saw it; None if it has not."""
        tab = self._tabs.get(page.target_id)
        return tab.snapshot if tab is not None and tab.document == _document_of(page) else None

    @property
    def text(self) -> str | None:
        """The text of `seen`."""
        return None if self.seen is None else self.seen.text

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs on the page as it was when the model last saw it, in order, as it was shown them."""
        return tuple(self._tab.shown.names.get(ref, ref) for ref in refs_in(self.text or ""))

    def is_elsewhere(self, page: Page) -> bool:
        """Whether the page is another one than the model last saw, of another tab or in the same one."""
        return self.seen is not None and (
            self._tabs.get(page.target_id) is not self._tab or self._tab.document != _document_of(page)
        )

    async def observe(self, page: Page, receipts: Collection[Receipt] = (), *, whole: bool = False) -> ObservedPage:
        """The part of the page that the model has not seen yet, without what the `receipts` of its actions report.

        `whole`: the whole page, including what the model has seen. Raises BrowserError.
        """
        return self._secrets.masked(await self._observe(page, receipts, self._budget_tokens if whole else 0))

    async def _observe(self, page: Page, receipts: Collection[Receipt], whole_in_tokens: int) -> ObservedPage:
        self._tab = self._tabs[page.target_id] = self._tabs.pop(page.target_id, _SeenTab())
        for oldest in list(self._tabs)[:-_MOST_TABS]:
            del self._tabs[oldest]
        try:
            if whole_in_tokens or self.seen is None or self.is_elsewhere(page):
                return await self._observe_whole(page, whole_in_tokens)
            now = await page.snapshot()
            text, url = now.text, now.url
            if self.is_elsewhere(page):
                return await self._observe_whole(page)
            lines = diff.changes(self.seen.text, text)
            passed = passed_lines(tab_of(page).take_passed(), [self.seen.text, text])
            changed = _without_receipts(lines, receipts) + passed
            moved = url != self._address
            view = prompts.changes(url if moved else "", changed) if changed else None
            if view is not None and not self._is_shorter(view, text):
                return await self._observe_whole(page, passed=passed)
        except (ActionError, SessionClosed) as error:
            self.forget()
            return ObservedPage(prompts.unreadable(str(error)), problem=str(error))
        self._tab.snapshot, self._tab.is_whole, self._address = now, self._tab.is_whole and not lines, url
        return ObservedPage(
            view, url, now.title, changed=changed, same=not lines, moved=moved, text=text, frame_urls=now.frame_urls
        )

    async def _observe_whole(self, page: Page, again: int = 0, passed: Sequence[str] = ()) -> ObservedPage:
        """The whole page; without what the model was shown of the tab's page before, unless `again` is a budget."""
        tab, memory = tab_of(page), self._tab
        reading = await tab.read_marked()
        now, moved = reading.snapshot, reading.snapshot.url != self._address
        passed = [*passed, *passed_lines(tab.take_passed(), [self.text, now.text])]
        if again or memory.snapshot is None:
            memory.shown = ShownPages(*_SHOWN)
        else:
            memory.shown.forget_changed(memory.snapshot.text, None)
        shown, refs, is_whole = memory.shown.next_page(reading, again or self._budget_tokens)
        carry_over(tab, refs)
        tab.note_shown(now.text if is_whole else None)
        memory.document, memory.snapshot, memory.is_whole = _document_of(page), now, is_whole
        self._address = now.url
        view = prompts.view(now.url, now.title, "\n".join([shown or now.text_or_note, *passed]))
        return ObservedPage(view, now.url, now.title, shown, moved=moved, text=now.text, frame_urls=now.frame_urls)

    async def observe_snapshot(self, page: Page, shown: Snapshot) -> ObservedPage:
        """The observation for a snapshot that the model asked for, within its budget. Raises BrowserError."""
        if self._tab.is_whole and shown.text == self.text and not self.is_elsewhere(page):
            self._tab.is_whole = False  # whoever asks once more gets it
            rest = prompts.still(self._tab.shown.left_out)
            return self._secrets.masked(ObservedPage(rest, shown.url, shown.title, same=True, text=shown.text))
        asked = self._most_tokens if is_whole(shown.text) else min(tokens(shown.text), self._most_tokens)
        return self._secrets.masked(await self._observe(page, (), asked))

    def narrow(self, budget_tokens: int) -> None:
        """Lowers both limits to `budget_tokens` from now on."""
        self._budget_tokens = min(self._budget_tokens, budget_tokens)
        self._most_tokens = min(self._most_tokens, budget_tokens)

    def forget(self) -> None:
        """Makes the next `observe` show the whole page, since the model no longer has what it saw."""
        self._tabs.clear()
        self._tab = _SeenTab()

    def _is_shorter(self, view: str, text: str) -> bool:
        """Whether the view costs fewer tokens than as much of the text as may be shown."""
        cost = tokens(view)
        # Counting the tokens of a huge page takes long, and is rarely needed.
        return cost < self._budget_tokens and (cost < len(text) // LONGEST_TOKEN or cost < tokens(short_form(text)))


def _document_of(page: Page) -> int:
    return tab_of(page).activity.document.number


def _without_receipts(lines: list[str], receipts: Collection[Receipt]) -> list[str]:
    """The changed lines that no receipt has reported."""
    in_receipts = {line for receipt in receipts for line in (*receipt.meanwhile, *receipt.changed)}
    alike = {line.rpartition(" (")[0] for line in in_receipts if line.endswith(" times)")}
    filled = {receipt.ref for receipt in receipts if receipt.value is not None} - {None}
    filled |= {field.ref for receipt in receipts for field in receipt.fields if field.value is not None}
    return [
        line
        for line in lines
        if line not in in_receipts
        and as_read(line) not in alike
        and not (line[0] == "~" and ref_of_change(line) in filled)
    ]
