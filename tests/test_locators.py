"""What locators mean: roles, names, texts and attributes, in frames and shadow roots; how they are written and read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest

from cdp_agent.errors import AmbiguousLocator, InvalidArguments, NoMatch, WaitTimeout
from cdp_agent.page.locators import matching
from cdp_agent.page.locators.grammar import parse
from cdp_agent.page.page import Locator, Page, tab_of
from cdp_agent.page.snapshot.lines import read_line
from tests.tables import table
from tests.web import running
from tests.writing import show

MEANT: list[tuple[str, str, str]] = [
    # What the elements are: their markup, a locator, and the ids of those that it means, in order.
    # Roles of elements
    ("<button id=a>x</button><div id=b role=button tabindex=0>y</div>", "button", "a b"),
    ("<input id=a type=submit><input id=b type=button value=x><input id=c type=reset>", "button", "a b c"),
    ("<input id=a type=image src=x alt=Go>", 'button "Go"', "a"),
    ("<a id=a href=#>x</a><a id=b>y</a><span id=c role=link tabindex=0>z</span>", "link", "a c"),
    ("<h1 id=a>x</h1><h3 id=b>y</h3><div id=c role=heading>z</div>", "heading", "a b c"),
    ("<input id=a><input id=b type=text><input id=c type=email><textarea id=d></textarea>", "textbox", "a b c d"),
    ("<input id=a type=tel><input id=b type=url><input id=c type=search>", "textbox", "a b"),
    ("<input id=a type=search>", "searchbox", "a"),
    ("<input id=a type=number>", "spinbutton", "a"),
    ("<input id=a type=range>", "slider", "a"),
    ("<input id=a type=checkbox><div id=b role=checkbox tabindex=0>x</div>", "checkbox", "a b"),
    ("<input id=a type=radio name=r><input id=b type=radio name=r>", "radio", "a b"),
    ("<select id=a><option>x</select>", "combobox", "a"),
    ("<select id=a multiple><option id=b>x</select>", "listbox", "a"),
    ("<input id=a list=l><datalist id=l><option>x</datalist>", "combobox", "a"),
    ("<ul id=a><li id=b>x<li id=c>y</ul>", "list", "a"),
    ("<ul id=a><li id=b>x<li id=c>y</ul><ol><li id=d>z</ol>", "listitem", "b c d"),
    ("<table id=a><tr id=b><td id=c>x<td id=d>y</table>", "row", "b"),
    ("<table id=a><tr id=b><td id=c>x<td id=d>y</table>", "cell", "c d"),
    ("<table id=a><tr><th id=b>x<th id=c>y<tr><td>1<td>2</table>", "columnheader", "b c"),
    ("<nav id=a>x</nav><div id=b role=navigation>y</div>", "navigation", "a b"),
    ("<article id=a>x</article>", "article", "a"),
    ("<p id=a>x</p><p id=b>y</p>", "paragraph", "a b"),
    ("<fieldset id=a><legend>x</legend></fieldset>", 'group "x"', "a"),
    ("<section id=a aria-label=News>x</section><section id=b>y</section>", "region", "a"),
    ("<form id=a aria-label=Sign>x</form><form id=b>y</form>", "form", "a"),
    ("<dialog id=a open>x</dialog><dialog id=b>y</dialog>", "dialog", "a"),
    ("<img id=a alt=Mug src=x><img id=b alt='' src=x><svg id=c role=img aria-label=Pot></svg>", "img", "a c"),
    ("<img id=a alt=Mug src=x>", "image", "a"),
    ("<progress id=a value=1 max=2></progress>", "progressbar", "a"),
    ("<meter id=a value=1 max=2>x</meter>", "meter", "a"),
    ("<output id=a>x</output><div id=b role=status>y</div>", "status", "a b"),
    ("<div id=a role=alert>x</div>", "alert", "a"),
    ("<div role=tablist><div id=a role=tab tabindex=0>x</div><div id=b role=tab tabindex=0>y</div></div>",
     "tab", "a b"),
    ("<div id=a role=switch tabindex=0>x</div>", "switch", "a"),
    ("<div role=menu><div id=a role=menuitem tabindex=0>x</div></div>", "menuitem", "a"),
    ("<div role=tree><div id=a role=treeitem tabindex=0>x</div></div>", "treeitem", "a"),
    ("<hr id=a><hr id=b>", "separator", "a b"),
    ("<strong id=a>x</strong> <em id=b>y</em>", "strong", "a"),
    ("<blockquote id=a>x</blockquote>", "blockquote", "a"),
    ("<details><summary id=a>More</summary>x</details>", 'summary "More"', "a"),
    ("<div id=a onclick='1' style='cursor: pointer'>Open</div>", 'generic "Open"', "a"),
    ("<div id=a role='foo button' tabindex=0>x</div>", "button", "a"),
    ("<button id=a role=tab>x</button>", "button", ""),
    ("<button id=a role=tab>x</button>", "tab", "a"),
    ("<table role=none><tr id=a><td>x</table>", "row", ""),
    ("<ul role=none><li id=a>x</ul>", "listitem", ""),
    # Names
    ("<button id=a>Save</button><button id=b>Send</button>", 'button "Save"', "a"),
    ("<button id=a>Save all</button>", 'button "save"', "a"),
    ("<button id=a>Save all</button>", 'button "ve a"', "a"),
    ("<button id=a>  Save\n  all </button>", 'button "Save all"', "a"),
    ("<button id=a>Save&nbsp;all</button>", 'button "Save all"', "a"),
    ("<button id=a>Save</button>", 'button "Save  "', "a"),
    ("<button id=a>Save all</button><button id=b>Save</button>", 'button "Save" exact', "b"),
    ("<button id=a>save</button><button id=b>Save</button>", 'button "Save" exact', "b"),
    ("<button id=a>Save 1</button><button id=b>Save x</button>", r"button /Save \d/", "a"),
    ("<button id=a>SAVE</button>", "button /^save$/i", "a"),
    ("<button id=a>SAVE</button>", "button /^save$/", ""),
    ("<button id=a aria-label=Close>x</button>", 'button "Close"', "a"),
    ("<button id=a aria-label=Close>x</button>", 'button "x" exact', ""),
    ("<span id=l>Close it</span><button id=a aria-labelledby=l>x</button>", 'button "Close it"', "a"),
    ("<button id=a title=Close></button>", 'button "Close"', "a"),
    ("<button id=a><img alt=Close src=x></button>", 'button "Close"', "a"),
    ("<button id=a><svg><title>Close</title><path d=''/></svg></button>", 'button "Close"', "a"),
    ("<label>Name <input id=a></label>", 'textbox "Name"', "a"),
    ("<label for=a>Name</label><input id=a>", 'textbox "Name"', "a"),
    ("<input id=a aria-label=Name>", 'textbox "Name"', "a"),
    ("<input id=a placeholder=Name>", 'textbox "Name"', "a"),
    ("<input id=a title=Name>", 'textbox "Name"', "a"),
    ("<fieldset id=a><legend>Sizes</legend><input></fieldset>", 'group "Sizes"', "a"),
    ("<table id=a><caption>Prices</caption><tr><td>1<td>2</table>", 'table "Prices"', "a"),
    ("<figure id=a><img alt=Mug src=x><figcaption>A mug</figcaption></figure>", 'figure "A mug"', "a"),
    ("<input id=a type=submit value=Send>", 'button "Send"', "a"),
    ("<button id=a>Say \"hi\"</button>", r'button "Say \"hi\""', "a"),
    ("<button id=a>日本</button>", 'button "日本"', "a"),
    ("<a id=a href=#><b>Two</b> words</a>", 'link "Two words"', "a"),
    ("<button id=a>x</button><button id=b></button>", 'button "x"', "a"),
    ("<div id=a role=dialog aria-label=Ask><button id=b>Yes</button></div>", 'dialog "Ask"', "a"),
    # Names of what shows its content instead of one
    ("<table><tr id=a><td>Ada<td>36<tr id=b><td>Grace<td>85</table>", 'row "Grace"', "b"),
    ("<table><tr id=a><td>Ada<td>36<tr id=b><td>Grace<td>85</table>", 'row "Grace 85"', "b"),
    ("<table><tr><td>Ada<td id=a>36</table>", 'cell "36"', "a"),
    ("<table><tr id=a><td>Ada<td><button>Delete</button></table>", 'row "Delete"', "a"),
    ("<ul><li id=a>Mug<li id=b>Pot</ul>", 'listitem "Pot"', "b"),
    ("<ul><li id=a><a href=#>Mug</a> <b>5</b><li id=b>Pot</ul>", 'listitem "mug"', "a"),
    ("<p id=a>Hello there</p>", 'paragraph "hello"', "a"),
    ("<div role=grid><div id=a role=row><div role=gridcell>x</div><div role=gridcell>y</div></div></div>",
     'row "x"', "a"),
    # States
    ("<input id=a type=checkbox checked><input id=b type=checkbox>", "checkbox [checked]", "a"),
    ("<input id=a type=checkbox checked><input id=b type=checkbox>", "checkbox [checked=false]", "b"),
    ("<div id=a role=checkbox tabindex=0 aria-checked=mixed>x</div>", "checkbox [checked=mixed]", "a"),
    ("<button id=a disabled>x</button><button id=b>x</button>", "button [disabled]", "a"),
    ("<button id=a disabled>x</button><button id=b>x</button>", "button [disabled=false]", "b"),
    ("<fieldset disabled><button id=a>x</button></fieldset>", "button [disabled]", "a"),
    ("<div aria-disabled=true><button id=a>x</button></div>", "button [disabled]", "a"),
    ("<button id=a aria-expanded=true>x</button><button id=b aria-expanded=false>x</button>", "button [expanded]", "a"),
    ("<button id=a aria-pressed=true>x</button><button id=b>x</button>", "button [pressed]", "a"),
    ("<div role=listbox><div id=a role=option aria-selected=true tabindex=0>x</div></div>", "option [selected]", "a"),
    ("<h1 id=a>x</h1><h2 id=b>y</h2>", "heading [level=2]", "b"),
    ("<div id=a role=heading aria-level=4>x</div>", 'heading "x" [level=4]', "a"),
    ("<h2 id=a>Two</h2>", '- heading "Two" [level=2]:', "a"),
    ("<style>i { display: inline-block; width: 9px; height: 9px; cursor: pointer }</style>"
     "<i id=a class=trash></i><i id=b class=star></i>", "generic [class=trash]", "a"),
    ("<style>b, i { cursor: pointer } i { padding: 5px }</style><b id=a>Ada <i class=star></i></b><b>Bob</b>",
     'generic "ada"', "a"),
    # Whether it is there for a reader
    ("<button id=a hidden>x</button>", "button", ""),
    ("<button id=a style='display: none'>x</button>", "button", ""),
    ("<div style='display: none'><button id=a>x</button></div>", "button", ""),
    ("<button id=a style='visibility: hidden'>x</button>", "button", ""),
    ("<div style='visibility: hidden'><button id=a style='visibility: visible'>x</button></div>", "button", "a"),
    ("<details><summary>s</summary><button id=a>x</button></details>", "button", ""),
    ("<div style='display: contents'><button id=a>x</button></div>", "button", "a"),
    ("<template><button id=a>x</button></template>", "button", ""),
    ("<p id=a hidden>Hello</p><p id=b>Hello</p>", 'text="Hello"', "b"),
    ("<p id=a hidden data-testid=t>Hello</p>", "testid=t", "a"),
    ("<p id=a hidden class=k>Hello</p>", "css=.k", "a"),
    # Texts
    ("<p id=a>Thank you</p>", 'text="thank"', "a"),
    ("<div id=a><p id=b>Thank you</p></div>", 'text="Thank you"', "b"),
    ("<p id=a>Thank <b id=b>you</b></p>", 'text="Thank you"', "a"),
    ("<p id=a>Thank <b id=b>you</b></p>", 'text="you"', "b"),
    ("<p id=a>Thank\n   you</p>", 'text="Thank you"', "a"),
    ("<p id=a>Thank you all</p><p id=b>Thank you</p>", 'text="Thank you" exact', "b"),
    ("<p id=a>thank you</p>", 'text="Thank you" exact', ""),
    ("<p id=a>Order 12</p><p id=b>Order x</p>", r"text=/Order \d+/", "a"),
    ("<button id=a>Go</button>", "text=Go", "a"),
    ("<input id=a type=submit value='Log in'>", 'text="Log in"', "a"),
    ("<input id=a value='Log in'>", 'text="Log in"', ""),
    ("<script>'Secret'</script><style>/* Secret */</style><p id=a>x</p>", "text=Secret", ""),
    ("<ul><li id=a>One<ul><li id=b>Two</ul></ul>", "text=Two", "b"),
    ("<p id=a>x</p><p id=b>x</p>", "text=x", "a b"),
    ("<label id=a>Name <input id=b></label>", "text=Name", "a"),
    # Labels and attributes
    ("<label>Name <input id=a></label><label for=b>Names</label><input id=b>", "label=Name", "a b"),
    ("<label>Name <input id=a></label><label for=b>Names</label><input id=b>", 'label="Name" exact', "a"),
    ("<label for=a>First</label><label for=a>Second</label><input id=a>", 'label="Second" exact', "a"),
    ("<input id=a aria-label='Your name'>", "label=name", "a"),
    ("<b id=l>Name</b><input id=a aria-labelledby=l>", "label=Name", "a"),
    ("<b id=l>Pick</b><div id=a role=listbox aria-labelledby=l></div>", "label=Pick", "a"),
    ("<label>Colour <select id=a><option>Red</select></label>", "label=Colour", "a"),
    ("<label><input id=a type=checkbox> Agree</label>", "label=Agree", "a"),
    ("<input id=a placeholder='Search here'><input id=b>", "placeholder=search", "a"),
    ("<input id=a placeholder='Search here'>", 'placeholder="Search" exact', ""),
    ("<img id=a alt='A mug' src=x><input id=b type=image alt='A mug' src=x>", "alt=mug", "a b"),
    ("<button id=a title='Close it'>x</button>", "title=close", "a"),
    ("<p id=a data-testid=total>x</p><p id=b data-testid=total-2>y</p>", "testid=total", "a"),
    ("<p id=a data-testid=row-1>x</p><p id=b data-testid=row-2>y</p>", r"testid=/row-\d/", "a b"),
    ("<p id=a class=k>x</p><p id=b>y</p>", "css=p.k", "a"),
    ("<div class=k><p id=a>x</p></div>", "css=.k > p", "a"),
    ("<p id=a>x</p><p id=b>y</p>", "css=p nth=2", "b"),
    ('<a id=a href="/x y">x</a>', r'css="a[href=\"/x y\"]"', "a"),
    # Inside of, and those of several
    ("<table><tr><td>Ada<td><button id=a>Del</button><tr><td>Bob<td><button id=b>Del</button></table>",
     'row "Bob" > button "Del"', "b"),
    ("<nav><a id=a href=#>Home</a></nav><a id=b href=#>Home</a>", 'navigation > link "Home"', "a"),
    ("<div class=k><button id=a>x</button></div><button id=b>x</button>", 'css=".k" > button', "a"),
    ("<ul><li><ul><li><b id=a>x</b></ul></ul>", "list > list > text=x", "a"),
    ("<button id=a><b id=b>x</b></button>", "button > button", ""),
    ("<button id=a>x</button><button id=b>y</button><button id=c>z</button>", "button nth=2", "b"),
    ("<button id=a>x</button><button id=b>y</button><button id=c>z</button>", "button nth=-1", "c"),
    ("<button id=a>x</button>", "button nth=2", ""),
    ("<ul><li>x<b id=a>p</b><li>y<b id=b>q</b></ul>", "listitem nth=2 > strong", ""),
    ("<ul><li>x<strong id=a>p</strong><li>y<strong id=b>q</strong></ul>", "listitem nth=2 > strong", "b"),
    ("<ul><li id=a>Mug <b>5</b><li id=b>Pot</ul>", "listitem has_text=mug", "a"),
    ("<ul><li id=a>Mug <button>Buy</button><li id=b>Pot</ul>", 'listitem has=(button "Buy")', "a"),
    ("<ul><li id=a>Mug <b>5</b><li id=b>Mug</ul>", 'listitem has_text=Mug has=(css="b")', "a"),
    ("<div>Mug <button id=a>Buy</button></div><div>Pot <button id=b>Buy</button></div>",
     'button "Buy" near="Pot"', "b"),
    ("<div><h3>Mug</h3><p>5</p><button id=a>Buy</button></div><div><h3>Pot</h3><button id=b>Buy</button></div>",
     "button near=Mug", "a"),
    ("<div><p>Mug</p><button id=a>Buy</button><button id=b>Keep</button></div>", "button near=Mug", "a b"),
    # Shadow roots, open and closed, and frames
    ("<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<button id=a>Deep</button>'</script>",
     'button "Deep"', "a"),
    ("<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = '<button id=a>Deep</button>'</script>",
     'button "Deep"', "a"),
    ("<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = '<p id=a class=k>Deep</p>'</script>",
     "css=.k", "a"),
    ("<div id=h></div><script>h.attachShadow({mode: 'closed'}).innerHTML = '<p id=a>Deep</p>'</script>",
     "text=Deep", "a"),
    ("<div id=h class=o></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<p id=a>Deep</p>'</script>",
     'css=".o" > text=Deep', "a"),
    ("<p id=h><b id=a>Slot</b></p><script>h.attachShadow({mode: 'open'}).innerHTML = '<p class=i><slot>'</script>",
     'css=".i" > text=Slot', "a"),
    ("<button id=a>1</button><div id=h></div><button id=c>3</button>"
     "<script>h.attachShadow({mode: 'open'}).innerHTML = '<button id=b>2</button>'</script>", "button", "a b c"),
    ("<iframe title=Pay srcdoc='<button id=a>Inner</button>'></iframe>", 'button "Inner"', "a"),
    ("<iframe title=Pay srcdoc='<button id=a>x</button>'></iframe><button id=b>x</button>",
     'iframe "Pay" > button "x"', "a"),
    ("<iframe srcdoc='<p id=a data-testid=total>1</p>'></iframe>", "testid=total", "a"),
]  # fmt: skip


async def ids(page: Page, locator: str) -> str:
    """The ids of the elements that the locator means."""
    tab = tab_of(page)
    elements = await matching.matches(tab, parse(locator))
    return " ".join([(await matching.facts(element, "id")).attribute or "?" for element in elements])


@table(
    ("markup", "locator", "meant"),
    {f"{locator} in {markup}": (markup, locator, meant) for markup, locator, meant in MEANT},
)
async def test_a_locator_means(markup: str, locator: str, meant: str, sheet: Page) -> None:
    await show(sheet, markup)
    if "iframe" in markup:
        await sheet.wait_for(idle=0.01)

    assert await ids(sheet, locator) == meant
    assert parse(str(parse(locator))) == parse(locator)


LOCATORS = {
    'button "Save"': lambda page: page.get_by_role("button", name="Save"),
    'button "Save" exact': lambda page: page.get_by_role("button", name="Save", exact=True),
    "button /^sav/i": lambda page: page.get_by_role("button", name=re.compile("^sav", re.IGNORECASE)),
    'checkbox "News" [checked]': lambda page: page.get_by_role("checkbox", name="News", checked=True),
    'heading "X" [disabled=false] [level=2]': lambda page: page.get_by_role(
        "heading", name="X", level=2, disabled=False
    ),
    'label="Name"': lambda page: page.get_by_label("Name"),
    'text="Thank you"': lambda page: page.get_by_text("Thank  you"),
    'placeholder="Search"': lambda page: page.get_by_placeholder("Search"),
    'alt="A mug"': lambda page: page.get_by_alt_text("A mug"),
    'title="Close"': lambda page: page.get_by_title("Close"),
    'testid="total" exact': lambda page: page.get_by_test_id("total"),
    'css="main > a"': lambda page: page.locator("main > a"),
    'row "Ada" > button "Delete"': lambda page: page.get_by_role("row", name="Ada").get_by_role(
        "button", name="Delete"
    ),
    'listitem has_text="Mug" nth=2': lambda page: page.get_by_role("listitem").filter(has_text="Mug").nth(1),
    'listitem has=(button "Buy") nth=1': lambda page: (
        page.get_by_role("listitem").filter(has=page.get_by_role("button", name="Buy")).first
    ),
    'button near="Ada" nth=-1': lambda page: page.get_by_role("button").near("Ada").last,
}


@table(("text", "made"), {text: (text, made) for text, made in LOCATORS.items()})
async def test_a_locator_prints_as_what_is_read_as_the_same(
    text: str, made: Callable[[Page], Locator], sheet: Page
) -> None:
    locator = made(sheet)

    assert str(locator) == text
    assert parse(text) == locator.query
    assert locator == made(sheet)


NO_LOCATORS = {
    "": "is no locator. Give one such as",
    "Save": "an element is given by a role and a name",
    "button Save": "a name stands in double quotes, at 'Save'",
    'button "Save': "it cannot be read, at '\"Save'",
    'button "Save" nth=0': "1 is the first, -1 the last",
    'button "Save" foo=1': "foo= is none of nth=, has_text=, near= and has=(…)",
    "row >": "an element is given by a role and a name",
    "has=(button)": "an element is given by a role and a name",
    "listitem has=(button": "a closing bracket is missing",
    "nth=2": "an element is given by a role and a name",
    'text=""': "is no text to look for",
}


@table(("text", "why"), {text: (text, why) for text, why in NO_LOCATORS.items()})
def test_what_is_no_locator_says_why_and_how_one_is_written(text: str, why: str) -> None:
    with pytest.raises(InvalidArguments, match=re.escape(why)):
        parse(text)


PEOPLE = """<table><tr><td>Ada<td><button>Delete</button><tr><td>Ada Lovelace<td><button>Delete</button>
<tr><td>Grace<td><button>Delete</button></table><button>Save as draft</button><label>Name <input></label>"""


async def test_an_act_is_done_to_the_one_element_that_is_meant(sheet: Page) -> None:
    await show(sheet, PEOPLE)
    of_ada = sheet.get_by_role("row", name="Ada").get_by_role("button", name="Delete")

    by_locator, by_text = await of_ada.click(), await sheet.click('row "Grace" > button "Delete"')
    filled = await sheet.get_by_label("name").fill("Bob")
    form = await sheet.fill_form({'textbox "Name"': "Eve"})

    assert by_locator.ref == await of_ada.ref() != by_text.ref
    assert by_locator.target == by_text.target == 'button "Delete"'
    assert (filled.value, form.fields[0].value) == ("Bob", "Eve")
    assert await sheet.get_by_label("name").value() == "Eve"


async def test_of_several_none_is_taken_and_each_is_told_apart(sheet: Page) -> None:
    await show(sheet, PEOPLE)

    with pytest.raises(AmbiguousLocator) as error:
        await sheet.click('button "Delete"')

    refs = [element.ref for element in await matching.matches(tab_of(sheet), parse("button"))][:3]
    assert error.value.candidates == tuple(refs)
    assert [line.partition(" ")[2] for line in str(error.value).splitlines()[1:]] == [
        f'{ref} button "Delete" in "{around} Delete"'
        for ref, around in zip(refs, ("Ada", "Ada Lovelace", "Grace"), strict=True)
    ]


async def test_a_name_that_is_given_in_part_is_taken_and_said(sheet: Page) -> None:
    await show(sheet, PEOPLE)

    in_part, whole = await sheet.click('button "save as"'), await sheet.click('button "save as draft"')

    assert in_part.note == 'button "save as" is only a part of what it is called'
    assert whole.note == ""


async def test_nothing_that_fits_names_the_nearest(sheet: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "WAIT_S", 0.05)
    await show(sheet, PEOPLE)

    with pytest.raises(
        NoMatch, match=r'^Nothing on the page is button "Save as daft", nor came within 0.05 s'
    ) as error:
        await sheet.click('button "Save as daft"')

    line = read_line(f"- {error.value.candidates[0]}")
    assert line is not None
    assert (line.role, line.name) == ("button", "Save as draft")


async def test_an_element_is_waited_for(sheet: Page) -> None:
    await show(sheet, "<p id=p>Wait</p>")
    clicking = asyncio.create_task(sheet.click('button "Go"'))
    await sheet.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await sheet.evaluate("p.insertAdjacentHTML('afterend', '<button>Go</button>')")

    assert (await clicking).target == 'button "Go"'
    with pytest.raises(WaitTimeout, match=r'Nothing on the page is button "Gone", nor came within 0\.05 s'):
        await sheet.get_by_role("button", name="Gone").wait(timeout_s=0.05)


async def test_what_is_asked_of_an_element_is_told(sheet: Page) -> None:
    await show(sheet, "<a id=a href=/x title=T>Two <b>words</b></a><p hidden>Off</p><ul><li>1<li>2</ul>")
    link = sheet.get_by_role("link")

    assert await link.text() == "Two words"
    assert (await link.attribute("title"), await link.attribute("rel")) == ("T", None)
    assert (await link.box())[2] > 0
    assert [await sheet.locator(selector).is_visible() for selector in ("a", "p", "main")] == [True, False, False]
    assert [str(item) for item in await sheet.get_by_role("listitem").all()] == ["listitem nth=1", "listitem nth=2"]
    assert await sheet.get_by_role("listitem").count() == 2


async def test_it_reaches_into_frames_of_other_processes(page: Page) -> None:
    async with running() as web:
        inner = web.put("inner", "/", "<button>Pay</button><p data-testid=total>5</p>")
        await page.goto(web.put("outer", "/", f"<iframe title=Till src={inner}></iframe><button>Pay</button>"))

        assert len(await matching.matches(tab_of(page), parse("button"))) == 2
        in_frame = await page.click('iframe "Till" > button "Pay"')
        assert in_frame.ref == (await matching.matches(tab_of(page), parse("button nth=1")))[0].ref
        assert await page.get_by_test_id("total").text() == "5"


async def test_what_has_a_ref_is_taken_for_it(sheet: Page) -> None:
    await show(sheet, PEOPLE)
    element = (await sheet.find("input")).elements[0]
    match = (await sheet.search("Save as draft")).matches[0]
    shown = next(ref for ref in (await sheet.snapshot()).refs.values() if ref.role == "textbox")

    assert [(await sheet.focus(target)).ref for target in (element, shown, match)] == [
        element.ref,
        element.ref,
        match.ref,
    ]
    with pytest.raises(InvalidArguments, match="5 is no element: give a ref, a locator, or what has a ref"):
        await sheet.click(5)  # type: ignore[arg-type]  # as a program may
