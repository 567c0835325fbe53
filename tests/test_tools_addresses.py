import pytest

from cdp_agent.errors import InvalidArguments
from cdp_agent.tools.addresses import complete_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://example.com/a?b#c", "https://example.com/a?b#c"),
        (" example.com ", "https://example.com"),
        ("example.com:8443/x", "https://example.com:8443/x"),
        ("//example.com/x", "https://example.com/x"),
        ("<https://example.com>", "https://example.com"),
        ("localhost", "http://localhost"),
        ("localhost:8000/a", "http://localhost:8000/a"),
        ("shop.localhost:8000", "http://shop.localhost:8000"),
        ("127.0.0.1:9", "http://127.0.0.1:9"),
        ("[::1]:80/x", "http://[::1]:80/x"),
        ("about:blank", "about:blank"),
        ("file:///tmp/a.html", "file:///tmp/a.html"),
        ("data:text/html,<p>1", "data:text/html,<p>1"),
    ],
)
def test_an_address_gets_its_scheme(text: str, address: str) -> None:
    assert complete_address(text) == address


@pytest.mark.parametrize("text", ["", "shoes", "two words.com", "javascript:alert(1)", "mailto:a@b.org", "http://"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="is not an address"):
        complete_address(text)
