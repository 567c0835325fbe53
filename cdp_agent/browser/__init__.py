"""A browser, its tabs as they open and close, and the Chrome behind it, which is replaced as a whole when it is lost.

Imports `page`, `cdp` and what is below them; its folders `launch` and `attach` import nothing from the files here.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cdp_agent.browser.browser import Browser as Browser


def __getattr__(name: str) -> object:
    if name != "Browser":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cdp_agent.browser.browser import Browser  # late: importing any of the subpackages loads this module

    return Browser
