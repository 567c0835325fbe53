"""Results that are sent: signed as a library that others wrote checks it, and sent again where nobody was there."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from standardwebhooks import Webhook
from werkzeug import Request, Response

from cdp_agent import Browser
from cdp_agent.errors import SetupError
from cdp_agent.server.options import ServerOptions
from cdp_agent.server.webhooks import Webhooks
from tests.agents import SHOP
from tests.conftest import Serve
from tests.http_serving import serving
from tests.ports import free_port
from tests.tables import table

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


class Receiver:
    """Answers with these statuses, one after another, and holds what it was sent."""

    def __init__(self, server: HTTPServer, *statuses: int) -> None:
        self.url = server.url_for("/hook")
        self.got: list[tuple[dict[str, str], bytes]] = []
        self._statuses = list(statuses)
        server.expect_request("/hook", method="POST").respond_with_handler(self._take)

    def _take(self, request: Request) -> Response:
        self.got.append(({name.lower(): value for name, value in request.headers.items()}, request.get_data()))
        return Response("", self._statuses.pop(0))


async def at_once(seconds: float) -> None:
    pass


async def test_what_is_sent_is_signed(httpserver: HTTPServer) -> None:
    receiver = Receiver(httpserver, 200)
    webhooks = Webhooks(SECRET)

    taken = await webhooks.send(receiver.url, "run.completed", {"id": "r1"})
    await webhooks.close()

    headers, body = receiver.got[0]
    verified: Any = Webhook(SECRET).verify(body.decode(), headers)
    assert taken
    assert (verified["type"], verified["data"]) == ("run.completed", {"id": "r1"})


@pytest.mark.parametrize(
    ("statuses", "taken", "sent"),
    [((503, 200), True, 2), ((500,) * 4, False, 4), ((410,), False, 1), ((302,), False, 1)],
)
async def test_it_is_sent_again_under_its_id(
    httpserver: HTTPServer, statuses: tuple[int, ...], taken: bool, sent: int
) -> None:
    receiver = Receiver(httpserver, *statuses)
    webhooks = Webhooks(SECRET, pause=at_once)

    was_taken = await webhooks.send(receiver.url, "run.completed", {})
    await webhooks.close()

    assert was_taken is taken
    assert len(receiver.got) == sent
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1


async def test_nobody_there_is_no_fault() -> None:
    webhooks = Webhooks(SECRET, pause=at_once)

    taken = await webhooks.send(f"http://127.0.0.1:{free_port()}/", "run.completed", {})
    await webhooks.close()

    assert not taken


@table("secret", ["", "whsec_", "whsec_!!", "c2hvcnQ=", "whsec_c2hvcnQ="])
def test_a_secret_that_is_none_is_refused(secret: str) -> None:
    with pytest.raises(SetupError, match="webhook_secret"):
        Webhooks(secret)


@table(
    ("url", "admitted"),
    [
        ("https://hooks.example.com/x", True),
        ("https://example.com.evil.example/", False),
        ("http://169.254.169.254/", False),
        ("file:///etc/passwd", False),
        ("no address", False),
    ],
)
def test_results_go_to_the_origins_that_are_named(url: str, *, admitted: bool) -> None:
    options = ServerOptions(webhooks=["https://*.example.com"], webhook_secret=SECRET)

    assert options.admits_webhook(url) is admitted


def test_webhooks_without_a_secret_are_refused() -> None:
    with pytest.raises(SetupError, match="signed"):
        ServerOptions(webhooks=["example.com"])


async def test_the_result_of_a_run_is_sent(browser: Browser, serve: Serve, httpserver: HTTPServer) -> None:
    receiver = Receiver(httpserver, 200)
    async with serving(browser, webhooks=["127.0.0.1"], webhook_secret=SECRET) as served:
        run_id = await served.begin(steps=["Click Go"], url=serve(SHOP), webhook=receiver.url)
        await served.events(run_id)

    (_, body) = receiver.got[0]  # the end of the server waits for what is being sent
    told = json.loads(body)
    assert (told["data"]["id"], told["data"]["status"]) == (run_id, "succeeded")
    assert told["data"]["result"]["success"] is True
