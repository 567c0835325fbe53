"""What secrets are made of, where they may go, and how they are named."""

import re

import msgspec
import pytest

from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.security.secrets import GivenSecret, Secret, Secrets, Totp
from cdp_agent.tools.scripting import ScriptResult

SHOP = "https://shop.example"
KEY = "JBSWY3DPEHPK3PXP"


class CallResult(msgspec.Struct, frozen=True):
    text: str
    lists: list[str]
    pairs: dict[str, tuple[str, int]]
    data: bytes = b""


@pytest.mark.parametrize(
    ("given", "text", "names"),
    [
        ("<secret:user>:<secret:password>", "annabelle:kiwi-77", ["user", "password"]),
        ("<secret:password> <secret:user>", "kiwi-77 annabelle", ["password", "user"]),
    ],
    ids=["the narrower first", "the wider first"],
)
def test_placeholders_are_filled_in_with_where_all_of_them_may_be(given: str, text: str, names: list[str]) -> None:
    secrets = Secrets({"user": "annabelle", "password": Secret("kiwi-77", [SHOP, "https://login.example:8443"])}, SHOP)

    found = secrets.reveal(given)

    assert (found.text, found.names, found.origins) == (text, names, [SHOP])


def test_a_bare_text_is_for_the_address_at_which_the_caller_begins() -> None:
    assert Secrets({"user": "annabelle"}, "https://Shop.example:443/login?x").reveal("<secret:user>").origins == [SHOP]


def test_without_an_address_a_bare_text_is_for_nowhere() -> None:
    with pytest.raises(SetupError, match="Say where the secret 'user' may be filled in"):
        Secrets({"user": "annabelle"})


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("password", "abc"),
        ("password", Secret("   a   ", [SHOP])),
        ("pass word", "kiwi-77"),
        ("password", Secret("kiwi-77", ["shop.example"])),
        ("password", Secret("kiwi-77", [f"{SHOP}/login"])),
        ("password", Secret("kiwi-77", ["https://*.shop.example"])),
        ("password", Secret("kiwi-77", ["https://shop.example@evil.example"])),
        ("password", Secret("kiwi-77", ["file:///etc"])),
        ("password", Secret("kiwi-77", SHOP)),
        ("code", Totp("???", [SHOP])),
    ],
    ids=str,
)
def test_what_would_not_be_safe_is_refused_without_quoting_it(name: str, given: GivenSecret) -> None:
    with pytest.raises(SetupError) as refused:
        Secrets({name: given}, SHOP)

    assert "kiwi-77" not in str(refused.value)


def test_a_secret_that_does_not_exist_is_answered_with_those_that_do() -> None:
    with pytest.raises(InvalidArguments, match=r"There is no <secret:pin>\. The secrets there are: <secret:user>\."):
        Secrets({"user": "annabelle"}, SHOP).reveal("<secret:pin>")


def test_a_secret_is_listed_with_what_it_is_for() -> None:
    secrets = Secrets(
        {
            "user": "annabelle",
            "password": Secret("kiwi-77", [SHOP], purpose="Anna's account", fields="hidden"),
            "code": Totp(KEY, [SHOP]),
        },
        SHOP,
    )

    assert secrets.listed() == [
        "- <secret:user>: for https://shop.example",
        "- <secret:password>: Anna's account; only into fields that hide their text; for https://shop.example",
        "- <secret:code>: a one-time code, made when it is filled in; for https://shop.example",
    ]


def test_a_code_is_masked_once_it_was_made_and_its_key_always() -> None:
    secrets = Secrets({"code": Totp(KEY, [SHOP])})

    code = secrets.reveal("<secret:code>").text

    assert secrets.mask(f"{code} {KEY}") == "<secret:code> <secret:code>"


def test_all_text_of_data_is_masked_and_the_rest_is_as_it_was() -> None:
    secrets = Secrets({"user": "annabelle"}, SHOP)
    clean = CallResult("anna", ["a"], {"b": ("c", 1)}, b"annabelle")

    told = secrets.masked(CallResult("I am annabelle", ["annabelle"], {"annabelle": ("Annabelle", 1)}))

    assert told == CallResult("I am <secret:user>", ["<secret:user>"], {"<secret:user>": ("<secret:user>", 1)})
    assert secrets.masked(clean) is clean


def test_a_secret_in_pieces_is_masked_in_all_texts_of_data_together() -> None:
    secrets = Secrets({"user": "annabelle"}, SHOP)
    letters = [{"ref": f"E{number}", "name": letter} for number, letter in enumerate("annabelle")]
    numbers: list[object] = [ord(letter) for letter in "annabelle"]

    assert secrets.masked(["I am anna", "belle, I am"]) == ["I am <secret:user>", ", I am"]
    assert secrets.masked({"first": "anna", "then": "belle"}) == {"first": "<secret:user>", "then": ""}
    assert secrets.masked({"codes": numbers}) == {"codes": ["<secret:user>"]}
    assert [each["name"] for each in secrets.masked(letters)] == ["<secret:user>", *[""] * 8]
    assert [each["ref"] for each in secrets.masked(letters)] == [each["ref"] for each in letters]


CARD = "4111 1111 2222 3333"
SPREAD: dict[str, object] = {
    "a number": 4111111122223333,
    "numbers": [4111, 1111, 2222, 3333],
    "numbers under keys": {"a": 4111, "b": 11112222, "c": 3333},
    "numbers among texts": ["4111", 1111, "2222", 3333],
    "the codes of its characters under keys": [{"code": ord(digit)} for digit in CARD],
    "these codes as JavaScript has them": [float(ord(digit)) for digit in CARD],
    "rows of codes": [[number, ord(digit)] for number, digit in enumerate(CARD)],
    "rows of digits": [["cell", digit] for digit in CARD],
    "keys": {"4111 1111": None, "2222 3333": None},
    "keys and their values": {"4111": "1111", "2222": 3333},
    "anything in a struct": ScriptResult(4111111122223333),
}


@pytest.mark.parametrize("kind", SPREAD)
def test_a_secret_is_masked_in_numbers_and_however_values_are_nested(kind: str) -> None:
    told = msgspec.json.encode(Secrets({"card": CARD}, SHOP).masked(SPREAD[kind])).decode()

    assert told.count("<secret:card>") == 1
    assert not re.search("4111|2222|3333|50|51", told)


def test_fields_for_numbers_stay_numbers() -> None:
    secrets = Secrets({"pin": "1234"}, SHOP)

    assert secrets.masked(ScriptResult(12345, cut=12345)) == ScriptResult("<secret:pin>5", cut=12345)
    assert secrets.masked([True, 1.5, None]) == [True, 1.5, None]


def test_a_secret_is_not_shown() -> None:
    assert "kiwi-77" not in repr(Secret("kiwi-77", [SHOP])) + repr(
        Secrets({"a": Secret("kiwi-77", [SHOP])}).reveal("<secret:a>")
    )


@pytest.mark.parametrize(
    ("given", "origin"),
    [
        ("HTTPS://Shop.Example:443", SHOP),
        ("https://straße.de", "https://xn--strae-oqa.de"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://shop.example.", "https://shop.example."),
    ],
)
def test_a_secret_is_bound_to_the_origin_that_chrome_opens(given: str, origin: str) -> None:
    assert Secrets({"user": Secret("annabelle", [given])}).reveal("<secret:user>").origins == [origin]
