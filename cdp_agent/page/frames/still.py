"""Documents in which no script can run: once loaded, they change only by the user's actions.

Only the source shows that for certain: a script may have removed itself from the document.
"""

from __future__ import annotations

import re

from cdp_agent.cdp import network
from cdp_agent.errors import ProtocolError

from .frames import Frame
from .world import World, deadline

_RUNS = re.compile(r"""<script|[\s"'/]on[a-z]+\s*=|http-equiv\s*=\s*["']?refresh""", re.IGNORECASE)
_WITHIN_S = 1.0


async def is_still(frame: Frame, world: World, request_id: str) -> bool:
    """Whether no script can run in a tab's only document. The result is remembered for each document.

    `request_id` is the id of the request for the document. Raises PageUnresponsive, DocumentGone, BrowserError.
    """
    if frame.still is None:
        seems = await world.call("seemsStill", returning=bool, timeout_s=_WITHIN_S)
        frame.still = seems and await _is_sent_without_scripts(world, request_id)
    return frame.still


async def _is_sent_without_scripts(world: World, request_id: str) -> bool:
    """Whether the document has no scripts as the server sent it; False where Chrome no longer has that."""
    try:
        async with deadline(world.session, _WITHIN_S):
            sent = await world.session.send(network.GetResponseBody(request_id=request_id))
    except ProtocolError:
        return False
    return not sent.base64_encoded and _RUNS.search(sent.body) is None
