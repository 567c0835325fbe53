"""What the model is shown of a page: all of it once, and then what becomes of it."""

from cdp_agent.agent.base.task import Limits
from cdp_agent.agent.model import prompts
from cdp_agent.browser import Browser
from cdp_agent.events import AgentObserved, HistoryShrunk
from cdp_agent.page.page import Page
from cdp_agent.page.snapshot.budget import tokens
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from fixtures.replay import tool_call
from tests.agents import CLICK, DONE, FILL, SHOP, of, play, result_of, said
from tests.conftest import Serve
from tests.writing import put


async def test_the_page_is_sent_once_and_then_what_changed(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [FILL, CLICK, DONE], content=SHOP)

    assert said(server, 2) == (
        '<untrusted label="result of fill">\nfilled E1 textbox "Search"\nvalue: "tea"\n</untrusted>'
    )
    assert said(server, 3) == (
        '<untrusted label="result of click">\nclicked E2 button "Go"\nchanged:\n'
        "  ~ - paragraph (now Found tea, before Nothing yet)\n</untrusted>"
    )
    assert str(server.turns[2]["messages"]).count("The page now:") == 1
    assert len(of(events, AgentObserved)) == 1
    first, second, third = (request["messages"] for request in server.turns)
    assert second[: len(first)] == first
    assert third[: len(second)] == second


async def test_a_page_that_reads_as_before_is_not_sent_again(browser: Browser, page: Page) -> None:
    events, server = await play(browser, page, [tool_call("hover", {"ref": "{{ref:button Go}}"}), DONE], content=SHOP)

    assert said(server, 2).endswith(prompts.UNCHANGED)
    assert len(of(events, AgentObserved)) == 1


class NoArguments(Arguments, frozen=True):
    pass


@tool()
async def be_late(args: NoArguments, context: Context) -> Observation:
    """Change the page without a receipt."""
    await context.page.evaluate("document.querySelector('p').textContent = 'Late'")
    return Observation("Done.")


async def test_what_changed_beside_the_action_is_told(browser: Browser, page: Page) -> None:
    content = "<title>Clock</title><p>Early</p>" + "<button>Go</button>" * 20

    events, server = await play(browser, page, [tool_call("be_late", {}), DONE], content=content, tools=[be_late])

    assert said(server, 2).endswith(
        "What else changed on the page:\n"
        '<untrusted label="changes">\n~ - paragraph (now Late, before Early)\n</untrusted>'
    )
    assert of(events, AgentObserved)[1].changed == ["~ - paragraph (now Late, before Early)"]


async def test_fields_that_were_filled_in_together_are_told_once(browser: Browser, page: Page) -> None:
    content = "<title>Form</title><input aria-label=Name><input aria-label=City>" + "<button>Go</button>" * 20
    fields = [{"ref": "{{ref:textbox Name}}", "value": "Ada"}, {"ref": "{{ref:textbox City}}", "value": "Oslo"}]

    _, server = await play(browser, page, [tool_call("fill_form", {"fields": fields}), DONE], content=content)

    assert said(server, 2) == (
        '<untrusted label="result of fill_form">\nfilled 2 fields\n'
        'E1 textbox "Name": "Ada"\nE2 textbox "City": "Oslo"\n</untrusted>'
    )


async def test_what_a_receipt_says_of_several_is_not_told_again(browser: Browser, page: Page) -> None:
    clear = "document.querySelectorAll('a').forEach((link) => link.remove())"
    content = f"""<title>L</title><button onclick="{clear}">Clear</button>""" + "<a href=x>Tea</a>" * 3
    rest = "<button>Stay</button>" * 20

    _, server = await play(
        browser, page, [tool_call("click", {"ref": "{{ref:button Clear}}"}), DONE], content=content + rest
    )

    assert said(server, 2) == (
        '<untrusted label="result of click">\nclicked E1 button "Clear"\nchanged:\n'
        '  - - link "Tea" E2 → x (after button "Clear" E1)\n'
        '  - - link "Tea" → x (2 times)\n</untrusted>'
    )


async def test_a_new_page_is_shown_whole(browser: Browser, page: Page, serve: Serve) -> None:
    second = serve("<title>Second</title><h1>Here</h1>")
    first = serve(f"<title>First</title><a href='{second}'>Go</a>")

    _, server = await play(browser, page, [tool_call("click", {"ref": "{{ref:link Go}}"}), DONE], url=first)

    assert said(server, 2).endswith(
        f'The page now:\n<untrusted label="page">\nAddress: {second}\nTitle: Second\n\n'
        '- heading "Here" [level=1]\n</untrusted>'
    )


