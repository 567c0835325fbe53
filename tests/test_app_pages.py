"""The real editors and grids start."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from tests.app_pages import APPS
from tests.conftest import AppUrl

NAMES = [each.stem for each in sorted((APPS / "pages").glob("*.js")) if not each.stem.endswith("_worker")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_of_an_app_starts(page: Page, app_url: AppUrl, name: str) -> None:
    await page.goto(app_url(name))

    assert await page.evaluate("Boolean(app.editor)")
