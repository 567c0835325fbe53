"""Secrets go into fields of the right origin, in real pages, and into no other."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from cdp_agent.errors import BlockedByPolicy, InvalidArguments, NotInteractable
from cdp_agent.page.fields.secret_fill import fill_secret, select_secret
from cdp_agent.page.page import Page, tab_of
from cdp_agent.security.secrets import Fields, Revealed
from tests.acting import LOGGING, in_frame, log, ref
from tests.conftest import Serve, on_other_site
from tests.writing import opened, show

SECRET = "kiwi-77é"


def revealed(*addresses: str, text: str = SECRET, fields: Fields = "any") -> Revealed:
    return Revealed(text, ["password"], [_origin(each) for each in addresses], fields == "hidden")


def _origin(address: str) -> str:
    return "://".join(urlsplit(address)[:2])


FIELDS = [
    "<input id=f aria-label=F>",
    "<input id=f aria-label=F type=password value=old>",
    "<textarea id=f aria-label=F>old</textarea>",
    "<label>F <input id=f type=email></label>",
]


async def test_a_secret_is_filled_in_where_it_belongs(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    url = serve(LOGGING)
    await page.goto(url)
    for field in FIELDS:
        with subtests.test(field):
            await show(page, f"<form>{field}<button>Go</button></form>")

            receipt = await fill_secret(tab_of(page), await ref(page, "F"), revealed(url))

            assert await page.evaluate("document.querySelector('#f').value") == SECRET
            assert "input f" in await log(page)
            assert (receipt.value, receipt.note) == (None, "<secret:password> was filled in")
            assert "no change seen" not in receipt.text


async def test_an_editor_takes_a_secret(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<div id=f role=textbox aria-label=F contenteditable>old</div>")

    await fill_secret(tab_of(page), await ref(page, "F"), revealed(page.url))

    assert await page.evaluate("f.innerText.trim()") == SECRET


async def test_what_is_there_may_stay(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<input id=f aria-label=F value='a'>")

    await fill_secret(tab_of(page), await ref(page, "F"), revealed(page.url), append=True)

    assert await page.evaluate("f.value") == f"a{SECRET}"


async def test_a_row_of_fields_gets_a_character_each(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<form>" + "".join(f"<input aria-label=F{n} maxlength=1>" for n in range(6)) + "</form>")

    await fill_secret(tab_of(page), await ref(page, "F0"), revealed(page.url, text="123456"))

    assert await page.evaluate("[...document.forms[0].elements].map(each => each.value).join()") == "1,2,3,4,5,6"


async def test_a_controlled_field_that_follows_events_takes_a_secret(page: Page, serve: Serve) -> None:
    url = serve("""<input id=f aria-label=F><script>
      let kept = '';  // as React does: what the page does not hear of is put back
      f.addEventListener('input', () => { kept = f.value; });
      setInterval(() => { if (f.value !== kept) f.value = kept; }, 1);
    </script>""")
    await page.goto(url)

    await fill_secret(tab_of(page), await ref(page, "F"), revealed(url))

    assert await page.evaluate("new Promise(done => setTimeout(() => done(f.value), 20))") == SECRET


async def test_a_page_of_another_origin_gets_nothing(page: Page, serve: Serve) -> None:
    url = serve("<input id=f aria-label=F type=password>", other_site=True)
    await page.goto(url)

    with pytest.raises(BlockedByPolicy) as refused:
        await fill_secret(tab_of(page), await ref(page, "F"), revealed(on_other_site(url)))

    assert str(refused.value) == (
        f'Textbox {await ref(page, "F")} "F" is on {_origin(url)}, or in a page of it. '
        f"<secret:password> is only for {_origin(on_other_site(url))}, so nothing was filled in. "
        "A page of another origin that asks for it is not the one it is for: leave it."
    )
    assert await page.evaluate("f.value") == ""


async def test_a_frame_of_another_origin_gets_nothing_unless_both_are_allowed(page: Page, serve: Serve) -> None:
    inner = serve("<input id=f aria-label=F type=password>", other_site=True)
    url = serve(f"<iframe src='{inner}'></iframe>")
    await page.goto(url)

    for allowed in (url, inner):
        with pytest.raises(BlockedByPolicy):
            await fill_secret(tab_of(page), await ref(page, "F"), revealed(allowed))

        assert await in_frame(page, "f.value") == ""
    await fill_secret(tab_of(page), await ref(page, "F"), revealed(inner, url))

    assert await in_frame(page, "f.value") == SECRET


async def test_a_document_without_an_origin_gets_nothing(page: Page, serve: Serve) -> None:
    sandboxed = "<iframe sandbox='allow-scripts allow-forms' srcdoc='<input aria-label=Sandboxed>'></iframe>"
    local = "<iframe src='data:text/html,<input aria-label=Local>'></iframe>"
    url = serve(sandboxed + local)
    await page.goto(url)

    for name in ("Sandboxed", "Local"):
        with pytest.raises(BlockedByPolicy, match="a sandboxed or local document"):
            await fill_secret(tab_of(page), await ref(page, name), revealed(url))


async def test_a_frame_written_by_the_right_page_takes_a_secret(page: Page, serve: Serve) -> None:
    url = serve("<iframe srcdoc='<form><input aria-label=F></form>'></iframe>")
    await page.goto(url)

    await fill_secret(tab_of(page), await ref(page, "F"), revealed(url))

    assert await page.evaluate("frames[0].document.querySelector('input').value") == SECRET


SENT_ELSEWHERE = [
    "<form action='{evil}'><input id=f aria-label=F><button>Go</button></form>",
    "<form><input id=f aria-label=F><button formaction='{evil}'>Go</button></form>",
    "<form id=x><input id=f aria-label=F></form><button form=x formaction='{evil}'>Go</button>",
    "<form id=x></form><input id=f aria-label=F form=x><input type=image form=x formaction='{evil}'>",
    "<base href='{evil}'><form action=login><input id=f aria-label=F><button>Go</button></form>",
    "<form action='{evil}'><input name=action value=/><input id=f aria-label=F></form>",
    "<form action='mailto:eve@evil.example'><input id=f aria-label=F></form>",
]


async def test_a_form_that_is_sent_elsewhere_gets_nothing(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    url, evil = serve(""), serve("", other_site=True)
    await page.goto(url)
    for form in SENT_ELSEWHERE:
        with subtests.test(form):
            await show(page, form.replace("{evil}", evil))

            with pytest.raises(BlockedByPolicy, match="is in a form that is sent to"):
                await fill_secret(tab_of(page), await ref(page, "F"), revealed(url))

            assert await page.evaluate("f.value") == ""


OF_THE_PAGE = [
    "<form><input id=f aria-label=F></form>",
    "<form action=''><input id=f aria-label=F></form>",
    "<form action='/login'><input id=f aria-label=F><button formaction='/other'>Go</button></form>",
    "<form action='javascript:void 0'><input id=f aria-label=F></form>",
    "<form action='{evil}'></form><form><input id=f aria-label=F></form>",
]


async def test_a_form_of_the_page_itself_takes_a_secret(page: Page, serve: Serve, subtests: pytest.Subtests) -> None:
    url, evil = serve(""), serve("", other_site=True)
    await page.goto(url)
    for form in OF_THE_PAGE:
        with subtests.test(form):
            await show(page, form.replace("{evil}", evil))

            await fill_secret(tab_of(page), await ref(page, "F"), revealed(url))

            assert await page.evaluate("f.value") == SECRET


async def test_a_secret_for_hidden_fields_is_not_shown(page: Page, serve: Serve) -> None:
    await opened(
        page, serve, "<textarea id=f aria-label=Comment></textarea><input id=p aria-label=Password type=password>"
    )

    with pytest.raises(BlockedByPolicy, match="shows what it holds"):
        await fill_secret(tab_of(page), await ref(page, "Comment"), revealed(page.url, fields="hidden"))
    await fill_secret(tab_of(page), await ref(page, "Password"), revealed(page.url, fields="hidden"))

    assert await page.evaluate("[f.value, p.value]") == ["", SECRET]


async def test_a_frame_that_snatches_the_focus_gets_nothing(page: Page, serve: Serve) -> None:
    thief = serve(
        "<input id=f aria-label=Thief><script>"
        "setInterval(() => f.focus(), 1); addEventListener('blur', () => f.focus())</script>",
        other_site=True,
    )
    url = serve(f"<input id=f aria-label=F type=password><iframe src='{thief}'></iframe>")
    await page.goto(url)
    await ref(page, "Thief")

    for _ in range(2):
        await fill_secret(tab_of(page), await ref(page, "F"), revealed(url))

        assert await in_frame(page, "f.value") == ""
    assert await page.evaluate("f.value") == SECRET


async def test_a_field_that_is_swapped_when_it_gets_the_focus_leads_nowhere_else(page: Page, serve: Serve) -> None:
    await opened(
        page,
        serve,
        """<input id=f aria-label=F type=password><textarea id=g aria-label=G></textarea>
      <form id=evil action='https://evil.example/'></form>
      <script>f.onfocus = () => { evil.append(f); g.focus(); }</script>""",
    )

    with pytest.raises(BlockedByPolicy, match=r"sent to https://evil\.example"):
        await fill_secret(tab_of(page), await ref(page, "F"), revealed(page.url))

    assert await page.evaluate("[f.value, g.value]") == ["", ""]


async def test_a_secret_names_an_option_of_a_native_list(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<select id=f aria-label=F><option>One<option>Two kiwis</select>")

    with pytest.raises(BlockedByPolicy):
        await select_secret(tab_of(page), await ref(page, "F"), revealed(on_other_site(page.url), text="Two kiwis"))
    before = await page.evaluate("f.value")
    await select_secret(tab_of(page), await ref(page, "F"), revealed(page.url, text="Two kiwis"))

    assert (before, await page.evaluate("f.value")) == ("One", "Two kiwis")


async def test_what_is_no_field_takes_no_secret(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<button>Button</button><input aria-label=Box type=checkbox>")

    for name in ("Button", "Box"):
        with pytest.raises(NotInteractable, match="takes no secret"):
            await fill_secret(tab_of(page), await ref(page, name), revealed(page.url))


async def test_a_field_that_does_not_take_it_is_told(page: Page, serve: Serve) -> None:
    await opened(page, serve, "<input id=f aria-label=F oninput=\"this.value = ''\">")

    with pytest.raises(InvalidArguments, match="did not take <secret:password> and is empty"):
        await fill_secret(tab_of(page), await ref(page, "F"), revealed(page.url))


async def test_a_field_that_keeps_a_part_of_a_secret_is_told_without_it(page: Page, serve: Serve) -> None:
    await page.goto(serve("<input type=password aria-label=P maxlength=4>"))
    secret = Revealed("hunter2", ["pw"], [await page.evaluate("origin")], False)

    with pytest.raises(InvalidArguments) as refused:
        await fill_secret(tab_of(page), await ref(page, "P"), secret)

    assert str(refused.value) == (
        'Textbox E1 "P" holds something else than <secret:pw>: it takes at most 4 characters.'
    )


async def test_a_secret_is_sent_by_its_button_where_enter_adds_a_line(page: Page, serve: Serve) -> None:
    field = "<textarea aria-label=F style='-webkit-text-security: disc'></textarea>"
    url = serve(f"<form onsubmit='window.sent = this[0].value; return false'>{field}<button>Save</button></form>")
    await page.goto(url)

    receipt = await fill_secret(tab_of(page), await ref(page, "F"), revealed(url), submit=True)

    assert 'button "Save" was clicked' in receipt.note
    assert await page.evaluate("window.sent") == revealed(url).text
