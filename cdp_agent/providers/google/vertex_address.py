"""The address of Google's Vertex AI: the protocol of the Gemini API at an address with a project and a location.

https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
"""

from __future__ import annotations

from collections.abc import Mapping

PROJECT_VARIABLES = ("GOOGLE_VERTEX_PROJECT", "GOOGLE_CLOUD_PROJECT", "GCP_PROJECT")
LOCATION_VARIABLES = ("GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_REGION", "GOOGLE_CLOUD_LOCATION")
TOKEN_VARIABLE = "GOOGLE_VERTEX_ACCESS_TOKEN"
LOCATION = "us-central1"


def project_of(environment: Mapping[str, str]) -> str | None:
    return next((environment[name] for name in PROJECT_VARIABLES if environment.get(name)), None)


def location_of(environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in LOCATION_VARIABLES if environment.get(name)), LOCATION)


def base_url(project: str | None, location: str) -> str:
    """The base URL. Without a project: the one that takes API keys ("express mode"), which imply the project."""
    if project is None:
        return "https://aiplatform.googleapis.com/v1/publishers/google"
    host = "aiplatform.googleapis.com" if location == "global" else f"{location}-aiplatform.googleapis.com"
    return f"https://{host}/v1/projects/{project}/locations/{location}/publishers/google"
