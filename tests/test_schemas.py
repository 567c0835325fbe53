"""What is generated and committed is current, and true."""

import json

import jsonschema_rs
import msgspec

from cdp_agent.events import Event
from cdp_agent.schemas import FOLDER, outdated
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.asking import USER_TOOLS
from tests.tables import table
from tests.test_events import EVENTS


def test_the_committed_schemas_are_current() -> None:
    assert outdated() == [], "run python -m cdp_agent.schemas"


@table("name", ["events.json", "trace.json"])
@table("event", EVENTS)
def test_every_event_is_valid(name: str, event: Event) -> None:
    schema = json.loads((FOLDER / name).read_text())

    jsonschema_rs.validate(schema, msgspec.to_builtins(event))


def test_every_tool_has_a_valid_schema() -> None:
    declared = json.loads((FOLDER / "tools.json").read_text())

    assert [tool["name"] for tool in declared] == [*BUILT_IN, *(tool.name for tool in USER_TOOLS), "web_search"]
    for tool in declared:
        jsonschema_rs.meta.validate(tool["parameters"])
