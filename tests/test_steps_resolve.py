"""Which element the words of a step mean, and when nobody can say."""

from __future__ import annotations

from pathlib import Path

from cdp_agent.steps.language.intents import Target
from cdp_agent.steps.resolve.resolve import Found, resolve

from .outlines import done, shown
from .tables import table

SHOP = """
    - navigation "Main":
      - link "Orders" [ref=E1] → /orders
    - heading "Search results" [level=2]
    - list:
      - listitem:
        - link "Green tea" [ref=E2] → /1
        - button "Add to cart" [ref=E3]
      - listitem:
        - link "Black tea" [ref=E4] → /2
        - button "Add to cart" [ref=E5]
    - heading "Orders" [level=2]
    - table "Orders":
      - row: Invoice | Customer | Total
      - row: 12 | Bob | 20.00
        - button "Edit" [ref=E6]
      - row: 11 | Ada | 10.00
        - button "Edit" [ref=E7]
    - heading "Cart" [level=2]
    - table:
      - row: Product | Qty | Price | Note
      - row: Tea
        - textbox [ref=E8]: 1
        - text: 4.50
        - textbox [ref=E9]
      - row: Milk
        - textbox [ref=E10]: 2
        - text: 1.20
        - textbox [ref=E11]
    - text: Country
    - combobox [ref=E12]: Norway
      - option "Norway" [selected]
      - option "Sweden"
    - checkbox "Newsletter" [ref=E13]
    """
BUTTONS = """
    - button "Save" [ref=E1]
    - button "Save draft" [ref=E2]
    - button "Don't save" [ref=E3]
    - link "Terms of use" [ref=E4] → /terms
    - button "Send" [disabled] [ref=E5]
    - button "Preview" [description="Shows the page as a reader sees it"] [ref=E6]
    """
TABLE = """
    - table "Staff":
      - row: Name | Age | Act
      - row: Ada | 36
        - button "Edit" [ref=E1]
        - button "Delete" [ref=E2]
      - row: Ada Maria | 50
        - button "Edit" [ref=E3]
        - button "Delete" [ref=E4]
      - row: Bob | 36
        - button "Edit" [ref=E5]
    """
TODOS = """
    - textbox [placeholder="What needs to be done?"] [focused] [ref=E1]
    - list:
      - listitem:
        - checkbox [ref=E2]
        - generic "Buy milk" [ref=E3]
        - button [class=destroy] [ref=E4]
      - listitem:
        - checkbox [ref=E5]
        - generic "Buy bread" [ref=E6]
        - button [class=destroy] [ref=E7]
    """
PLAIN_FORM = """
    - text: Username
    - textbox [ref=E1]
    - text: Password
    - textbox [type=password] [ref=E2]
    - text: Verify password
    - textbox [type=password] [ref=E3]
    - checkbox [ref=E4]
    - text: Remember me
    """
FLAT = """
    - text: Ada @ada | First post
    - generic [class=reply] [ref=E1]
    - generic [class=like] [ref=E2]
    - text: Bob @bob | Second post
    - generic [class=reply] [ref=E3]
    - generic [class=like] [ref=E4]
    """
PARTS = """
    - navigation:
      - list:
        - listitem:
          - link "Home" [ref=E1] → /
        - listitem:
          - link "News" [ref=E2] → /news
    - main:
      - heading "Results for cats" [level=1]
      - list:
        - listitem:
          - link "Cats" [ref=E3] → /cats
        - listitem:
          - link "More cats" [ref=E4] → /more
      - heading "Related" [level=2]
      - list:
        - listitem:
          - link "Dogs" [ref=E5] → /dogs
    - group "Shipping":
      - radio "Standard" [checked] [ref=E6]
      - radio "Express" [ref=E7]
    - group "Billing":
      - radio "Express" [ref=E8]
    - iframe "Payment" [ref=E9]:
      - textbox "Card number" [ref=E10]
      - button "Pay" [ref=E11]
    """
MODAL = """
    - button "Delete" [ref=E1]
    - dialog "Delete Ada?":
      - button "Delete" [focused] [ref=E2]
      - button "Close" [ref=E3]
    """
BANNER = """
    - button "Close" [ref=E1]
    - dialog "Cookies":
      - button "Close" [ref=E2]
    """
GRID = """
    - grid:
      - row: Name | Age
      - row:
        - gridcell "Ada" [ref=E1]
        - gridcell "36" [ref=E2]
      - row:
        - gridcell "Bob" [ref=E3]
        - gridcell "40" [ref=E4]
    """
TREE = """
    - tree:
      - treeitem "src" [expanded=false] [ref=E1]
      - treeitem "src-old" [ref=E2]
    """
NAMES = """
    - button "New message" [ref=E1]
    - link "All products" [ref=E2] → /all
    - checkbox "Show images" [ref=E3]
    - tab "Recent files" [ref=E4]
    - textbox "Link text" [ref=E5]
    """
