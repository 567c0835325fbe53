"""Where settings come from, and what is said of those that are wrong."""

import inspect
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cdp_agent import Agent, Browser, Limits
from cdp_agent.browser.launch.proxy import Proxy
from cdp_agent.config import Config, agent_keywords, connect_keywords, launch_keywords
from cdp_agent.config.file import ConfigFile
from cdp_agent.config.keywords import secrets_of
from cdp_agent.config.setting import Setting, settings_of
from cdp_agent.config.sources import load, unknown_variables
from cdp_agent.config.values import shown
from cdp_agent.errors import SetupError
from cdp_agent.page.tab.dialog_policy import DialogPolicy
from cdp_agent.page.tab.settings import PageSettings, Viewport
from cdp_agent.providers.request_options import Patience
from cdp_agent.providers.services import SERVICES
from cdp_agent.security.secrets import Secret, Totp
from cdp_agent.websearch import NAMES
from tests.tables import table

RULES = ("allow", "deny", "block", "block_hosts")
SETTINGS = settings_of(Config)
PACKAGE = Path(__file__).parent.parent / "cdp_agent"


def loaded(path: Path, toml: str = "", environment: Mapping[str, str] | None = None, **flags: Any) -> Any:
    path = path / "config.toml"
    path.write_text(toml)
    return load(Config, flags=flags, environment=environment or {}, file=ConfigFile.read(path))


