"""Lists of messages: mail, posts."""

from __future__ import annotations

from collections.abc import Sequence

from .look import Line, Look
from .play import Play, solves


@solves("email-inbox", "email-inbox-delete", "email-inbox-important")
async def deal_with_a_mail(play: Play) -> None:
    sender = play.said(r"by (\S+) and")[1]
    threads = [each for each in await play.find(".email-thread") if each.text.split()[0] == sender]
    await play.click_on(threads[0].ref)
    if "trash" in play.utterance:
        await play.click("generic", class_="trash")
    elif "star icon" in play.utterance:
        await play.click("generic", class_="star")
    elif "reply" in play.utterance:
        await play.click_on((await play.find(".email-reply"))[0].ref)
        await play.fill(play.quoted[0])
        await play.click("generic", id="send-reply")
    else:
        await play.click_on((await play.find(".email-forward"))[0].ref)
        await play.fill(play.said(r"email to (\S+)\.")[1])
        await play.click("generic", id="send-forward")


MENU = ["Share via DM", "Copy link to Tweet", "Embed Tweet", "Mute", "Block", "Report"]


@solves("social-media")
async def act_on_a_post(play: Play) -> None:
    user = play.said(r"the user (@\S+),")[1]
    action = play.quoted[0]
    look = await play.look()
    button = posts_of(look, user)[0]
    if action not in MENU:
        await play.click_on(next(each.ref for each in button if action.lower() in each.states.get("class", "")))
        return
    await play.click_on(next(each.ref for each in button if "more" in each.states.get("class", "")))
    await play.call("wait_for", text=action)
    items = (await play.look()).lines
    await play.click_on(next(each.ref for each in items if each.says.startswith(action) and "ref" in each.states))


@solves("social-media-all")
async def act_on_all_posts(play: Play) -> None:
    user = play.said(r"posts by (@\S+) and")[1]
    for buttons in posts_of(await play.look(), user):
        wanted = play.quoted[0].lower()
        await play.click_on(next(each.ref for each in buttons if wanted in each.states.get("class", "")))
    await play.submit()


def posts_of(look: Look, user: str) -> Sequence[list[Line]]:
    """The controls below each post by that user."""
    found: list[list[Line]] = []
    theirs = False
    for line in look.lines:
        words = line.text.split()
        if any(word.startswith("@") for word in words) and "ref" not in line.states:
            theirs = user in words
            if theirs:
                found.append([])
        elif theirs and "ref" in line.states and line.role == "generic":
            found[-1].append(line)
    return found