MEANT = [
    ("Click New message", NAMES, "click E1"),
    ("Hover over All products", NAMES, "hover E2"),
    ("Check Show images", NAMES, "check E3"),
    ("Switch to Recent files", NAMES, "click E4"),
    ("Set Link text to 'x'", NAMES, "fill E5 x"),
    ("Click Save", BUTTONS, "click E1"),
    ("Click the save draft button", BUTTONS, "click E2"),
    ("Click Terms", BUTTONS, "click E4"),
    ("Click the reader link", '- link [description="Opens the reader"] [ref=E1]', "click E1"),
    ("Click Submti", '- button "Submit" [ref=E1]', "click E1"),
    ("Click the x icon", '- button "Close" [ref=E1]\n- button "Ok" [ref=E2]', "click E1"),
    (
        "Click the trash icon",
        '- generic [class="icon icon-trash"] [ref=E1]\n- generic [class=star] [ref=E2]',
        "click E1",
    ),
    ('Click "OK"', '- button "Ok" [ref=E1]\n- button "OK" [ref=E2]', "click E2"),
    ("Click Delete in the row of 'Ada'", TABLE, "click E2"),
    ("Click the Delete button of 'Ada Maria'", TABLE, "click E4"),
    ("Click the Edit button in the Bob row", TABLE, "click E5"),
    ("Click the second Edit button", TABLE, "click E3"),
    ("Click the last Edit button", TABLE, "click E5"),
    ("Check the checkbox next to 'Buy milk'", TODOS, "check E2"),
    ("Double-click the Buy milk label", TODOS, "click E3 2"),
    ("Click the destroy button next to Buy bread", TODOS, "click E7"),
    ("Type 'Buy eggs' into 'What needs to be done?'", TODOS, "fill E1 Buy eggs"),
    ("Type 'ada' into Username", PLAIN_FORM, "fill E1 ada"),
    ("Type 'x' into the Verify password field", PLAIN_FORM, "fill E3 x"),
    ("Type 'x' into the Password field", PLAIN_FORM, "fill E2 x"),
    ("Check Remember me", PLAIN_FORM, "check E4"),
    ("Click the like button next to @bob", FLAT, "click E4"),
    ("For the user @ada, click on the 'Reply' button", FLAT, "click E1"),
    ("Click the first link from the search results", PARTS, "click E3"),
    ("Click the first link in the Related list", PARTS, "click E5"),
    ("Click the News link in the navigation", PARTS, "click E2"),
    ("Select Express in Shipping", PARTS, "check E7"),
    ("Choose the 'Express' radio button in Billing", PARTS, "check E8"),
    ("In the Payment frame, click Pay", PARTS, "click E11"),
    ("Type '4111' into Card number in the Payment frame", PARTS, "fill E10 4111"),
    ("Click Delete", MODAL, "click E2"),
    ("Close the dialog", MODAL, "click E3"),
    ("Click OK or close the dialog", MODAL, "click E3"),
    ("Click Shop", '- link "Shop" [ref=E1] → /\n- link "Shop" [ref=E2] → /', "click E1"),
    ("Click Submit", '- tab "Submit" [ref=E1]:\n  - button "Submit" [ref=E2]', "click E2"),
    ("Click the cell in row 2 and column Age", GRID, "click E4"),
    ("Click the cell in the Age column of the 'Ada' row", GRID, "click E2"),
    ("Expand the src tree item", TREE, "click E1"),
]
ANYTHING = (
    'button "Save" (E1); button "Save draft" (E2); button "Don\'t save" (E3); link "Terms of use" (E4); '
    'button "Send" (E5) and 1 more.'
)
MEANT += [
    (step, SHOP, call)
    for step, call in {
        "Click the first link from the results": "click E2",
        "Click the first result": "click E2",
        "Open the last result's link": "click E4",
        "Click Add to cart in the second result": "click E5",
        "Click Add to cart for Black tea": "click E5",
        'Click "Add to cart" under Green tea': "click E3",
        "Click the second 'Edit' button in the Orders table": "click E7",
        "Click the second Edit button in the table Orders": "click E7",
        "Click the last row's Edit": "click E7",
        "Click Edit in the first row": "click E6",
        "Click Edit in row 2 of the Orders table": "click E7",
        "Click Edit in the row of Invoice 11": "click E7",
        "Click the Edit button for invoice 12": "click E6",
        "Click Bob's Edit button": "click E6",
        "Type 5 into Qty of Tea": "fill E8 5",
        "Set the Qty of Milk to 7": "fill E10 7",
        "Type 'x' in the Note cell of row 2": "fill E11 x",
        "Fill the Note column of Tea with 'cold'": "fill E9 cold",
        "Set column Qty in the row of Milk to 3": "fill E10 3",
        "Select Sweden in the dropdown below Country": "select E12 Sweden",
        "Check the newsletter box": "check E13",
    }.items()
]
REFUSED = [
    ("Click Saev", BUTTONS, "Nothing on the page is \"Saev\": button \"Save\" (E1)."),
    ("Click Send", BUTTONS, "button \"Send\" (E5) is disabled."),
    ("Click New message", '- button "New message" [ref=E1]\n- listitem "New" [ref=E2]',
     'It can be read in several ways, as button "New message" (E1) too: '
     'button "New message" (E1); listitem "New" (E2).'),
    ("Click New todo", BUTTONS, f'Nothing on the page is "New todo": {ANYTHING}'),
    ("Click Discard", BUTTONS, f'Nothing on the page is "Discard": {ANYTHING}'),
    ("Click Save", '- button "Don\'t save" [ref=E1]', 'Nothing on the page is "Save": button "Don\'t save" (E1).'),
    ("Click Maria", '- button "Marie" [ref=E1]', 'Nothing on the page is "Maria": button "Marie" (E1).'),
    ("Click Section 41", '- tab "Section 40" [ref=E1]', 'Nothing on the page is "Section 41": tab "Section 40" (E1).'),
    ("Click Sort ascending", '- button "Sort descending" [ref=E1]',
     'Nothing on the page is "Sort ascending": button "Sort descending" (E1).'),
    ("Click Save", '- button "Save and continue editing" [ref=E1]',
     'Nothing on the page is "Save": button "Save and continue editing" (E1).'),
    ("Click Delete", TABLE, '2 elements may be "Delete": button "Delete" (E2) in row "Ada | 36"; '
     'button "Delete" (E4) in row "Ada Maria | 50".'),
    ("Click Delete in the row of 'Bob'", TABLE,
     'Nothing on the page is "Delete" next to "Bob": button "Delete" (E2) in row "Ada | 36"; '
     'button "Delete" (E4) in row "Ada Maria | 50"; button "Edit" (E5) in row "Bob | 36".'),
    ("Click the 4th Edit button", TABLE,
     'There are only 3 of what 4th "Edit" button asks for: '
     'button "Edit" (E1) in row "Ada | 36"; button "Edit" (E3) in row "Ada Maria | 50"; '
     'button "Edit" (E5) in row "Bob | 36".'),
    ("Check the checkbox", TODOS,
     '2 elements may be checkbox: checkbox (E2) in listitem "Buy milk"; checkbox (E5) in listitem "Buy bread".'),
    ("Click Express", PARTS,
     '2 elements may be "Express": radio "Express" (E7) in group "Shipping"; radio "Express" (E8) in group "Billing".'),
    ("Click Close", BANNER, '2 elements may be "Close": button "Close" (E1); button "Close" (E2) in dialog "Cookies".'),
    ("Click Pay in the Wallet frame", PARTS,
     'Nothing on the page is "Pay in the Wallet frame": button "Pay" (E11) in iframe "Payment".'),
    ("Click Help", '- link "Help" [ref=E1] → /a\n- link "Help" [ref=E2] → /b',
     '2 elements may be "Help": link "Help" (E1); link "Help" (E2).'),
    ("Click the Edit button in the third row", SHOP,
     'Nothing on the page is "Edit button in the third" row: button "Edit" (E6) in row "12 | Bob | 20.00"; '
     'button "Edit" (E7) in row "11 | Ada | 10.00".'),
    ("Type 5 into the Price cell of Tea", SHOP, 'Nothing on the page is "Price cell of Tea" field: '
     'textbox: "1" (E8) in row "Tea"; textbox (E9) in row "Tea".'),
    ("Expand Menu", '- button "Menu" [expanded] [ref=E1]', 'button "Menu" (E1) is expanded already.'),
    ("Press Delete", '- button "Delete" [ref=E1]',
     '"Delete" is a key and the name of an element: say "the Delete key", or "click": button "Delete" (E1).'),
]  # fmt: skip


@table(("step", "page", "call"), MEANT)
def test_the_words_mean_one_element(step: str, page: str, call: str) -> None:
    assert done(step, page) == call


@table(("step", "page", "why"), REFUSED)
def test_what_is_in_doubt_is_refused_with_what_it_may_be(step: str, page: str, why: str) -> None:
    assert done(step, page) == why


SNAPSHOTS = sorted((Path(__file__).parent / "snapshots").glob("*.txt"))


@table("path", SNAPSHOTS)
def test_a_name_means_the_element_that_has_it_or_none_when_several_have_it(path: Path) -> None:
    page = shown(path.read_text("utf-8"))
    named = [node for node in page.nodes if node.ref and node.name and node.role != "iframe"]
    around = [up for node in named for up in node.ancestors if up.name == node.name]  # what is in them is meant
    named = [node for node in named if node not in around]

    wrong = {}
    for node in named:
        found = resolve((Target(node.name, quoted=True),), page)
        alone = sum(each.name == node.name for each in named) == 1
        if (found.node if isinstance(found, Found) else None) is not (node if alone and not node.disabled else None):
            wrong[node.described] = found

    assert wrong == {}