@pytest.mark.parametrize(
    ("name", "default", "toml", "variable", "flag"),
    [
        ("quiet", False, ("true", True), ("yes", True), (False, False)),
        ("max_steps", 50, ("1", 1), ("2", 2), ("3", 3)),
        ("toolset", "own", ('"vendor"', "vendor"), ("own",) * 2, ("vendor",) * 2),
        ("flow", "plan", ('"iterative"', "iterative"), ("plan",) * 2, ("iterative",) * 2),
        ("cdp", (), ('["a"]', ("a",)), ("b, c", ("b", "c")), (["d", "e,f"], ("d", "e", "f"))),
        ("args", (), ('["--a=1,2"]', ("--a=1,2",)), ("--b '--c d'", ("--b", "--c d")), (['["--e"]'], ("--e",))),
        ("checkpoint", None, ('"/a"', Path("/a")), ("b", Path("b")), ("c", Path("c"))),
        ("data", None, ("{ a = 1 }", {"a": 1}), ("[2]", [2]), ("3", 3)),
        ("model", None, ('"a/1"', "a/1"), ("b/2", "b/2"), ("c/3", "c/3")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_flag_beats_the_environment_which_beats_the_file(
    tmp_path: Path, name: str, default: Any, toml: tuple[str, Any], variable: tuple[str, Any], flag: tuple[Any, Any]
) -> None:
    file, environment = f"{name} = {toml[0]}", {f"CDP_AGENT_{name.upper()}": variable[0]}

    found = [
        loaded(tmp_path),
        loaded(tmp_path, file),
        loaded(tmp_path, file, environment),
        loaded(tmp_path, file, environment, **{name: flag[0]}),
    ]

    assert [getattr(each.config, name) for each in found] == [default, toml[1], variable[1], flag[1]]
    assert [each.source(name) for each in found] == [
        "default",
        f"{tmp_path}/config.toml, line 1",
        f"CDP_AGENT_{name.upper()}",
        f"--{name.replace('_', '-')}",
    ]


def test_a_variable_of_our_own_beats_the_usual_one(tmp_path: Path) -> None:
    environment = {"OPENAI_API_KEY": "usual", "CDP_AGENT_OPENAI_API_KEY": "ours"}

    assert loaded(tmp_path, environment=environment).config.openai_api_key == "ours"
    assert loaded(tmp_path, environment={"OPENAI_API_KEY": "usual"}).source("openai_api_key") == "OPENAI_API_KEY"


def test_an_empty_variable_is_not_set_and_an_empty_flag_is_the_default(tmp_path: Path) -> None:
    assert loaded(tmp_path, 'model = "a/1"', {"CDP_AGENT_MODEL": " "}).config.model == "a/1"
    assert loaded(tmp_path, 'model = "a/1"', model="").config.model is None
    assert loaded(tmp_path, 'cdp = ["a"]', cdp=[""]).config.cdp == ()


def test_a_path_in_the_file_is_relative_to_the_file(tmp_path: Path) -> None:
    found = loaded(tmp_path, 'checkpoint = "runs"\nprofile = "~/p"').config

    assert (found.checkpoint, found.profile) == (tmp_path / "runs", Path.home() / "p")
    assert loaded(tmp_path, 'upload_folders = ["cv", "/tmp"]').config.upload_folders == (tmp_path / "cv", Path("/tmp"))


@pytest.mark.parametrize(
    ("toml", "environment", "flags", "message"),
    [
        ("", {"CDP_AGENT_QUIET": "ja"}, {}, "CDP_AGENT_QUIET: quiet is true or false, not 'ja'."),
        ("quiet = 1", {}, {}, "FILE, line 1: quiet is true or false, not 1."),
        ("", {}, {"max_steps": "0"}, "--max-steps: max_steps is a whole number of at least 1, not 0."),
        ("", {}, {"max_steps": "many"}, "--max-steps: max_steps is a whole number of at least 1, not 'many'."),
        ('\nmax_steps = "3"', {}, {}, "FILE, line 2: max_steps is a whole number of at least 1, not '3'."),
        (
            "",
            {"CDP_AGENT_FLOW": "bold"},
            {},
            "CDP_AGENT_FLOW: flow is one of plan, iterative, not 'bold'.",
        ),
        (
            'cdp = "http://me:secret@h:1/?token=secret"',
            {},
            {},
            "FILE, line 1: cdp is a list: in TOML or JSON, or with commas between, not 'http://***@h:1/?***'.",
        ),
        ("", {}, {"data": "{"}, "--data: data is JSON, not '{'."),
        ("checkpoint = 3", {}, {}, "FILE, line 1: checkpoint is a path, not 3."),
        ("openai_api_key = 3", {}, {}, "FILE, line 1: openai_api_key is a text."),
        (
            'model = "a/b"\n# more\nmax_step = 3',
            {},
            {},
            "FILE, line 3: There is no setting 'max_step' (did you mean max_steps?): "
            "`cdp-agent config list` shows all.",
        ),
        ("[browser]\nx = 1", {}, {}, "FILE, line 1: There is no setting 'browser': `cdp-agent config list` shows all."),
        ("model = ", {}, {}, "FILE is not TOML: it ends in the middle of a value."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_told_with_its_source_and_what_is_allowed(
    tmp_path: Path, toml: str, environment: dict[str, str], flags: dict[str, Any], message: str
) -> None:
    with pytest.raises(SetupError) as caught:
        loaded(tmp_path, toml, environment, **flags)

    assert str(caught.value) == message.replace("FILE", f"{tmp_path}/config.toml")


def test_programs_load_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("max_steps = 7\n")

    found = Config.load(environment={"CDP_AGENT_CONFIG": str(path), "CDP_AGENT_MODEL": "ollama/m"})

    assert found == Config(max_steps=7, model="ollama/m")


def test_without_a_file_and_variables_there_are_the_defaults(tmp_path: Path) -> None:
    assert Config.load(environment={}, path=tmp_path / "none.toml") == Config()


def test_a_misspelt_variable_is_noticed() -> None:
    assert unknown_variables(Config, {"CDP_AGENT_MAXSTEPS": "1", "CDP_AGENT_MODEL": "a/b", "HOME": "/"}) == [
        "CDP_AGENT_MAXSTEPS"
    ]


def test_settings_become_keywords() -> None:
    config = Config(
        model="openai/m", openai_api_key="sk-openai", openrouter_api_key="sk-router", max_steps=3, headless=False
    )

    found = agent_keywords(config)
    environment = found.pop("environment")
    assert found == {"model": "openai/m", "limits": Limits(max_steps=3)}
    assert (environment["OPENAI_API_KEY"], environment["OPENROUTER_API_KEY"]) == ("sk-openai", "sk-router")
    assert environment["PATH"] == os.environ["PATH"]
    assert launch_keywords(config) == {"headless": False}
    assert connect_keywords(config) == {}
    assert secrets_of(config) == ["sk-openai", "sk-router"]


@pytest.mark.parametrize(
    ("text", "viewport"),
    [
        ("1280x800", Viewport(1280, 800)),
        ("390x844@3 mobile touch", Viewport(390, 844, 3.0, mobile=True, touch=True)),
        ("none", None),
    ],
)
def test_a_viewport_is_written_in_words(tmp_path: Path, text: str, viewport: Viewport | None) -> None:
    assert launch_keywords(loaded(tmp_path, viewport=text).config) == {"viewport": viewport}


def test_a_place_is_written_in_numbers(tmp_path: Path) -> None:
    found = loaded(tmp_path, geolocation="59.91,-10.75", environment={"CDP_AGENT_CDP_HEADERS": '{"X": "y"}'}).config

    assert connect_keywords(found) == {"geolocation": (59.91, -10.75), "headers": {"X": "y"}}


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("viewport", "1280", "WIDTHxHEIGHT[@SCALE] [mobile] [touch], such as 1280x800, or none"),
        ("geolocation", "Oslo", "LATITUDE,LONGITUDE[,METRES], such as 59.91,10.75"),
    ],
)
def test_a_form_is_told_when_it_is_wrong(tmp_path: Path, name: str, text: str, form: str) -> None:
    with pytest.raises(SetupError) as caught:
        loaded(tmp_path, environment=None, **{name: text})

    assert str(caught.value) == f"--{name}: {name} is {form}, not {text!r}."


def test_a_proxy_is_one_of_its_parts(tmp_path: Path) -> None:
    toml = 'proxy = "http://h:8"\nproxy_username = "me"\nproxy_password = "pass"\nproxy_bypass = ["a", "b"]'

    assert launch_keywords(loaded(tmp_path, toml).config) == {"proxy": Proxy("http://h:8", ("a", "b"), "me", "pass")}


def test_what_an_agent_is_given_is_what_it_takes(tmp_path: Path) -> None:
    toml = (
        'model = "ollama/m"\nconstrained = "yes"\nmodel_attempts = 5\nmax_cost = 2\nsearch = "bing"\nvision = true\n'
        'fallback_model = "lmstudio/n"\nreasoning_effort = "low"'
    )

    found = agent_keywords(loaded(tmp_path, toml).config)

    del found["environment"]
    assert found == {
        "model": "ollama/m",
        "constrained": True,
        "patience": Patience(attempts=5),
        "limits": Limits(max_cost=2.0),
        "search": "bing",
        "vision": True,
        "fallback_model": "lmstudio/n",
        "reasoning_effort": "low",
    }


def test_dialogs_are_answered_by_kind(tmp_path: Path) -> None:
    found = loaded(tmp_path, '[dialogs]\nconfirm = "dismiss"').config

    assert launch_keywords(found) == {"dialogs": DialogPolicy(confirm="dismiss")}
    assert launch_keywords(loaded(tmp_path, 'dialogs = "accept"').config) == {"dialogs": DialogPolicy.all("accept")}
    with pytest.raises(SetupError, match=r"dialogs is accept, dismiss or ask, or .*, not .*'alrt'"):
        loaded(tmp_path, 'dialogs = { alrt = "accept" }')


def test_kinds_of_resources_are_told_when_one_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="block is a list of image, stylesheet, font, "):
        loaded(tmp_path, block="images")
    assert loaded(tmp_path, block=["image,font"]).config.block == ("image", "font")


SECRETS = """
[secrets.password]
value = "hunter22"
origins = ["https://shop.example"]
[secrets.code]
env = "SHOP_TOTP"
totp = true
purpose = "logging in"
[secrets.pin]
command = "printf '1234\\nrest'"
fields = "hidden"
"""


def test_secrets_are_read_from_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_TOTP", "JBSWY3DPEHPK3PXP")
    config = loaded(tmp_path, f'model = "ollama/m"\n{SECRETS}').config

    assert agent_keywords(config)["secrets"] == {
        "password": Secret("hunter22", ("https://shop.example",)),
        "code": Totp("JBSWY3DPEHPK3PXP", purpose="logging in"),
        "pin": Secret("1234", fields="hidden"),
    }
    assert secrets_of(config) == ["hunter22"]
    assert "hunter22" not in repr(config)


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('env = "NOT_SET_AT_ALL"', "The secret pin is to be in NOT_SET_AT_ALL, which is not set."),
        ('command = "false"', "The command for the secret pin printed none (exit status 1)."),
        ('command = "/no/such"', "The command for the secret pin cannot be run: No such file or directory."),
    ],
)
def test_a_secret_that_is_not_there_is_told(tmp_path: Path, toml: str, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        agent_keywords(loaded(tmp_path, f'model = "ollama/m"\n[secrets.pin]\n{toml}').config)

    assert str(caught.value) == message


def test_a_secret_of_two_sources_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(SetupError) as caught:
        loaded(tmp_path, '[secrets.pin]\nvalue = "hunter22"\nenv = "PIN"')

    assert str(caught.value) == (
        f"{tmp_path}/config.toml, line 1: secrets is a table: in TOML, or a JSON object "
        "(Expected one of `value`, `env` and `command` - at `$[...]`)."
    )


# What stands in one place is used there, by name and with the same default; a setting that nothing takes is none.


def keywords(function: Any) -> dict[str, Any]:
    """The keyword parameters of a function with their defaults; those in `SettingsKeywords` are None."""
    named = {name: each.default for name, each in inspect.signature(function).parameters.items()}
    ours = {"headers", "rules", "proxy_credentials"}
    given = set(PageSettings.__struct_fields__) - ours - set(named) | {"extra_headers", *RULES}
    return named | (dict.fromkeys(given) if named.pop("settings", None) else {})


def fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: field.default for field in msgspec.structs.fields(kind)}


OF_THE_ENVIRONMENT = {"api_key", "executor_api_key", "fallback_api_key", "search_api_key"}
OF_THE_COMMAND = {"approve", "approver", "ask_user", "act_log", "politeness"}  # made of its own settings, or by itself
OF_THE_BROWSER = {"allow", "deny"}  # where they hold for all of its tabs
TAKEN = {
    "agent": keywords(Agent.__init__),
    "limits": fields(Limits),
    "launch": keywords(Browser.launch),
    "connect": keywords(Browser.connect),
    "patience": fields(Patience),
    "proxy": fields(Proxy),
}
NOT_SETTINGS = {
    "agent": {
        "self",
        "browser",
        "tools",
        "limits",
        "patience",
        "environment",
        *OF_THE_ENVIRONMENT,
        *OF_THE_COMMAND,
        *OF_THE_BROWSER,
    },
    "limits": set(),
    "launch": {"env", "proxy"},
    "connect": {"endpoint", "proxy"},
    "patience": {"first_pause_s", "longest_pause_s", "longest_retry_after_s", "overload_s"},
    "proxy": set(),
}
COMMANDS = "".join(path.read_text() for path in (PACKAGE / "cli").rglob("*.py"))


@table("setting", SETTINGS.values())
def test_every_setting_is_used(setting: Setting) -> None:
    match setting.user:
        case "command":
            assert re.search(rf"\bconfig\.{setting.name}\b", COMMANDS)
        case "environment":
            read = "".join(path.read_text() for place in READERS for path in (PACKAGE / place).rglob("*.py"))
            assert f'"{setting.variables[1]}"' in read
        case user:
            taken = [TAKEN[each] for each in (("launch", "connect") if user == "page" else (user,))]
            assert all(setting.keyword in each for each in taken)


READERS = ("providers", "websearch")


@table("setting", SETTINGS.values())
def test_a_default_is_that_of_whatever_takes_it(setting: Setting) -> None:
    taken = TAKEN.get(setting.user, {})

    assert setting.keyword not in taken or (setting.default or None) in (taken[setting.keyword] or None, None)


@table("user", [*TAKEN])
def test_every_keyword_is_a_setting(user: str) -> None:
    users = (user, "page") if user in ("launch", "connect") else (user,)
    settings = {setting.keyword for setting in SETTINGS.values() if setting.user in users}

    assert set(TAKEN[user]) - NOT_SETTINGS[user] == settings


@table("service", SERVICES.values())
def test_every_provider_has_its_key(service: Any) -> None:
    setting = SETTINGS[f"{service.name.replace('-', '_')}_api_key"]

    assert setting.variables[1:] == (service.key_variable, *service.other_key_variables)


def test_every_search_is_known() -> None:
    assert SETTINGS["search"].choices == NAMES


def test_no_key_is_in_a_repr() -> None:
    config = Config(model="openai/m", openai_api_key="sk-123", proxy="http://me:pass@h:1")

    assert repr(config) == "Config(model=openai/m, openai_api_key=***, proxy=http://***@h:1)"


def test_no_two_settings_share_a_letter_or_a_variable() -> None:
    letters = [setting.short for setting in SETTINGS.values() if setting.short]
    variables = [each for setting in SETTINGS.values() for each in setting.variables]

    assert sorted(set(letters)) == sorted(letters)
    assert sorted(set(variables)) == sorted(variables)


def test_a_secret_has_no_flag_and_is_never_shown() -> None:
    key = SETTINGS["openai_api_key"]

    assert (key.flag, shown(key, "sk-123"), shown(key, None)) == (None, "***", "-")


@table(
    ("name", "value", "expected"),
    [
        ("base_url", "https://me:pass@host:8/v1?key=1", "https://***@host:8/v1?***"),
        ("cdp", ("wss://h/?token=1", "http://h:9222"), "wss://h/?***, http://h:9222"),
        ("data", {"a": [1]}, '{"a":[1]}'),
        ("checkpoint", Path("/a b"), "/a b"),
        ("quiet", False, "false"),
    ],
)
def test_a_value_is_shown_without_what_is_secret_in_it(name: str, value: Any, expected: str) -> None:
    assert shown(SETTINGS[name], value) == expected


def test_the_schema_knows_every_setting() -> None:
    schema = json.loads((PACKAGE.parent / "schemas" / "config.json").read_text())

    assert list(schema["properties"]) == list(SETTINGS)
