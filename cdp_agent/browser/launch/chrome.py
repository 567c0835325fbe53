"""Finds the Chrome program, and chooses the flags that make it quiet, quick to start and the same every time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from cdp_agent.errors import BrowserError
from cdp_agent.page.tab.settings import PageSettings, accept_language

from .advice import install

if TYPE_CHECKING:
    from cdp_agent.page.policy.rules import RequestRules

    from .proxy import ChromeProxy

EXECUTABLE_VARIABLE = "CDP_AGENT_CHROME"
_WEB = ("", "http", "https")
_SMALL_SHARED_MEMORY = 512 * 1024 * 1024

_ON_PATH = """
    google-chrome-stable google-chrome chrome chromium chromium-browser
    microsoft-edge-stable microsoft-edge msedge brave-browser brave
""".split()  # noqa: SIM905 (a list of words is easier to read as one text)
_SHELLS = ("chrome-headless-shell", "chromium-headless-shell", "headless_shell")
"""Chrome without windows and their user interface: it keeps no profile, and a tab costs a fifth of the CPU time."""
_MAC_APPLICATIONS = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
_WINDOWS_PROGRAMS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Chromium\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)
_LINUX_PLACES = (
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
    "/var/lib/flatpak/exports/bin/com.google.Chrome",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
)

_QUIET = """
    --no-first-run --no-default-browser-check --no-startup-window --no-service-autorun --metrics-recording-only
    --disable-background-networking --disable-component-update --disable-sync --disable-default-apps
    --disable-client-side-phishing-detection --disable-domain-reliability --disable-field-trial-config
    --disable-search-engine-choice-screen --disable-breakpad --disable-crash-reporter --disable-quic
    --disable-component-extensions-with-background-pages --disable-prompt-on-repost --disable-popup-blocking
    --disable-background-timer-throttling --disable-backgrounding-occluded-windows --disable-renderer-backgrounding
    --disable-hang-monitor
    --password-store=basic --use-mock-keychain --force-color-profile=srgb
""".split()  # noqa: SIM905
# By default, headless shells do not give sites their own processes.
_HEADLESS = ("--headless=new", "--hide-scrollbars", "--mute-audio", "--disable-gpu", "--site-per-process")
# What Chrome with windows says by itself; whole Chrome says it without windows too. See docs/headless.md.
_SHELL = ("--accept-lang=en-US,en", "--font-render-hinting=none")
_SCREEN = (1920, 1080)
MOUSE = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"
"""Without windows, Chrome sees no mouse, though pages get its events: they would show what they have for fingers."""
# Pages from the back/forward cache and prerendered pages appear without the events that we rely on. The popups of the
# address bar are pages of Chrome itself: a process with 0.5 s of CPU at each start, for suggestions that nobody sees.
# No protocol answers the pickers of the File System Access API (showOpenFilePicker and its like): without them, as in
# other browsers, pages use file fields and downloads. --enable-blink-features=FileSystemAccessLocal brings them back.
# What BackgroundFetch, Reporting and NetworkErrorLogging send no session tells of: nobody could be asked about it.
_WITHOUT_FEATURES = """
    BackForwardCache Prerender2 Translate MediaRouter OptimizationHints InterestFeedContentSuggestions
    CertificateTransparencyComponentUpdater AutofillServerCommunication HttpsUpgrades LensOverlay
    WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup FileSystemAccessLocal BackgroundFetch
    Reporting NetworkErrorLogging
""".split()  # noqa: SIM905


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to start Chrome. `profile` None: a temporary folder. `window` is in pixels. `args` override our flags."""

    headless: bool = True
    executable: str | None = None
    profile: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None
    window: tuple[int, int] = (1280, 800)

    def with_settings(self, settings: PageSettings, proxy: ChromeProxy | None) -> LaunchOptions:
        """These options, with the command-line arguments and environment variables that the settings require."""
        arguments, environment = settings_for_workers(settings)
        arguments += settings_for_network(settings.rules, self.args, None if proxy is None else proxy.server)
        return msgspec.structs.replace(
            self,
            args=(*arguments, *(() if proxy is None else proxy.arguments), *self.args),
            env={**environment, **(self.env or {})},
        )


