"""Whether the tests notice a fault: plausible ones are put into a copy of the project, one at a time.

    python -m bench.mutations [WORD…]

Each is a text that stands once in a file, what it becomes, and the tests that are to fail then. Every part of the
package has one at least. With words, only those whose file has one of them in its path. The exit status is 1 when a
fault was not noticed, or its place has gone.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import msgspec

from bench.kill9 import chrome_version
from bench.report import table, this_machine

ROOT = Path(__file__).parent.parent
_COPIED = (
    "cdp_agent",
    "tests",
    "fixtures",
    "bench",
    "scripts",
    "schemas",
    "docs",
    "pyproject.toml",
    "README.md",
    "API.md",
)

_MOST_BYTES = 4 << 30
"""What a process of the tests may hold: a loop that a fault made endless may fill a list."""
_LONGEST_S = 300
HEADS = ("file", "was", "became", "its tests", "result")


class Mutation(msgspec.Struct, frozen=True):
    """`file` is below cdp_agent, `tests` are files in tests, as pytest takes them."""

    file: str
    old: str
    new: str
    tests: str


MUTATIONS = (
    Mutation(
        "security/http_guard.py",
        'return ""\n    return found[0]',
        "return found[0]\n    return found[0]",
        "test_http_guard.py",
    ),
    Mutation(
        "security/http_guard.py",
        "parts.netloc == host and parts.username is None",
        "parts.netloc == host",
        "test_http_guard.py",
    ),
    Mutation("security/secrets.py", "if all(each in other.origins", "if any(each in other.origins", "test_secrets.py"),
    Mutation("security/origins.py", "not idna.valid_contextj", "idna.valid_contextj", "test_origins.py"),
    Mutation(
        "security/files.py",
        "return not os.readlink",
        "return bool(path) or os.readlink",
        "test_trace.py",
    ),
    Mutation("session/runtime.py", "about.st_mode & 0o077", "about.st_mode & 0o007", "test_session_runtime.py"),
    Mutation(
        "session/calls.py",
        "not (tool.takes_secrets or tool.read_only)",
        "not tool.takes_secrets and tool.read_only",
        "test_agent_secrets.py",
    ),
    Mutation(
        "server/webhooks.py",
        "if answer.is_redirect or answer.status_code",
        "if answer.status_code",
        "test_server_webhooks.py",
    ),
    Mutation(
        "server/streams.py",
        "EventsDropped(number + 1, first - 1)",
        "EventsDropped(number, first - 1)",
        "test_server_event_log.py",
    ),
    Mutation(
        "server/runs.py",
        "if self.under_way >= self",
        "if self.under_way > self",
        "test_server_runs.py test_server_limits.py",
    ),
    Mutation("cli/shell.py", "opened.trace(self._asked.config)", "pass", "test_cli_shell.py"),
    Mutation("extract/grounding.py", "while start >= 0:", "while start > 0:", "test_extract_grounding.py"),
    Mutation("telemetry.py", 'self.set_content(span, "gen_ai.tool.call.result", text)', "pass", "test_telemetry.py"),
    Mutation("page/actions/mouse.py", "if result.missed:", "if False:", "test_actions.py"),
    Mutation("page/js/snapshot/adopted.js", "unreferenced.deref() === undefined", "false", "test_closed_shadow.py"),
    Mutation("page/picture/pdf.py", "if found.boxes:", "if found:", "test_made_files.py"),
    Mutation(
        "jobs/load.py",
        "max(self.now - 1, min(self.now, ",
        "max(self.now - 1, max(self.now, ",
        "test_jobs_politeness.py",
    ),
    Mutation(
        "browser/politeness.py", "answer.status_code >= 500", "answer.status_code > 500", "test_jobs_politeness.py"
    ),
    Mutation(
        "browser/politeness.py",
        "for each in self._at.values()) < self._most",
        "for each in self._at.values()) <= self._most",
        "test_jobs_politeness.py",
    ),
    Mutation("mcp/hosted.py", "            self._send(CallCancelled(number))\n", "", "test_mcp_serving.py test_mcp.py"),
    Mutation("page/snapshot/budget.py", "is_folded and priority > 1", "is_folded and priority > 0", "test_budget.py"),
    Mutation("page/policy/rules.py", 'if scheme == "view-source":', 'if scheme == "source":', "test_rules.py"),
    Mutation("page/activity/har.py", '"proxy-authorization", ', "", "test_har.py"),
    Mutation("page/markdown/markdown_writer.py", '.replace("|", "\\\\|")', "", "test_markdown.py"),
    Mutation(
        "agent/observation/stuck_detector.py",
        "if self._score < following:",
        "if self._score <= following:",
        "test_agent_stuck_detector.py",
    ),
    Mutation(
        "providers/client.py",
        "if self._endpoint is not endpoint:\n            return True",
        "if self._endpoint is not endpoint:\n            return False",
        "test_providers_client.py",
    ),
    Mutation(
        "providers/client.py", "None if reply.tool_calls else reply.state", "reply.state", "test_providers_client.py"
    ),
    Mutation(
        "extract/grounding.py",
        "ord(left) < _FIRST_IDEOGRAPH and ord(right)",
        "ord(left) < _FIRST_IDEOGRAPH or ord(right)",
        "test_extract_grounding.py",
    ),
    Mutation("websearch/tab.py", 'host.endswith(f".{each}")', "host.endswith(each)", "test_websearch_engines.py"),
    Mutation("steps/approval/approval.py", "ask.retries_left < 1", "ask.retries_left < 0", "test_steps_approval.py"),
    Mutation("steps/approval/risk.py", "form.fields <= 1", "form.fields <= 2", "test_steps_risk.py"),
    Mutation(
        "trace/recorder.py",
        'most if subject == "event" else most * (1 - _EVENT_SHARE)',
        "most",
        "test_trace_recorder.py",
    ),
    Mutation("trace/html.py", "html.escape(title)", "title", "test_trace_html.py"),
    Mutation("browser/launch/proxy.py", "unquote(parts.password or", "(parts.password or", "test_proxy.py"),
    Mutation(
        "cdp/connection.py",
        "for handler in list(self._handlers.get(method, {}).values()):",
        "for handler in self._handlers.get(method, {}).values():",
        "test_cdp_connection.py",
    ),
    Mutation(
        "cdp/transport.py",
        "for message in self._early:\n            receive(message)",
        "self._early.clear()",
        "test_cdp_transport.py",
    ),
    Mutation(
        "browser/targets.py",
        "if opener.target_id in self.ours:\n                self.claim(info.target_id)",
        "self.claim(info.target_id)",
        "test_browser.py::test_connect_leaves_the_chrome_as_it_was",
    ),
    Mutation("browser/attach/endpoints.py", "reported.query or query", "reported.query", "test_endpoints.py"),
    Mutation(
        "page/frames/frames.py",
        "seems and await _is_sent_without_scripts",
        "seems or await _is_sent_without_scripts",
        "test_still.py",
    ),
    Mutation(
        "page/js/core/hit.js", "if (matches(node, INTERACTIVE_SELECTOR)) verdict = 'child';", "", "test_actions.py"
    ),
    Mutation(
        "page/js/names/native_names.js",
        "INSIDE_LABEL | (isHidden(label) ? INCLUDE_HIDDEN : 0)",
        "INSIDE_LABEL",
        "test_snapshot_js.py",
    ),
    Mutation(
        "page/refs/identity.py",
        "if len(there) == len(found) == 1 and",
        "if len(found) == 1 and",
        "test_identity.py::test_none_is_pressed_when_another_row_says_the_same_now",
    ),
    Mutation(
        "page/query/search.py",
        "_FLAGS | (regex.MULTILINE if is_regex else 0)",
        "_FLAGS",
        "test_search.py",
    ),
    Mutation(
        "page/fields/select.py",
        "return _shown(at, local, chosen.shown, note)",
        "return _shown(at, local, chosen.wanted, note)",
        "test_select.py",
    ),
    Mutation(
        "page/receipts/compared.py",
        'return (was, now) if lines == value.split("\\n") else (before, after)',
        "return was, now",
        "test_receipts.py::test_lines_of_the_field_itself_stay_where_they_are_others_than_its_value",
    ),
    Mutation(
        "page/receipts/reported.py",
        "and not other.action_lock.locked()):",
        "):",
        "test_receipts.py::test_another_tab_is_told_of_as_it_comes_is_led_elsewhere_and_goes",
    ),
    Mutation(
        "page/tab/dialogs.py",
        "taken, self._unreported = self._unreported, []",
        "taken = self._unreported",
        "test_dialogs.py",
    ),
    Mutation("page/picture/marks.py", "while found and (holder", "if found and (holder", "test_marks.py"),
    Mutation(
        "tools/addresses.py",
        'or address.lower() == "about:blank"',
        'or address.lower().startswith("about:")',
        "test_tools_addresses.py",
    ),
    Mutation("cli/words.py", "words += [word, *rest]", "words += rest", "test_cli_front.py test_cli_parser.py"),
    Mutation("cli/status.py", "    BrowserError: NO_CHROME,\n", "", "test_cli_printed.py test_cli.py"),
    Mutation(
        "config/sources.py", 'environment.get(name, "")).strip():', 'environment.get(name, "")):', "test_config.py"
    ),
    Mutation(
        "config/values.py",
        'query = f"?{MASK}" if',
        'query = f"?{address.query}" if',
        "test_config.py test_cli_config.py",
    ),
    Mutation(
        "server/sessions.py",
        "None if asked.url is None else checked_address(asked.url)",
        "asked.url",
        "test_server_sessions.py::test_what_is_wrong_is_said_with_a_status",
    ),
    Mutation(
        "page/policy/rules.py", 'return "" if scheme in (*_WEB, *_SECURE)', 'return "" if scheme', "test_rules.py"
    ),
    Mutation("../fixtures/replay.py", "if forced in PLAIN and f", "if forced in PLAIN or f", "test_replay.py"),
    Mutation("sync/background.py", "            ended.wait()\n", "", "test_sync.py"),
    Mutation(
        "telemetry.py",
        'environment.get(CAPTURE, "").strip().lower() in _ON',
        "CAPTURE in environment",
        "test_telemetry.py",
    ),
    Mutation("toolsets/driving.py", "before.get(tab, url) != url", "before.get(tab) != url", "test_toolsets_openai.py"),
    Mutation(
        "decisions.py",
        'tuple(each for each in kinds if each is not Reword) if getattr(ask, "held", None) else kinds',
        "kinds",
        "test_steps_held.py",
    ),
    Mutation(
        "steps/language/references.py",
        '_ORDERS.get((found["order"] or "").lower())',
        '_ORDERS.get(found["order"] or "")',
        "test_steps_grammar.py",
    ),
    Mutation(
        "agent/model/budget.py",
        "tokens = usage.input_tokens + usage.output_tokens",
        "tokens = usage.input_tokens",
        "test_agent_budget.py",
    ),
    Mutation(
        "agent/model/budget.py",
        "tokens >= limits.max_tokens_total",
        "tokens > limits.max_tokens_total",
        "test_agent_budget.py",
    ),
)


def main(words: Iterable[str]) -> int:
    chosen = [each for each in MUTATIONS if not words or any(word in each.file for word in words)]
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in _COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(folder) / name)
        for each in chosen:
            rows.append(row(each, told(Path(folder), each)))
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(HEADS, rows))
    print(this_machine(chrome_version()))
    return int(any(row[-1] != "caught" for row in rows))


def row(mutation: Mutation, result: str) -> list[str]:
    tests = " ".join(each.partition("::")[0] for each in mutation.tests.split())
    return [mutation.file, _line(mutation.old), _line(mutation.new), tests, result]


def told(root: Path, mutation: Mutation) -> str:
    """What the tests in the copy at `root` make of it."""
    path = root / "cdp_agent" / mutation.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        return "its place has gone"
    path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        tests = [f"tests/{each}" for each in mutation.tests.split()]
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", *tests],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            check=False,
            timeout=_LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return "the tests did not end"
    finally:
        path.write_text(text, encoding="utf-8")
    match ended.returncode:  # pytest has 1 for tests that failed, more where it could not run them
        case 0:
            return "NOT NOTICED"
        case 1:
            return "caught"
    return f"pytest ended with {ended.returncode}"


def _line(text: str) -> str:
    return f"`{' '.join(text.split())}`".replace("|", "\\|") if text else "nothing"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
