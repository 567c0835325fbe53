"""What is known to be a risk before it is done, by the page's own facts and the words on its buttons."""

from __future__ import annotations

import pytest

from cdp_agent.page.page import Page
from cdp_agent.session.calls import Call
from cdp_agent.steps.approval.policy import AUTO, Ruling
from cdp_agent.steps.approval.risk import risk_of
from cdp_agent.steps.approval.risky_words import risk_in_name
from cdp_agent.tools import BUILT_IN
from cdp_agent.tools.base import Arguments, Context, Observation, tool
from cdp_agent.tools.members.anthropic import MEMBERS
from tests.conftest import Serve
from tests.tables import table
from tests.writing import write

POST = '<form method=post action="/buy"><input aria-label=Name><input aria-label=City>{}</form>'
GET = '<form action="/search"><input aria-label=Query>{}</form>'
CLICKS = [
    (POST.format("<button>Go on</button>"), 'button "Go on"', ("submits",)),
    (POST.format("<button>Pay now</button>"), 'button "Pay now"', ("submits", "pays")),
    (POST.format('<input type=submit value="Delete it">'), 'button "Delete it"', ("submits", "deletes")),
    (POST.format('<input type=image alt="Buy" src="/x.png">'), 'button "Buy"', ("submits", "pays")),
    (POST.format("<button type=button>More</button>"), 'button "More"', ()),
    (POST.format("<button><b>Go</b></button>"), 'button "Go"', ("submits",)),
    (POST.format("") + '<form id=b method=get></form><button form=b>Look</button>', 'button "Look"', ()),
    (POST.format("<button formmethod=get>Look</button>"), 'button "Look"', ()),
    (GET.format("<button>Search</button>"), 'button "Search"', ()),
    (GET.format("<button>Save</button>"), 'button "Save"', ("submits",)),
    ("<form action=/search role=search><input aria-label=Q><button>Add</button></form>", 'button "Add"', ()),
    (GET.format("<button formmethod=post>Search</button>"), 'button "Search"', ("submits",)),
    (GET.format("<input type=password aria-label=P><button>Log in</button>"), 'button "Log in"', ("submits",)),
    ("<form><input aria-label=A><input aria-label=B><button>Save</button></form>", 'button "Save"', ("submits",)),
    ("<form><input aria-label=A><button>Search</button></form>", 'button "Search"', ()),
    ("<search><form><input aria-label=A><input aria-label=B><button>Go</button></form></search>", 'button "Go"', ()),
    ("<form method=dialog><button>OK</button></form>", 'button "OK"', ()),
    ("<button>Delete</button>", 'button "Delete"', ("deletes",)),
    ("<div role=button tabindex=0>Jetzt kaufen</div>", 'button "Jetzt kaufen"', ("pays",)),
    ("<button>Show more</button>", 'button "Show more"', ()),
    ('<a href="/remove?id=1">Remove</a>', 'link "Remove"', ("deletes",)),
    ('<a href="/how">How to delete your account here</a>', "link", ()),
    ('<a href="/a" download>Save</a>', 'link "Save"', ("downloads",)),
    ('<a href="/data/all.zip?x=1">All data</a>', 'link "All data"', ("downloads",)),
    ('<a href="/next">Next</a>', 'link "Next"', ()),
    ('<a href="/items/5/delete">Item 5</a>', 'link "Item 5"', ("deletes",)),
    ('<a href="/items?action=unsubscribe&id=5">More</a>', 'link "More"', ("deletes",)),
]  # fmt: skip


def ref_of(snapshot: str, element: str) -> str:
    line = next(line for line in snapshot.splitlines() if element in line)
    return line.partition("[ref=")[2].partition("]")[0]


async def kinds(page: Page, tool: str, **arguments: object) -> tuple[str, ...]:
    found = BUILT_IN[tool]
    return (await risk_of(Call(found, found.parse(arguments)), page)).kinds


@pytest.fixture
async def site(page: Page, serve: Serve) -> Page:
    """The page at an address with a server, to write in."""
    if not page.url.startswith("http"):
        await page.goto(serve(""))
    return page


async def test_a_form_that_is_given_files_is_a_risk(site: Page) -> None:
    await write(site, POST.format("<input type=file aria-label=CV><button>Go on</button>"))
    text = (await site.snapshot()).text
    name, cv = ({"ref": ref_of(text, f'"{each}"'), "value": "x"} for each in ("Name", "CV"))

    assert await kinds(site, "fill_form", fields=[name]) == ()
    assert await kinds(site, "fill_form", fields=[cv, name]) == ("uploads",)
    assert await kinds(site, "fill_form", fields=[name, cv], submit=True) == ("uploads", "submits")


