"""The recorded model: what it serves, and that recordings survive a renumbering."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from cdp_agent.providers.base import Reply, ToolCall, Usage
from cdp_agent.providers.openai.openai import decoder
from fixtures import replay
from fixtures.replay import ReplayServer, fill_refs, newest_page, reply, tool_call
from tests.tables import table

PAGE = """- heading "Shop" [level=1] [ref=E3]
- button "Add to cart" [disabled] [ref=E7]
- iframe "Card" [ref=E8]:
  - button "Add to cart" [ref=E12]
  - textbox "Say \\"hi\\"" [ref=E13]: button "no" [ref=x]
  - link [ref=E14] → /x"""


def ask(base_url: str, content: str = "") -> bytes:
    body = json.dumps({"messages": [{"role": "user", "content": content}]}).encode()
    with urllib.request.urlopen(f"{base_url}/chat/completions", body, timeout=5) as response:
        answer: bytes = response.read()
    return answer


def decode(body: bytes) -> Reply:
    reading = decoder("x", "m", "text/event-stream")
    reading.feed(body)
    return reading.reply()


def test_a_reply_is_a_stream_that_we_can_read() -> None:
    body = reply(("fill", {"ref": "E1", "value": "Zoë"}), ("back", {}), text="I go.", reasoning="Hm, well.")

    assert decode(body) == Reply(
        text="I go.",
        reasoning="Hm, well.",
        tool_calls=(
            ToolCall("call_fill_0", "fill", '{"ref": "E1", "value": "Zoë"}'),
            ToolCall("call_back_1", "back", "{}"),
        ),
        finish_reason="tool_calls",
        usage=Usage(100, 10, 60),
    )


@table(
    ("placeholder", "ref"),
    [
        ('{{ref:button "Add to cart"}}', "E7"),
        ("{{ref:button Add to cart}}", "E7"),
        ('{{ref:button \\"Add to cart\\" 2}}', "E12"),
        ('{{ref:button \\\\\\"Add to cart\\\\\\" 2}}', "E12"),
        ('{{ref:link ""}}', "E14"),
    ],
)
def test_a_placeholder_is_the_ref_on_this_page(placeholder: str, ref: str) -> None:
    assert fill_refs(f"<{placeholder}>", PAGE) == f"<{ref}>"


def test_an_element_that_is_not_there_is_named() -> None:
    with pytest.raises(LookupError, match='the page has no button "Pay"'):
        fill_refs("{{ref:button Pay}}", PAGE)


def test_the_newest_page_is_the_one_that_counts() -> None:
    request: dict[str, Any] = {
        "messages": [
            {"role": "user", "content": '<untrusted label="page">- button [ref=E1]'},
            {"role": "tool", "content": [{"type": "text", "text": f'- link [ref=E9] <untrusted label="page">{PAGE}'}]},
            {"role": "tool", "content": '<untrusted label="result">- button [ref=E2]'},
            {"role": "user", "content": "Go on."},
        ]
    }

    assert newest_page(request) == f'>{PAGE}\n<untrusted label="result">- button [ref=E2]\nGo on.'


def test_what_changed_since_counts() -> None:
    changes = '+ - button "Pay" [ref=E20]\n  ~ - button "Add to cart" → "Added" [ref=E7]\n- - button "x" [ref=E12]'

    filled = fill_refs('{{ref:button Pay}} {{ref:button Added}} {{ref:link ""}}', f"{PAGE}\n{changes}")

    assert filled == "E20 E7 E14"
    with pytest.raises(LookupError):
        fill_refs("{{ref:button Add to cart}}", f"{PAGE}\n{changes}")


@pytest.mark.parametrize("name", ["create_plan", "validate_task"])
def test_what_is_not_recorded_of_planning_and_judging_is_answered_plainly(name: str) -> None:
    tools = [{"type": "function", "function": {"name": name}}]
    recorded = reply((name, {"plan": "mine"}))

    with ReplayServer(replies=[recorded, reply(text="Hi")]) as server:
        answers = [decode(server.answer({"tools": tools, "messages": []})) for _ in range(2)]
        last = decode(server.answer({"messages": []}))

    assert [call.name for answer in answers for call in answer.tool_calls] == [name, name]
    assert answers[0].tool_calls[0].arguments == '{"plan": "mine"}'
    assert answers[1].tool_calls[0].arguments != '{"plan": "mine"}'
    assert last.text == "Hi"
    assert len(server.turns) == 1


def test_files_are_served_in_order_and_then_no_more(tmp_path: Path) -> None:
    for name, done in (("02.sse", "b"), ("01.sse", "{{ref:button Add to cart}}")):
        (tmp_path / name).write_bytes(tool_call("done", {"result": done}))

    with ReplayServer(tmp_path) as server:
        answers = [
            decode(ask(server.base_url, f'<untrusted label="page">\n{PAGE}')).tool_calls[0].arguments for _ in range(2)
        ]
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(server.base_url)

    assert answers == ['{"result": "E7"}', '{"result": "b"}']
    assert b"the recording has 2 replies, and this is request 3" in caught.value.read()
    caught.value.close()


def test_it_can_be_started_by_hand(tmp_path: Path) -> None:
    (tmp_path / "1.sse").write_bytes(reply(text="Hi"))
    command = [sys.executable, replay.__file__, str(tmp_path), "--port", "0"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        answer = ask(process.stdout.readline().strip())
        process.terminate()

    assert decode(answer).text == "Hi"


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there are no"):
        ReplayServer(tmp_path)
