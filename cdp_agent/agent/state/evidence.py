"""What the agent was shown, kept word for word, so that an answer can be checked against it."""

from __future__ import annotations

import re

import msgspec

from cdp_agent.agent.base.task import Plan
from cdp_agent.agent.rows.handing_over import RowsSeen
from cdp_agent.page.receipts.receipts import Receipt, ReportedTab
from cdp_agent.page.snapshot.lines import ref_of, ref_of_change, shown_address
from cdp_agent.websearch.base import Results

ADDRESS = "Address: "
"""The beginning of a line that names the page that the lines below it are from."""


_WORD = re.compile(r"\w+")
_ADDRESS_LINE = re.compile(rf"^(\s*)({ADDRESS})", re.MULTILINE)


class Shown(msgspec.Struct, frozen=True):
    """A text that the model was shown. `source` is "page", "changes" (of a page), or the name of the tool."""

    step: int
    source: str
    text: str
    finding: bool = False
    """Whether it was extracted from a page on purpose."""
    url: str = ""
    """The page that it comes from."""
    proof: str = ""
    """What pages showed of it, which can support an answer: nothing that a model has said, typed or made up."""
    arguments: str = ""
    """The tool's arguments."""
    made_up: list[str] = []
    """What a model said in it of a page that does not show it."""
    from_user: bool = False
    """Whether the user said it, and no page."""


class Evidence:
    """All that was shown, in order; a page that was shown twice with the same text is kept once."""

    def __init__(self, shown: list[Shown] | None = None) -> None:
        self.shown: list[Shown] = []
        self._filled: set[str] = set()
        """The refs of fields that the run itself has filled in."""
        self._known: set[tuple[str, str]] = set()
        for each in shown or []:
            self._keep(each)

    def add_page(self, step: int, source: str, text: str, url: str) -> None:
        """Adds a view of a page ("page"), or what changed on one ("changes")."""
        self._keep(Shown(step, source, text, url=url, proof=self._proof(text)))

    def add_result(
        self,
        step: int,
        tool: str,
        text: str,
        value: object,
        *,
        finding: bool,
        url: str,
        arguments: str,
        from_user: bool = False,
    ) -> None:
        """Adds a tool's result: `text`, and the `value` that it was made from. `from_user`: it is the user's answer."""
        if isinstance(value, Receipt) and value.ref is not None and value.value is not None:
            self._filled.add(value.ref)
        proof = "" if from_user else self._proof(_from_pages(text, value, arguments))
        self._keep(Shown(step, tool, text, finding, url, proof, arguments, _made_up(value), from_user))

    def text(self) -> str:
        """Everything that pages showed, each part below the address of its page."""
        proofs = [each for each in self.shown if not each.from_user]
        return "\n".join(f"{address_line(each.url)}\n{_without_addresses(each.proof)}" for each in proofs)

    @property
    def said_by_user(self) -> list[str]:
        """The user's answers to questions of the run."""
        return [each.text for each in self.shown if each.from_user]

    @property
    def made_up(self) -> list[str]:
        """What models said of pages that did not show it."""
        return list(dict.fromkeys(claim for each in self.shown for claim in each.made_up))

    @property
    def actions(self) -> list[Shown]:
        """The results of tools, in order."""
        return [each for each in self.shown if each.source not in ("page", "changes")]

    @property
    def findings(self) -> list[Shown]:
        return [each for each in self.shown if each.finding]

    def _keep(self, shown: Shown) -> None:
        key = (shown.source, shown.text)
        if shown.source != "page" or key not in self._known:
            self._known.add(key)
            self.shown.append(shown)

    def _proof(self, text: str) -> str:
        """The text without the values of fields that the run has filled in."""
        if not any(f"[ref={ref}]" in text for ref in self._filled):
            return text
        return "\n".join(map(self._proof_of, text.split("\n")))

    def _proof_of(self, line: str) -> str:
        ref = ref_of(line) or ref_of_change(line)
        return line.partition(f"[ref={ref}]")[0] + f"[ref={ref}]" if ref in self._filled else line


def address_line(url: str) -> str:
    """The line that names the page that the lines below it are from."""
    return f"{ADDRESS}{shown_address(url)}"


def _without_addresses(proof: str) -> str:
    """The text with its lines that begin like an `address_line` changed, so that they are not taken for one."""
    return _ADDRESS_LINE.sub(r"\1| \2", proof) if ADDRESS in proof else proof


def _from_pages(text: str, value: object, arguments: str) -> str:
    """The part of a tool's result that comes from pages, not from the call itself or made up by a model."""
    from cdp_agent.extract import Extraction  # late: httpx and regex take 40 ms
    from cdp_agent.page.query.find import FindResult
    from cdp_agent.page.query.search import SearchResult
    from cdp_agent.tools.scripting import ScriptResult

    match value:
        case Receipt():
            parts = [value.target, *value.changed, value.navigated_to or "", value.title or "", value.focus or ""]
            tabs: list[ReportedTab] = [*value.new_tabs, *value.other_tabs]
            parts += [f"{each.title} {each.url}" for each in tabs]
            parts += [each.message for each in (*value.dialogs, value.dialog) if each is not None]
            parts += [each.suggested_name for each in value.downloads]
            return "\n".join(filter(None, parts))
        case SearchResult():
            return "\n".join([f"{each.before}{each.text}{each.after}" for each in value.matches] + [str(value.total)])
        case FindResult(total=0) | Plan() | RowsSeen(is_shown=False):
            return ""
        case Results():  # what it says of a page is an engine's, and perhaps a model's
            return value.markdown or "\n".join(f"{each.title} {each.url}" for each in value.results)
        case Extraction():
            return "\n".join(value.sources)
        case ScriptResult():  # code returns what its author wrote into it as well
            written = set(_WORD.findall(arguments))
            return _WORD.sub(lambda word: "…" if word[0] in written else word[0], text)
    return text


def _made_up(value: object) -> list[str]:
    from cdp_agent.extract import Extraction  # late, as above

    return [str(each.value) for each in value.ungrounded] if isinstance(value, Extraction) else []
