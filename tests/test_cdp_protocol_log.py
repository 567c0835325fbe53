"""The log of the protocol: what was said, when, and without what is secret."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from cdp_agent.cdp import browser, fetch, network, page, protocol_log, runtime, storage
from cdp_agent.errors import ProtocolError, SetupError
from cdp_agent.security.secrets import Secret, Secrets
from tests.fake_chrome import FakeChrome


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@pytest.fixture
def lines() -> Iterator[list[str]]:
    handler = _Lines()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol_log.log, "filters", [])  # see protocol_logs.py
        protocol_log.log.addHandler(handler)
        yield handler.lines
        protocol_log.log.removeHandler(handler)


async def test_commands_answers_and_events_are_lines(lines: list[str]) -> None:
    chrome = FakeChrome(lambda message: {"result": {"frameId": "F", "loaderId": "L"}})
    session = chrome.connect().session("SESSION7")

    await session.send(page.Navigate(url="https://example.com/"))
    chrome.tell(method="Page.frameStoppedLoading", params={"frameId": "F"}, sessionId="SESSION7")

    command, answer, event = lines
    assert command == '> 1 Page.navigate {"url":"https://example.com/"} ION7'
    assert answer.startswith("< 1 Page.navigate after ")
    assert answer.endswith(' ms {"frameId":"F","loaderId":"L"} ION7')
    assert event == '< Page.frameStoppedLoading {"frameId":"F"} ION7'


async def test_a_refusal_is_a_line(lines: list[str]) -> None:
    chrome = FakeChrome(lambda message: {"error": {"code": -32000, "message": "Cannot navigate to invalid URL"}})

    with pytest.raises(ProtocolError):
        await chrome.connect().browser.send(page.Navigate(url="nonsense"))

    assert "Cannot navigate to invalid URL" in lines[1]


async def test_what_a_run_keeps_secret_is_masked(lines: list[str]) -> None:
    chrome = FakeChrome(lambda message: {"result": {}})
    secrets = Secrets({"password": Secret("hunter2-hunter2", ["https://shop.example"])})

    await chrome.connect().browser.send(browser.CancelDownload(guid="hunter2-hunter2"))

    # The Chrome of other tests may say something beside it.
    assert f'> 1 Browser.cancelDownload {{"guid":"{secrets.mask("hunter2-hunter2")}"}}' in lines
    assert "hunter2" not in "".join(lines)


async def test_passwords_cookies_and_credentials_of_requests_are_left_out(lines: list[str]) -> None:
    chrome = FakeChrome()
    session = chrome.connect().browser
    answer = fetch.AuthChallengeResponse(response="ProvideCredentials", username="ada", password="proxy-1")

    session.tell(storage.SetCookies(cookies=[storage.CookieParam(name="id", value="cookie-1", domain="shop.example")]))
    session.tell(fetch.ContinueWithAuth(request_id="1", auth_challenge_response=answer))
    session.tell(network.SetExtraHTTPHeaders(headers={"X-Custom": "header-1"}))
    headers = {"Authorization": "Bearer header-2", "Cookie": 'id="cookie-2"', "Accept": "*/*"}
    chrome.tell(method="Network.requestWillBeSentExtraInfo", params={"requestId": "1", "headers": headers})
    pairs = [{"name": "Set-Cookie", "value": "id=cookie-3"}, {"name": "Age", "value": "12"}]
    chrome.tell(method="Fetch.requestPaused", params={"requestId": "1", "responseHeaders": pairs})

    text = "\n".join(lines)
    assert not [
        secret for secret in ("cookie-1", "proxy-1", "header-1", "header-2", "cookie-2", "cookie-3") if secret in text
    ]
    assert '"name":"id","value":"***","domain":"shop.example"' in text
    assert '"username":"ada","password":"***"' in text
    assert '"Accept":"*/*"' in text
    assert '{"name":"Age","value":"12"}' in text


async def test_long_messages_are_cut(lines: list[str]) -> None:
    chrome = FakeChrome(lambda message: {"result": {"result": {"type": "number"}}})

    await chrome.connect().browser.send(runtime.Evaluate(expression="x" * 10_000))

    assert len(lines[0]) < 2_100
    assert lines[0].endswith("… (10017 characters)")


async def test_a_file_of_the_user_alone_is_added_to(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "cdp.log"
    path.write_text("before\n")
    before = list(protocol_log.log.handlers)
    chrome = FakeChrome(lambda message: {"result": {"frameId": "F", "loaderId": "L"}})

    protocol_log.write_to(path)
    protocol_log.write_to(path)
    await chrome.connect().browser.send(page.Navigate(url="https://example.com/"))

    (handler,) = [handler for handler in protocol_log.log.handlers if handler not in before]
    protocol_log.log.removeHandler(handler)
    handler.close()
    first, *rest = path.read_text().splitlines()
    assert first == "before"
    assert [line.split(" ", 1)[1] for line in rest] == lines


async def test_a_new_file_is_for_the_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "cdp.log"
    before = list(protocol_log.log.handlers)

    protocol_log.write_to(path)

    (handler,) = [handler for handler in protocol_log.log.handlers if handler not in before]
    protocol_log.log.removeHandler(handler)
    handler.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"The log of the protocol cannot be written to .*: No such file"):
        protocol_log.write_to(tmp_path / "missing" / "cdp.log")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
async def test_a_disk_that_is_full_ends_the_log_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(protocol_log.log, "filters", [])  # see protocol_logs.py
    before = list(protocol_log.log.handlers)
    protocol_log.write_to(Path("/dev/full"))

    for _ in range(2):
        protocol_log.log_event("Page.loadEventFired", b"{}", "")

    assert protocol_log.log.handlers == before
    assert [record.message for record in caplog.records if record.name == protocol_log.__name__] == [
        "The log of the protocol cannot be written to /dev/full any more: No space left on device."
    ]
