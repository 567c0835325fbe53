"""What the OpenAPI document says against what the server does, by requests that a program makes of the document.

They are the same in every run: each operation gets a few requests that are as the document wants them, and a few that
are not. Of the tools only some that take no time are called: the arguments of all are checked in the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from cdp_agent import Browser
from tests.http_serving import Served, serving
from tests.test_server_openapi import each_kind_once

REQUESTS = 3
"""How many each operation gets of either kind."""
TOOLS = ("snapshot", "list_tabs")


@pytest.mark.slow
async def test_it_does_what_the_document_says(browser: Browser) -> None:
    pytest.importorskip("schemathesis", reason="schemathesis is missing: pip install -e '.[test]'")
    async with serving(browser) as served:
        session_id, run_id = await served.session(), await served.begin(steps=["Wait 0 seconds"])
        await served.events(run_id)

        differences = await asyncio.to_thread(all_differences, served, document_of(session_id, run_id))

    assert not differences, "\n".join(differences)


def document_of(session_id: str, run_id: str) -> dict[str, Any]:
    """The document, about this session and this run."""
    described = each_kind_once()
    described["security"] = []  # this server takes none
    for path, operations in list(described["paths"].items()):
        del described["paths"][path]
        if "/tools/" in path and not path.endswith(TOOLS):
            continue
        operations.pop("delete", None)
        for operation in operations.values():
            operation["parameters"] = [each for each in operation["parameters"] if each["name"] != "id"]
        path = path.replace("sessions/{id}", f"sessions/{session_id}").replace("runs/{id}", f"runs/{run_id}")
        described["paths"][path] = operations
    return described


def all_differences(served: Served, described: dict[str, Any]) -> list[str]:
    import schemathesis  # late: it takes seconds
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import GenerationMode

    alike = settings(
        max_examples=REQUESTS,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    differences: list[str] = []

    def check(case: Any) -> None:
        differences.extend(difference(case, served))

    for result in schemathesis.openapi.from_dict(described).get_all_operations():
        operation = result.ok()
        alike(given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))(check))()
        if operation.method == "post" and operation.body:
            alike(given(case=operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))(check))()
    return differences


def difference(case: Any, served: Served) -> Iterator[str]:
    from schemathesis.checks import not_a_server_error  # late, as above
    from schemathesis.core.failures import FailureGroup
    from schemathesis.specs.openapi.checks import positive_data_acceptance, response_schema_conformance

    # No schema says which addresses, time zones, rules and names of files there are: what is none gets a 400 and why.
    by_design = [positive_data_acceptance]
    if case.path == "/pilo/run":
        by_design.append(not_a_server_error)  # its protocol has 500 for a server without a key, and for what is no JSON
    if case.path.endswith("/events"):
        by_design.append(response_schema_conformance)  # it reads events as one value
    response = case.call(base_url=served.url, timeout=20)
    if response.status_code == 503 and b'"NoModel"' in response.content:
        by_design.append(not_a_server_error)  # as this server was set up
    try:
        case.validate_response(response, excluded_checks=by_design)
    except FailureGroup as failures:
        yield f"{case.method} {case.path} {case.body!r:.300} → {response.status_code}: {failures.exceptions}"[:900]
