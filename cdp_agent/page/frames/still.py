"""Documents in which no script can run: once they are loaded nothing changes in them but what somebody does.

Whether one is, its source says for certain: of a script that has removed itself nothing else is left.
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
    """Whether no script can run in a tab's document, which is all that it has. Asks once for each document.

    `request_id` is that of the request which it answers. Raises PageUnresponsive, DocumentGone, BrowserError.
    """
    if frame.still is None:
        seems = await world.call("seemsStill", returning=bool, timeout_s=_WITHIN_S)
        frame.still = seems and await _is_sent_without_scripts(world, request_id)
    return frame.still


async def _is_sent_without_scripts(world: World, request_id: str) -> bool:
    """By the document as the server sent it; where Chrome has that no more, nobody knows."""
    try:
        async with deadline(world.session, _WITHIN_S):
            sent = await world.session.send(network.GetResponseBody(request_id=request_id))
    except ProtocolError:
        return False
    return not sent.base64_encoded and _RUNS.search(sent.body) is None