def site(serve: Serve) -> str:
    """The address of a page that leads to another one with the same navigation."""
    third = serve("<title>Third</title>")
    navigation = f"<nav>{''.join(f'<a href={third}?{name}>{name}</a>' for name in ('Home', 'Cart', 'Orders'))}</nav>"
    second = serve(f"<title>Second</title>{navigation}<main>Two</main>")
    links = f"<a href='{second}'>On</a> <a href='{second}' target=_blank>Beside</a>"
    return serve(f"<title>First</title>{navigation}<main>{links}</main>")


NOTE = "(4 lines are as on this tab's page before, and their refs still hold)"


async def test_navigation_is_shown_once_and_its_refs_hold(browser: Browser, page: Page, serve: Serve) -> None:
    on, cart = tool_call("click", {"ref": "{{ref:link On}}"}), tool_call("click", {"ref": "{{ref:link Cart}}"})

    _, server = await play(browser, page, [on, cart, DONE], url=site(serve))

    assert said(server, 2).endswith(f"Title: Second\n\n- main: Two\n{NOTE}\n</untrusted>")
    assert '"E2"' in str(server.turns[2]["messages"][-2])
    assert page.url.endswith("?Cart")


async def test_a_page_that_is_asked_for_is_shown_with_its_navigation(
    browser: Browser, page: Page, serve: Serve
) -> None:
    on = tool_call("click", {"ref": "{{ref:link On}}"})

    _, server = await play(browser, page, [on, tool_call("snapshot", {}), DONE], url=site(serve))

    assert NOTE in said(server, 2)
    assert 'link "Cart"' in said(server, 3)


async def test_navigation_is_shown_again_in_another_tab(browser: Browser, page: Page, serve: Serve) -> None:
    beside = tool_call("click", {"ref": "{{ref:link Beside}}"})

    _, server = await play(browser, page, [beside, DONE], url=site(serve))

    assert "Title: Second" in said(server, 2)
    assert 'link "Cart"' in said(server, 2)


async def test_a_text_of_several_rows_is_left_out_whole_or_not_at_all(
    browser: Browser, page: Page, serve: Serve
) -> None:
    rows = "\n".join(f"row {number}" for number in range(8))
    second = serve(f"<title>Second</title><pre>{rows}\nlast</pre>")
    first = serve(f"<title>First</title><pre>{rows}</pre><a href='{second}'>On</a>")

    _, server = await play(browser, page, [tool_call("click", {"ref": "{{ref:link On}}"}), DONE], url=first)

    assert "- text:\n  | row 0\n  | row 1\n" in said(server, 2)


async def test_a_page_that_changed_altogether_is_shown_whole(browser: Browser, page: Page) -> None:
    rows = "".join(f"<p>Row {number}</p>" for number in range(150))
    content = f"""<title>App</title><button onclick="document.body.innerHTML = '<p>All gone</p>'">Go</button>{rows}"""

    _, server = await play(browser, page, [tool_call("click", {"ref": "{{ref:button Go}}"}), DONE], content=content)

    assert said(server, 2).endswith("Title: App\n\n- paragraph: All gone\n</untrusted>")


async def test_a_page_that_a_receipt_shows_as_well_is_shown_once(browser: Browser, page: Page) -> None:
    rows = "".join(f"<p>Row {number}</p>" for number in range(150))
    new = "".join(f"<p>New {number}</p>" for number in range(40))
    content = f"""<title>App</title><button onclick="document.body.innerHTML = '{new}'">Go</button>{rows}"""

    _, server = await play(browser, page, [tool_call("click", {"ref": "{{ref:button Go}}"}), DONE], content=content)

    result, _, view = said(server, 2).partition("\n\nThe page now:")
    assert result == (
        '<untrusted label="result of click">\nclicked E1 button "Go"\nchanged:\n'
        "  = the page, which is shown below\n</untrusted>"
    )
    assert "New 0" in view
    assert "New 39" in view


