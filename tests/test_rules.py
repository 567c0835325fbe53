"""What the lists of origins mean, on addresses as pages and people write them."""

from __future__ import annotations

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.page.policy.hosts import contains_host, read_hosts
from cdp_agent.page.policy.interception import blocked_urls, patterns_of, socket_conditions
from cdp_agent.page.policy.rules import RequestRules, pattern, rules_of
from cdp_agent.security.origins import origin_of, scheme_of
from tests.tables import table


def made(**given: object) -> RequestRules:
    found = rules_of(**given)  # type: ignore[arg-type]  # the tests write what a caller would
    assert found is not None
    return found


@table(
    ("url", "origin"),
    [
        ("https://example.com/a?b#c", "https://example.com"),
        ("HTTPS://EXAMPLE.com:443", "https://example.com"),
        ("http://example.com:8080/", "http://example.com:8080"),
        ("http://example.com./", "http://example.com"),
        ("http:\\\\example.com\\a", "http://example.com"),
        ("http:example.com", "http://example.com"),
        ("https:///example.com", "https://example.com"),
        (" ht\ntps://exa\tmple.com ", "https://example.com"),
        ("https://good.example@evil.example/", "https://evil.example"),
        ("https://good.example:pass@evil.example:444/@good.example", "https://evil.example:444"),
        ("https://evil.example#@good.example", "https://evil.example"),
        ("https://evil.example?@good.example", "https://evil.example"),
        ("https://evil.example\\@good.example", "https://evil.example"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("https://B%C3%BCcher.example", "https://xn--bcher-kva.example"),
        ("https://ｅｘａｍｐｌｅ．com", "https://example.com"),
        ("https://example。com", "https://example.com"),
        ("https://ex%61mple.com", "https://example.com"),
        ("http://127.1/", "http://127.0.0.1"),
        ("http://0x7f.0.0.1/", "http://127.0.0.1"),
        ("http://2130706433/", "http://127.0.0.1"),
        ("http://0177.0.0.01/", "http://127.0.0.1"),
        ("http://127.0.0.1./", "http://127.0.0.1"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]"),
        ("http://[::ffff:7f00:1]/", "http://127.0.0.1"),
        ("wss://example.com/socket", "wss://example.com"),
        ("data:text/html,https://example.com", None),
        ("file:///etc/passwd", None),
        ("http://exa mple.com", None),
        ("http://example.com:99999", None),
        ("http://256.0.0.1", None),
        ("http://[::1", None),
        ("http://%ff.example", None),
        ("example.com", None),
    ],
)
def test_an_address_leads_where_chrome_says(url: str, origin: str | None) -> None:
    found = origin_of(url)

    assert (found and str(found)) == origin


@table(
    ("pattern", "meant", "not_meant"),
    [
        (
            "example.com",
            ["http://example.com", "https://example.com:8443/a", "https://a.b.example.com", "wss://example.com"],
            ["https://example.com.evil.example", "https://badexample.com", "https://example.org", "ftp://example.com"],
        ),
        ("*.example.com", ["https://a.example.com", "http://a.b.example.com:81"], ["https://example.com"]),
        ("example.com:8080", ["http://example.com:8080", "ws://a.example.com:8080"], ["http://example.com"]),
        (
            "https://example.com",
            ["https://example.com", "https://example.com:443/a", "wss://example.com"],
            ["http://example.com", "https://example.com:444", "https://a.example.com", "ws://example.com"],
        ),
        ("https://example.com:8443/", ["https://example.com:8443"], ["https://example.com"]),
        ("https://*.example.com", ["https://a.example.com"], ["https://example.com", "http://a.example.com"]),
        ("wss://example.com", ["wss://example.com", "https://example.com"], ["ws://example.com"]),
        ("Bücher.example", ["https://xn--bcher-kva.example"], ["https://bucher.example"]),
        ("127.0.0.1", ["http://127.0.0.1:99", "http://0x7f.1", "http://[::ffff:127.0.0.1]"], ["http://1.127.0.0.1"]),
        ("[::1]:80", ["http://[::1]"], ["http://[::1]:81", "http://[::2]"]),
        ("file://", ["file:///etc/passwd"], ["http://file"]),
        ("*", ["http://a.example", "wss://b.example:1"], ["file:///a", "chrome://settings", "ftp://a.example"]),
    ],
)
def test_a_pattern_means(pattern: str, meant: list[str], not_meant: list[str]) -> None:
    allowing, denying = made(allow=[pattern]), made(allow=["*", "file://"], deny=[pattern])

    assert [url for url in meant if allowing.refusal(url) is not None] == []
    assert [url for url in not_meant if allowing.refusal(url) is None] == []
    assert [url for url in meant if denying.refusal(url) is None] == []


@table(
    "text",
    ["", "https://a.example/path", "a b", "user@a.example", "a.*.example", "*.127.0.0.1", "a.example:x"],
)
def test_what_is_no_origin_is_told(text: str) -> None:
    with pytest.raises(SetupError, match=r"is no origin: write example\.com"):
        rules_of(allow=[text])


def test_no_lists_are_no_rules_and_an_empty_one_allows_nothing() -> None:
    assert rules_of() is None
    assert rules_of(deny=[], block=[]) is None
    assert made(allow=[]).refusal("https://example.com") is not None


def test_what_has_no_server_is_never_refused_and_other_schemes_are_as_soon_as_there_is_a_list() -> None:
    urls = ["about:blank", "data:,x", "blob:https://evil.example/1", "javascript:0", "file:///a", "chrome://gpu", "x:y"]

    refused = [url for url in urls if made(deny=["evil.example"]).refusal(url)]

    assert refused == ["file:///a", "chrome://gpu", "x:y"]
    assert [url for url in urls if made(block=["image"]).refusal(url)] == []


def test_what_is_on_both_lists_is_denied_and_the_reason_says_what_is_allowed() -> None:
    rules = made(allow=["example.com"], deny=["private.example.com"])

    denied, elsewhere = rules.refusal("https://private.example.com"), rules.refusal("view-source:https://evil.example")

    assert denied is not None
    assert denied.why == "is denied (private.example.com)"
    assert elsewhere is not None
    assert elsewhere.why == "is not among the allowed origins (example.com)"


def test_the_source_of_a_page_is_judged_as_the_page() -> None:
    rules = made(allow=["example.com"], deny=["private.example.com"])

    denied = rules.refusal("view-source:https://private.example.com/")

    assert rules.refusal("view-source:https://example.com/") is None
    assert denied is not None
    assert denied.why == "is denied (private.example.com)"


def test_a_kind_of_resource_is_left_out_by_its_name() -> None:
    rules = made(block=["image", "manifest", "prefetch"])
    kinds = ["Image", "Script", "Fetch", "XHR", "Other", "Document"]

    assert [kind for kind in kinds if rules.refusal("https://a.example/site.webmanifest", kind)] == [
        "Image",
        "Fetch",
        "Other",
    ]
    with pytest.raises(SetupError, match="pictures cannot be blocked, only image, stylesheet"):
        rules_of(block=["pictures"])


def test_a_host_list_is_read_in_each_of_its_notations() -> None:
    hosts = read_hosts(
        [
            "# comment",
            "! comment",
            "0.0.0.0 ads.example # why",
            "127.0.0.1\ttracker.example",
            "127.0.0.1 localhost",
            "::1 localhost",
            "plain.example",
            "*.wild.example",
            "||blocker.example^",
            "||third.example^$third-party",
            "||path.example/ads/",
            "@@||kept.example^",
            "example.com##.banner",
            "/regex/",
            "Bücher.example",
        ]
    )

    assert hosts == {
        "ads.example",
        "tracker.example",
        "plain.example",
        "wild.example",
        "blocker.example",
        "third.example",
        "xn--bcher-kva.example",
    }
    assert [
        host for host in ("ads.example", "a.b.ads.example", "bads.example", "example") if contains_host(hosts, host)
    ] == [
        "ads.example",
        "a.b.ads.example",
    ]


def test_a_host_list_that_cannot_be_read_is_told() -> None:
    with pytest.raises(SetupError, match=r"The host list /nowhere/hosts cannot be read: No such file"):
        rules_of(block_hosts="/nowhere/hosts")
    with pytest.raises(SetupError, match="No line of the host list names a host"):
        rules_of(block_hosts=["##.banner"])


def test_a_listed_host_is_left_out_of_pages_and_can_be_opened_itself() -> None:
    rules = made(block_hosts=["ads.example"])

    assert rules.refusal("https://x.ads.example/a.js", "Script") is not None
    assert rules.refusal("https://ads.example/", "Document", tab=True) is None


@table(
    ("given", "patterns"),
    [
        ({"allow": ["a.example"]}, ["http*", "file:*"]),
        ({"deny": ["a.example", "https://b.example"]}, ["*a.example*", "*b.example*", "file:*"]),
        ({"deny": ["127.0.0.1"]}, ["http*", "file:*"]),
        ({"deny": ["chrome://"]}, ["chrome:*", "file:*"]),
        ({"block": ["image"]}, ["http* Image"]),
        ({"block": ["image"], "block_hosts": ["a.example"]}, ["http*", "file:*"]),
        ({"proxy_credentials": ("user", "password")}, ["http*", "file:*"]),
    ],
)
def test_as_few_requests_are_held_as_serve(given: dict[str, object], patterns: list[str]) -> None:
    held = patterns_of([made(**given)])

    assert [" ".join(filter(None, (each.url_pattern, each.resource_type))) for each in held] == patterns


def test_sockets_are_refused_in_the_words_that_chrome_has_for_addresses() -> None:
    conditions = socket_conditions([made(allow=["*.a.example", "https://b.example"], deny=["[::1]:81", "127.0.0.1"])])

    assert [(each.url_pattern, each.offline) for each in conditions] == [
        ("ws{s}?://[\\:\\:1]:81/*", True),
        ("ws{s}?://127.0.0.1:*/*", True),
        ("ws{s}?://[\\:\\:ffff\\:7f00\\:1]:*/*", True),
        ("ws{s}?://*.a.example{.}?:*/*", None),
        ("wss://b.example{.}?:443/*", None),
        ("ws{s}?://*:*/*", True),
        ("", None),
    ]
    assert [each.packet_loss for each in conditions] == [None] * 6 + [100]


def test_what_a_process_is_told_not_to_ask_for_is_what_the_lists_refuse() -> None:
    blocked = blocked_urls([made(allow=["a.example:81"], deny=["https://b.a.example"])])

    assert [(each.url_pattern, each.block) for each in blocked] == [
        ("https://b.a.example{.}?:443/*", True),
        ("http{s}?://{*.}?a.example{.}?:81/*", False),
        ("http{s}?://*:*/*", True),
    ]


def test_what_several_lists_allow_is_what_each_of_them_allows() -> None:
    conditions = socket_conditions(
        [made(allow=["a.example", "https://b.example"]), made(allow=["*.a.example", "b.example", "c.example"])]
    )

    assert [each.url_pattern for each in conditions if not each.offline and each.url_pattern] == [
        "ws{s}?://*.a.example{.}?:*/*",
        "wss://b.example{.}?:443/*",
    ]


MEETING = [
    "*", "https://", "file://", "example.com", "*.example.com", "https://example.com", "http://example.com:8080",
    "example.com:8080", "https://*.example.com", "www.example.com", "*.www.example.com", "ample.com", "127.0.0.1",
    "[::1]:8080",
]  # fmt: skip
MET = [
    "http://example.com/", "https://example.com/", "http://example.com:8080/", "https://www.example.com/",
    "http://www.example.com:8080/", "https://a.www.example.com/", "https://ample.com/", "http://127.0.0.1/",
    "http://[::1]:8080/", "file:///etc", "wss://www.example.com/",
]  # fmt: skip


def test_patterns_meet_in_what_both_mean() -> None:
    for one, other in [(pattern(one), pattern(other)) for one in MEETING for other in MEETING]:
        both = one.intersection(other)
        for url in MET:
            scheme, origin = scheme_of(url), origin_of(url)
            meant = one.matches(scheme, origin) and other.matches(scheme, origin)

            assert (both is not None and both.matches(scheme, origin)) == meant, (one, other, url)
