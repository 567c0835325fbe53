"""Files over HTTP: those that a caller gives to be uploaded, and those that were downloaded."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cdp_agent import Browser
from cdp_agent.config import Config
from cdp_agent.server import files as files_module
from cdp_agent.server.files import MOST_BYTES
from fixtures.replay import ReplayServer, tool_call
from tests.agents import DONE
from tests.conftest import Serve
from tests.http_serving import Served, serving

TAKES = """<title>Up</title><label>Resume <input type=file id=f></label>
<script>f.onchange = () => f.files[0].text().then(text => document.body.append(text))</script>"""
REPORT = "name,price\nmug,3"


@pytest.fixture
async def served(browser: Browser) -> AsyncIterator[Served]:
    async with serving(browser) as served:
        yield served


@pytest.fixture
def reports(serve: Serve) -> str:
    """A page whose link downloads a file."""
    headers = {"Content-Disposition": "attachment"}
    serve(REPORT, path="/Preise März.csv", headers=headers, content_type="text/csv")
    return serve('<title>Reports</title><a href="/Preise März.csv">Report</a>')


def folders_of(served: Served) -> list[Path]:
    """The private folders that there are."""
    around = served.app.browsers._folder
    return [] if around is None else sorted(around.iterdir())


async def given(served: Served, place: str, name: str, content: bytes) -> httpx.Response:
    return await served.client.put(f"{place}/files/{name}", content=content)


async def test_a_run_uploads_what_its_caller_gave_with_the_task(browser: Browser, serve: Serve) -> None:
    replies = [tool_call("upload", {"ref": "{{ref:button Resume}}", "files": ["cv.txt"]}), DONE]
    with ReplayServer(replies=replies) as model:
        config = Config(model="openai-compatible/scripted", base_url=model.base_url)
        async with serving(browser, config) as served:
            run = {"run": json.dumps({"task": "Upload my resume", "url": serve(TAKES)})}
            answer = await served.client.post("/v1/runs", data=run, files={"file": ("cv.txt", b"I am Ada")})
            run_id = answer.json()["id"]
            events = await served.events(run_id)
            info = await served.info(run_id)
            (file,) = (await served.client.get(f"/v1/runs/{run_id}/files")).json()["files"]

    assert answer.status_code == 202
    assert "Files that you may upload, by these names: cv.txt" in str(model.turns[0]["messages"])
    assert "I am Ada" in str(model.turns[1]["messages"])
    assert (info["status"], info["task"]) == ("succeeded", "Upload my resume")
    assert (file["name"], file["kind"], file["size"], file["media_type"]) == ("cv.txt", "given", 8, "text/plain")
    assert "cdp-agent-serve-" not in "".join(event.data for event in events)


async def test_steps_upload_a_file_by_its_name_and_its_folder_goes_with_the_run(
    browser: Browser, serve: Serve, tmp_path: Path
) -> None:
    async with serving(browser, keep_finished_s=0) as served:
        run = {"run": json.dumps({"steps": ["Upload cv.txt to Resume"], "url": serve(TAKES)})}
        answer = await served.client.post("/v1/runs", data=run, files=[("file", ("cv.txt", b"I am Ada"))])
        run_id = answer.json()["id"]
        await served.events(run_id)
        status = (await served.info(run_id))["status"]
        before = folders_of(served)
        await served.app.runs.forget_old()
        after = folders_of(served)
        gone = await served.client.get(f"/v1/runs/{run_id}/files")

    assert status == "succeeded"
    assert ([each.name for each in before], after) == ([run_id], [])
    assert gone.status_code == 404


async def test_downloads_of_a_run_are_there_after_its_end(served: Served, reports: str) -> None:
    run_id = await served.begin(steps=["Click Report"], url=reports)
    await served.events(run_id)

    (file,) = (await served.client.get(f"/v1/runs/{run_id}/files")).json()["files"]
    fetched = await served.client.get(f"/v1/runs/{run_id}/files/{file['id']}")
    none = await served.client.get(f"/v1/runs/{run_id}/files/nonsense")
    late = await given(served, f"/v1/runs/{run_id}", "late.txt", b"x")

    assert (file["name"], file["kind"], file["size"]) == ("Preise März.csv", "downloaded", len(REPORT))
    assert (fetched.text, fetched.headers["content-type"]) == (REPORT, "text/csv; charset=utf-8")
    assert fetched.headers["content-disposition"].startswith("attachment; ")
    assert fetched.headers["x-content-type-options"] == "nosniff"
    assert [none.status_code, late.status_code] == [404, 409]


async def test_a_session_takes_files_and_gives_downloads(served: Served, serve: Serve, reports: str) -> None:
    session_id = await served.session(url=serve(TAKES))
    place = f"/v1/sessions/{session_id}"
    put = [await given(served, place, "cv.txt", content) for content in (b"First", b"I am Ada")]
    seen = (await served.call(session_id, "snapshot"))["text"]
    ref = seen.partition('"Resume"')[2].partition("ref=")[2].partition("]")[0]

    uploaded = await served.call(session_id, "upload", ref=ref, files=["cv.txt"])
    shown = await served.call(session_id, "wait_for", text="I am Ada")
    await served.call(session_id, "goto", url=reports)
    found = await served.call(session_id, "find_elements", selector="a")
    await served.call(session_id, "click", ref=found["value"]["elements"][0]["ref"])
    files = (await served.client.get(f"{place}/files")).json()["files"]
    fetched = [(await served.client.get(f"{place}/files/{each['id']}")).text for each in files]
    await served.client.delete(place)

    assert [each.status_code for each in put] == [201, 201]
    assert (uploaded["error"], shown["error"]) == (None, None)
    assert fetched == ["I am Ada", REPORT]
    assert folders_of(served) == []


async def test_a_full_disk_is_the_answer_and_nothing_half_written_stays(
    served: Served, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = await served.session()
    (folder,) = folders_of(served)
    (folder / "files").symlink_to(small_disk)
    place, large = f"/v1/sessions/{session_id}", b"x" * 3_000_000
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))

    refused = [await given(served, place, "large.bin", large)]
    refused.append(
        await served.client.post("/v1/runs", data={"run": "{}"}, files={"file": ("large.bin", large)}),
    )
    after = (await given(served, place, "small.txt", b"x")).status_code

    told = {"type": "InsufficientStorage", "message": "The server cannot store this: No space left on device."}
    assert [(each.status_code, each.json()["error"]) for each in refused] == [(507, told)] * 2
    assert (after, os.listdir(small_disk)) == (201, ["small.txt"])


async def test_no_name_leads_out_of_the_folder(served: Served) -> None:
    session_id = await served.session()
    place = f"/v1/sessions/{session_id}"
    for name in ("..%2F..%2Fetc%2Fpasswd", "%2E%2E", "%00", "a%2Fb", "%5C%5Chost%5Cshare"):
        put = await given(served, place, name, b"x")
        got = await served.client.get(f"{place}/files/{name}")

        assert (name, put.status_code in (400, 404, 405)) == (name, True)
        assert (name, got.status_code in (404, 405)) == (name, True)
        (folder,) = folders_of(served)
        assert {each.parent for each in folder.rglob("*") if each.is_file()} <= {folder / "files"}, name


async def test_a_file_is_fetched_by_the_name_that_it_was_given_by_and_no_other_name_replaces_it(served: Served) -> None:
    place = f"/v1/sessions/{await served.session()}"
    for name in ("a.txt", "given-a.txt", "download", "a.part"):
        assert (await given(served, place, name, name.encode())).status_code == 201
        assert (await served.client.get(f"{place}/files/{name}")).text == name

    refused = [await given(served, place, name, b"x") for name in ("...", "con", " a.txt", "a:b", ".a")]
    files = (await served.client.get(f"{place}/files")).json()["files"]

    assert [each.status_code for each in refused] == [400] * 5
    assert "'_con' would be one" in refused[1].json()["error"]["message"]
    assert [each["id"] for each in files] == ["a.part", "a.txt", "download", "given-a.txt"]


async def test_a_file_of_one_session_is_none_of_another(served: Served, serve: Serve) -> None:
    first, second = await served.session(), await served.session(url=serve(TAKES))
    file = (await given(served, f"/v1/sessions/{first}", "cv.txt", b"I am Ada")).json()
    await given(served, f"/v1/sessions/{second}", "mine.txt", b"I am Berta")
    (folder,) = [each for each in folders_of(served) if each.name == first]
    ref = (await served.call(second, "find_elements", selector="input"))["value"]["elements"][0]["ref"]

    fetched = await served.client.get(f"/v1/sessions/{second}/files/{file['id']}")
    by_name = await served.call(second, "upload", ref=ref, files=["cv.txt"])
    by_path = await served.call(second, "upload", ref=ref, files=[str(folder / "files" / "cv.txt")])

    assert fetched.status_code == 404
    assert [each["error"]["type"] for each in (by_name, by_path)] == ["InvalidArguments"] * 2
    assert by_name["error"]["message"] == "The file cv.txt may not be uploaded, only those in files, such as mine.txt."


async def test_what_is_too_long_is_refused_and_nothing_of_it_is_kept(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "MOST_HELD_BYTES", 3 << 20)
    session_id = await served.session()
    place = f"/v1/sessions/{session_id}"

    async def endless() -> AsyncIterator[bytes]:
        for _ in range((MOST_BYTES >> 20) + 2):
            yield b"x" * (1 << 20)

    length = {"Content-Length": str(MOST_BYTES + (2 << 20))}
    announced = await served.client.put(f"{place}/files/a", content=endless(), headers=length)
    streamed = await served.client.put(f"{place}/files/a", content=endless())
    form = await served.client.post(
        "/v1/runs", content=endless(), headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    more = [(await given(served, place, name, b"x" * (2 << 20))).status_code for name in "ab"]

    assert [each.status_code for each in (announced, streamed)] == [413, 413]
    assert form.status_code in (400, 413)
    assert more == [201, 413]
    (folder,) = folders_of(served)
    assert [each.name for each in (folder / "files").iterdir()] == ["a"]


async def test_a_form_that_is_none_is_refused(served: Served) -> None:
    wrong: list[tuple[Any, Any]] = [
        ({}, {"file": ("a.txt", b"x")}),
        ({"run": '{"task": "Go"}', "more": "x"}, {"file": ("a.txt", b"x")}),
        ({"run": "nonsense"}, {"file": ("a.txt", b"x")}),
        ({"run": '{"task": "Go"}'}, {"other": ("a.txt", b"x")}),
    ]
    for fields, files in wrong:
        answer = await served.client.post("/v1/runs", data=fields, files=files)

        assert (fields, files, answer.status_code) == (fields, files, 400)
        assert folders_of(served) == []


async def test_a_client_that_leaves_in_the_middle_of_a_file_leaves_nothing(served: Served) -> None:
    session_id = await served.session()

    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * (1 << 20)
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await served.client.put(f"/v1/sessions/{session_id}/files/a", content=broken())
    await served.client.get("/health")
    files = (await served.client.get(f"/v1/sessions/{session_id}/files")).json()["files"]

    assert files == []
