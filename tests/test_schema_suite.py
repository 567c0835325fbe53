"""The official JSON-Schema-Test-Suite, every verdict, through our own entry point.

https://github.com/json-schema-org/JSON-Schema-Test-Suite, as data in the folder that CDP_AGENT_SCHEMA_SUITE names.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.extract.schema import Dialect, compile_schema

FOLDER = Path(os.environ.get("CDP_AGENT_SCHEMA_SUITE", Path(__file__).parent.parent.parent / "shared/data"))
FILES: dict[Dialect, str] = {
    "2020-12": "json_schema_suite_draft2020-12.json",
    "7": "json_schema_suite_draft7.json",
}
VERDICTS = {"2020-12": 1299, "7": 927}


@pytest.mark.parametrize("dialect", FILES)
def test_every_verdict_of_the_official_suite_is_right(dialect: Dialect) -> None:
    path = FOLDER / FILES[dialect]
    if not path.exists():
        pytest.skip(f"no {path.name} in CDP_AGENT_SCHEMA_SUITE")
    suite: dict[str, Any] = json.loads(path.read_text("utf-8"))
    documents = {f"http://localhost:1234/{name}": schema for name, schema in suite["remotes"].items()}
    verdicts, wrong = 0, []

    for keyword, groups in suite["tests"].items():
        for group in groups:
            schema = compile_schema(group["schema"], dialect=dialect, documents=documents, formats=False)
            for test in group["tests"]:
                verdicts += 1
                found = schema.fits(test["data"])
                if found != test["valid"] or found == bool(schema.problems(test["data"])):
                    wrong.append(f"{keyword}: {group['description']}: {test['description']}")

    assert (verdicts, wrong) == (VERDICTS[dialect], [])
