"""Roles, names and descriptions held against the standards' own tests and axe-core's.

The cases (web-platform-tests, BSD-3; axe-core, MPL-2.0) are not part of the project. `CDP_AGENT_SHARED` says where the
folder with `data/accname.json` is; by default it is looked for beside the repository.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from cdp_agent.cdp import runtime
from cdp_agent.page.page import Page, tab_of

from .conftest import Serve

SHARED = Path(os.environ.get("CDP_AGENT_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CASES = SHARED / "data" / "accname.json"

TWO_TRUTHS = (
    "axe-core takes an empty aria-label on <img alt=''> for a name, web-platform-tests do not: we follow the latter"
)
KNOWN_MISSES = {
    ("implicit-role#36", 0): TWO_TRUTHS,
}

SAME_ROLES = {"image": "img", "presentation": "", "none": "", "generic": "", None: ""}


class Check(msgspec.Struct, frozen=True):
    kind: str
    index: int
    expected: str | None


class Case(msgspec.Struct, frozen=True):
    suite: str
    file: str
    html: str
    css: str
    checks: list[Check]

    @property
    def content(self) -> str:
        return self.html.replace("<template shadow>", '<template shadowrootmode="open">')


@pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is not here; set CDP_AGENT_SHARED")
async def test_roles_names_and_descriptions_are_as_the_standards_say(page: Page, serve: Serve) -> None:
    await page.goto(serve("<!doctype html><meta charset=utf-8><title>case</title><body>"))

    misses = {}
    cases = msgspec.json.decode(CASES.read_bytes(), type=list[Case])
    for case, answers in zip(cases, await described(page, cases), strict=True):
        for check, answer in zip(case.checks, answers, strict=True):
            found = normal(check.kind, answer[check.kind])
            if found != normal(check.kind, check.expected):
                misses[case.file, check.index] = f"{case.css}: {check.kind} {found!r}, not {check.expected!r}"

    assert misses.keys() == KNOWN_MISSES.keys(), misses


async def described(page: Page, cases: list[Case]) -> list[list[dict[str, str]]]:
    """What we say of the elements of the checks of each case, each by itself, one case in the page after the other.

    Each is the `index`th that the selector finds in the document and its open shadow roots.
    """
    world = await (await tab_of(page).frames()).root.world()
    await world.call("countClosedRoots")
    world.send_missing_functions()
    assert world._functions is not None  # which came before the answer
    told = [[case.file, case.content, case.css, [each.index for each in case.checks]] for case in cases]
    answer = await world.session.send(
        runtime.CallFunctionOn(
            function_declaration=DESCRIBE,
            object_id=world._functions.object_id,
            arguments=[runtime.CallArgument(value=told)],
            return_by_value=True,
        )
    )
    assert answer.exception_details is None, answer.exception_details
    return msgspec.json.decode(answer.result.value, type=list[list[dict[str, str]]])


DESCRIBE = """function(cases) {
  const walk = (root, css, found) => {
    found.push(...root.querySelectorAll(css));
    for (const host of root.querySelectorAll('*')) if (host.shadowRoot) walk(host.shadowRoot, css, found);
    return found;
  };
  return cases.map(([file, content, css, indices]) => {
    document.body.setHTMLUnsafe(content);
    try {
      return indices.map((index) => this.describe(walk(document, css, [])[index]));
    } catch (error) {
      throw new Error(`${file}: ${error.stack}`);
    }
  });
}"""


def normal(kind: str, text: str | None) -> str:
    if kind == "role":
        return SAME_ROLES.get(text, text or "")
    return " ".join((text or "").split())
