"""The container image is built and serves, as it is told to, with a root that nothing can be written to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.image.chroot import ChrootImage, Unavailable
from tests.image.engine import EngineImage, engine

pytestmark = [pytest.mark.slow, pytest.mark.chrome]
CONTAINERFILE = Path(__file__).parents[1] / "Containerfile"
TOKEN = "a-token-of-the-test"
Image = ChrootImage | EngineImage


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    """The image, built, which takes minutes and the registries of Debian and PyPI."""
    if program := engine(CONTAINERFILE):
        yield EngineImage(program, CONTAINERFILE)
        return
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("no container engine runs here that has its base, and its steps need root and debootstrap")
    root = tmp_path_factory.mktemp("image") / "root"
    try:
        yield ChrootImage(root, CONTAINERFILE)
    except Unavailable as error:
        pytest.skip(str(error))
    finally:
        shutil.rmtree(root)


@pytest.fixture
def server(image: Image) -> Iterator[httpx.Client]:
    """A client of what the image serves by itself."""
    env = {"CDP_AGENT_SERVER_TOKEN": TOKEN}
    process = subprocess.Popen(image.command(image.settings.command, env), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if "serves at" in line:
            break
    else:
        pytest.fail("".join(said))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url="http://127.0.0.1:8765", headers=headers, timeout=60) as client:
        yield client
    image.stop(process)
    assert process.wait(timeout=30) == 0


def test_it_is_healthy_and_reads_a_page(image: Image, server: httpx.Client) -> None:
    healthy = subprocess.run(image.beside(image.settings.healthcheck), capture_output=True, text=True)
    session = server.post("/v1/sessions", json={}).raise_for_status().json()["id"]
    page = {"url": "data:text/html,<h1>Shop</h1><button>Buy</button>"}

    server.post(f"/v1/sessions/{session}/tools/goto", json=page)
    read = server.post(f"/v1/sessions/{session}/tools/snapshot", json={})

    assert (healthy.returncode, healthy.stderr) == (0, "")
    assert read.json()["text"] == '- heading "Shop" [level=1]\n- button "Buy" [ref=E1]'


async def test_it_speaks_mcp(image: Image) -> None:
    from mcp import ClientSession, StdioServerParameters, stdio_client  # late: the SDK takes 0.6 s

    program, *rest = image.command(["mcp"], {})
    async with (
        stdio_client(StdioServerParameters(command=program, args=rest)) as (reads, writes),
        ClientSession(reads, writes) as client,
    ):
        await client.initialize()
        told = await client.call_tool("goto", {"url": "data:text/html,<h1>Shop</h1>"})

    assert not told.is_error


@pytest.mark.usefixtures("server")
def test_it_is_of_a_user_without_rights_and_its_root_is_read_only(image: Image) -> None:
    tries = "id -u; touch /opt/new 2>&1; touch /tmp/new && echo written"
    tried = subprocess.run(image.beside(["sh", "-c", tries]), capture_output=True, text=True).stdout.splitlines()

    assert tried == ["10001", "touch: cannot touch '/opt/new': Read-only file system", "written"]