async def test_a_click_is_a_risk_by_what_it_sends(site: Page) -> None:
    await write(site, "".join(f"<section>{html}</section>" for html, _, _ in CLICKS))
    lines = iter((await site.snapshot()).text.splitlines())

    refs = [ref_of(next(line for line in lines if element in line), element) for _, element, _ in CLICKS]

    assert [(html, await kinds(site, "click", ref=ref)) for ref, (html, _, _) in zip(refs, CLICKS, strict=True)] == [
        (html, risks) for html, _, risks in CLICKS
    ]


async def test_enter_is_a_risk_where_it_sends_a_form(site: Page) -> None:
    await write(site, POST.format("<button>Order now</button>") + GET.format("<button>Search</button>"))
    text = (await site.snapshot()).text
    name, query = ref_of(text, "Name"), ref_of(text, "Query")

    assert await kinds(site, "press", key="Enter", ref=name) == ("submits", "pays")
    assert await kinds(site, "press", key="Enter", ref=query) == ()
    assert await kinds(site, "press", key="Tab Enter", ref=name) == ("submits", "pays")
    assert await kinds(site, "press", key="Tab", ref=name) == ()
    assert await kinds(site, "fill", ref=name, value="Ada") == ()
    assert await kinds(site, "fill", ref=name, value="Ada", submit=True) == ("submits", "pays")
    await site.focus(name)
    assert await kinds(site, "press", key="Enter") == ("submits", "pays")


async def test_a_text_of_several_lines_that_is_sent_is_a_risk_by_its_button(site: Page) -> None:
    await write(site, POST.format("<textarea aria-label=A></textarea><button>Order now</button>"))
    field = ref_of((await site.snapshot()).text, '"A"')

    assert await kinds(site, "fill", ref=field, value="1", submit=True) == ("submits", "pays")
    assert await kinds(site, "press", ref=field, key="g Enter") == ()  # which only adds a line


@pytest.mark.parametrize("field", ["<textarea aria-label=A></textarea>", "<select aria-label=A><option>1</select>"])
async def test_a_form_that_is_filled_and_sent_is_a_risk_by_its_button(site: Page, field: str) -> None:
    await write(site, POST.format(f"{field}<button>Order now</button>"))
    fields = [{"ref": ref_of((await site.snapshot()).text, '"A"'), "value": "1"}]

    assert await kinds(site, "fill_form", fields=fields) == ()
    assert await kinds(site, "fill_form", fields=fields, submit=True) == ("submits", "pays")


async def test_enter_without_a_button_sends_only_a_form_of_one_field(site: Page) -> None:
    two = "<form method=post><input aria-label=A><input aria-label=B></form>"
    await write(site, f"{two}<form method=post><input aria-label=C></form>")
    text = (await site.snapshot()).text

    assert await kinds(site, "press", key="Enter", ref=ref_of(text, '"A"')) == ()
    assert await kinds(site, "press", key="Enter", ref=ref_of(text, '"C"')) == ("submits",)


async def test_enter_in_what_has_the_focus_in_a_frame_of_another_site(page: Page, serve: Serve) -> None:
    inner = serve(POST.format("<button>Pay</button>"), other_site=True)
    await page.goto(serve(f"<iframe src='{inner}'></iframe>"))
    await page.focus(ref_of((await page.snapshot()).text, "Name"))
    tool = BUILT_IN["press"]

    found = await risk_of(Call(tool, tool.parse({"key": "Enter"})), page)

    assert found.kinds == ("submits", "pays")
    assert found.url == inner


FIELDS = "<div contenteditable role=textbox aria-label=Message></div><form method=post><textarea></textarea></form>"
HEARING = {
    "the field": "document.querySelector('{}').onkeydown = () => 0",
    "a box around it": "document.body.addEventListener('keyup', () => 0)",
    "the document": "document.addEventListener('keypress', () => 0)",
    "the window": "addEventListener('beforeinput', () => 0)",
}


@pytest.mark.parametrize("field", ["[contenteditable]", "textarea"])
@pytest.mark.parametrize("where", HEARING)
async def test_enter_in_a_text_of_several_lines_may_send_it_where_something_listens_for_keys(
    site: Page, where: str, field: str
) -> None:
    await write(site, f"{FIELDS}<script>{HEARING[where].format(field)}</script>")
    ref = (await site.find(field)).elements[0].ref

    assert await kinds(site, "press", key="Enter", ref=ref) == ("sends",)


@pytest.mark.parametrize("field", ["[contenteditable]", "textarea"])
async def test_enter_in_a_text_of_several_lines_begins_a_line_where_nothing_does(site: Page, field: str) -> None:
    elsewhere = "<input id=other><script>other.onkeydown = () => 0; onclick = () => 0</script>"
    await write(site, FIELDS + elsewhere)
    ref = (await site.find(field)).elements[0].ref

    assert await kinds(site, "press", key="Enter", ref=ref) == ()
    await site.focus(ref)
    assert await kinds(site, "press", key="Enter") == ()


