"""Claims about pages that are made up anew for each seed: the true ones are found however they are written, and of the
false ones hardly any is.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

import pytest

from cdp_agent.agent.judge.claims import check
from cdp_agent.extract.claims import claims

_FACTS = 60
_AT_ONCE = 40
_URL = "https://shop.example/list/page/1?sort=new"
_NBSP, _THIN, _DASH = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{EN DASH}"
_CURRENCIES = (("€", "EUR", "euros"), ("$", "USD", "dollars"), ("£", "GBP", "pounds sterling"), ("zł", "PLN", "PLN"))
_UNITS = (("kg", "kilograms"), ("km", "kilometres"), ("GB", "gigabytes"), ("min", "minutes"), ("ml", "millilitres"))
_NAMES = ("Weight", "Distance", "Size", "Duration", "Content")
_WORDS = (
    "efficient",
    "offline",
    "first floor",
    "waffle",
    "traffic",
    "café",
    "naïve",
    "Straße",
    "reading-room",
    "don't",
)
_TYPESET = str.maketrans({"'": "\N{RIGHT SINGLE QUOTATION MARK}", " ": _NBSP, "-": "\N{NON-BREAKING HYPHEN}"})
_LIGATURES = (("ffi", "\ufb03"), ("ffl", "\ufb04"), ("ff", "\ufb00"), ("fi", "\ufb01"), ("fl", "\ufb02"))


class Fact(NamedTuple):
    """A line of a page, what may be claimed by it, and what may not."""

    line: str
    true: list[str]
    false: list[str]


class Numbers:
    """Numbers of a seed's own, no two alike: what one line says no other does by chance."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self._left = chance.sample(range(1_000, 9_000), 4_000)

    def whole(self) -> int:
        return self._left.pop()

    def small(self) -> float:
        return self._left.pop() / 100

    def digits(self) -> str:
        return f"{self._left.pop()}{self._left.pop()}"


def _us(amount: float) -> str:
    return f"{amount:,.2f}"


def _continental(amount: float) -> str:
    return _us(amount).translate(str.maketrans(",.", ".,"))


def _spaced(amount: float, space: str = _NBSP) -> str:
    return _us(amount).replace(",", space).replace(".", ",")


def amount(numbers: Numbers) -> Fact:
    sign, code, word = numbers.chance.choice(_CURRENCIES)
    other, *_ = (each for each in _CURRENCIES if each[0] != sign)
    cost = numbers.whole() + numbers.chance.randrange(100) / 100 if numbers.chance.random() < 0.5 else numbers.small()
    written = [
        f"{sign}{_us(cost)}",
        f"{sign} {_continental(cost)}",
        f"{_spaced(cost)}{_NBSP}{sign}",
        f"{code} {_us(cost)}",
    ]
    written += [
        f"{_continental(cost)} {code}",
        f"{_spaced(cost, _THIN)} {code}",
        f"{cost:.2f} {word}",
        f"{cost:.2f}{sign}",
    ]
    wrong = [f"{sign}{_us(numbers.small())}", f"{_continental(cost + 1)} {code}", f"{other[0]}{_us(cost)}"]
    return Fact(
        f"Price: {numbers.chance.choice(written)}", [*written, f"{cost:.2f}"], [*wrong, f"{cost:.2f} {other[1]}"]
    )


def share(numbers: Numbers) -> Fact:
    value = numbers.small()
    written = [
        f"{value}%",
        f"{value} %",
        f"{value}{_NBSP}%",
        f"{value} percent",
        f"{value} pct",
        f"{value}".replace(".", ",") + " %",
    ]
    false = [f"{numbers.small()}%", f"{value} kg", f"{numbers.small()} percent", f"${value}"]
    return Fact(f"Rated by {numbers.chance.choice(written)} of all", [*written, f"{value}"], false)


