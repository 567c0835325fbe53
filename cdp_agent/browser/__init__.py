"""A browser, its tabs as they come and go, and the Chrome behind it, which is exchanged whole when it goes away.

Imports `page`, `cdp` and what is below them; `launch` and `attach` are its own and do not know it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdp_agent.browser.browser import Browser as Browser


def __getattr__(name: str) -> Any:
    if name != "Browser":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cdp_agent.browser.browser import Browser  # late: this module is loaded with each of its folders

    return Browser
