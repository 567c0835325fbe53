"""Two pages that stress what real ones rarely do: frames by the hundred, and one long table."""

from __future__ import annotations

from pathlib import Path

OUT_OF_PROCESS = 5
"""Every so manyth frame is of another site."""
# Five other sites: each name below localhost is a site of its own, and resolves to loopback inside Chrome.
SITES = 5
ROWS = 20_000

HEAD = '<!doctype html><html lang="en"><meta charset="utf-8">'


def write_form(folder: Path) -> None:
    """form.html: a button that changes a line of text, and six text boxes."""
    body = """<h1>Newsletter</h1><form><label>Name <input></label> <label>E-mail <input type=email></label>
<label>Street <input></label> <label>City <input></label> <label>Country <input></label> <label>Phone <input></label>
<button type=button onclick="sent.textContent = 'Sent ' + ++count">Send</button></form><p id=sent>Not sent</p>
<script>let count = 0</script>"""
    (folder / "form.html").write_text(f"{HEAD}<title>Form</title>\n{body}\n", encoding="utf-8")


ACTIONS = {
    "text at once": "out.textContent = `done ${++n}`",
    "list at once": "list.innerHTML = `<li>done ${++n}<button>Edit</button>`.repeat(5)",
    "text after 50 ms": "setTimeout(() => { out.textContent = `done ${++n}` }, 50)",
    "text after 300 ms": "setTimeout(() => { out.textContent = `done ${++n}` }, 300)",
    "text after 700 ms": "setTimeout(() => { out.textContent = `done ${++n}` }, 700)",
    "request": "fetch('acting.html').then((r) => r.text()).then(() => { out.textContent = `done ${++n}` })",
    "class": "out.className = ++n % 2 ? 'done' : 'is-done'",
    "canvas": "canvas.getContext('2d').fillRect(n++ % 90 * 3, 0, 2, 9)",
    "address": "history.pushState(0, '', `#done${++n}`)",
    "nothing": "0",
}
"""What each button of acting.html does."""
FIELDS = ("Name", "Street", "House", "Town", "State", "Country")
"""The labels of the fields of acting.html."""
_SENT = "sent.textContent = `Sent at ${performance.now()}`"
ANSWERS = {
    f"answer over {what} {'at once' if ms == 0 else f'after {ms} ms'}": f"{_SENT}; {asks.format(ms)}"
    for what, asks in {"a socket": "socket.send({})", "an event stream": "fetch('/job/{}', {{method: 'POST'}})"}.items()
    for ms in (0, 300)
}
"""The same for what a server answers by itself; the click changes a text at once."""


def write_acting(folder: Path, socket_port: int) -> None:
    """acting.html: a button for each of ACTIONS and ANSWERS, and FIELDS; with `?clock` a status line that changes."""
    actions = ACTIONS | ANSWERS
    buttons = "\n".join(f'<p><button onclick="{does}">{name}</button>' for name, does in actions.items())
    fields = "".join(f"<label>{name} <input></label>" for name in FIELDS)
    body = f"""<h1>Acting</h1>{fields}{buttons}<p id=out>Not yet</p><p id=sent>Nothing sent</p>
<ul id=list></ul><p role=status id=clock>12 people are here</p><canvas id=canvas width=300 height=20></canvas><script>
let n = 0, people = 12;
const socket = new WebSocket('ws://127.0.0.1:{socket_port}');
const events = new EventSource('/events');
socket.onmessage = events.onmessage = () => {{ out.textContent = `done ${{++n}}` }};
if (location.search) setInterval(() => {{ clock.textContent = `${{++people}} people are here` }}, 500);
</script>"""
    (folder / "acting.html").write_text(f"{HEAD}<title>Acting</title>\n{body}\n", encoding="utf-8")


def write_frames(folder: Path, port: int, frames: int) -> None:
    """frames.html and the document inside each frame; `port` is where the folder is served."""
    others = frames // OUT_OF_PROCESS
    inner = f"""{HEAD}<title>Frame</title>
<h2>Order form</h2><p>Fill in what you need, then send it.</p>
<form><label>Name <input name=name></label> <label><input type=checkbox name=gift> Gift</label>
<button type=button>Send</button> <a href="/terms">Terms</a></form>"""
    (folder / "inner.html").write_text(inner, encoding="utf-8")
    same = [f'<iframe src="/inner.html?{i}" title="Same {i}"></iframe>' for i in range(frames - others)]
    other = [
        f'<iframe src="http://site{i % SITES}.localhost:{port}/inner.html?{i}" title="Other {i}"></iframe>'
        for i in range(others)
    ]
    body = "\n".join(["<h1>Frames</h1>", *same, *other])
    (folder / "frames.html").write_text(f"{HEAD}<title>Frames</title>\n{body}\n", encoding="utf-8")


def write_table(folder: Path) -> None:
    """table.html: a row has a number, a link and two texts."""
    rows = "\n".join(
        f'<tr><td>{i}<td><a href="/orders/{i}">Order {i}</a><td>Customer {i * 7919 % 10_007}<td>{i * 31 % 997}.00'
        for i in range(1, ROWS + 1)
    )
    table = f"<h1>Orders</h1><table><tr><th>Number<th>Order<th>Customer<th>Total\n{rows}\n</table>"
    (folder / "table.html").write_text(f"{HEAD}<title>Orders</title>{table}\n", encoding="utf-8")
