"""A figure is shown only by a place where it means the same: two hundred true sentences and as many false ones."""

from __future__ import annotations

import pytest

from cdp_agent.agent.judge.claims import check

BOOK = """Address: https://books.example/book/5
- navigation "Pages":
  - link "Previous" [ref=E1] → /book/4
  - link "Next" [ref=E2] → /book/6
- heading "The Sea Chart" [level=1]
- link "Ada Lovelace" [ref=E3] → /author/17
- text: 4.6 out of 5 stars
- link "812 ratings" [ref=E4] → /book/5/ratings?page=3
- paragraph: "Published February 3, 2021 by Storgata Press, Storgata 9, Oslo"
- term: Pages
- definition: 352
- term: Weight
- definition: 1.2 kg
- term: Reading time
- definition: about 7 hours
- text: $18.50
- listitem: "In stock: 14 copies"
- text: Write to help@books.example"""
DISKS = """Address: https://disks.example/list?page=2
- heading "Volumes" [level=1]
- table "Volumes":
  - row: Name | Size | Unit | Files | Price (€)
  - row: alpha | 100 | MB | 31 | 5.00
  - row: beta | 20 | GB | 47 | 12.00
  - row: gamma | 750 | MB | 8 | 9.50
- text: 3 volumes, 86 files in all
- text: Page 2 of 4
- text: Storgata 5, 0155 Oslo"""
TRAINS = """Address: https://trains.example/from/oslo/7
- heading "Oslo to Bergen, 3 March" [level=1]
- listitem: 7.30 – 14.02 Platform 4 NOK 549
- listitem: 9.15 – 15.58 Platform 12 NOK 399
- listitem: 23:05 – 6:40 Platform 1 NOK 299 2 seats left
- text: 3 departures
- term: Distance
- definition: 471 km
- term: Dogs
- definition: 1 per passenger
- text: Duration 6 h 32 min"""
ADMIN = """Address: https://admin.example/orders/?status=open&p=1
- heading "Orders" [level=1]
- text: 24 orders
- grid "Orders":
  - row: No | Customer | Items | Total | State
  - row: 1041 | Grace Hopper | 3 | 1,250.00 kr | open
  - row: 1042 | Alan Turing | 12 | 88.00 kr | paid
  - row: 1043
    - cell: Edsger Dijkstra
      - link "Mail" [ref=E9] → mailto:edsger@shop.example
    - text: 7 | 430.00 kr | open
- status: 2 selected
- text: grace@shop.example"""
REPO = """Address: https://code.example/tools/ruler
- heading "tools / ruler" [level=1]
- link "Issues 37" [ref=E1] → /tools/ruler/issues
- link "Pull requests 5" [ref=E2] → /tools/ruler/pulls
- link "1.9k stars" [ref=E3] → /tools/ruler/stargazers
- link "212 forks" [ref=E4] → /tools/ruler/forks
- text: 1,204 commits
- text: Latest release v2.4.1 on Nov 3, 2025
- term: Python
- definition: 91.4%
- term: Shell
- definition: 8.6%
- list "Contributors":
  - listitem: Barbara Liskov 640
  - listitem: Donald Knuth 208"""
WEATHER = """Address: https://weather.example/bergen/10
# Bergen

| Day | High | Low | Rain | Wind |
| --- | --- | --- | --- | --- |
| Monday | 11 °C | 4 °C | 3.5 mm | 9 m/s |
| Tuesday | 8 °C | 2 °C | 12 mm | 14 m/s |
| Wednesday | 6 °C | -1 °C | 0 mm | 5 m/s |

Humidity: 83%
Sunrise: 8:47
Warnings: 2
Stations: 16"""

