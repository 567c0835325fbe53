"""Flow editors, canvases and sorted lists that others wrote are worked in by refs, and judged by their own models."""

from __future__ import annotations

import re

from cdp_agent.page.actions.keyboard import press
from cdp_agent.page.page import Page, tab_of
from tests.acting import ref
from tests.conftest import AppUrl


async def _ports(page: Page, around: str, of: str) -> list[str]:
    return [each.ref for each in (await page.find(f"{around} {of}")).elements]


async def test_nodes_in_jointjs_are_wired_and_moved(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("jointjs"))
    text = (await page.snapshot()).text
    outward = (await _ports(page, "[model-id=first]", "[port=out]"))[0]
    inward = (await _ports(page, "[model-id=second]", "[port=in]"))[0]

    assert [f'[port="{each}"]' in text for each in ("in", "out")] == [True, True]
    await page.drag(outward, inward)
    moved = await page.drag(await ref(page, "The first"), by=(30, 120))

    assert await page.evaluate("app.wires()") == ["first out - second in"]
    assert f"[from={outward}] [to={inward}] [ref=" in (await page.snapshot()).text
    assert await page.evaluate("app.place('first')") == [70, 220]
    assert moved.note == "it moved by 30, 120"


async def test_a_line_is_drawn_and_a_shape_moved_on_a_canvas(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("konva"))
    canvas = (await page.find("canvas")).elements[0].ref

    await page.drag(canvas, canvas, position=(200, 50), to_position=(300, 150))
    await page.drag(canvas, by=(100, 60), position=(40, 40))

    assert await page.evaluate("[app.lines(), app.place()]") == [[[200, 50, 300, 150]], [120, 80]]


async def test_a_list_is_sorted_after_a_long_press(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("sortable"))

    apple, _, plum, _ = (each.ref for each in (await page.find("li")).elements)
    await page.drag(apple, plum, hold_s=0.3)

    assert await page.evaluate("app.order()") == ["Pear", "Plum", "Apple", "Fig"]


async def test_nodes_in_react_flow_are_added_renamed_wired_removed_and_moved(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("reactflow"))
    canvas = (await page.find(".react-flow__pane")).elements[0].ref

    await page.drag(await ref(page, "Filter"), canvas, to_position=(300, 60))
    await page.click(canvas, count=2, position=(300, 200))
    added = await page.evaluate("[app.labels(), app.place('n2')]")
    node = (await page.find("[data-id=n3]")).elements[0].ref
    await page.click(node, count=2)
    await page.fill(await ref(page, "Label"), "Store", submit=True)
    await page.drag(
        (await _ports(page, "[data-id=first]", ".source"))[0], (await _ports(page, "[data-id=n2]", ".target"))[0]
    )
    wired = await page.evaluate("[app.labels(), app.wires()]")
    await page.click(await ref(page, "Edge from first to n2"))
    await page.press("Backspace")
    await page.click(node)
    removed = await page.press("Backspace")
    left = await page.evaluate("[app.labels(), app.wires()]")
    await page.drag((await page.find("[data-id=second]")).elements[0].ref, by=(200, 30), position=(20, 15))

    assert added == [["The first", "The second", "Filter", "Clicked"], [300, 60]]
    assert wired == [["The first", "The second", "Filter", "Store"], ["first - n2"]]
    assert f'[ref={node}] (and 3 below it: "Store")' in removed.text
    assert left == [["The first", "The second", "Filter"], []]
    # It takes a node up where the mouse is once it has moved 3 px.
    assert await page.evaluate("app.place('second')") == [237, 250]


async def test_a_list_of_dnd_kit_is_sorted_beyond_what_is_in_view(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("dndkit"))

    receipt = await page.drag(await ref(page, "Item 1"), await ref(page, "Item 25"))

    assert "Item 1 was dropped over droppable area Item 25" in receipt.text
    assert await page.evaluate("[app.order()[24], app.held()]") == ["Item 1", False]


async def test_shapes_in_excalidraw_are_drawn_moved_written_and_removed(page: Page, app_url: AppUrl) -> None:
    await page.goto(app_url("excalidraw"))
    canvas = (await page.find("canvas.interactive")).elements[0].ref

    await page.check(await ref(page, "Rectangle", "radio"))
    drawn = await page.drag(canvas, canvas, position=(400, 200), to_position=(600, 300))
    await page.drag(canvas, by=(100, 50), position=(400, 250))
    moved = await page.evaluate("app.shapes()")
    await page.click(canvas, position=(350, 450), count=2)
    await page.type("Hi")
    root = (await tab_of(page).frames()).root
    await press(root, "Escape")
    written = await page.evaluate("app.shapes()")
    await press(root, "Delete")

    assert re.search(rf'~ - canvas "Drawing canvas" \[ref={canvas}\].*: its picture changed', drawn.text)
    assert moved == [["rectangle", 500, 250, 200, 100]]
    assert written == [*moved, ["text", "Hi"]]
    assert await page.evaluate("app.shapes()") == moved
