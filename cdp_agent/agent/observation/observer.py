"""Determines what the model is shown of the page: all of a new document, and from then on only what changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from cdp_agent.agent.model import prompts
from cdp_agent.errors import ActionError, SessionClosed
from cdp_agent.page.page import Page, tab_of
from cdp_agent.page.receipts.budget import as_read
from cdp_agent.page.receipts.receipts import Receipt
from cdp_agent.page.snapshot import diff
from cdp_agent.page.snapshot.budget import LONGEST_TOKEN, tokens
from cdp_agent.page.snapshot.lines import ref_of_change, refs_in
from cdp_agent.page.snapshot.snapshot import Snapshot
from cdp_agent.page.tab.shown import passed_lines
from cdp_agent.security.secrets import Secrets


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


class Observer:
    """Observes pages for the model. `budget_tokens` is the most that it is shown, `most_tokens` that it may ask for.

    Secrets are masked in everything that is returned.
    """

    def __init__(self, budget_tokens: int, most_tokens: int | None = None, secrets: Secrets | None = None) -> None:
        self._secrets = Secrets() if secrets is None else secrets
        self._budget_tokens = budget_tokens
        self._most_tokens = max(budget_tokens, most_tokens or 0)
        self._document: tuple[str, int] | None = None
        self._text: str | None = None
        self._address = ""

    @property
    def text(self) -> str | None:
        """The whole page as it was when the model last saw it, None when the model no longer has it."""
        return self._text

    @property
    def refs(self) -> tuple[str, ...]:
        """The refs on the page as it was when the model last saw it, in order."""
        return tuple(refs_in(self._text or ""))

    def is_elsewhere(self, page: Page) -> bool:
        """Whether the page now has another document than the one that the model last saw."""
        return self._document is not None and self._document != _document_of(page)

    async def observe(self, page: Page, receipts: Collection[Receipt] = (), *, whole: bool = False) -> ObservedPage:
        """The part of the page that the model has not seen yet, without what the `receipts` of its actions report.

        `whole`: the whole page, including what the model has seen. Raises BrowserError.
        """
        return self._secrets.masked(await self._observe(page, receipts, whole))

    async def _observe(self, page: Page, receipts: Collection[Receipt], whole: bool) -> ObservedPage:
        try:
            now = await page.snapshot()
            document = _document_of(page)
            whole = whole or self._text is None or document != self._document
            lines = [] if whole else diff.changes(self._text or "", now.text)
            passed = passed_lines(tab_of(page).take_passed(), [self._text, now.text])
            changed = _without_receipts(lines, receipts) + passed
            moved = now.url != self._address
            if not whole:
                view = prompts.changes(now.url if moved else "", changed) if changed else None
                if view is None or self._is_shorter(view, now.text):
                    self._text, self._address = now.text, now.url
                    return ObservedPage(
                        view,
                        now.url,
                        now.title,
                        changed=changed,
                        same=not lines,
                        moved=moved,
                        text=now.text,
                        frame_urls=now.frame_urls,
                    )
            fits = len(now.text) <= self._budget_tokens * LONGEST_TOKEN and tokens(now.text) <= self._budget_tokens
            shown = now if fits else await self._within_budget(page)
        except (ActionError, SessionClosed) as error:
            self.forget()
            return ObservedPage(prompts.unreadable(str(error)), problem=str(error))
        self._document, self._text, self._address = document, now.text, now.url
        return _whole(shown, moved, now.text, passed)

    async def observe_snapshot(self, page: Page, shown: Snapshot) -> ObservedPage:
        """The observation for a snapshot that the model asked for. Raises BrowserError."""
        moved = shown.url != self._address
        try:
            text = (await page.snapshot()).text
            if tokens(shown.text) > self._most_tokens:
                shown = await page.snapshot(budget_tokens=self._most_tokens)
        except (ActionError, SessionClosed):
            text = shown.text
        self._document, self._text = _document_of(page), text
        self._address = shown.url
        return self._secrets.masked(_whole(shown, moved, text))

    def narrow(self, budget_tokens: int) -> None:
        """Lowers both limits to `budget_tokens` from now on."""
        self._budget_tokens = min(self._budget_tokens, budget_tokens)
        self._most_tokens = min(self._most_tokens, budget_tokens)

    def forget(self) -> None:
        """Makes the next `observe` show the whole page, since the model no longer has what it saw."""
        self._document = self._text = None

    def _is_shorter(self, view: str, text: str) -> bool:
        """Whether the view costs fewer tokens than as much of the text as may be shown."""
        cost = tokens(view)
        # Counting the tokens of a huge page takes long, and is rarely needed.
        return cost < self._budget_tokens and (cost < len(text) // LONGEST_TOKEN or cost < tokens(text))

    async def _within_budget(self, page: Page) -> Snapshot:
        return await page.snapshot(budget_tokens=self._budget_tokens)


def _whole(shown: Snapshot, moved: bool, text: str, passed: Sequence[str] = ()) -> ObservedPage:
    view = prompts.view(shown.url, shown.title, "\n".join([shown.text_or_note, *passed]))
    return ObservedPage(view, shown.url, shown.title, shown.text, moved=moved, text=text, frame_urls=shown.frame_urls)


def _document_of(page: Page) -> tuple[str, int]:
    return page.target_id, tab_of(page).activity.document.number


def _without_receipts(lines: list[str], receipts: Collection[Receipt]) -> list[str]:
    """The changed lines that no receipt has reported."""
    in_receipts = {line for receipt in receipts for line in (*receipt.meanwhile, *receipt.changed)}
    alike = {line.rpartition(" (")[0] for line in in_receipts if line.endswith(" times)")}
    filled = {receipt.ref for receipt in receipts if receipt.value is not None} - {None}
    return [
        line
        for line in lines
        if line not in in_receipts
        and as_read(line) not in alike
        and not (line[0] == "~" and ref_of_change(line) in filled)
    ]
