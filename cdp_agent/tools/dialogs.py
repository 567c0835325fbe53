"""The tool that answers a dialog of the page."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from cdp_agent.errors import ActionError
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from cdp_agent.tools.tabs import tab_id, tabs_of


class DialogArguments(Arguments, frozen=True):
    action: Annotated[Literal["accept", "dismiss"], Meta(description="accept is OK, dismiss Cancel.")]
    text: Annotated[str | None, Meta(description="For a prompt.")] = None


@tool(
    page_changing=True,
    useful_if=lambda context: context.page.dialog is not None,
    effect="dialog",
    gives="what came of the action that the dialog stopped",
)
async def dialog(args: DialogArguments, context: Context) -> Observation:
    """Answer the open dialog: confirm, prompt or beforeunload."""
    page = context.page
    if page.dialog is None:
        shown = [f"{tab_id(each)} {each.dialog.question}" for each in tabs_of(context) if each.dialog is not None]
        if shown:
            raise ActionError(f"No dialog is open in this tab, {tab_id(page)}, but in another one: {'; '.join(shown)}.")
    receipt = await page.answer_dialog(args.action == "accept", args.text)
    return Observation(receipt.text, receipt)
