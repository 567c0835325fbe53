"""What a field holds means what was entered, or it does not: the function that decides that, which needs no page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent.page import js
from cdp_agent.page.page import Page

SOURCE = (Path(js.__file__).parent / "fields/meaning.js").read_text("utf-8")
NUMBER, PASSWORD = {"type": "number"}, {"type": "password"}
GERMAN, BRITISH = {"locale": "de"}, {"locale": "en-GB"}
Row = tuple[str, str] | tuple[str, str, dict[str, Any]]

ALIKE: dict[str, list[Row]] = {
    "thousands": [
        ("1234567", "1,234,567"), ("1234567", "12,34,567"), ("1234567", "1'234'567"), ("1234567", "1 234 567"),
        ("1234567", "1.234.567"), ("1234", "1,234"), ("1234", "1.234", GERMAN), ("1,234", "1234", NUMBER),
        ("1,234.56", "1234.56", NUMBER), ("1234", "1.234", {"grouped": True}),
    ],
    "decimal marks": [
        ("14.50", "14,50"), ("1234.5", "1.234,50"), ("1234,5", "1,234.5"), ("0.5", ".5"), ("14.5", "14.50"),
        ("100", "100.00"), ("1000000", "1.000.000,00"),
    ],
    "currencies and units": [
        ("12.5", "$12.50"), ("12.5", "12,50 €"), ("12.5", "EUR 12.50"), ("12", "12 kg"), ("15", "15%"), ("$5", "5"),
        ("1234567", "1\u202f234\u202f567 €"),
    ],
    "signs": [
        ("-5", "(5.00)"), ("-5", "-$5.00"), ("-5", "$-5.00"), ("-5", "\u22125"), ("-5", "5-"), ("+5", "5"),
    ],
    "padded zeros": [("5", "05"), ("5", "5.0"), ("007", "7", NUMBER)],
    "phone numbers": [
        ("5551234567", "(555) 123-4567"), ("5551234567", "+1 (555) 123-4567"), ("555-123-4567", "5551234567"),
        ("555.123.4567", "(555) 123-4567"), ("+49 30 123456", "+4930123456"), ("55512", "(555) 12_-____"),
    ],
    "codes": [
        ("4111111111111111", "4111 1111 1111 1111"), ("de89 3704", "DE893704"), ("12345678901", "123.456.789-01"),
        ("SW1A 1AA", "SW1A1AA"), ("1228", "12/28"), ("12/28", "12 / 28"), ("12:30-14:00", "12:30 - 14:00"),
    ],
    "days and times": [
        ("2026-03-05", "03/05/2026"), ("2026-03-05", "05/03/2026", BRITISH), ("2026-03-05", "05.03.2026"),
        ("2026-03-05", "Thu, Mar 5, 2026"), ("2026-03-05", "5. März 2026", GERMAN), ("2026-12-24", "24/12/2026"),
        ("03052026", "03/05/2026"), ("2026-03-05", "20260305"), ("14:30", "2:30 PM"), ("9:05", "09:05"),
        ("14:30", "14:30:00"), ("2026-03-05T14:30", "03/05/2026, 02:30 PM"), ("1430", "14:30"),
    ],
    "words": [
        ("ada", "ADA"), ("straße", "STRASSE"), ("izmir", "İZMİR"), (" Ada  L ", "Ada L"), ("don't", "don’t"),
        ("example.com", "https://example.com/"),
    ],
}  # fmt: skip
OTHER: dict[str, list[Row]] = {
    "a lost decimal mark": [
        ("12,5", "125", NUMBER), ("14.50", "1450"), ("1234,5", "12.345"), ("1234,5", "12345"), ("1.234", "1234"),
        ("0.07", "7"), ("1.234", "1234", NUMBER | GERMAN), ("1,234", "1234", NUMBER | GERMAN),
    ],
    "a moved decimal mark": [
        ("1234", "12.34"), ("100", "1.00"), ("1234", "1.234"), ("1234.5", "12.345"), ("0.15", "15%"),
        ("1234", "1.234", {"grouped": False, "locale": "de"}),
    ],
    "a lost or new sign": [("-5", "5"), ("-5", "5", NUMBER), ("5", "-5"), ("5", "(5.00)"), ("-x", "x")],
    "lost digits": [
        ("14.567", "14.57"), ("007", "7"), ("5551234567", "(555) 123-456"), ("+1 555 123 4567", "(555) 123-4567"),
        ("E5", "5"), ("1e5", "15"), ("1234.5", "1.234"),
    ],
    "permuted digits": [
        ("5551234567", "(555) 123-7456"), ("2026-03-05", "20/26/0305"), ("2026-03-05", "05/03/2026"),
        ("05/03/2026", "05.03.2026"), ("9:05", "09:05 PM"),
    ],
    "lost marks": [
        ("3/4", "34"), ("1-2", "12"), ("10-20", "1020"), ("10-20", "10.20"), ("14:30", "1430"),
        ("a1.b@c.de", "a1b@c.de"), ("a.b@c.de", "abcde"), ("1.10.2", "1102"), ("C++", "C"), ("Ada L", "AdaL"),
        ("My Post", "my-post"), ("192.168.1.1", "19216811"),
    ],
    "other units and words": [
        ("12", "12k"), ("12", "12 Mio"), ("12 kg", "12"), ("ada", "ad"), ("Hunter2", "hunter2", PASSWORD),
        ("example.com", "https://exmple.com/"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("expected", "table"), [("alike", ALIKE), ("other", OTHER)], ids=["alike", "other"])
async def test_what_a_field_holds_means_what_was_entered_or_not(
    sheet: Page, subtests: pytest.Subtests, expected: str, table: dict[str, list[Row]]
) -> None:
    rows = [(row[0], row[1], row[2] if len(row) == 3 else {}) for of_kind in table.values() for row in of_kind]
    given = [
        (wanted, held, {"type": "text", "locale": "en-US", "grouped": None} | terms) for wanted, held, terms in rows
    ]

    matches = await sheet.evaluate(
        f"(() => {{ {SOURCE}; return {msgspec.json.encode(given).decode()}.map((row) => meaningOf(...row)) }})()"
    )

    for (wanted, held, terms), match in zip(rows, matches, strict=True):
        with subtests.test(wanted, held=held, terms=terms):
            assert match == expected


async def test_the_same_text_is_the_same_and_no_text_is_empty(sheet: Page) -> None:
    terms = "{type: 'text', locale: 'en', grouped: null}"

    pairs = await sheet.evaluate(
        f"(() => {{ {SOURCE}; return [meaningOf('-', '-', {terms}), meaningOf('x', '', {terms})] }})()"
    )

    assert pairs == ["same", "empty"]
