"""What is kept of a run to be looked at: a folder that is written as it goes, and what is made of it.

`write_html` makes a page of it, `write_zip` what Playwright's viewer opens; `TraceWriter` and `read` are for a file of
events alone. Imported are events, pages and providers' messages; no agent.
"""

from __future__ import annotations

from cdp_agent.trace.event_file import TraceWriter, read
from cdp_agent.trace.html import write_html
from cdp_agent.trace.options import TraceOptions
from cdp_agent.trace.playwright import write_zip

__all__ = ["TraceOptions", "TraceWriter", "read", "write_html", "write_zip"]