def measure(numbers: Numbers) -> Fact:
    number, place = numbers.whole(), numbers.chance.randrange(len(_UNITS))
    unit, word = _UNITS[place]
    other = _UNITS[place - 1]
    written = [
        f"{number}{unit}",
        f"{number} {unit}",
        f"{number}{_NBSP}{unit}",
        f"{number:,} {word}",
        f"{number}-{word}",
    ]
    false = [f"{number + 1} {unit}", f"{number} {other[0]}", f"{number:,} {other[1]}", f"{number}.5 {unit}"]
    return Fact(f"{_NAMES[place]}: {numbers.chance.choice(written)}", [*written, f"about {number} {unit}"], false)


def span(numbers: Numbers) -> Fact:
    low, (unit, word) = numbers.whole(), numbers.chance.choice(_UNITS)
    high = low + numbers.chance.randrange(2, 9)
    written = [
        f"{low}{_DASH}{high} {unit}",
        f"{low}-{high}{unit}",
        f"{low} to {high} {word}",
        f"{low} {_DASH} {high} {unit}",
    ]
    written += [f"from {low} to {high} {unit}", f"{low} {unit} to {high} {unit}"]
    shown = numbers.chance.choice([*written, f"between {low} and {high} {word}"])
    return Fact(
        f"Takes {shown}",
        [*written, f"{low} {unit}"],
        [f"{low}-{high + 1} {unit}", f"{low - 1} to {high} {word}", f"{low} lbs"],
    )


def day(numbers: Numbers) -> Fact:
    at = date(2027, 1, 13) + timedelta(days=numbers.chance.randrange(15) + 31 * numbers.chance.randrange(40))
    wrong = at + timedelta(days=numbers.chance.choice((1, 2, 200)))
    written = [at.isoformat(), f"{at:%d %B %Y}", f"{at:%B} {at.day}, {at.year}", f"{at:%A}, {at.day} {at:%b} {at.year}"]
    written += [
        f"{at.day}. {at:%b}.{_NBSP}{at.year}",
        f"{at:%Y/%m/%d}",
        f"{at:%b} {at.day}th, {at.year}",
        f"{at.day} {at:%B}",
    ]
    shown = numbers.chance.choice(written[:-1])
    false = [
        wrong.isoformat(),
        f"{wrong:%d %B %Y}",
        f"{at:%d %B} {at.year - 7}",
        f"{wrong:%b} {wrong.day}, {wrong.year}",
    ]
    return Fact(f"Leaves on {shown}", written, false)


def hour(numbers: Numbers) -> Fact:
    minutes = numbers.chance.randrange(13 * 60, 24 * 60)
    at, minute = divmod(minutes, 60)
    written = [
        f"{at}:{minute:02}",
        f"{at - 12}:{minute:02} PM",
        f"{at - 12}:{minute:02}{_NBSP}p.m.",
        f"{at}h{minute:02}",
    ]
    false = [f"{at - 12}:{minute:02} AM", f"0{(at + 3) % 10}:{(minute + 17) % 60:02} AM"]
    return Fact(f"Opens at {numbers.chance.choice(written)}", written, false)


def phone(numbers: Numbers) -> Fact:
    digits = numbers.digits()
    pairs = [digits[at : at + 2] for at in range(0, 8, 2)]
    written = [
        f"+47 {' '.join(pairs)}",
        " ".join(pairs),
        digits,
        f"(+47) {'-'.join(pairs)}",
        f"+47{digits}",
        _NBSP.join(pairs),
    ]
    other = digits[:-1] + str((int(digits[-1]) + 1) % 10)
    return Fact(
        f"Call {numbers.chance.choice(written)}", written, [other, f"+47 {other}", digits[:3] + digits[5:] + "00"]
    )


def millions(numbers: Numbers) -> Fact:
    value = numbers.small()
    whole = round(value * 1e6)
    written = [f"${value:g}M", f"${value:g} million", f"USD {whole:,}", f"{whole:,} dollars", f"{whole}"]
    return Fact(
        f"Sold for {numbers.chance.choice(written)}",
        written,
        [f"${value:g}B", f"€{value:g}M", f"${value + 1:g} million"],
    )


