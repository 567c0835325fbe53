"""Orders in the demo shop, many at once, by each side's own loop over one policy: time, CPU, failures, flat memory.

Each side starts a Chrome of its own. The model of our agent is a server in this process; browser-use's is an object in
its own, which spares it the requests. Plans and verdicts are in ours and not in the others.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.drivers import orders
from bench.drivers.process import DriverFailed, DriverProcess, starting
from bench.peers import Peer
from bench.usage import Usage, is_chrome, memory_mb, tree_of
from cdp_agent.browser.launch.chrome import find_chrome
from fixtures.replay import PLAIN, ReplayServer, fill_refs, forced_tool, newest_page, tool_call
from fixtures.shop import ShopServer

from . import figures
from .run import Bench
from .targets import DEMO_SHOP, LAST_ORDERS

_DRIVERS = {
    "bench.drivers.ours": "bench.drivers.our_orders",
    "bench.drivers.playwright": "bench.drivers.playwright_orders",
    "bench.drivers.browser_use": "bench.drivers.browser_use_orders",
}
"""Who carries out tasks by a loop of its own, by the driver that does all else."""
AT_ONCE = 8
_LONGEST_S = 240.0
"""A side that would take longer for all of its orders ends with fewer."""


class Model(ReplayServer):
    """Tells our agents, as many as there are, what the policy wants next."""

    def __init__(self) -> None:
        super().__init__(replies=[b""])
        self._turns = Counter[int]()

    def answer(self, request: dict[str, Any]) -> bytes:
        if (forced := forced_tool(request)) in PLAIN:
            return tool_call(forced, PLAIN[forced])
        who = re.search(rf"{orders.customer(0)[:-1]}(\d+)", json.dumps(request["messages"]))
        number = int(who[1]) if who else 0
        turn, acts = self._turns[number], orders.acts(number)
        if turn == len(acts):
            return tool_call("done", {"result": "It is ordered."})
        act = acts[turn]
        value = {"value": act.value} if act.value else {}
        arguments = {"ref": f"{{{{ref:{act.role} {json.dumps(act.name)}}}}}", **value}
        try:
            reply = fill_refs(tool_call(act.does, arguments).decode(), newest_page(request))
        except LookupError:  # it has not loaded yet: all sides look again then
            return tool_call("snapshot", {})
        self._turns[number] += 1
        return reply.encode()


def measure(bench: Bench) -> None:
    for peer in bench.peers:
        *program, module = peer.command()
        if module in _DRIVERS:
            try:
                with starting([*program, _DRIVERS[module]]) as driver:
                    _drive(bench, peer, driver, bench.pace.orders)
            except DriverFailed as error:
                bench.lack(f"orders: {peer.name}: {error}")


def _drive(bench: Bench, peer: Peer, driver: DriverProcess, ends: Sequence[int]) -> None:
    """Up to each of these numbers of orders; in between everything rests, and the memory is looked at."""
    driver.patience_s = 2 * _LONGEST_S
    driver.do("open", chrome=find_chrome(), at_once=AT_ONCE)
    done, seconds, failed = 0, 0.0, 0
    with ShopServer() as shop, Model() as model:
        for end in ends:
            if done and seconds / done * end > _LONGEST_S:
                bench.lack(f"orders: {peer.name}: not beyond {done}, which take {seconds:.0f} s")
                break
            usage = Usage(driver.pid)
            answer = driver.do(
                "orders", shop=shop.url, model=model.base_url, first=done, count=end - done, at_once=AT_ONCE
            )
            usage.end()
            bench.note(figures.ORDER, DEMO_SHOP, peer.name, "ms", answer["ms"] / (end - done))
            bench.note(figures.ORDER_CPU, DEMO_SHOP, peer.name, "ms", usage.cpu_s * 1000 / (end - done))
            bench.note(figures.ORDERS_MOST, DEMO_SHOP, peer.name, "MB", usage.most_mb)
            placed = Counter(order.name for order in shop.orders)
            raised = dict(answer["failed"])
            failed += sum(number in raised or placed[orders.customer(number)] != 1 for number in range(done, end))
            for why in dict.fromkeys(raised.values()):
                bench.lack(f"orders: {peer.name}: {why}")
            done, seconds = end, seconds + answer["ms"] / 1000
            _note_memory(bench, peer, driver, f"after {done}")
    bench.note(figures.ORDERS_FAILED, DEMO_SHOP, peer.name, "", failed)
    # The first orders fill what is remembered up to a number.
    warm, last = (bench.noted(figures.ORDERS_MEMORY, f"after {number}", peer.name) for number in (ends[1], done))
    if warm and last and done > ends[1]:
        bench.note(figures.ORDERS_GROWTH, LAST_ORDERS, peer.name, "", last.median / warm.median)


def _note_memory(bench: Bench, peer: Peer, driver: DriverProcess, when: str) -> None:
    pids = tree_of(driver.pid)
    of_chrome = [pid for pid in pids if is_chrome(pid)]
    bench.note(figures.ORDERS_MEMORY, when, peer.name, "MB", memory_mb(set(pids) - set(of_chrome)))
    bench.note(figures.ORDERS_CHROME, when, peer.name, "MB", memory_mb(of_chrome))
