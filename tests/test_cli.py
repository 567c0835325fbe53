"""The command line as a whole: commands one after another, against a real Chrome."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fixtures.replay import ReplayServer, reply, tool_call
from tests.commands import Cli, OtherEnd, wait_until
from tests.conftest import Serve, environment_in
from tests.detached import DetachedChrome, closing_tabs

pytestmark = pytest.mark.chrome

SHOP = """<title>Shop</title><input aria-label="Search"><a href="/other" target=_blank>More</a>
<button onclick="document.querySelector('p').textContent = 'Found it'">Go</button><p>Nothing yet</p>"""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory, detached: DetachedChrome) -> Iterator[tuple[Cli, str]]:
    """Commands with a session that `chrome start` left running, and the address of its Chrome.

    It was started where a variable names another Chrome.
    """
    environment = environment_in(tmp_path_factory.mktemp("begun"))
    otherwise = Cli({**environment, "CDP_AGENT_CDP": detached.endpoint})
    yield Cli(environment), json.loads(otherwise.here("chrome", "start", "--json").stdout)["endpoint"]
    assert otherwise.here("chrome", "stop").stdout == "Chrome has ended.\n"
    otherwise.end()


@pytest.fixture
def chrome(begun: tuple[Cli, str]) -> str:
    return begun[1]


@pytest.fixture
def session(begun: tuple[Cli, str]) -> Iterator[Cli]:
    """Commands in that session, in its one tab: a test leads it elsewhere first. What others it opens are closed."""
    cli, endpoint = begun
    with closing_tabs(endpoint):
        yield cli


def ref_of(snapshot: str, element: str) -> str:
    line = next(line for line in snapshot.splitlines() if element in line)
    return line.partition("[ref=")[2].partition("]")[0]


def without_refs(snapshot: str) -> str:
    """For the same page in two sessions, which count refs by themselves."""
    return re.sub(r"ref=E\d+", "ref", snapshot)


def answers(endpoint: str) -> bool:
    try:
        return httpx.get(f"{endpoint}/json/version").is_success
    except httpx.TransportError:
        return False


def test_a_chrome_is_launched_for_one_command(cli: Cli, serve: Serve) -> None:
    done = cli.here("--once", "snapshot", serve(SHOP))

    assert 'button "Go"' in done.stdout
    assert done.stderr == ""
    assert cli.here("sessions").stdout == "No session runs.\n"


def test_a_ref_of_one_command_works_in_the_next(session: Cli, serve: Serve) -> None:
    snapshot = session.here("open", serve(SHOP)).stdout

    clicked = session.here("click", ref_of(snapshot, 'button "Go"')).stdout
    filled = json.loads(session.here("fill", ref_of(snapshot, "textbox"), "tea", "--json").stdout)

    textbox, link = ref_of(snapshot, "textbox"), ref_of(snapshot, "link")
    assert "Found it" in clicked
    assert (filled["action"], filled["value"]) == ("fill", "tea")
    assert session.here("snapshot").stdout == (
        f'- textbox "Search" [focused] [ref={textbox}]: tea\n- link "More" [ref={link}] → /other\n'
        f'- button "Go" [ref={ref_of(snapshot, "button")}]\n- paragraph: Found it\n'
    )


def test_a_dialog_stops_a_command_and_the_next_one_answers_it(session: Cli, serve: Serve) -> None:
    asks = "document.querySelector('p').textContent = prompt('Your name?', 'Ada')"
    button = ref_of(session.here("open", serve(f'<button onclick="{asks}">Name</button><p>-</p>')).stdout, "button")

    stopped = session.here("click", button).stdout
    other = session.here("snapshot", status=1).stderr
    tabs = session.here("tabs").stdout
    answered = session.here("dialog", "accept", "Grace Hopper").stdout
    dismissed = session.here("click", button, "--dialogs", "dismiss").stdout

    assert 'the page asks (prompt): "Your name?" (its default text is "Ada")' in stopped
    assert other.startswith('cdp-agent: The page asks (prompt): "Your name?"')
    assert 'asks (prompt): "Your name?"' in tabs
    assert answered.splitlines()[1:] == [
        'dialog prompt "Your name?" was accepted',
        "changed:",
        "  ~ - paragraph (now Grace Hopper, before -)",
    ]
    assert "- - paragraph: Grace Hopper" in dismissed


def test_going_elsewhere_within_a_document_prints_what_is_there_then(session: Cli, serve: Serve) -> None:
    script = (
        "<script>onhashchange = () => { document.querySelector('h1').textContent = location.hash || 'All' }</script>"
    )
    address = serve(f"<h1>All</h1>{script}", path="/app")
    opened = session.here("open", address, "--no-page").stdout.splitlines()

    there = session.here("goto", f"{address}#tags").stdout.splitlines()
    back = session.here("back").stdout.splitlines()

    assert len(opened) == 2
    assert there[1:] == ["the address is now /app#tags", '- heading "#tags" [level=1]']
    assert back == ["went back", "the address is now /app", '- heading "All" [level=1]']


def test_a_header_is_printed_once_and_its_refs_hold_on_the_next_page(session: Cli, serve: Serve) -> None:
    header = "<header><a href=/first>Our little shop</a><input type=search aria-label='Search for products'></header>"
    footer = "<footer>Nothing is sold here: this is a shop for a test, and all in it is made up.</footer>"
    serve(f"{header}<h1>Second</h1><a href=/first>Away</a>{footer}", path="/second")
    first = session.here("open", serve(f"{header}<h1>First</h1><a href=/second>On</a>{footer}", path="/first")).stdout

    second = session.here("click", ref_of(first, "On")).stdout
    search = ref_of(first, "searchbox")
    filled = session.here("fill", search, "tea").stdout
    now = ref_of(session.here("snapshot").stdout, "searchbox")
    third = session.here("click", ref_of(second, "Away")).stdout

    assert second.splitlines()[1:] == [
        "navigated to /second",
        '- heading "Second" [level=1]',
        f'- link "Away" [ref={ref_of(second, "Away")}] → /first',
        "(4 lines as before: cdp-agent snapshot)",
    ]
    assert now != search
    assert filled.splitlines()[:2] == [
        f'filled {now} searchbox "Search for products"',
        f"({search} was rendered anew: it is {now} now)",
    ]
    assert 'searchbox "Search for products"' in third
    assert third.splitlines()[-1] == "(2 lines as before: cdp-agent snapshot)"


def test_a_picture_goes_to_the_file_that_is_named_or_to_a_new_one(
    session: Cli, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session.here("open", serve(SHOP), "--no-page")

    named = [session.here("screenshot", "shop.png").stdout for _ in range(2)]
    unnamed = [session.here("screenshot").stdout for _ in range(2)]

    assert named == [f"{tmp_path}/shop.png\n"] * 2
    assert unnamed == [f"{tmp_path}/screenshot-1.png\n", f"{tmp_path}/screenshot-2.png\n"]
    assert (tmp_path / "screenshot-2.png").read_bytes().startswith(b"\x89PNG")
    assert "is no .png file" in session.here("screenshot", "shop.jpg", status=2).stderr


def test_a_page_is_printed_as_markdown(session: Cli, serve: Serve) -> None:
    session.here("--json", "open", serve("<h1>Tea</h1><p>Hot"))

    assert session.here("markdown").stdout == "# Tea\n\nHot\n"


def test_another_session_reads_the_users_tabs_and_leads_none_elsewhere(session: Cli, chrome: str, serve: Serve) -> None:
    beside = ("--session", "beside", "--cdp", chrome)
    session.here("goto", serve(SHOP))

    read = session.here("snapshot", *beside).stdout
    ours = session.here("snapshot", serve("<title>Notes</title><button>Mine</button>"), *beside).stdout
    clicked = session.here("click", ref_of(ours, 'button "Mine"'), *beside).stdout
    tabs = {each["title"]: each for each in json.loads(session.here("tabs", "--json", *beside).stdout)}
    by_title = session.here("snapshot", *beside, "--tab", "shop").stdout
    missing = session.here("snapshot", *beside, "--tab", "nothing", status=2).stderr
    chromes_id = missing.partition("'Shop' at ")[2].partition("(")[2][:32]

    assert 'button "Go"' in read
    assert clicked.startswith("clicked ")
    assert by_title == read
    assert without_refs(session.here("snapshot").stdout) == without_refs(read)
    assert session.here("snapshot", *beside, "--tab", chromes_id).stdout == by_title
    assert session.here("snapshot", *beside, "--tab", tabs["Shop"]["id"]).stdout == by_title
    assert (tabs["Shop"]["ours"], tabs["Notes"]["current"]) == (False, True)
    assert "Mine" in session.here("snapshot", *beside).stdout
    assert missing.startswith("cdp-agent: No tab fits 'nothing': name one by its id, or by more of its title")
    told = session.here("chrome", "start", "--session", "beside", status=2).stderr
    assert "The session 'beside' is in a Chrome that was there: close it first" in told
    session.here("close", "--session", "beside")


def test_a_dead_ref_ends_with_status_1(session: Cli, serve: Serve) -> None:
    session.here("open", serve(SHOP), "--no-page")

    done = session.here("click", "E999", status=1)

    assert done.stdout == ""
    assert "E999" in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_chrome_ends_with_status_3(cli: Cli) -> None:
    told = cli.here("--once", "snapshot", "--cdp", "http://127.0.0.1:9", status=3).stderr

    assert "No Chrome could be reached: nothing listens there." in told


def test_chrome_start_twice_is_one_chrome(begun: tuple[Cli, str]) -> None:
    cli, chrome = begun
    again = cli.here("chrome", "start")

    assert chrome in again.stdout
    assert again.stderr == "Chrome was running already.\n"
    assert chrome in cli.here("chrome", "status").stdout


def test_chrome_start_starts_one_also_where_a_variable_names_another(
    begun: tuple[Cli, str], detached: DetachedChrome
) -> None:
    cli, chrome = begun
    named = Cli({**cli.environment, "CDP_AGENT_CDP": detached.endpoint})

    assert chrome != detached.endpoint
    assert chrome in named.here("chrome", "status").stdout


def test_a_chrome_that_does_not_answer_is_exchanged_and_one_that_was_killed_is_forgotten(
    cli: Cli, serve: Serve
) -> None:
    started = json.loads(cli.here("chrome", "start", "--json").stdout)
    os.kill(started["pid"], signal.SIGSTOP)

    assert "does not answer" in cli.here("snapshot", serve(SHOP), status=3).stderr
    assert "Nothing yet" in cli.here("snapshot", serve(SHOP)).stdout

    (another,) = json.loads(cli.here("sessions", "--json").stdout)
    assert another["chrome"] != started["pid"]
    os.kill(another["chrome"], signal.SIGKILL)
    assert wait_until(lambda: not answers(another["endpoint"]))

    assert cli.here("chrome", "status", status=3).stdout == "No Chrome of ours is running.\n"
    assert json.loads(cli.here("close", "--json").stdout) != []


def test_a_session_is_for_the_user_alone(begun: tuple[Cli, str]) -> None:
    folder = Path(begun[0].environment["XDG_RUNTIME_DIR"]) / "cdp-agent"

    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_task_is_run_with_several_acts_in_a_turn_and_its_answer_fits_the_schema_that_is_given(
    attached: Cli, environment: dict[str, str], serve: Serve, tmp_path: Path
) -> None:
    fill = ("fill", {"ref": "{{ref:textbox Search}}", "value": "tea"})
    answers = [tool_call("done", {"result": {"found": found}}) for found in ("one", 1)]
    (tmp_path / "schema.json").write_text('{"type": "object", "properties": {"found": {"type": "integer"}}}')
    with ReplayServer(replies=[reply(fill, ("click", {"ref": "{{ref:button Go}}"})), *answers]) as server:
        environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}
        words = ["run", "Find tea", "--url", serve(SHOP), "--max-actions-per-step", "2"]
        words += ["--answer-schema", str(tmp_path / "schema.json")]
        done = attached.here(*words, "--events", str(tmp_path / "e.jsonl"))

    events = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    result = events[-1]["result"]
    assert done.stdout == '{"found":1}\n'
    assert [line.partition(" E")[0] for line in done.stderr.splitlines()[:2]] == ["  1  filled", "  1  clicked"]
    assert done.stderr.splitlines()[-1].startswith("3 steps, 550 tokens, ")
    assert (events[0]["type"], events[-1]["type"]) == ("trace:started", "task:completed")
    assert (result["stats"]["steps"], result["stats"]["actions"], result["validation"]) == (3, 4, "passed")


@pytest.mark.parametrize(
    ("replies", "status", "code"),
    [
        ([tool_call("abort", {"reason": "Sold out."})], 1, "aborted"),
        ([tool_call("wait", {"seconds": 0})], 4, "failed"),
    ],
    ids=["the task", "the model"],
)
def test_a_task_that_fails_has_its_status(
    attached: Cli, environment: dict[str, str], serve: Serve, replies: list[bytes], status: int, code: str
) -> None:
    with ReplayServer(replies=replies) as server:
        environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}
        done = attached.here("run", "Find tea", "--url", serve(SHOP), "--json", status=status)

    assert json.loads(done.stdout)["error"]["code"] == code


def test_a_task_that_ctrl_c_ended_in_order_is_resumed(
    environment: dict[str, str], attached: Cli, serve: Serve, tmp_path: Path
) -> None:
    folder = str(tmp_path / "run")
    words = ["run", "Find tea", "--url", serve(SHOP), "--checkpoint", folder]
    replies = [tool_call("click", {"ref": "{{ref:button Go}}"}), tool_call("wait", {"seconds": 30})]
    with ReplayServer(replies=replies) as server:
        environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}
        told = list[str]()

        def stop(run: OtherEnd) -> None:
            run.stderr.readline()  # of the click; the next step begins when it is written down
            assert wait_until(lambda: len(server.turns) == 2)
            run.interrupt()
            told.extend(run.stderr)

        assert attached.beside(stop, *words) == 130

    assert told[-1] == "Not done (aborted): The run was stopped.\n"

    with ReplayServer(replies=[tool_call("done", {"result": "**Tea**"})]) as server:
        environment |= {"CDP_AGENT_BASE_URL": server.base_url}
        done = attached.here("resume", folder)

    assert done.stdout == "**Tea**\n"
    assert done.stderr.splitlines()[-1].startswith("2 steps, ")


def test_settings_of_the_file_hold_for_a_task(
    attached: Cli, environment: dict[str, str], serve: Serve, tmp_path: Path
) -> None:
    replies = [tool_call("done", {"result": "**Tea**"})]
    with ReplayServer(replies=replies) as server:
        (tmp_path / "config.toml").write_text(
            f'model = "openai-compatible/m"\nbase_url = "{server.base_url}"\nurl = "{serve(SHOP)}"\n'
            'locale = "nb-NO"\nsave_storage_state = "state.json"\n'
        )
        environment |= {"CDP_AGENT_CONFIG": str(tmp_path / "config.toml")}
        done = attached.here("run", "Find tea", "--events", "-", "--without", "task:setup", "--quiet")

    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.stderr == ""
    assert [event["type"] for event in events][-1] == "task:completed"
    assert "task:setup" not in {event["type"] for event in events}
    assert events[-1]["result"]["answer"] == "**Tea**"
    assert (tmp_path / "state.json").stat().st_mode & 0o777 == 0o600


def test_a_wrong_setting_names_its_line(cli: Cli, environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("# mine\nmax_step = 3\n")
    environment |= {"CDP_AGENT_CONFIG": str(tmp_path / "config.toml")}

    assert cli.here("--once", "snapshot", "example.com", status=2).stderr == (
        f"cdp-agent: {tmp_path}/config.toml, line 2: There is no setting 'max_step' (did you mean max_steps?): "
        "`cdp-agent config list` shows all.\n"
    )


def test_no_chrome_is_started_that_nothing_could_find_again(
    cli: Cli, environment: dict[str, str], tmp_path: Path
) -> None:
    environment["XDG_RUNTIME_DIR"] = str(tmp_path / "nothing")
    environment["TMPDIR"] = str(tmp_path / "temporary")
    Path(environment["TMPDIR"]).mkdir()
    (Path(environment["TMPDIR"]) / f"cdp-agent-{os.getuid()}").write_text("a file in its place")

    assert "Set XDG_RUNTIME_DIR" in cli.here("open", status=2).stderr
    assert [path.name for path in Path(environment["TMPDIR"]).iterdir()] == [f"cdp-agent-{os.getuid()}"]


def test_rows_are_written_to_a_file_and_never_lost(
    environment: dict[str, str], attached: Cli, serve: Serve, tmp_path: Path
) -> None:
    shop = serve(
        "<table><tr><th>Name<th>Price" + "".join(f"<tr><td>Mug, {n}<td>=1+{n}" for n in range(30)) + "</table>"
    )
    csv, lines, text = (str(tmp_path / name) for name in ("rows.csv", "rows.jsonl", "rows.txt"))
    (tmp_path / "schema.json").write_text('{"type": "object"}')

    assert attached.here("table", shop, "-o", lines).stdout == f"30 rows → {lines}\n"
    assert Path(lines).read_text().split("\n")[1] == '{"Name":"Mug, 1","Price":"=1+1"}'
    assert "rows are written as .csv, .jsonl, .json" in attached.here("table", "-o", text, status=2).stderr
    lost = attached.here("records", serve("<p>None"), "-o", f"{tmp_path}/no/rows.csv", status=2)
    assert (lost.stdout, "was not written" in lost.stderr) == ("Nothing repeats on the page.\n", True)

    done = tool_call("done", {"rows": "rows1", "where": "Price == '=1+2'"})
    with ReplayServer(replies=[tool_call("read_table", {}), done]) as server:
        environment |= {"CDP_AGENT_MODEL": "openai-compatible/m", "CDP_AGENT_BASE_URL": server.base_url}
        words = ["run", "Read =1+2", "--url", shop, "--output", csv]
        refused = attached.here(*words, "--answer-schema", str(tmp_path / "schema.json"), status=2)
        told = attached.here(*words)

    assert "rows.csv takes a list of rows, and the schema is for something else" in refused.stderr
    assert (told.stdout, Path(csv).read_text()) == (f"1 row → {csv}\n", 'Name,Price\n"Mug, 2",=1+2\n')
