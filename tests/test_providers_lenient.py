"""Reading JSON that a model wrote as best it could."""

import json

import pytest

from cdp_agent.providers.shared.json_reading import objects, read_object

CLICK = {"ref": "E1", "count": 2}


@pytest.mark.parametrize(
    "text",
    [
        '{"ref": "E1", "count": 2}',
        '"{\\"ref\\": \\"E1\\", \\"count\\": 2}"',
        'Sure:\n```json\n{"ref": "E1", "count": 2}\n```\nThat is it.',
        'I call {click} with {"ref": "E1", "count": 2}.',
        '{click {"ref": "E1", "count": 2}}',
        '{"ref": "E1", "count": 2,}',
        '{"ref": "E1", "count": 2\n,\n}\n',
        '<think>{"ref": "E9"}?</think>{"ref": "E1", "count": 2}',
        '{"count": 2, "ref": "E1"',
        '{"count": 2, "ref": "E1",\n',
    ],
    ids=["bare", "string", "fence", "braces", "in braces", "comma", "comma on a line", "thoughts", "cut", "cut at it"],
)
def test_an_object_is_read_whatever_is_around_it(text: str) -> None:
    assert read_object(text) == CLICK


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"value": "one\ntwo\tthree"}', {"value": "one\ntwo\tthree"}),
        ('{"value": "a, }b", "list": [1, 2,],}', {"value": "a, }b", "list": [1, 2]}),
        ('{"a": {"b": ["c"', {"a": {"b": ["c"]}}),
        ('{"a": true', {"a": True}),
        ("", {}),
        ("null", {}),
    ],
    ids=["line breaks", "commas", "several brackets", "a word", "nothing", "null"],
)
def test_what_is_plain_is_mended(text: str, found: object) -> None:
    assert read_object(text) == found


@pytest.mark.parametrize(
    "text",
    ['{"value": "half a sen', '{"count": 1', '{"ref": "E1", "value"', '{"a": [}', "no JSON", '{"a": tru'],
    ids=["a string", "a number", "a name", "brackets", "words", "half a word"],
)
def test_nothing_is_made_up(text: str) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        read_object(text)


def test_a_list_is_no_object() -> None:
    with pytest.raises(ValueError, match="must be a JSON object, not list"):
        read_object("[1]")


DEEP = "[" * 5000


@pytest.mark.parametrize(
    "text",
    [DEEP, f'{{"a": {DEEP}', json.dumps(DEEP), json.dumps(f'{{"a": {DEEP}'), f'say "{{{DEEP}"', '"' + "{" * 20_000],
    ids=["bare", "an object", "quoted", "an object, quoted", "in words", "many"],
)
def test_what_is_nested_too_deep_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"not JSON|must be a JSON object"):
        read_object(text)


def test_all_objects_are_found_where_they_begin() -> None:
    assert list(objects('a {"b": 1} c {"d": {"e": 2}} f')) == [(2, {"b": 1}), (13, {"d": {"e": 2}})]