def find_chrome(executable: str | None = None, *, headless: bool = True) -> str:
    """The path of Chrome, Chromium, Edge or Brave: as given, by $CDP_AGENT_CHROME, on PATH, or in its usual place.

    A headless shell is used if nothing else is found. Raises BrowserError, which says where it looked, or that a shell
    was named although a window is needed.
    """
    from shutil import which  # late: 2 ms, with what it knows of archives, and a Chrome that runs is not looked for

    for program, origin in (
        (executable, "executable"),
        (os.environ.get(EXECUTABLE_VARIABLE), f"${EXECUTABLE_VARIABLE}"),
    ):
        if program:
            path = which(os.path.expanduser(program))
            if path is None:
                raise BrowserError(f"{origin} names {program!r}, which is no program that can be run.")
            if not headless and _is_shell(path):
                raise BrowserError(f"{origin} names {program!r}, which has no windows: name a whole Chrome.")
            return path
    for name in _ON_PATH:
        if path := which(name):
            return path
    places = _places()
    for place in places:
        if os.access(place, os.X_OK):
            return place
    shells = _SHELLS if headless else ()
    for name in shells:
        if path := which(name):
            return path
    raise BrowserError(
        f"No Chrome found: looked on PATH for {', '.join((*_ON_PATH, *shells))}, and at {', '.join(places)}. "
        f"Install Chrome or Chromium (Debian: {install('chromium', 'chromium-sandbox')}), "
        f"or set {EXECUTABLE_VARIABLE} to its path."
    )


def _is_shell(program: str) -> bool:
    return os.path.basename(program).removesuffix(".exe") in _SHELLS


def _places() -> Sequence[str]:
    if sys.platform == "darwin":
        roots = ("/Applications", os.path.expanduser("~/Applications"))
        return [f"{root}/{name}.app/Contents/MacOS/{name}" for root in roots for name in _MAC_APPLICATIONS]
    if sys.platform == "win32":
        variables = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        roots = tuple(os.environ[name] for name in variables if name in os.environ)
        return [f"{root}\\{program}" for program in _WINDOWS_PROGRAMS for root in roots]
    return _LINUX_PLACES


def flags(options: LaunchOptions, program: str) -> list[str]:
    """The command line of that Chrome, without the program and the profile."""
    width, height = options.window
    chosen = [*_QUIET, f"--window-size={width},{height}"]
    joined = {"--disable-features": _WITHOUT_FEATURES}
    if options.headless:
        screen = (max(side) for side in zip(options.window, _SCREEN, strict=True))
        chosen += [*_HEADLESS, f"--screen-info={{{'x'.join(map(str, screen))}}}"]
        name, _, mouse = MOUSE.partition("=")
        joined[name] = [mouse]
    if _is_shell(program):
        chosen += _SHELL
    if sys.platform == "linux":
        if os.geteuid() == 0:
            chosen.append("--no-sandbox")  # Chrome refuses to start as root with a sandbox
        shared = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
        if shared is None or shared.f_bavail * shared.f_frsize < _SMALL_SHARED_MEMORY:
            chosen.append("--disable-dev-shm-usage")
    others = []
    for argument in options.args:
        name, _, value = argument.partition("=")
        if name in joined:  # where the flag is given several times, Chrome uses only the last one
            joined[name] = [*joined[name], value]
        else:
            others.append(argument)
    return [*chosen, *(f"{name}={','.join(values)}" for name, values in joined.items()), *others]


def settings_for_workers(settings: PageSettings) -> tuple[list[str], dict[str, str]]:
    """Arguments and environment that apply `settings` to shared and service workers, which no tab's session reaches."""
    arguments, environment = [], {}
    if settings.user_agent is not None:
        arguments.append(f"--user-agent={settings.user_agent}")
    if settings.locale is not None:
        arguments.append(f"--accept-lang={accept_language(settings.locale)}")
        environment["LANGUAGE"] = settings.locale.replace("-", "_")  # has an effect on Linux only
    if settings.timezone is not None:
        environment["TZ"] = settings.timezone
    return arguments, environment


def settings_for_network(rules: RequestRules | None, args: Sequence[str], proxied_by: str | None) -> list[str]:
    """Arguments that block what no session sees: sockets of shared workers, prefetches, DNS prefetching, WebRTC.

    Resolver rules match only hosts, not schemes or ports; what they let pass is still checked by `rules`. They are left
    out if the caller's `args` contain resolver rules, since the exceptions of either would undo the other.
    """
    if rules is None or not rules.has_origin_lists:
        return []
    policy = "webrtc-ip-handling-policy=disable_non_proxied_udp"
    chosen = [f"--{policy}", f"--force-{policy}"]  # any Chrome knows one of the two names; the second is the older one
    if not any(each.startswith("--host-resolver-rules=") for each in args):
        chosen.append(f"--host-resolver-rules={','.join(_resolver_rules(rules, proxied_by))}")
    return chosen


def _resolver_rules(rules: RequestRules, proxied_by: str | None) -> Iterator[str]:
    for denied in rules.deny:
        if denied.host and not denied.scheme and denied.port is None:
            yield from (f"MAP {name} ~NOTFOUND" for name in denied.chrome_host_patterns())
    if rules.allow is not None and not any(not each.host and each.scheme in _WEB for each in rules.allow):
        yield "MAP * ~NOTFOUND"
        if proxied_by is not None:
            yield f"EXCLUDE {urlsplit(proxied_by).hostname}"
        for allowed in rules.allow:
            yield from (f"EXCLUDE {name}" for name in allowed.chrome_host_patterns() if allowed.host)
