"""Three hundred true claims, each written otherwise than the page writes it, and as many false ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from cdp_agent.agent.judge.claims import check

_AMOUNTS = [14.50, 1299.00, 8.05, 24999.99, 0.75, 349.00, 1048.20, 67.99, 5120.00, 12.34, 2.00, 777.70]
_UNITS = [
    ("kg", "kilograms"),
    ("km", "kilometres"),
    ("GB", "gigabytes"),
    ("min", "minutes"),
    ("days", "day"),
    ("%", "percent"),
]
_DAY = date(2026, 3, 5)
_URL = "https://shop.example/list/1"


def _us(amount: float) -> str:
    return f"{amount:,.2f}"


def _german(amount: float) -> str:
    return _us(amount).translate(str.maketrans(",.", ".,"))


def _norwegian(amount: float) -> str:
    return _us(amount).replace(",", "\N{NO-BREAK SPACE}").replace(".", ",")


def _amounts() -> Iterator[tuple[str, list[str], list[str]]]:
    for amount in _AMOUNTS:
        other = amount + 1.1
        true = [
            f"€{_us(amount)}",
            f"{_german(amount)} €",
            f"EUR {_us(amount)}",
            f"{amount:.2f}€/month",
            f"{_norwegian(amount)} euro",
        ]
        true += [f"€ {_german(amount)} per month", f"{amount:.2f}"]
        false = [
            f"€{_us(other)}",
            f"{_german(other)} €",
            f"${_us(amount)}",
            f"{amount:.2f}€/year",
            f"{other:.2f}",
            f"{amount:.2f} kg",
        ]
        yield f"Price: € {_us(amount)} / month", true, false


def _measures() -> Iterator[tuple[str, list[str], list[str]]]:
    for number, (unit, word) in enumerate(_UNITS, 40):
        true = [
            f"{number}{unit}",
            f"{number} {unit}",
            f"{number} {word}",
            f"{number}–{number + 3} {unit}",
            f"about {number} {unit}",
        ]
        false = [f"{number + 7}{unit}", f"{number} lbs", f"{number}–{number + 4} {unit}", f"{number}.5 {word}"]
        yield f"Between {number} and {number + 3} {word}", true, false


def _dates() -> Iterator[tuple[str, list[str], list[str]]]:
    for number in range(15):
        day = _DAY + timedelta(days=29 * number)
        wrong = day + timedelta(days=1)
        written = [
            day.isoformat(),
            f"{day:%d %B %Y}",
            f"{day:%B} {day.day}, {day.year}",
            f"{day:%d/%m/%Y}",
            f"{day:%b} {day.day}th {day.year}",
        ]
        written += [f"{day.day}. {day:%b} {day.year}", f"{day:%d.%m.%y}", f"{day.day} {day:%B}", f"{day:%Y/%m/%d}"]
        false = [
            f"{wrong.isoformat()}",
            f"{wrong:%d %B %Y}",
            f"{day:%d %B} {day.year - 1}",
            f"{wrong:%B} {wrong.day}, {wrong.year}",
        ]
        shown = written[number % len(written)] if number % len(written) != 7 else written[0]
        yield f"Departs on {shown}", [each for each in written if each != shown], false


def _times() -> Iterator[tuple[str, list[str], list[str]]]:
    for hour, minute in [(14, 30), (9, 5), (23, 59), (12, 15), (0, 45), (17, 20)]:
        half, twelve = ("PM" if hour >= 12 else "AM"), hour % 12 or 12
        other = "AM" if half == "PM" else "PM"
        true = [
            f"{twelve}:{minute:02} {half}",
            f"{hour:02}h{minute:02}",
            f"{twelve}:{minute:02}{half.lower()}",
            f"{twelve}.{minute:02} {half.lower()[0]}.m.",
        ]
        yield (
            f"Opens {hour:02}:{minute:02}",
            true,
            [f"{hour:02}:{(minute + 7) % 60:02}", f"{twelve}:{minute:02} {other}"],
        )


def _large() -> Iterator[tuple[str, list[str], list[str]]]:
    for millions in (1.5, 12.0, 3.25, 940.0):
        whole = int(millions * 1e6)
        true = [
            f"${millions:g}M",
            f"{whole:,} dollars",
            f"USD {whole}",
            f"${millions:g} mn",
            f"{whole:,}".replace(",", " "),
        ]
        yield (
            f"Revenue of ${millions:g} million",
            true,
            [f"${millions:g}B", f"${millions:g}", f"${millions + 1:g}M", f"€{millions:g}M"],
        )


def _others() -> Iterator[tuple[str, list[str], list[str]]]:
    yield (
        "Call +47 22 33 44 55",
        ["+4722334455", "22 33 44 55", "(+47) 22-33-44-55", "22334455"],
        ["22 33 44 56", "+4722334465"],
    )
    yield (
        "Call (212) 555-1234",
        ["212-555-1234", "+1 212 555 1234", "212.555.1234", "2125551234"],
        ["212-555-1235", "2125541234"],
    )
    yield "Card 4242 4242 4242 1881", ["4242424242421881", "4242-4242-4242-1881"], ["4242424242421882"]
    yield (
        "The e\N{LATIN SMALL LIGATURE FFI}cient way, “as is” 7 times",
        ['"efficient way"', '"as is"', "7 times"],
        ['"deficient way"', "8 times"],
    )
    yield "1½ cups, 10² m, H₂O", ["1.5 cups", "1½ cups", '"H2O"'], ["102 m", "2.5 cups"]
    yield (
        '- link "Next" → /list/2?q=a%20b',
        ["https://shop.example/list/2?q=a%20b", "https://shop.example/list/2?q=a%20b/"],
        ["https://shop.example/list/3", "20"],
    )
    yield (
        "Order FF-39718-Z for 3 guests",
        ["FF-39718-Z", "3 guests", "#FF-39718-Z", "3-guest"],
        ["FF-39718-X", "FF-39719-Z", "4 guests"],
    )
    yield "٣٤ kilometres to go", ["34 km", "34"], ["35 km"]


CASES = [*_amounts(), *_measures(), *_dates(), *_times(), *_large(), *_others()]
TRUE = [(shown, claim) for shown, claims, _ in CASES for claim in claims]
FALSE = [(shown, claim) for shown, _, claims in CASES for claim in claims]


def test_the_table_is_a_table() -> None:
    assert len(TRUE) >= 300
    assert len(FALSE) >= 150


@pytest.mark.parametrize("kind", ["true", "false"])
def test_claims_are_told_apart_by_what_they_mean(kind: str) -> None:
    page = f'Address: {_URL}\n- heading "Offers" [level=1] [ref=E4]\n- text: '

    found = [
        (shown, claim)
        for shown, claim in (TRUE if kind == "true" else FALSE)
        if not (checked := check(claim, page + shown)).missing and not checked.elsewhere
    ]

    assert found == (TRUE if kind == "true" else [])
