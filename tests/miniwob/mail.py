"""Lists of messages: mail, posts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .look import Line, Look
from .play import Play, solves


@solves(
    *("email-inbox", "email-inbox-delete", "email-inbox-forward", "email-inbox-important", "email-inbox-noscroll"),
    *("email-inbox-reply", "email-inbox-star-reply"),
)
async def deal_with_a_mail(play: Play) -> None:
    sender = play.said(r"by (\S+) and")[1]
    if "trash" in play.utterance:
        await delete_or_star(play, sender, "trash")
    elif "star icon" in play.utterance:
        await delete_or_star(play, sender, "star")
    elif "reply" in play.utterance:
        await send(play, sender, "reply", play.quoted[0])
    else:
        await send(play, sender, "forward", play.said(r"email to (\S+)\.")[1])


@solves("email-inbox-forward-nl", "email-inbox-forward-nl-turk", "email-inbox-nl-turk")
async def deal_with_a_mail_in_other_words(play: Play) -> None:
    senders = {thread.text.split()[0] for thread in await play.find(".email-thread")}
    named = [name for name in re.findall(r"[A-Z][a-z]+", play.utterance) if name in senders]
    said = play.utterance.lower()
    if len(named) > 1:
        by = re.search(rf"(?:from|by|of) ({'|'.join(named)})\b|({'|'.join(named)})'s", play.utterance)
        sender = by[1] or by[2] if by else named[0]
        await send(play, sender, "forward", next(name for name in named if name != sender))
    elif re.search("delete|trash|remove|erase|get rid|throw|discard", said):
        await delete_or_star(play, named[0], "trash")
    elif re.search("star|important|priority|significan", said):
        await delete_or_star(play, named[0], "star")
    else:
        text = re.search(r"(?:\"|with the text |saying |: ?|with )([^\"]+?)\"?$", play.utterance)
        await send(play, named[0], "reply", play.quoted[0] if play.quoted else text[1] if text else "")


async def open_mail(play: Play, sender: str) -> None:
    threads = [thread for thread in await play.find(".email-thread") if thread.text.split()[0] == sender]
    await play.click_on(threads[0].ref)


async def delete_or_star(play: Play, sender: str, icon: str) -> None:
    await open_mail(play, sender)
    await play.click("generic", class_=icon)


async def send(play: Play, sender: str, how: str, text: str) -> None:
    """Replies with the text, or forwards to who it names."""
    await open_mail(play, sender)
    await play.click_on((await play.find(f".email-{how}"))[0].ref)
    await play.fill(text)
    await play.click("generic", id=f"send-{how}")


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


@solves("social-media-all", "social-media-some")
async def act_on_all_or_some_posts(play: Play) -> None:
    user = play.said(r"posts? by (@\S+) and")[1]
    some = re.search(r"on (\d+) post", play.utterance)
    for buttons in posts_of(await play.look(), user)[: int(some[1]) if some else None]:
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
