"""What is derived from a tool's struct, function and docstring, and how arguments are read."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta

from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.providers.base import REF_PATTERN
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Arguments, Context, Observation, Ref, by_name, tool
from tests.tables import table


class PackArguments(Arguments, frozen=True):
    """For programmers."""

    ref: Ref
    box: Annotated[Literal["Big", "Small"], Meta(description="Which box.")] = "Big"
    weight: Annotated[int | None, Meta(description="In grams.")] = None
    labels: list[str] = []
    careful: bool = False


@tool(page_changing=True)
async def pack(args: PackArguments, context: Context) -> Observation:
    """Put it in a box.

    Boxes are
    brown.
    """
    return Observation(f"{args.ref} is packed.")


def test_a_tool_is_derived_from_its_function() -> None:
    assert (pack.name, pack.description, pack.summary, pack.page_changing, pack.read_only, pack.terminal) == (
        "pack",
        "Put it in a box. Boxes are brown.",
        "Put it in a box.",
        True,
        False,
        False,
    )


@table(
    ("name", "arguments", "changes"),
    [
        ("click", {"ref": "E1"}, True),
        ("goto", {"url": "x.org"}, True),
        ("fill", {"ref": "E1", "value": "Enter"}, False),
        ("press", {"key": "Enter"}, True),
        ("press", {"key": "Control+Enter"}, True),
        ("press", {"key": "Tab"}, False),
        ("search_page", {"pattern": "x"}, False),
    ],
)
def test_a_tool_says_for_which_arguments_it_changes_the_page(
    name: str, arguments: dict[str, str], changes: bool
) -> None:
    called = BUILT_IN[name]

    assert called.changes_page(called.parse(arguments)) is changes


def test_a_tool_knows_the_refs_in_its_arguments() -> None:
    drag = BUILT_IN["drag"]

    assert drag.refs_in(drag.parse({"from_ref": "E1", "to_ref": "E2"})) == ["E1", "E2"]
    assert BUILT_IN["press"].refs_in(BUILT_IN["press"].parse({"key": "Tab"})) == []
    form = {"fields": [{"ref": "E1", "value": "a"}, {"ref": "E2", "value": "b"}]}
    assert BUILT_IN["fill_form"].refs_in(BUILT_IN["fill_form"].parse(form)) == ["E1", "E2"]


def test_a_list_that_is_nested_too_deep_is_one_text() -> None:
    found = pack.parse({"ref": "E1", "labels": "[" * 5000})

    assert isinstance(found, PackArguments)
    assert found.labels == ["[" * 5000]


def test_parameters_are_one_plain_object() -> None:
    assert pack.parameters == {
        "type": "object",
        "properties": {
            "ref": {
                "type": "string",
                "description": "The element's ref, for example E12.",
                "pattern": REF_PATTERN,
            },
            "box": {"type": "string", "description": "Which box.", "enum": ["Big", "Small"], "default": "Big"},
            "weight": {"type": "integer", "description": "In grams."},
            "labels": {"type": "array", "items": {"type": "string"}, "default": []},
            "careful": {"type": "boolean", "default": False},
        },
        "required": ["ref"],
        "additionalProperties": False,
    }


@table(
    ("source", "expected"),
    [
        ('{"ref":"E12"}', PackArguments("E12")),
        ('{"ref":"[ref=E12]"}', PackArguments("E12")),
        ('{"ref":"[E12]"}', PackArguments("E12")),
        ('{"ref":"ref=E12"}', PackArguments("E12")),
        ('{"ref":"e12 "}', PackArguments("E12")),
        ('{"ref":12}', PackArguments("E12")),
        ('{"Ref":"E1","box":"small"}', PackArguments("E1", "Small")),
        ('{"ref":"E1","weight":"250"}', PackArguments("E1", weight=250)),
        ('{"ref":"E1","weight":null,"box":null}', PackArguments("E1")),
        ('{"ref":"E1","labels":"top"}', PackArguments("E1", labels=["top"])),
        ('{"ref":"E1","labels":"[\\"a\\",1]"}', PackArguments("E1", labels=["a", "1"])),
        ('{"ref":"E1","labels":"[sic]"}', PackArguments("E1", labels=["[sic]"])),
        ('{"ref":"E1","careful":"true"}', PackArguments("E1", careful=True)),
        ('"{\\"ref\\":\\"E1\\"}"', PackArguments("E1")),
        ('```json\n{"ref": "E1"}\n```', PackArguments("E1")),
        ('{"ref":"E1"}{"ref":"E2"}', PackArguments("E1")),
        ('I use {it}: {"ref":"E1","labels":["}\\""]}', PackArguments("E1", labels=['}"'])),
        ({"ref": "E1", "weight": "3"}, PackArguments("E1", weight=3)),
    ],
)
def test_what_is_plainly_meant_is_taken(source: str | dict[str, object], expected: PackArguments) -> None:
    assert pack.parse(source) == expected


_NO_ELEMENT = 'ref: Expected a ref such as E12 from the snapshot, or a locator such as button "Save"'


@table(
    ("source", "problem"),
    [
        ("", "Object missing required field `ref`"),
        ('{"ref":"the button"}', _NO_ELEMENT),
        ('{"ref":"E0"}', _NO_ELEMENT),
        ('{"ref":"E1","weight":"much"}', "weight: Expected `int | null`, got `str`"),
        ('{"ref":"E1","box":"huge"}', "box: Invalid enum value 'huge', it is one of Big, Small"),
        ('{"ref":"E1","colour":"red"}', "Object contains unknown field `colour`"),
        ('{"ref":"E1","wait":3}', "Object contains unknown field `wait`, the nearest: weight"),
        ('{"ref":"E1","labels":[{}]}', "labels[0]: Expected `str`, got `object`"),
        ("[1]", "the arguments must be a JSON object, not list"),
        ('{"ref":"E1', "the arguments are not JSON (Input data was truncated)"),
    ],
)
def test_what_does_not_fit_is_named_with_what_to_do(source: str, problem: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        pack.parse(source)

    assert str(caught.value) == (
        f"pack: {problem}. It takes {{ref, box?, weight?, labels?, careful?}}: call it again with those."
    )


def test_what_a_tool_takes_is_told_down_to_the_parts_of_a_list() -> None:
    with pytest.raises(InvalidArguments) as caught:
        BUILT_IN["fill_form"].parse({"fields": [{"ref": "E1", "text": "Ada"}]})

    assert str(caught.value) == (
        "fill_form: fields[0]: Object contains unknown field `text`. "
        "It takes {fields: [{ref, value}], submit?}: call it again with those."
    )


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(SetupError, match="two tools named 'pack'"):
        by_name([pack], [pack])


def test_a_function_without_docstring_is_no_tool() -> None:
    async def bare(args: PackArguments, context: Context) -> Observation:
        return Observation("")

    with pytest.raises(SetupError, match="bare: a tool needs a docstring"):
        tool()(bare)


def test_the_built_in_tools() -> None:
    assert list(BUILT_IN) == [
        "snapshot",
        "get_schema",
        "markdown",
        "get_html",
        "search_page",
        "find_elements",
        "scroll",
        "extract",
        "read_table",
        "read_records",
        "read_file",
        "read_data",
        "read_console",
        "read_network",
        "click",
        "hover",
        "drag",
        "fill",
        "fill_form",
        "select",
        "check",
        "uncheck",
        "upload",
        "press",
        "type_text",
        "focus",
        "wait",
        "wait_for",
        "goto",
        "back",
        "forward",
        "reload",
        "dialog",
        "manage_tabs",
        "screenshot",
        "zoom",
        "pdf",
        "har",
        "evaluate",
        "done",
        "abort",
    ]


@table("name", [*BUILT_IN])
def test_every_parameter_of_a_built_in_tool_is_described_and_plain(name: str) -> None:
    parameters = BUILT_IN[name].parameters

    assert set(parameters) == {"type", "properties", "required", "additionalProperties"}
    for schema in parameters["properties"].values():
        assert schema["type"] in {"string", "integer", "number", "boolean", "array", "object"}
        assert schema["description"].endswith(".")


@table("name", [*BUILT_IN])
@table("given", ["x" * 100_000, ["x" * 100_000], {"x" * 100_000: 1}, 10**300])
def test_what_a_model_gave_too_much_of_is_not_told_back_to_it(name: str, given: object) -> None:
    tool = BUILT_IN[name]
    for parameter in tool.parameters["properties"]:
        with pytest.raises(InvalidArguments) as caught:
            tool.parse({parameter: given, "y" * 100_000: 1})

        assert len(str(caught.value)) < 2_100
        assert str(caught.value).endswith(": call it again with those.")
