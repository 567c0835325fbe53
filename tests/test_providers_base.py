"""What the wires have in common: usage that adds up, and a provider's state that outlives the process."""

from __future__ import annotations

import msgspec

from cdp_agent.agent.model.history import History, HistoryItem
from cdp_agent.providers.base import Assistant, Image, ProviderState, ToolCall, ToolResult, Usage

STATE = ProviderState("anthropic", "m", [{"type": "thinking", "thinking": "Hm – Zoë", "signature": "s=="}])


def test_usages_add_up_and_a_price_is_known_as_far_as_it_was_told() -> None:
    told = Usage(1, 2, 3, 4, 5, 0.25)

    assert told + told == Usage(2, 4, 6, 8, 10, 0.5)
    assert told + Usage(1) == Usage(2, 2, 3, 4, 5, 0.25)
    assert Usage() + Usage() == Usage()


def test_a_state_is_for_the_wire_and_the_model_that_it_came_from() -> None:
    assert STATE.content_for("anthropic", "m") == STATE.content
    assert STATE.content_for("anthropic", "another") is None
    assert STATE.content_for("google", "m") is None


def test_a_history_keeps_state_and_images_when_it_is_written_down() -> None:
    said = Assistant("", (ToolCall("a", "click", "{}"),), STATE)
    shown = ToolResult("a", "Clicked.", (Image(b"\x89PNG"),), is_error=True)
    entries = [HistoryItem(said, said, 5), HistoryItem(shown, shown, 5)]

    again = msgspec.json.decode(msgspec.json.encode(entries), type=list[HistoryItem])

    assert again == entries
    assert History("", again).messages() == (said, shown)


def test_a_state_counts_for_the_length_of_a_history() -> None:
    without, with_state = History("Be brief."), History("Be brief.")

    without.add_reply(Assistant("Hi."))
    with_state.add_reply(Assistant("Hi.", (), STATE))

    assert with_state.tokens > without.tokens


def test_a_state_knows_when_something_before_it_has_changed() -> None:
    history = History("Be brief.")
    history.add_reply(Assistant("One.", (), STATE))
    history.add_user_message("Look.", "- button")
    history.add_reply(Assistant("Two.", (), STATE))

    history.shrink()

    states = [each.state for each in history.messages() if isinstance(each, Assistant)]
    assert [state.displaced for state in states if state] == [False, True]
