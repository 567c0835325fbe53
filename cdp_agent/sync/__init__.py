"""The public classes with blocking calls: `from cdp_agent.sync import Agent, Browser`.

    with Browser.launch() as browser:
        page = browser.new_page("https://example.com")
        print(page.click("E3").text)

They work in any thread, in a notebook, and alongside a running event loop: everything runs in a separate loop, in a
background thread. Ctrl-C cancels the call that is waited for. Callbacks (`on_event`, `approve`) are called in the
thread that waits. `tools` remain async functions, and get the async `Page`.
"""

from cdp_agent.sync.classes import Agent as Agent
from cdp_agent.sync.classes import Browser as Browser
from cdp_agent.sync.classes import BrowserContext as BrowserContext
from cdp_agent.sync.classes import Page as Page
from cdp_agent.sync.classes import Session as Session
from cdp_agent.sync.wrapper import StopSignal as StopSignal
