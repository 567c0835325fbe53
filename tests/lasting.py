"""`one_tab` for files whose tests leave their tab in order: the same for all of these files.

A tab costs Chrome a process and a place among the tabs, as much as three tests in it; what one test leaves to the next
is the same as within a file, see one_tab.py, but that each file begins with a blank document: timers of a page that was
written over go on. A file imports the fixture in the place of that of conftest.py.
"""

from __future__ import annotations

import pytest

from tests.one_tab import OneTab


@pytest.fixture(scope="module")
async def one_tab(lasting_tab: OneTab) -> OneTab:
    await lasting_tab.clear()
    return lasting_tab
