"""What a model wrote of a page without a schema is looked up in the page, as far as it is no wording of its own."""

from __future__ import annotations

from cdp_agent.extract.claims import grounding
from cdp_agent.extract.grounding import SourcePage
from tests.tables import table

PAGE = SourcePage("""https://shop.org Mugs and kettles

| Name | Price |
| --- | --- |
| Enamel mug, blue | € 12.00 |
| Clay mug | € 9.50 |
| Arctic kettle | € 49.00 |

In stock since 4 March 2025. We ship worldwide from Oslo.
[Terms](https://shop.org/terms)
東京都 kaffe""")


@table(
    ("text", "asked"),
    [
        ("Two mugs are offered.", "mugs"),
        ("- Enamel mug, blue: € 12\n- Clay mug – €9,50", "names and prices"),
        ("**Name:** Enamel mug\n**Price:** 12.00 €", "name and price"),
        ("Product: Enamel mug\n\nProduct: Clay mug", "all of them"),
        ("| Product | Cost |\n|---|---|\n| Enamel mug, blue | 12 € |\n| Clay mug | 9.50 € |", "mugs"),
        ("There are no teapots on this page.", "teapots"),
        ("The cheapest is the Clay mug at € 9.50, shipped from Oslo.", "the cheapest"),
        ("Der Clay mug kostet 9,50 €.", "Preis"),
        ("In stock: yes, since 2025-03-04", "in stock?"),
        ('It says "We ship worldwide".', "shipping"),
        ("Terms: https://shop.org/terms/", "terms"),
        ("Enamel Mugs (Blue)", "mugs"),
        ("東京", "city"),
    ],
)
def test_what_the_page_shows_is_found_however_it_is_put(text: str, asked: str) -> None:
    assert grounding(text, PAGE, asked).missing == []


@table(
    ("text", "missing"),
    [
        ("The Zephyr Kettle 3000 costs $49.99 and is in stock.", ["3000", "$49.99", "Zephyr"]),
        ("- Enamel mug, blue (€ 12)\n- Zephyr kettle (€ 49)", ["Zephyr kettle"]),
        ("| Name | Price |\n|---|---|\n| Clay mug | € 9.51 |\n| Nova pot | € 9.50 |", ["€ 9.51", "Nova pot"]),
        ("1. **Clay mug** — €9.50\n2. **Nova pot** — €9.50", ["Nova pot"]),
        ("Clay mug: $ 9.50", ["$ 9.50"]),
        ("Total: € 70.50", ["Total", "€ 70.50"]),
        ('It says "ships to Mars".', ["ships to Mars"]),
        ("Terms: https://shop.org/agb", ["https://shop.org/agb"]),
        ("- zephyr teapot", ["zephyr teapot"]),
        ("Nothing but Boreas is sold there.", ["Boreas"]),
        ("大阪", ["大阪"]),
    ],
)
def test_what_it_does_not_is_told(text: str, missing: list[str]) -> None:
    assert grounding(text, PAGE).missing == missing


def test_what_bears_a_text_out_are_the_lines_of_the_page() -> None:
    found = grounding("- Clay mug, hand-made: € 9.50\n- Nova pot: € 12", PAGE)

    assert found.lines == ["| Clay mug | € 9.50 |", "| Enamel mug, blue | € 12.00 |"]
    assert found.missing == ["hand-made", "Nova pot"]
