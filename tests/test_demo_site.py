"""The shop that the demo and the tests share, and the demo itself from its sentence to its answer."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from pytest_httpserver import HTTPServer

from cdp_agent.page.page import Page, tab_of
from fixtures import demo
from fixtures.demo import Choice, choose, first_model
from fixtures.shop import Order, ShopServer

ORDER = Order({"mug-blue": 2}, "Ada Berg", "Storgata 5", "Oslo", "Norway", "invoice")


@pytest.fixture
def shop() -> Iterator[ShopServer]:
    with ShopServer() as shop:
        yield shop


@pytest.fixture
def no_local_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "LOCAL_SERVERS", {})


async def ref(page: Page, role: str, name: str) -> str:
    refs = (await page.snapshot()).refs
    return next(each for each, element in refs.items() if (element.role, element.name) == (role, name))


@pytest.mark.parametrize(
    "other",
    [
        replace(ORDER, cart={"mug-blue": 1}),
        replace(ORDER, cart={"mug-green": 2}),
        replace(ORDER, name="Ada Bergh"),
        replace(ORDER, street="Storgata 6"),
        replace(ORDER, city="Bergen"),
        replace(ORDER, country="Sweden"),
        replace(ORDER, payment="card"),
    ],
    ids=["quantity", "product", "name", "street", "city", "country", "payment"],
)
def test_every_part_of_an_order_is_in_its_number(other: Order) -> None:
    assert other.number != ORDER.number


def test_a_cart_is_kept_whatever_cookies_other_programs_have_set_for_the_host(shop: ShopServer) -> None:
    cookies = f'odd={{"a": "b c"}}; {shop.cookie}=mug-blue=2'.encode() + "; more=\ufffd".encode()

    assert "Cart (2)" in httpx.get(shop.url, headers={b"Cookie": cookies}).text


def test_an_order_number_does_not_depend_on_spaces_and_capitals() -> None:
    assert replace(ORDER, name=" ada berg ").number == ORDER.number


async def test_search_shows_what_has_all_the_words(page: Page, shop: ShopServer) -> None:
    await page.goto(f"{shop.url}search?q=enamel+mugs")

    refs = (await page.snapshot()).refs.values()

    products = [element.name for element in refs if element.role == "link" and "mug" in element.name]
    assert products == ["Enamel mug, blue", "Enamel mug, green", "Large enamel mug, white"]


async def test_the_payment_form_is_in_a_frame_of_another_process_and_says_what_is_missing(
    page: Page, shop: ShopServer
) -> None:
    await page.goto(f"{shop.url}shop.css")
    await page.evaluate(f"document.cookie = '{shop.cookie}=mug-blue=1'")
    await page.goto(f"{shop.url}checkout")

    processes = [frame.url for frame in (await tab_of(page).frames()).all()]
    await page.click(await ref(page, "button", "Place order"))

    assert [url.partition("?")[0] for url in processes] == [f"{shop.url}checkout", shop.payment_url]
    assert "- alert: Please fill in: Full name." in (await page.snapshot()).text


def test_a_key_in_the_environment_chooses_its_provider() -> None:
    choice = choose({"OPENAI_API_KEY": "sk-1"})

    assert choice == Choice("openai/gpt-6-luna", "openai/gpt-6-luna, since OPENAI_API_KEY is set")


def test_a_named_model_comes_before_a_key() -> None:
    choice = choose({"CDP_AGENT_MODEL": "ollama/qwen3", "OPENAI_API_KEY": "sk-1"})

    assert choice == Choice("ollama/qwen3", "ollama/qwen3, as configured")


def test_a_local_server_offers_its_first_model_that_chats(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/v1/models").respond_with_json({"data": [{"id": "nomic-embed"}, {"id": "qwen3"}]})
    base_url = httpserver.url_for("/v1")
    monkeypatch.setattr(demo, "LOCAL_SERVERS", {"lmstudio": base_url})

    choice = choose({})

    assert choice == Choice("lmstudio/qwen3", f"qwen3, from the local server at {base_url}", base_url)


def test_a_server_that_is_no_model_is_passed_over(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/models").respond_with_data("<h1>It works!</h1>")

    assert first_model(httpserver.url_for("/v1")) is None


@pytest.mark.usefixtures("no_local_servers")
def test_without_a_key_and_a_server_no_model_is_chosen() -> None:
    assert choose({}) is None


@pytest.mark.chrome
def test_the_demo_goes_from_a_sentence_to_an_answer() -> None:
    root = Path(__file__).parent.parent

    run = subprocess.run(
        [sys.executable, "-m", "fixtures.demo", "--replay"], cwd=root, capture_output=True, text=True, timeout=120
    )

    lines = run.stdout.splitlines()
    assert run.returncode == 0, run.stdout + run.stderr
    assert lines[0] == "Model    As asked: the model's replies come from the recording in fixtures/replies/openai/shop."
    assert lines[-3:-1] == [
        f"Answer   The order number is **{ORDER.number}**: two blue enamel mugs for € 29.00, on invoice, "
        "to Ada Berg, Storgata 5, Oslo, Norway.",
        f"Ordered  {ORDER.number}: 2 × Enamel mug, blue for Ada Berg, Storgata 5, Oslo, Norway, by invoice "
        "(the shop's own book)",
    ]
    assert re.fullmatch(r"Took     14 steps, [\d,]+ tokens in, [\d,]+ out, [\d.]+ s", lines[-1])
