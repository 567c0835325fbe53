"""The same names with calls that block: `from cdp_agent.sync import Agent, Browser`.

    with Browser.launch() as browser:
        page = browser.new_page("https://example.com")
        print(page.click("E3").text)

It works in any thread, in a notebook, and beside an event loop that runs: what is done is done in a loop of its own, in
a thread in the background. Ctrl-C cancels the call that is waited for. Functions that are given (`on_event`, `approve`)
are called in the thread that waits. `tools` are async functions as ever, and get the async `Page`.
"""

from cdp_agent.sync.classes import Agent as Agent
from cdp_agent.sync.classes import Browser as Browser
from cdp_agent.sync.classes import BrowserContext as BrowserContext
from cdp_agent.sync.classes import Page as Page
from cdp_agent.sync.classes import Session as Session
from cdp_agent.sync.wrapper import StopSignal as StopSignal
