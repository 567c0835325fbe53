"""Secrets are found in every writing in which they come back, and other text stays as it is."""

import base64
import html
import json
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest

from cdp_agent.security.masking import Mask
from tests.tables import table

HARD = 'p&ss "wörd"<7/é😀'
PLAIN = "annabelle"


def masked(text: str) -> str:
    mask = Mask()
    mask.add(PLAIN, "[user]")
    mask.add(HARD, "[hard]")
    return mask.hide(text)


@table(
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
)
def test_a_secret_is_found_however_it_is_written(written: str) -> None:
    assert masked(f"before {written} after") == "before [hard] after"


def in_letters(first: int, text: str = PLAIN) -> str:
    """The text in other letters of Unicode, of which this is the a."""
    return "".join(chr(first + ord(each) - ord("a")) for each in text)


def based(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


NUMBERS: dict[str, Callable[[str], str]] = {
    "decimal": lambda text: " ".join(str(ord(each)) for each in text),
    "a list of them": lambda text: str([ord(each) for each in text]),
    "an expression": lambda text: f"fromCharCode({','.join(str(ord(each)) for each in text)})",
    "backwards": lambda text: " ".join(str(ord(each)) for each in reversed(text)),
    "U+": lambda text: " ".join(f"U+{ord(each):04X}" for each in text),
    "0x": lambda text: ", ".join(f"0x{ord(each):x}" for each in text),
    "binary": lambda text: " ".join(f"{ord(each):08b}" for each in text),
    "octal escapes": lambda text: "".join(f"\\{ord(each):o}" for each in text),
    "CSS escapes": lambda text: "".join(f"\\{ord(each):x} " for each in text),
    "long CSS escapes": lambda text: "".join(f"\\{ord(each):06x}" for each in text),
    "Base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "Base64 of UTF-16, the other way round": lambda text: base64.b64encode(f"x{text}".encode("utf-16-be")).decode(),
    "hexadecimal UTF-16": lambda text: text.encode("utf-16-be").hex(),
    "Base64 of hexadecimal": lambda text: based(f"x{text.encode().hex()}"),
    "Base64 of large hexadecimal": lambda text: based(text.encode().hex().upper()),
    "Base64 of each letter": lambda text: " ".join(map(based, text)),
    "Base64 of two letters each": lambda text: "\n".join(based(text[at : at + 2]) for at in range(0, len(text), 2)),
    "Base64 of five letters each": lambda text: ", ".join(based(text[at : at + 5]) for at in range(0, len(text), 5)),
    "Base32": lambda text: base64.b32encode(text.encode()).decode(),
    "Base32 inside of another": lambda text: base64.b32encode(f"x={text}.".encode()).decode().lower(),
    "parameters of a letter each": lambda text: "/a?" + "&".join(f"p{at}={sign}" for at, sign in enumerate(text)),
    "one parameter again and again": lambda text: "/a?" + "&amp;".join(f"p={sign}" for sign in text),
    "a number in each element": lambda text: "\n".join(f"- paragraph: {ord(each)}" for each in text),
}


@table("kind", [*NUMBERS])
def test_a_secret_is_found_where_it_is_computed_with_little_work(kind: str) -> None:
    secret = "Kite-Garden7391"
    mask = Mask()
    mask.add(secret, "[kite]")

    hidden = mask.hide(f"before {NUMBERS[kind](secret)} after {NUMBERS[kind]('Bird-Garden7391')}")

    assert hidden.count("[kite]") == 1
    assert NUMBERS[kind](secret) not in hidden


@table("mark", ["- ", "* ", "  + ", "> ", "1. ", "12) "])
def test_a_secret_is_found_in_a_list_of_its_letters_in_markdown(mark: str) -> None:
    hidden = masked("\n".join(f"{mark}{letter}" for letter in PLAIN))

    assert hidden == "\n".join(mark if number else f"{mark}[user]" for number in range(len(PLAIN)))


SPELT = {
    "backwards": PLAIN[::-1],
    "backwards and apart": "-".join(PLAIN[::-1]),
    "in hexadecimal": PLAIN.encode().hex(),
    "in capitals of hexadecimal": PLAIN.encode().hex(" ").upper(),
    "in hexadecimal with colons": PLAIN.encode().hex(":"),
    "in Base64 twice": base64.b64encode(base64.b64encode(PLAIN.encode())).decode(),
    "wide": in_letters(0xFF41),
    "mathematical": in_letters(0x1D41A),
    "a script": in_letters(0x1D4EA),
    "circled": in_letters(0x24D0),
    "in discs": in_letters(0x1F150),
    "in squares": in_letters(0x1F170),
    "flags": "\u200c".join(in_letters(0x1F1E6)),
    "raised": "\u1d43\u207f\u207f\u1d43\u1d47\u1d49\u02e1\u02e1\u1d49",
    "accented": "a\u0301n\u0303n\u0336a\u20ddb\u0332ell\u0338e",
    "in one letter with its accent": "ánñäbëllé",
    "with variation selectors": "\ufe0f".join(PLAIN),
    "with more variation selectors": "\U000e0100".join(PLAIN),
    "with tags": "\U000e0061".join(PLAIN),
    "with fillers": "\u3164".join(PLAIN),
    "with a Hangul filler": "\u115f\uffa0".join(PLAIN),
    "with a Mongolian separator": "\u180e".join(PLAIN),
    "with a grapheme joiner": "\u034f".join(PLAIN),
    "with blanks of Braille": "\u2800".join(PLAIN),
    "with joiners": "\u2060\u200d".join(PLAIN),
    "with dashes": "-".join(PLAIN),
    "with dots": ".".join(PLAIN),
    "with middle dots": " · ".join(PLAIN),
    "with bars": " | ".join(PLAIN),
    "with slashes": "/".join(PLAIN),
    "in quotes": '" "'.join(PLAIN),
    "as a list of JSON": json.dumps(list(PLAIN))[2:-2],
    "in bold": "**".join(PLAIN),
    "in tags of HTML": "</b><i class=x>".join(PLAIN),
}


@table("spelt", SPELT)
def test_a_secret_is_found_however_it_is_spelt(spelt: str) -> None:
    shown = masked(f"before {spelt} after")

    assert shown.startswith("before [user]")
    assert shown.endswith("after")
    assert not [each for each in "abel" if each in shown[len("before [user]") : -len("after")] and "<" not in shown]


def test_a_secret_is_found_backwards_where_one_of_its_letters_stands_for_two() -> None:
    mask = Mask()
    mask.add("oﬃcial77", "[hidden]")

    assert (mask.hide("77laiciffo"), mask.hide("77laicﬃo")) == ("[hidden]", "[hidden]")


APART = {
    "paragraphs": ("- paragraph: {}", "- paragraph: "),
    "links": ('- link "{}" [ref=E1] → /x', '- link "" [ref=E1] → /x'),
    "what came": ("+   - listitem: {}", "+   - listitem: "),
}


@pytest.mark.parametrize("form", APART)
def test_a_secret_is_found_with_each_letter_in_an_element_of_its_own(form: str) -> None:
    written, bare = APART[form]
    first, *others = masked("\n".join(["- text: x", *map(written.format, PLAIN), "- text: y"])).split("\n")[1:-1]

    assert first == written.format("[user]")
    assert set(others) == {bare}


def test_a_secret_is_found_where_two_writings_of_it_touch() -> None:
    numbers = " ".join(str(ord(letter)) for letter in PLAIN)

    assert masked(f"x {numbers}{PLAIN} y") == "x [user][user] y"


PIECES = {
    "rows with numbers": "\n".join(f"| {number} | {letter} |" for number, letter in enumerate(PLAIN)),
    "numbered lines": "\n".join(f"{number}: {letter}" for number, letter in enumerate(PLAIN)),
    "values of attributes": "".join(f'<img alt="{letter}">' for letter in PLAIN),
    "attributes of one element": '<i title="anna" lang="belle">',
    "placeholders": "\n".join(f'- textbox [placeholder="{letter}"] [ref=E1]' for letter in PLAIN),
    "values of JSON": json.dumps([{"code": letter} for letter in PLAIN]),
    "values of JSON with numbers": json.dumps({str(number): letter for number, letter in enumerate(PLAIN)}),
    "numbers in JSON": json.dumps([{"code": ord(letter)} for letter in PLAIN]),
}


@pytest.mark.parametrize("kind", PIECES)
def test_a_secret_is_found_in_pieces_with_something_of_the_page_between(kind: str) -> None:
    written = PIECES[kind]

    hidden = masked(f"before {written}\nafter")

    assert hidden.count("[user]") == 1
    assert len(hidden) <= len(f"before {written}\nafter") - len(PLAIN) + len("[user]")


def test_letters_of_two_lists_are_a_secret_when_they_follow_each_other() -> None:
    shown = masked('- row [selected]:\n  - cell "anna" [description="q"] [ref=E12]\n  - cell "belle" [ref=E13]')

    assert shown == '- row [selected]:\n  - cell "[user]" [description="q"] [ref=E12]\n  - cell "" [ref=E13]'


def test_a_short_secret_is_found_as_it_is_alone() -> None:
    mask = Mask()
    mask.add("1234", "[pin]")

    assert mask.hide("1234 12 34 12.34 12:34 4321 31323334") == "[pin] [pin] 12.34 12:34 4321 31323334"


@pytest.mark.parametrize("before", ["", "a", "ab", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["plain", "of addresses"])
def test_a_secret_is_found_inside_of_what_base64_encodes(before: str, encode: Callable[[bytes], bytes]) -> None:
    around = len(encode(before.encode())) + len(encode(b", and more"))

    shown = masked(encode(f"{before}{HARD}, and more".encode()).decode())

    assert "[hard]" in shown
    assert len(shown.replace("[hard]", "")) <= around


@table(
    ("written", "shown"),
    [
        ("annab…", "[user]…"),
        ("anna…", "[user]…"),
        ("anna\n… cut here", "[user]\n… cut here"),
        ("…belle", "…[user]"),
        ("…anna«bel»le…", "…[user]…"),
        ("annabelle and annab…", "[user] and [user]…"),
        ("https://x.example/?q=%61nnabelle#annabelle", "https://x.example/?q=[user]#[user]"),
        ("Annabelle's and ANNABELLE", "[user]'s and [user]"),
    ],
)
def test_what_is_left_of_a_secret_is_found_too(written: str, shown: str) -> None:
    assert masked(written) == shown


@table("text", ["", "anna", "belle, anna … and & more 100% \\n", "x" * 10_000, "an…", "a nn abell"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert masked(text) == text


MANY = {
    "backslashes": "\\" * 20_000 + "…",
    "backslashes of addresses": "%255C" * 20_000 + "…",
    "brackets": " [a=" * 20_000,
    "quotes in brackets": ' [a="' * 20_000,
    "digits": f"&#{'9' * 5_000};",
    "zeros": f"&#{'0' * 5_000}",
}


@table("what_is_left", ["", "annab…"])
@table("many", [*MANY])
def test_many_signs_that_begin_something_take_no_time(many: str, what_is_left: str) -> None:
    began = time.process_time()

    shown = masked(what_is_left + MANY[many])

    assert shown == what_is_left.replace("annab", "[user]") + MANY[many]
    assert time.process_time() - began < 1


@table(
    ("before", "left"),
    [("", ""), ("\\\\", ""), ("%5C%255c", ""), ("%5c\\", ""), ("5c", "5c"), ("255c", "255c"), ("\\5c", "\\5c")],
)
@table("escape", ["\\u0061", "\\x61", "%255Cu{61}"])
def test_an_escape_is_taken_out_with_all_of_its_backslashes(before: str, left: str, escape: str) -> None:
    assert masked(f"x {before}{escape}nnabelle") == f"x {left}[user]"


def test_one_that_ends_with_a_backslash_is_found_twice_in_a_row() -> None:
    mask = Mask()
    mask.add("anna\\", "[user]")

    assert mask.hide("anna\\\\u0061nna\\ x") == "[user][user] x"


def test_a_number_of_html_may_have_many_zeros_before_it() -> None:
    assert masked(f"&#{'0' * 5_000}97;nnabelle") == "[user]"


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


def test_it_costs_little_to_search_a_large_page() -> None:
    lines = (f'- link "Product {number}" [ref=E{number}]\n- text: {number * 7 % 991}.45 EUR' for number in range(1800))
    page, mask = "\n".join(lines), Mask()
    mask.add("annabelle-77", "[user]")
    began = time.process_time()

    assert mask.hide_in({"text": page, "value": {"prices": [1.5, 2]}}) == {"text": page, "value": {"prices": [1.5, 2]}}

    assert time.process_time() - began < 0.05  # a sixth of that where nothing else runs