def text(numbers: Numbers) -> Fact:
    one, other, third = numbers.chance.sample(_WORDS, 3)
    said = f"The {one} and {other} No. {numbers.whole()}"
    shown = said.translate(_TYPESET)
    for letters, ligature in _LIGATURES:
        shown = shown.replace(letters, ligature)
    false = [f'"{said.replace(one, third)}"', f'"{said}1"', f'"Never {said}"']
    return Fact(shown, [f'"{said}"', f"“{said.upper()}”", f'"{one} and {other}"'], false)


def link(numbers: Numbers) -> Fact:
    number = numbers.whole()
    shown, there = numbers.chance.choice(
        (
            (f"../item/{number}", f"https://shop.example/list/item/{number}"),
            (f"/item/{number}?q=a%20b", f"https://shop.example/item/{number}?q=a%20b"),
            (f"//cdn.example/{number}", f"https://cdn.example/{number}"),
            (f"item-{number}.html", f"https://shop.example/list/page/item-{number}.html"),
            (f"?page={number}", f"https://shop.example/list/page/1?page={number}"),
        )
    )
    false = [there.replace(str(number), str(numbers.whole())), there.replace(".example/", ".example/x/")]
    return Fact(
        f'- link "More" [ref=E{number}] → {shown}',
        [there, there.replace("https://", "https://www."), f"{there}."],
        false,
    )


def code(numbers: Numbers) -> Fact:
    number = numbers.whole()
    said = f"FX-{number}-{numbers.chance.choice('KQZ')}"
    return Fact(
        f"Order {said} was sent", [said, f"#{said}", said.lower()], [f"FX-{numbers.whole()}-K", f"{said[:-1]}W"]
    )


KINDS: tuple[Callable[[Numbers], Fact], ...] = (
    amount,
    share,
    measure,
    span,
    day,
    hour,
    phone,
    millions,
    text,
    link,
    code,
)


def page_of(seed: int) -> tuple[str, list[Fact]]:
    """All that a run was shown, with lines in between whose numbers have nothing to do with the facts."""
    numbers = Numbers(random.Random(seed))
    facts = [KINDS[number % len(KINDS)](numbers) for number in range(_FACTS)]
    noise = [f"{number} people looked at this, page {number} of 7000" for number in range(10_001, 10_041)]
    lines = [*(each.line for each in facts), *noise]
    numbers.chance.shuffle(lines)
    body = "\n".join(line if line.startswith("- ") else f"- text: {line}" for line in lines)
    return f'Address: {_URL}\n- heading "Offers" [level=1] [ref=E4]\n{body}', facts


def refused(claimed: list[str], page: str) -> list[str]:
    """Those in which something is not borne out, some looked up at a time, since each look reads the page."""
    found = []
    for first in range(0, len(claimed), _AT_ONCE):
        said = [f"It is {claim}" for claim in claimed[first : first + _AT_ONCE]]
        checked = check("\n".join(said), page)
        borne_out = {claim.claim for claim in checked.found}
        found += [each.removeprefix("It is ") for each in said if not borne_out.issuperset(map(str, claims(each)))]
    return found


def test_true_claims_are_found_and_false_ones_are_not() -> None:
    page, facts = page_of(0)
    true = [claim for each in facts for claim in each.true]
    false = [claim for each in facts for claim in each.false]

    assert len(true) >= 300
    assert refused(true, page) == []
    assert len(refused(false, page)) >= 0.95 * len(false)


@pytest.mark.parametrize("seed", [1, 2])
def test_values_of_a_typed_answer_are_found_the_same_way(seed: int) -> None:
    page, facts = page_of(seed)
    true = [claim.strip('"“”') for each in facts for claim in each.true]
    false = [claim.strip('"“”') for each in facts for claim in each.false]

    assert check(true, page).missing == []
    assert len(check(false, page).missing) >= 0.95 * len(false)