TRUE = {
    BOOK: [
        "It has 4.6 out of 5 stars.",
        "Rating: 4.6/5, 812 of them.",
        "It was rated 4.6 stars in 812 ratings.",
        "There are 812 ratings.",
        "It has 352 pages.",
        "Pages: 352",
        "The book is 352 pages long.",
        "It weighs 1.2 kg.",
        "Weight: 1.2 kilograms",
        "It costs $18.50.",
        "The price is 18.50 dollars.",
        "Price: USD 18.50",
        "14 copies are in stock.",
        "In stock: 14",
        "Reading it takes 7 hours.",
        "About 7 h to read.",
        "It was published on February 3, 2021.",
        "Published 2021-02-03.",
        "Published in 2021.",
        "Published on 3 Feb 2021",
        "The author is Ada Lovelace.",
        "Ada Lovelace wrote it.",
        "Author: Ada Lovelace",
        'The title is "The Sea Chart".',
        "The publisher sits in Storgata 9.",
        "Mail help@books.example with questions.",
        "Details: https://books.example/book/5/ratings?page=3",
        "It is by Ada Lovelace (352 pages, $18.50).",
        "- Stars: 4.6\n- Ratings: 812\n- Pages: 352",
        "**Stars:** 4.6\n**Copies:** 14",
        "The weight is 1.2 kg.",
        "5 stars is the most that it could have.",
        "| Pages | Weight |\n|---|---|\n| 352 | 1.2 kg |",
        "It is 352 pages long and weighs 1.2 kg.",
        "812 ratings, 4.6 out of 5 stars",
        "The price is $18.50, and 14 copies are in stock.",
        "14 copies left",
        "Published by Storgata Press",
        "Oslo: Storgata 9",
        "4.6 stars",
        "Pages: 352, weight: 1.2 kg",
    ],
    DISKS: [
        "alpha has 100 MB.",
        "beta: 20 GB",
        "gamma is 750 megabytes.",
        "There are 3 volumes.",
        "3 volumes with 86 files.",
        "86 files in all.",
        "alpha holds 31 files.",
        "beta holds 47 files.",
        "gamma: 8 files",
        "alpha costs €5.00.",
        "beta costs 12 euros.",
        "gamma: € 9,50",
        "The price of gamma is 9.50 EUR.",
        "This is page 2.",
        "Page 2 of 4.",
        "The size of beta is 20 GB, its price € 12.",
        "The office is in Storgata 5.",
        "Files: 47",
        "- alpha: 100 MB, €5.00\n- beta: 20 GB, €12.00",
        "| alpha | 100 MB | 31 files |",
        "20 gigabytes for 12 €",
        "alpha, 100 MB, 31 files, 5 €",
        "Storgata 5, 0155 Oslo",
        "The size is 750 MB.",
        "gamma, 8 files, 9.50 €",
        "Price of alpha: 5 EUR",
        "47 files for 12.00 €",
        "gamma: 750 MB",
        "The volumes hold 86 files.",
        "alpha: 31 files",
        "3 volumes",
    ],
    TRAINS: [
        "The first train leaves at 7:30.",
        "It leaves at 7.30.",
        "Departs 7:30 AM, arrives at 14:02.",
        "The last one leaves at 23:05 and arrives at 6.40.",
        "It leaves at 11:05 PM.",
        "9:15 from platform 12",
        "Platform 12",
        "It leaves from platform 4.",
        "It costs NOK 549.",
        "549 kr",
        "399 kroner is the price.",
        "Price: NOK 299",
        "There are 3 departures.",
        "2 seats are left.",
        "2 seats left",
        "The distance is 471 km.",
        "471 kilometres",
        "Distance: 471 km",
        "The date is 3 March.",
        "March 3",
        "It takes 6 h 32 min.",
        "Abfahrt um 7.30 Uhr.",
        "Avgang kl. 9.15 til 399 kr.",
        "1 dog per passenger",
        "7.30 Platform 4, NOK 549",
        "Only 2 seats remain at 23:05.",
        "from 9:15 to 15:58",
        "14.02 is when it arrives.",
        "Oslo to Bergen on 3 March at 9:15 for NOK 399",
        "9.15 Uhr, Platform 12",
        "NOK 299 at 23:05",
        "7:30 for 549 NOK",
        "Platform 1",
        "The train at 9:15 arrives at 15:58.",
        "471 km in 6 h 32 min",
        "2 seats",
    ],
    ADMIN: [
        "There are 24 orders.",
        "24 orders",
        "Orders: 24",
        "Order 1041 has 3 items.",
        "Grace Hopper ordered 3 items.",
        "Alan Turing: 12 items, 88.00 kr",
        "The total is 1,250.00 kr.",
        "Total: 1250 NOK",
        "Order 1042 of Alan Turing is paid.",
        "The customer of 1043 is Edsger Dijkstra.",
        "Edsger Dijkstra's order has 7 items for 430 kr.",
        "2 are selected.",
        "2 selected orders",
        "Her address is grace@shop.example.",
        "Contact: edsger@shop.example",
        "Items: 12",
        "3 items for 1.250,00 kr",
        "No 1041, Grace Hopper, 3 items, 1250 kr, open",
        "- 1041: Grace Hopper\n- 1042: Alan Turing\n- 1043: Edsger Dijkstra",
        "The customer is Hopper, Grace.",
        "Order #1042 costs 88 kr.",
        "88 kr is the total of Alan Turing.",
        "7 items",
        "1041 and 1043 are open.",
        "Alan Turing ordered 12 items.",
        "Edsger Dijkstra: 7 items, 430 kr",
        "Total: 88.00 kr",
        "1041: open",
        "24 orders, 2 selected",
        "Mail edsger@shop.example or grace@shop.example.",
    ],
    REPO: [
        "It has 37 issues.",
        "37 open issues",
        "5 pull requests are open.",
        "Pull requests: 5",
        "1.9k stars",
        "It has 1,900 stars.",
        "Stars: 1.9k",
        "212 forks",
        "It was forked 212 times, that is 212 forks.",
        "1204 commits",
        "Commits: 1,204",
        "The latest release is v2.4.1.",
        "Version 2.4.1 of Nov 3, 2025",
        "Released on 2025-11-03",
        "91.4% is Python.",
        "Python: 91.4 %",
        "8.6 percent are Shell.",
        "Barbara Liskov made 640 commits, most of all contributors.",
        "Donald Knuth: 208",
        "Contributors: Barbara Liskov, Donald Knuth",
        "37 issues, 5 pull requests and 212 forks",
        "Release 2.4.1",
        "640 by Barbara Liskov",
        "Issues: 37\nForks: 212",
        "1,204 commits and 37 issues",
        "Donald Knuth has 208.",
        "It was released on November 3, 2025.",
        "Python makes 91.4%.",
        "Shell: 8.6%",
        "5 pull requests",
        "1900 stars",
    ],
    WEATHER: [
        "Monday: 11 °C",
        "The high on Tuesday is 8 °C.",
        "11 degrees high on Monday: 11 °C",
        "Tuesday has 12 mm of rain.",
        "Rain: 3.5 mm",
        "12 mm",
        "The wind on Tuesday is 14 m/s.",
        "The humidity is 83%.",
        "83 percent humidity",
        "Sunrise is at 8:47.",
        "Sunrise: 8.47 Uhr",
        "Sonnenaufgang um 8.47",
        "There are 2 warnings.",
        "Warnings: 2",
        "16 stations measure.",
        "Stations: 16",
        "It is 6 °C on Wednesday.",
        "Low: 4 °C",
        "A low of -1 °C",
        "High 11 °C, low 4 °C, rain 3.5 mm",
        "2 warnings and 83% humidity",
        "The sun rises at 8:47 AM.",
        "Bergen has 16 stations and 2 warnings.",
        "Rain on Tuesday: 12 mm",
        "Wind: 14 m/s",
        "Humidity of 83 %",
        "The low on Tuesday is 2 °C.",
        "8:47 is when the sun rises.",
        "2 warnings",
        "16 stations",
        "Monday brings 3.5 mm.",
    ],
}
FALSE = {
    BOOK: [
        "It has 17 stars.",
        "It has 6 stars.",
        "It has 3 reviews.",
        "There are 5 reviews.",
        "There are 3 pages.",
        "It has 812 pages.",
        "It has 352 ratings.",
        "Pages: 812",
        "Ratings: 352",
        "There are 14 ratings.",
        "14 stars",
        "It weighs 1.2 pounds.",
        "It weighs 7 kg.",
        "It costs 9 dollars.",
        "It costs $5.",
        "It costs €18.50.",
        "It costs $4.60.",
        "It costs $14.",
        "Price: $352",
        "It takes 5 hours.",
        "It takes 14 hours.",
        "It takes 7 days.",
        "7 copies are in stock.",
        "5 copies",
        "3 copies",
        "812 copies",
        "It was published on March 2, 2021.",
        "Published in 2020.",
        "Published February 3, 2012",
        "The author is Ada Byron.",
        "Grace Hopper wrote it.",
        "Author: Charles Babbage",
        "Mail sales@books.example.",
        "Mail help@books.example.org.",
        "Write to elp@books.example",
        "Rating: 4.8/5",
        "4.6 kg",
        "17 authors",
        "Room 14",
        "Storgata 14",
    ],
    DISKS: [
        "alpha has 100 GB.",
        "beta has 20 MB.",
        "gamma has 750 GB.",
        "It has 100 files.",
        "alpha holds 86 volumes.",
        "There are 4 volumes.",
        "2 volumes",
        "5 volumes",
        "There are 47 volumes.",
        "alpha costs $5.00.",
        "The price is € 100.",
        "It costs €31.",
        "€ 2.00",
        "gamma costs €8.00.",
        "€ 47",
        "750 files",
        "20 files",
        "31 MB",
        "47 GB",
        "8 GB",
        "12 files",
        "86 GB",
        "5 GB",
        "9.50 MB",
        "0155 files",
        "155 MB",
        "Page 3 of 4",
        "Page 31",
        "Storgata 8",
        "4 files",
        "Files: 20",
        "Volumes: 31",
        "3 disks",
        "Price: 750 €",
    ],
    TRAINS: [
        "It leaves at 7:35.",
        "It leaves at 8.30.",
        "It leaves at 7:30 PM.",
        "It arrives at 14:12.",
        "7 departures",
        "There are 12 departures.",
        "There are 2 departures.",
        "4 departures",
        "3 seats left",
        "4 seats are left.",
        "12 seats",
        "Platform 3",
        "Platform 7",
        "Platform 30",
        "It costs NOK 7.30.",
        "It costs NOK 471.",
        "It costs €549.",
        "It costs $399.",
        "NOK 12",
        "NOK 9.15",
        "299 km",
        "The distance is 549 km.",
        "471 miles",
        "471 m",
        "3 trains",
        "3 dogs",
        "32 h",
        "6 min",
        "It takes 7 h.",
        "3 May",
        "4 March",
        "30 minutes",
        "2 dogs per passenger",
        "15 seats",
        "5 seats left",
    ],
    ADMIN: [
        "There are 3 orders.",
        "There are 12 orders.",
        "7 orders",
        "2 orders",
        "Orders: 7",
        "Orders: 1",
        "Grace Hopper ordered 24 items.",
        "24 items",
        "2 items",
        "1041 items",
        "88 items",
        "430 orders",
        "The total is $88.",
        "The total is 1,250.00 €.",
        "12 kr",
        "24 kr",
        "7 kr",
        "1042 kr",
        "The customer is Grace Turing.",
        "Ada Lovelace ordered it.",
        "Customer: Alan Dijkstra",
        "Mail alan@shop.example.",
        "Mail race@shop.example.",
        "Mail grace@shop.example.com.",
        "3 selected",
        "12 selected orders",
        "24 customers",
        "3 customers",
        "Order 1044",
        "1043 orders",
        "Items: 24",
        "Total: 430 EUR",
        "3 pages",
        "1 page",
    ],
    REPO: [
        "It has 5 issues.",
        "37 pull requests",
        "212 stars",
        "1.9k forks",
        "1,900 forks",
        "37 stars",
        "5 stars",
        "1204 issues",
        "640 issues",
        "208 forks",
        "91.4% is Shell and 9% is Rust.",
        "8.5 percent",
        "Version 2.4.2",
        "Version 2.4",
        "v2.4.10",
        "Released on November 4, 2025",
        "3 releases",
        "3 issues",
        "2025 commits",
        "4 contributors",
        "208 stars",
        "Barbara Knuth made 640.",
        "The author is Alan Turing.",
        "Contributors: Grace Hopper",
        "1.9 stars",
        "1.9k issues",
        "Issues: 212",
        "Forks: 37",
        "$37",
        "5 GB",
        "91.4 kg",
    ],
    WEATHER: [
        "Monday: 12 °C",
        "It is 11 °F.",
        "3.5 cm of rain",
        "12 m/s and 12 cm",
        "83 °C",
        "14 mm of rain",
        "9 mm",
        "10 stations",
        "2 stations",
        "16 warnings",
        "8 warnings",
        "Warnings: 16",
        "Warnings: 83",
        "Stations: 2",
        "47 stations",
        "Sunrise is at 8:48.",
        "Sunrise: 7.47 Uhr",
        "8.47 mm",
        "Humidity: 16%",
        "47%",
        "12 warnings",
        "10 days",
        "5 days",
        "14 °C",
        "16 km",
        "10 °C",
    ],
}
_TRUE = [(page, sentence) for page, sentences in TRUE.items() for sentence in sentences]
_FALSE = [(page, sentence) for page, sentences in FALSE.items() for sentence in sentences]


def borne_out(page: str, sentence: str) -> bool:
    checked = check(sentence, page)
    return not checked.missing and not checked.elsewhere


@pytest.mark.parametrize("kind", ["true", "false"])
def test_figures_are_told_apart_by_units_and_the_words_beside_them(kind: str) -> None:
    sentences = _TRUE if kind == "true" else _FALSE
    wrong = [sentence for page, sentence in sentences if borne_out(page, sentence) != (kind == "true")]

    assert len(sentences) >= 200
    assert len(wrong) <= 0.02 * len(sentences), wrong