def test_new_lines_that_the_view_shows_as_well_are_counted() -> None:
    receipt = (
        'changed:\n  + - list\n  +   - link "A" E1\n  + - link "B" E2 (after list)\n  - - link "C" E3\n</untrusted>'
    )
    view = 'The page now:\n- list:\n  - link "A" E1\n- link "B" E2'

    assert prompts.without_page(receipt, view) == (
        'changed:\n  + 2 lines, shown below\n  + - link "B" E2 (after list)\n  - - link "C" E3\n</untrusted>'
    )


async def test_the_whole_page_is_not_shown_twice_unless_asked_twice(browser: Browser, page: Page) -> None:
    rows = "".join(f"<p>Row {number}</p>" for number in range(9))
    look = tool_call("snapshot", {})

    _, server = await play(browser, page, [look, look, DONE], content=f"<title>App</title>{rows}")

    assert said(server, 2) == f"{prompts.SNAPSHOT_TAKEN}\n\n{prompts.STILL}"
    assert said(server, 3).startswith(f"{prompts.SNAPSHOT_TAKEN}\n\nThe page now:")


async def test_a_long_page_keeps_to_the_budget_and_its_changes_are_told_all_the_same(
    browser: Browser, page: Page
) -> None:
    content = (
        "<title>Long</title>"
        + "<button>One of many</button>" * 600
        + "<button onclick='this.textContent = \"Changed\"'>Last</button>"
    )
    await put(page, content)
    (last,) = (ref.ref for ref in (await page.snapshot()).refs.values() if ref.name == "Last")
    replies = [tool_call("click", {"ref": last}), DONE]

    _, server = await play(browser, page, replies, limits=Limits(observation_tokens=500))

    shown = server.turns[0]["messages"][1]["content"].partition("The page now:")[2]
    assert tokens(shown) < 600
    assert "Changed" not in shown
    assert f'~ - button "Last" → "Changed" {last}' in said(server, 2)


async def test_the_page_is_shown_when_it_is_asked_for(browser: Browser, page: Page) -> None:
    content = "<button>One</button>" * 300

    _, server = await play(
        browser,
        page,
        [tool_call("snapshot", {"budget_tokens": 0}), DONE],
        content=content,
        limits=Limits(observation_tokens=500),
    )

    assert said(server, 2).startswith(prompts.SNAPSHOT_TAKEN)
    assert said(server, 2).count('button "One"') == 300


async def test_a_history_that_is_too_long_shrinks_and_the_page_is_shown_anew(
    browser: Browser, page: Page, serve: Serve
) -> None:
    long = serve("<title>Long</title>" + "".join(f"<p>Paragraph number {number}</p>" for number in range(100)))
    url = serve(f"<title>Start</title><a href='{long}'>Long</a>")
    there, back = tool_call("click", {"ref": "{{ref:link Long}}"}), tool_call("back", {})

    events, server = await play(
        browser, page, [there, back, there, back, there, DONE], url=url, limits=Limits(history_tokens=4000)
    )

    (shrunk,) = of(events, HistoryShrunk)
    assert shrunk.tokens_after < shrunk.tokens_before
    last = [message.get("content") or "" for message in server.turns[-1]["messages"]]
    assert "Plan:\n1. Do it." in last[1]
    assert last[1].endswith(prompts.OLD_VIEW)
    assert last[3].startswith('<untrusted label="result of click">\nclicked E1 link "Long"')
    assert sum("The page now:" in text for text in last) == 1
    assert "Paragraph number 99" in last[-1]
    assert result_of(events).success


async def test_what_is_asked_for_leaves_room_for_the_rest(browser: Browser, page: Page, serve: Serve) -> None:
    url = serve("<button>One</button>" * 900)
    replies = [tool_call("snapshot", {"budget_tokens": 0}), DONE]

    _, server = await play(
        browser, page, replies, url=url, limits=Limits(observation_tokens=500, history_tokens=12_000)
    )

    assert 2_500 < tokens(said(server, 2)) < 3_200


async def test_a_result_that_is_too_long_is_cut(browser: Browser, page: Page) -> None:
    content = "<a href='/a/long/address/of/a/page'>One of many</a>" * 100
    replies = [tool_call("find_elements", {"selector": "a", "max_results": 100, "attributes": ["href"]}), DONE]

    _, server = await play(browser, page, replies, content=content, limits=Limits(observation_tokens=500))

    assert tokens(said(server, 2)) < 600
    assert "characters more. Ask for less at once." in said(server, 2)
