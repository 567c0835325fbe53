"""Google's Vertex AI: the same protocol as the Gemini API, but its calls have no ids.

https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
"""

from __future__ import annotations

from typing import Any

from cdp_agent.providers.base import Request
from cdp_agent.providers.google import google
from cdp_agent.providers.google.google import JSON_OUTPUT, decoder, failure, headers, path

__all__ = ["JSON_OUTPUT", "decoder", "encode", "failure", "headers", "path"]


def encode(request: Request) -> dict[str, Any]:
    """The body of a streamed generation; the model is part of the path."""
    body = google.encode(request)
    for turn in body["contents"]:
        for part in turn["parts"]:
            for name in ("functionCall", "functionResponse"):
                if name in part:
                    part[name].pop("id", None)
    return body
