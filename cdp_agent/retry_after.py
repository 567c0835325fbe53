"""How long a server asks to wait before the next request: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after."""

from __future__ import annotations

from time import time


def retry_after_s(seconds: str | None, milliseconds: str | None = None) -> float | None:
    """The seconds to wait according to an answer's headers, None if they do not say.

    `retry-after` has seconds or a date; `retry-after-ms`, which OpenAI and Azure send, is more precise.
    """
    for value, scale in ((milliseconds, 1000.0), (seconds, 1.0)):
        try:
            wait_s = float(value or "") / scale
        except ValueError:
            continue
        if wait_s >= 0:  # neither negative nor NaN
            return wait_s
    from email.utils import parsedate_to_datetime  # late: 5 ms, and few services write a date

    try:
        return max(0.0, parsedate_to_datetime(seconds or "").timestamp() - time())
    except ValueError:
        return None