async def test_enter_in_a_shadow_tree_may_send_it(site: Page) -> None:
    await write(site, "<div><template shadowrootmode=open><textarea></textarea></template></div>")
    ref = (await site.find("textarea")).elements[0].ref

    assert await kinds(site, "press", key="Enter", ref=ref) == ("sends",)


async def test_space_presses_a_button(site: Page) -> None:
    await write(site, "<button>Delete</button>")

    assert await kinds(site, "press", key="Space", ref=ref_of((await site.snapshot()).text, "Delete")) == ("deletes",)


async def test_files_and_scripts_are_risks(site: Page) -> None:
    await write(site, "<input type=file aria-label=File>")

    assert await kinds(site, "goto", url="https://example.com/setup.exe") == ("downloads",)
    assert await kinds(site, "goto", url="https://example.com/") == ()
    assert await kinds(site, "goto", url="https://example.com/users/7/delete") == ("deletes",)
    assert await kinds(site, "manage_tabs", action="open", url="https://example.com/a.zip") == ("downloads",)
    assert await kinds(site, "upload", ref="E1", files=["a.txt"]) == ("uploads",)
    assert await kinds(site, "evaluate", expression="1") == ("scripts",)
    assert await kinds(site, "snapshot") == ()


@table(
    ("name", "kind"),
    [
        ("Place your order", "pays"),
        ("Order", "pays"),
        ("Order history", "pays"),  # asked about in vain, which costs a question
        ("View orders", None),
        ("Yes, delete it", "deletes"),
        ("Konto löschen", "deletes"),
        ("Zahlungspflichtig bestellen", "pays"),
        ("Supprimer", "deletes"),
        ("Enviar mensaje", "sends"),
        ("Отправить", "sends"),
        ("削除", "deletes"),
        ("Post", "sends"),
        ("Read this post", None),
        ("Submit", "submits"),
        ("Next", None),
        ("D\u0435lete", "deletes"),  # with a Cyrillic letter
        ("\u0440\u0430\u0443", "pays"),  # with no other
        ("Ｐａｙ", "pays"),
        ("De\u200blete", "deletes"),
        ("D e l e t e", "deletes"),
        ("Deactivate", "deletes"),
        ("Close my account", "deletes"),
        ("Cancel subscription", "deletes"),
        ("Cancel", None),
        ("Upgrade", "pays"),
        ("Reserve", "pays"),
        ("A B C D", None),
        ("How we send the things that you buy from us", None),
        ("", None),
    ],
)
def test_words_on_buttons(name: str, kind: str | None) -> None:
    assert risk_in_name(name) == kind


class Payment(Arguments, frozen=True):
    amount: int = 1


async def pay(args: Payment, context: Context) -> Observation:
    """Pay."""
    return Observation("Paid.")


async def test_a_tool_that_declares_nothing_is_asked_about(page: Page) -> None:
    made = {
        "undeclared": tool()(pay),
        "declared": tool(effect="none")(pay),
        "reading": tool(read_only=True)(pay),
    }

    found = {name: await risk_of(Call(each, Payment()), page) for name, each in made.items()}

    assert {name: each.kinds for name, each in found.items()} == {
        "undeclared": ("undeclared",),
        "declared": (),
        "reading": (),
    }
    assert AUTO.ruling("pay", found["undeclared"]) == Ruling("ask", "its tool does not declare what it sets off")


async def test_what_is_typed_with_a_line_break_is_a_risk_as_enter_is(site: Page) -> None:
    await write(site, POST.format("<button>Pay now</button>"))
    await site.focus(ref_of((await site.snapshot()).text, "textbox"))

    assert await kinds(site, "type_text", text="1\n") == ("submits", "pays")
    assert await kinds(site, "type_text", text="1") == ()


def test_each_built_in_tool_declares_what_it_sets_off() -> None:
    assert [each.name for each in BUILT_IN.values() if each.effect is None] == []


async def test_the_tools_of_vendors_are_known_as_ours_are(site: Page) -> None:
    await write(site, POST.format("<button>Pay now</button>"))
    ref = ref_of((await site.snapshot()).text, 'button "Pay now"')
    calls: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
        ("left_click", {"target": {"type": "ref", "ref": ref}}, ("submits", "pays")),
        ("left_click", {"target": {"type": "coordinate", "x": 1, "y": 1}}, ()),  # what it sets off is held
        ("key", {"text": "Tab"}, ()),
    ]
    for name, arguments, risks in calls:
        member = MEMBERS[name]
        assert (await risk_of(Call(member, member.parse(arguments)), site)).kinds == risks
