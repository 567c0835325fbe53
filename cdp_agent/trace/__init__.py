"""Traces: a folder that is written while a run goes on, and the files for viewing that are made from it.

`write_html` makes a page, `write_zip` a file for Playwright's viewer; `TraceWriter` and `read` are for a file with only
the events. Imports events, pages and providers' messages, but not the agent.
"""

from __future__ import annotations

from cdp_agent.trace.event_file import TraceWriter, read
from cdp_agent.trace.html import write_html
from cdp_agent.trace.options import TraceOptions
from cdp_agent.trace.playwright import write_zip

__all__ = ["TraceOptions", "TraceWriter", "read", "write_html", "write_zip"]
