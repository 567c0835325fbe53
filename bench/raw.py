"""The least that talks to a running Chrome: its HTTP endpoints, and CDP calls one by one. Without cdp_agent."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

from websockets.sync.client import ClientConnection, connect


class Tab:
    """A page, or an out-of-process frame, by its WebSocket."""

    def __init__(self, address: str) -> None:
        self._socket: ClientConnection = connect(address, max_size=None, compression=None)
        self._last_id = 0

    def call(self, method: str, **params: Any) -> Any:
        self._last_id += 1
        self._socket.send(json.dumps({"id": self._last_id, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]

    def evaluate(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def close(self) -> None:
        self._socket.close()


def targets(endpoint: str) -> list[dict[str, Any]]:
    with urlopen(f"{endpoint}/json/list") as answer:
        return list(json.load(answer))


def version(endpoint: str) -> str:
    """Such as "Chrome/156.0.7700.1"."""
    with urlopen(f"{endpoint}/json/version") as answer:
        return str(json.load(answer)["Browser"])


def open_tab(endpoint: str, url: str) -> dict[str, Any]:
    """Its target: "id", "webSocketDebuggerUrl" and so on."""
    with urlopen(Request(f"{endpoint}/json/new?{url}", method="PUT")) as answer:
        return dict(json.load(answer))


def open_window(endpoint: str, url: str) -> dict[str, Any]:
    """Its target, in a window of its own: of a window's tabs only one is drawn, and takes input."""
    with urlopen(f"{endpoint}/json/version") as answer:
        browser = Tab(json.load(answer)["webSocketDebuggerUrl"])
    target_id = browser.call("Target.createTarget", url=url, newWindow=True)["targetId"]
    browser.close()
    return next(target for target in targets(endpoint) if target["id"] == target_id)


def close_tab(endpoint: str, target: dict[str, Any]) -> None:
    urlopen(f"{endpoint}/json/close/{target['id']}").close()


# How many characters the visible text has, white space collapsed, in the document and its frames of the same process.
TEXT = """(() => {
  const size = (document) => {
    let n = document.body.innerText.replace(/\\s+/g, ' ').length;
    for (const e of document.querySelectorAll('iframe')) if (e.contentDocument) n += size(e.contentDocument);
    return n;
  };
  return size(document);
})()"""

# The elements of a document with those in open shadow roots and in frames of the same process.
COUNT = """(() => {
  const count = (root) => {
    let n = 0;
    for (const e of root.querySelectorAll('*')) {
      n += 1;
      if (e.shadowRoot) n += count(e.shadowRoot);
      if (e.localName === 'iframe' && e.contentDocument) n += count(e.contentDocument);
    }
    return n;
  };
  return count(document);
})()"""
