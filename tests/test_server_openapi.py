"""The OpenAPI document: valid, complete, and good enough for a client that a program writes."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from cdp_agent import Browser
from cdp_agent.config import Config
from cdp_agent.server.app import AgentApp
from cdp_agent.server.openapi import document
from cdp_agent.server.options import ServerOptions
from cdp_agent.tools import CALLABLE
from fixtures.shop import ShopServer
from tests.agents import SHOP
from tests.conftest import Serve
from tests.http_serving import serving
from tests.mcp_shopping import search_for_mugs

CALLED = ("goto", "snapshot", "fill")
"""By whoever searches in the shop."""


def each_kind_once() -> dict[str, Any]:
    """The document without the tools of runs, which are those of sessions, and without those that bring nothing new:
    a field whose schema differs by more than its words from those of the tools before."""
    described: dict[str, Any] = json.loads(json.dumps(document()))
    kinds: set[str] = set()
    for place in ("/v1/runs/{id}/tools/", "/v1/sessions/{id}/tools/"):
        for name, tool in CALLABLE.items():
            found = {json.dumps(without_words(each)) for each in tool.parameters["properties"].values()}
            if place.startswith("/v1/runs") or (found <= kinds and name not in CALLED):
                del described["paths"][place + name]
            else:
                kinds |= found
    return described


def without_words(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: sorted({type(each).__name__ for each in value}) if key == "enum" else without_words(value)
            for key, value in schema.items()
            if key not in ("description", "default", "minimum", "maximum")
        }
    return [without_words(each) for each in schema] if isinstance(schema, list) else schema


def test_the_document_is_valid() -> None:
    from openapi_spec_validator import validate  # late: it takes 0.15 s

    validate(each_kind_once())


def test_every_route_is_in_the_document() -> None:
    routes = {
        (route.path, method)
        for route in AgentApp(Config(), ServerOptions()).routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD"
    }
    paths = document()["paths"]
    written = {(path, method.upper()) for path, operations in paths.items() for method in operations}
    places = ("/v1/sessions/{id}", "/v1/runs/{id}")
    calls = {(f"{place}/tools/{{name}}", "POST") for place in places}

    assert routes - calls - {("/", "GET")} == written - {
        (f"{place}/tools/{name}", "POST") for place in places for name in CALLABLE
    }


def test_every_tool_has_its_arguments() -> None:
    paths = document()["paths"]

    for name, tool in CALLABLE.items():
        call = paths[f"/v1/sessions/{{id}}/tools/{name}"]["post"]
        assert call["requestBody"]["content"]["application/json"]["schema"] == tool.parameters


@pytest.mark.slow  # writes and checks a hundred files and more
async def test_a_generated_client_searches_in_the_shop_and_follows_a_run(
    browser: Browser, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate_client(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    client_of = importlib.import_module("made_client").Client

    def call(name: str) -> Any:
        return importlib.import_module(f"made_client.api.default.{name}").asyncio_detailed

    models = importlib.import_module("made_client.models")
    async with serving(browser) as served:
        client = client_of(base_url=served.url, httpx_args={"trust_env": False})
        opened = await call("open_session")(client=client, body=models.SessionRequest())

        async def act(name: str, arguments: dict[str, Any]) -> str:
            body_of = getattr(models, f"Call{name.title().replace('_', '')}Body")
            answer = await call(f"call_{name}")(opened.parsed.id, client=client, body=body_of(**arguments))
            assert answer.parsed.error is None, answer.parsed
            text: str = answer.parsed.text
            return text

        with ShopServer() as shop:
            found = await search_for_mugs(act, shop.url)
        begun = await call("begin_run")(client=client, body=models.RunRequest(steps=["Click Go"], url=serve(SHOP)))
        await served.events(begun.parsed.id)
        told = await call("look_at_run")(begun.parsed.id, client=client)

    assert 'link "Enamel mug, blue"' in found
    assert told.parsed.status == "succeeded"


def generate_client(folder: Path) -> None:
    """Writes the package made_client into the folder."""
    from openapi_python_client import generate  # late: it takes 0.3 s
    from openapi_python_client.config import Config as GeneratorConfig
    from openapi_python_client.config import ConfigFile, MetaType

    (folder / "openapi.json").write_text(json.dumps(each_kind_once()))
    config = GeneratorConfig.from_sources(
        ConfigFile(post_hooks=[]), MetaType.NONE, folder / "openapi.json", "utf-8", False, folder / "made_client"
    )

    told = generate(config=config)

    assert [(each.level, each.header, each.detail) for each in told] == []  # neither errors nor warnings
