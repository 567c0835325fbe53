"""The real editors and grids start, take what they are given, and tell it."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from tests.app_pages import APPS
from tests.conftest import AppUrl

EDITORS = ["ace", "codemirror", "codemirror5", "lexical", "monaco", "prosemirror", "quill", "tinymce", "tiptap"]
NAMES = [each.stem for each in sorted((APPS / "pages").glob("*.js")) if not each.stem.endswith("_worker")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_of_an_app_starts(page: Page, app_url: AppUrl, name: str) -> None:
    await page.goto(app_url(name))

    assert await page.evaluate("Boolean(app.editor)")


@pytest.mark.parametrize("name", EDITORS)
async def test_an_editor_tells_what_it_was_given(page: Page, app_url: AppUrl, name: str) -> None:
    await page.goto(app_url(name))

    await page.evaluate("app.set('one\\n  two\\n\\nthree')")

    assert await page.evaluate("app.value()") == "one\n  two\n\nthree"
