"""Secrets are found in every writing in which they come back, and other text stays as it is."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from cdp_agent.masking import Mask

HARD = 'p&ss "wörd"<7/é😀'
PLAIN = "annabelle"


def masked(text: str) -> str:
    mask = Mask()
    mask.add(PLAIN, "[user]")
    mask.add(HARD, "[hard]")
    return mask.hide(text)


@pytest.mark.parametrize(
    "written",
    [
        HARD,
        HARD.upper(),
        HARD.replace(" ", "\n    "),
        " ".join(HARD),
        "\u200b".join(HARD),
        quote(HARD),
        quote(HARD, safe=""),
        quote(HARD).lower(),
        quote_plus(HARD),
        quote(quote(HARD)),
        html.escape(HARD),
        html.escape(html.escape(HARD)),
        "".join(f"&#{ord(each)};" for each in HARD),
        "".join(f"&#x{ord(each):X};" for each in HARD),
        json.dumps(HARD)[1:-1],
        json.dumps(HARD, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(HARD))[3:-3],
        base64.b64encode(HARD.encode()).decode(),
        quote(json.dumps(HARD)[1:-1]),
    ],
    ids=ascii,
)
def test_a_secret_is_found_however_it_is_written(written: str) -> None:
    assert masked(f"before {written} after") == "before [hard] after"


@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["plain", "of addresses"])
def test_a_secret_is_found_inside_of_what_base64_encodes(before: str, encode: Callable[[bytes], bytes]) -> None:
    around = len(encode(before.encode())) + len(encode(b", and more"))

    shown = masked(encode(f"{before}{HARD}, and more".encode()).decode())

    assert "[hard]" in shown
    assert len(shown.replace("[hard]", "")) <= around


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("annab…", "[user]…"),
        ("anna…", "[user]…"),
        ("anna\n… cut here", "[user]\n… cut here"),
        ("…belle", "…[user]"),
        ("…anna«bel»le…", "…[user]…"),
        ("https://x.example/?q=%61nnabelle#annabelle", "https://x.example/?q=[user]#[user]"),
        ("Annabelle's and ANNABELLE", "[user]'s and [user]"),
    ],
)
def test_what_is_left_of_a_secret_is_found_too(written: str, shown: str) -> None:
    assert masked(written) == shown


@pytest.mark.parametrize("text", ["", "anna", "belle, anna … and & more 100% \\n", "x" * 10_000, "an…", "a nn abell"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert masked(text) == text


def test_the_longer_of_two_secrets_is_masked_as_a_whole() -> None:
    mask = Mask()
    mask.add("anna", "[user]")
    mask.add("anna1234", "[password]")

    assert mask.hide("anna anna1234") == "[user] [password]"


def test_two_that_overlap_leave_nothing() -> None:
    mask = Mask()
    mask.add("abcdef", "[one]")
    mask.add("defghi", "[two]")

    assert mask.hide("xabcdefghix") == "x[one]x"


def test_a_cover_keeps_all_places() -> None:
    mask = Mask()
    mask.add(PLAIN, "[user]")

    assert mask.cover("I am annabelle.") == "I am •••••••••."


def test_a_secret_that_is_added_later_is_masked_from_then_on() -> None:
    mask = Mask()
    mask.add(PLAIN, "[user]")
    before = mask.hide("code 123456")

    mask.add("123456", "[code]")

    assert (before, mask.hide("code 123456"), mask.hide("code 123 456")) == (
        "code 123456",
        "code [code]",
        "code [code]",
    )
