"""Fields that the user fills in: the page gets what they give, and no model hears of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from cdp_agent.browser import Browser
from cdp_agent.decisions import FieldValue, FormField, FormRequested, UserAnswer, UserAsk
from cdp_agent.events import FormDataError, FormDataRequested
from cdp_agent.page.page import Page
from cdp_agent.session import Session, ToolOutcome
from cdp_agent.step_events import ApprovalDecided
from fixtures.replay import tool_call
from tests.agents import of, play, result_of, told
from tests.conftest import Serve, on_other_site

FORM = """<title>Order</title><form onsubmit="return false">
<label>Name <input id=name required></label>
<label>Mail <input id=mail type=email></label>
<label>Password <input id=password type=password></label>
<label>Born <input id=born type=date></label>
<label>Pieces <input id=pieces type=number max=9></label>
<label>Note <textarea id=note></textarea></label>
<label>Country <select id=country><option value="">Choose<option>Norway<option>Sweden</select></label>
<label>Extras <select id=extras multiple><option>Gift wrap<option>Insurance<option>Express</select></label>
<label><input id=news type=checkbox> News</label>
<fieldset><legend>Size</legend><label><input type=radio name=size id=small>Small</label>
<label><input type=radio name=size id=large>Large</label></fieldset>
<div id=about role=textbox aria-label=About contenteditable></div></form>"""
GIVEN: dict[str, FieldValue] = {
    "Name": "Annabelle Lee",
    "Mail": "annabelle@sea.example",
    "Password": "kingdom by",
    "Born": "1999-10-07",
    "Pieces": 3,
    "Note": "at the\nback door",
    "Country": "Sweden",
    "Extras": ["Gift wrap", "Express"],
    "News": True,
    "Size": "Large",
    "About": "I was a child",
}
HELD = """[...document.querySelectorAll('#name,#mail,#password,#born,#pieces,#note,#country')]
  .map(each => each.value).concat([...extras.selectedOptions].map(each => each.value))
  .concat([news.checked, large.checked, about.innerText.trim()])"""


class User:
    """Gives what it has, by the labels of the fields; `asks` are what it was asked."""

    def __init__(self, *given: dict[str, FieldValue] | None) -> None:
        self._given = list(given)
        self.asks: list[FormRequested] = []

    async def __call__(self, ask: UserAsk) -> UserAnswer:
        assert isinstance(ask, FormRequested)
        self.asks.append(ask)
        given = self._given.pop(0)
        return None if given is None else {each.ref: given[each.label] for each in ask.fields if each.label in given}

    @property
    def fields(self) -> dict[str, FormField]:
        """Those of the last form, by their labels."""
        return {each.label: each for each in self.asks[-1].fields}


async def asked(session: Session, *labels: str, **more: Any) -> ToolOutcome:
    """What comes of asking for the fields of these names on the page."""
    snapshot = (await session.call("snapshot")).value
    refs = {each.name: each.ref for each in snapshot.refs.values()}  # type: ignore[union-attr]  # it is a Snapshot
    refs["Size"] = refs.get("Small", "")
    fields = [{"ref": refs[label], "label": label} for label in labels]
    return await session.call("request_user_data", {"form_description": "The order", "fields": fields, **more})


async def opened(browser: Browser, page: Page, url: str, user: User) -> Session:
    """Whose calls are in the page."""
    session = Session(browser, page=page, ask_user=user)
    assert (await session.call("goto", {"url": url})).error is None
    return session


async def test_every_kind_of_field_takes_what_the_user_gives_and_no_view_of_the_page_tells_it(
    browser: Browser, page: Page, serve: Serve
) -> None:
    user = User(None, GIVEN | {"Name": "Ann", "Password": "abc"})
    session = await opened(browser, page, serve(FORM), user)

    declined = await asked(session, "Name")

    assert declined.text == "The user does not want to fill this in. Do without, or say what is missing."
    assert await page.evaluate("document.querySelector('#name').value") == ""

    outcome = await asked(session, *GIVEN)

    assert outcome.error is None, outcome.text
    assert outcome.text.startswith("The user filled in E"), outcome.text
    assert await page.evaluate(HELD) == [
        *("Ann", "annabelle@sea.example", "abc", "1999-10-07", "3", "at the\nback door", "Sweden"),
        *("Gift wrap", "Express", True, True, "I was a child"),
    ]
    kinds = {label: field.field_type for label, field in user.fields.items()}
    assert kinds == {
        **{"Name": "text", "Mail": "email", "Password": "password", "Born": "date", "Pieces": "number"},
        **{"Note": "textarea", "Country": "select", "Extras": "multiselect", "News": "checkbox", "Size": "radio"},
        "About": "richtext",
    }
    assert user.fields["Name"].required
    assert user.fields["Country"].options == ["Norway", "Sweden"]
    assert user.fields["Size"].options == ["Small", "Large"]
    assert user.fields["Size"].name == "Size"

    views = [await session.call(name) for name in ("snapshot", "markdown", "get_schema", "get_html")]
    shown = "\n".join([each.text + json.dumps(each.as_json()["value"]) for each in views])

    values = ["Ann", "sea.example", "abc", "1999", ": 3", "back door", "[checked]", "Sweden", "[selected]", "child"]
    assert [value for value in values if value in shown.replace("Annabelle", "")] == []
    assert 'textbox "Name" [required]' in shown
    assert '- combobox "Country"' in shown
    assert "<user data>" in shown


async def test_what_the_page_refuses_is_asked_for_again_with_its_words(
    browser: Browser, page: Page, serve: Serve
) -> None:
    user = User({"Mail": "annabelle", "Pieces": 99}, {"Mail": "annabelle@sea.example", "Pieces": 9})
    session = await opened(browser, page, serve(FORM), user)

    outcome = await asked(session, "Mail", "Pieces")

    assert [ask.reason for ask in user.asks] == ["initial", "validation_error"]
    assert "'@'" in user.fields["Mail"].error
    assert "annabelle" not in user.fields["Mail"].error
    assert "9" in user.fields["Pieces"].error
    assert "The user filled in" in outcome.text
    assert await page.evaluate("[mail.value, pieces.value]") == ["annabelle@sea.example", "9"]


async def test_who_never_gives_anything_that_will_do_is_asked_three_times(
    browser: Browser, page: Page, serve: Serve
) -> None:
    wrong: dict[str, FieldValue] = {"Country": "Denmark"}
    user = User(wrong, wrong, wrong)
    session = await opened(browser, page, serve(FORM), user)

    outcome = await asked(session, "Country", "Name")

    assert len(user.asks) == 3
    assert "Norway" in user.fields["Country"].error
    assert user.fields["Name"].error == "This is required."
    assert "did not do; the user knows why" in outcome.text
    assert "Denmark" not in outcome.text


OWN = """<label for=f>Code</label><input id=f aria-describedby=why><p id=why></p><script>
f.addEventListener('change', () => {
  const good = f.value === 'right one';
  f.setAttribute('aria-invalid', String(!good));
  why.textContent = good ? '' : `No code ${f.value} is known`;
});</script>"""


async def test_the_pages_own_check_is_told_when_the_field_is_left(browser: Browser, page: Page, serve: Serve) -> None:
    user = User({"Code": "wrong one"}, {"Code": "right one"})
    session = await opened(browser, page, serve(OWN), user)

    outcome = await asked(session, "Code")

    assert user.fields["Code"].error == "No code <user data> is known"
    assert outcome.text.startswith("The user filled in")


async def test_nobody_is_asked_for_what_cannot_be_filled_in(browser: Browser, page: Page, serve: Serve) -> None:
    cannot = {
        "Disabled": ("<input aria-label=Disabled disabled>", "is disabled."),
        "Kept": ("<input aria-label=Kept readonly>", "is read-only."),
        "File": ("<input aria-label=File type=file>", "takes files: use upload."),
        "Button": ("<button>Button</button>", "is no field that can be filled in."),
    }
    user = User()
    session = await opened(browser, page, serve("".join(field for field, _ in cannot.values())), user)

    for name, (_, why) in cannot.items():
        outcome = await asked(session, name)

        assert outcome.error is not None, name
        assert outcome.text.startswith("The user was not asked. E")
        assert outcome.text.endswith(why)
    assert user.asks == []


async def test_a_ref_is_found_again_or_named(browser: Browser, page: Page, serve: Serve) -> None:
    user = User({"Name": "Annabelle"})
    session = await opened(browser, page, serve("<div id=d><label>Name <input id=f></label></div><p>x</p>"), user)
    await session.call("snapshot")
    await page.evaluate("d.innerHTML = d.innerHTML")
    again = await session.call(
        "request_user_data", {"formDescription": "f", "fields": [{"ref": "E1", "label": "Name", "fieldType": "text"}]}
    )
    gone = await session.call("request_user_data", {"form_description": "f", "fields": [{"ref": "E77", "label": "n"}]})

    assert "The user filled in E1" in again.text
    assert await page.evaluate("f.value") == "Annabelle"
    assert gone.text.startswith("The user was not asked. There is no E77")


async def test_the_user_is_told_where_it_goes_and_it_goes_nowhere_else(
    browser: Browser, page: Page, serve: Serve
) -> None:
    shop = serve("<form action=/pay><label>Card <input id=f></label></form>")

    class Swapped(User):
        async def __call__(self, ask: UserAsk) -> UserAnswer:
            given = await super().__call__(ask)
            await page.evaluate(f"document.forms[0].action = {on_other_site(shop)!r}")
            return given

    user = Swapped({"Card": "4111111111111111"})
    session = await opened(browser, page, shop, user)

    outcome = await asked(session, "Card")

    assert user.asks[0].url == shop
    assert [shop.startswith(origin) for origin in user.asks[0].origins] == [True]
    assert "is in a form that is sent to" in outcome.text
    assert await page.evaluate("f.value") == ""
    assert "4111" not in outcome.text


async def test_pictures_show_none_of_it(browser: Browser, page: Page, serve: Serve) -> None:
    page_of = (
        "<body style='margin:0;background:#fff'><label>A<input id=f style='position:fixed;left:0;top:0;width:200px'>"
    )
    session = await opened(browser, page, serve(page_of), User({"A": "xy"}))
    await asked(session, "A")

    picture = (await session.call("screenshot")).images[0]

    assert await page.evaluate("f.value") == "xy"
    assert picture != await page.screenshot()


async def test_no_request_event_or_checkpoint_has_what_the_user_gave(
    browser: Browser, page: Page, httpserver: HTTPServer, tmp_path: Path
) -> None:
    sent: list[dict[str, str]] = []

    def take(request: Request) -> Response:
        sent.append(request.form.to_dict())
        said = " ".join(request.form.values())
        return Response(f"<title>Thanks</title><h1>Thank you {said}</h1>", content_type="text/html")

    httpserver.expect_request("/", method="GET").respond_with_data(
        "<form method=post action=/sent><label>Name <input name=name></label>"
        "<label>Key <input name=key type=password></label><label>City <select name=city><option>Tromsø<option>Bergen"
        "</select></label><button>Send</button></form>",
        content_type="text/html; charset=utf-8",
    )
    httpserver.expect_request("/sent", method="POST").respond_with_handler(take)
    given: dict[str, FieldValue] = {"Name": "Annabelle Lee", "Key": "kingdom by the sea", "City": "Bergen"}
    user = User(given)
    roles = {"Name": "textbox", "Key": "textbox", "City": "combobox"}
    fields = [{"ref": f"{{{{ref:{role} {name}}}}}", "label": name} for name, role in roles.items()]
    replies = [
        tool_call("request_user_data", {"reason": "initial", "form_description": "The order", "fields": fields}),
        tool_call("click", {"ref": "{{ref:button Send}}"}),
        tool_call("done", {"result": "It was sent."}),
    ]

    events, server = await play(
        browser, page, replies, url=httpserver.url_for("/"), ask_user=user, checkpoint=tmp_path / "run"
    )

    assert result_of(events).success
    assert sent == [{"name": "Annabelle Lee", "key": "kingdom by the sea", "city": "Bergen"}]
    assert told(server, 2)[0].count("The user filled in ") == 1
    assert of(events, FormDataRequested)[0].fields[2].options == ["Tromsø", "Bergen"]
    decided = json.loads(msgspec.json.encode(of(events, ApprovalDecided)[0].decision))
    assert set(decided["values"].values()) == {"<user data>"}
    after = json.dumps(server.turns[1:]) + "".join(
        msgspec.json.encode(each).decode() for each in events[events.index(of(events, ApprovalDecided)[0]) :]
    )
    for value in ("Annabelle", "kingdom"):
        assert value not in after
    assert "Thank you <user data>" in after.replace("\\u003c", "<").replace("\\u003e", ">")


async def test_what_was_refused_is_an_event_without_the_value(browser: Browser, page: Page, serve: Serve) -> None:
    field = {"ref": "{{ref:textbox Mail}}", "label": "Mail"}
    replies = [
        tool_call("request_user_data", {"form_description": "The order", "fields": [field]}),
        tool_call("done", {"result": "It is filled in."}),
    ]
    user = User({"Mail": "annabelle"}, {"Mail": "a@b.example"})

    events, server = await play(browser, page, replies, url=serve(FORM), ask_user=user)

    assert of(events, FormDataError)[0].fields[0].error == user.asks[1].fields[0].error
    assert "annabelle" not in "".join(msgspec.json.encode(each).decode() for each in events)
    assert "'@'" not in told(server, 2)[0]
