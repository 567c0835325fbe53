"""What pages see of the machine and its user: size, language, location, headers.

Settings are sent to each session of a tab, including those of out-of-process iframes, before anything runs there.
Nothing is sent for settings that are not set.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, TypeGuard

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.page.policy.rules import RequestRules, rules_of

if TYPE_CHECKING:

    class SettingsKeywords(TypedDict, total=False):
        """The keyword arguments that `Browser.launch` and `Browser.connect` share, see `PageSettings`."""

        user_agent: str | None
        locale: str | None
        timezone: str | None
        geolocation: Sequence[float] | None
        color_scheme: ColorScheme | None
        extra_headers: Mapping[str, str] | None
        allow: Iterable[str] | None
        deny: Iterable[str] | None
        block: Iterable[str] | None
        block_hosts: str | os.PathLike[str] | Iterable[str] | None
        navigation_timeout_s: float | None
        action_timeout_s: float | None


ColorScheme = Literal["light", "dark"]

_LOCALE = r"[a-zA-Z]{2,3}(-[a-zA-Z]{4})?(-([a-zA-Z]{2}|[0-9]{3}))?"
_TIMEZONE = r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*"
_HEADER_NAME = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_ACCURACY_M = 50.0
_LONGEST_SIDE_PX = 16_384
_MOST_SCALE = 10
_MOST_PIXELS = 2**26
"""In device pixels: at four times as many Chrome stops answering, and with sides of ten million it crashes."""


class Viewport(msgspec.Struct, frozen=True):
    """The size of a page in CSS pixels. `scale`: device pixels per CSS pixel, 0 for the display's own.

    `mobile`: pages are laid out as on a phone (the meta viewport counts). `touch`: emulates a touch screen.
    """

    width: int
    height: int
    scale: float = 0.0
    mobile: bool = False
    touch: bool = False


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings for the pages of a browser. Where one is None or empty, Chrome's own is used."""

    viewport: Viewport | None = None
    user_agent: str | None = None
    """Client hints and navigator.platform are derived from it."""
    locale: str | None = None
    """BCP 47, such as "de-DE": sets Accept-Language, navigator.languages and the default locale of Intl."""
    timezone: str | None = None
    """A name of the tz database, such as "Europe/Berlin"."""
    geolocation: tuple[float, float, float] | None = None
    """Latitude and longitude in degrees, accuracy in metres. Pages get it without a permission prompt."""
    color_scheme: ColorScheme | None = None
    headers: Mapping[str, str] = {}
    """Sent with every request of a page, to any site."""
    rules: RequestRules | None = None
    """What pages may load, see rules.py."""
    navigation_timeout_s: float | None = None
    """How long `goto`, `back`, `forward` and `reload` wait for the server and for the page to become stable."""
    action_timeout_s: float | None = None
    """How long an action waits for its element to be visible, stable, enabled and on top."""

    @staticmethod
    def of(
        viewport: Viewport | tuple[int, int] | None = None,
        *,
        user_agent: str | None = None,
        locale: str | None = None,
        timezone: str | None = None,
        geolocation: Sequence[float] | None = None,
        color_scheme: ColorScheme | None = None,
        extra_headers: Mapping[str, str] | None = None,
        allow: Iterable[str] | None = None,
        deny: Iterable[str] | None = None,
        block: Iterable[str] | None = None,
        block_hosts: str | os.PathLike[str] | Iterable[str] | None = None,
        proxy_credentials: tuple[str, str] | None = None,
        navigation_timeout_s: float | None = None,
        action_timeout_s: float | None = None,
    ) -> PageSettings:
        """The settings from these arguments, checked; `proxy_credentials` are user and password. Raises SetupError."""
        settings = PageSettings(
            viewport=viewport_of(viewport),
            user_agent=user_agent,
            locale=locale,
            timezone=timezone,
            geolocation=None if geolocation is None else _checked_geolocation(geolocation),
            color_scheme=color_scheme,
            headers=dict(extra_headers or {}),
            rules=rules_of(
                allow=allow, deny=deny, block=block, block_hosts=block_hosts, proxy_credentials=proxy_credentials
            ),
            navigation_timeout_s=navigation_timeout_s,
            action_timeout_s=action_timeout_s,
        )
        _check(settings)
        return settings

    def for_foreign_tab(self) -> PageSettings:
        """The settings that change nothing for pages, for a tab that somebody else opened."""
        return PageSettings(navigation_timeout_s=self.navigation_timeout_s, action_timeout_s=self.action_timeout_s)


def viewport_of(viewport: Viewport | tuple[int, int] | None) -> Viewport | None:
    """The given viewport, checked. Raises SetupError."""
    if viewport is None:
        return None
    sides = (viewport.width, viewport.height) if isinstance(viewport, Viewport) else viewport
    scale = viewport.scale if isinstance(viewport, Viewport) else 0.0
    if not (
        isinstance(sides, (tuple, list))
        and len(sides) == 2
        and all(_is_number(side, 1, _LONGEST_SIDE_PX) and isinstance(side, int) for side in sides)
        and _is_number(scale, 0, _MOST_SCALE)
        and sides[0] * sides[1] * max(scale, 1) ** 2 <= _MOST_PIXELS
    ):
        raise SetupError(
            f"{viewport!r} is no viewport: write width and height in CSS pixels, such as (1280, 800), 1 to "
            f"{_LONGEST_SIDE_PX} each, with a scale of 0 (the display's) to {_MOST_SCALE}; up to {_MOST_PIXELS} pixels."
        )
    return viewport if isinstance(viewport, Viewport) else Viewport(*sides)


def _check(settings: PageSettings) -> None:
    agent = settings.user_agent
    if agent is not None and not (isinstance(agent, str) and agent.isascii() and agent.isprintable()):
        raise SetupError("The user agent holds a character that no header can: write printable ASCII.")
    if settings.locale is not None and not _fits(_LOCALE, settings.locale):
        raise SetupError(f"{settings.locale!r} is no locale: write a language, or one with its country, such as de-DE.")
    if settings.timezone is not None and not _is_timezone(settings.timezone):
        raise SetupError(f"{settings.timezone!r} is no time zone: write a name such as Europe/Berlin or UTC.")
    if settings.color_scheme not in (None, "light", "dark"):
        raise SetupError(f"{settings.color_scheme!r} is no color scheme: write light or dark.")
    for seconds in (settings.navigation_timeout_s, settings.action_timeout_s):
        if seconds is not None and not (_is_number(seconds, 0, sys.float_info.max) and seconds > 0):
            raise SetupError(f"{seconds!r} is no time limit: write seconds, more than 0.")
    for name, value in settings.headers.items():
        if not _fits(_HEADER_NAME, name):
            raise SetupError(f"{name!r} is no name of a header.")
        if not (isinstance(value, str) and value.isprintable()):  # the value may be secret
            raise SetupError(f"The value of the header {name} holds a character that no header can.")


def _checked_geolocation(place: Sequence[float]) -> tuple[float, float, float]:
    numbers = (*place, _ACCURACY_M)[:3] if isinstance(place, (tuple, list)) and len(place) in (2, 3) else (None,) * 3
    latitude, longitude, accuracy = numbers
    if not (
        _is_number(latitude, -90, 90)
        and _is_number(longitude, -180, 180)
        and _is_number(accuracy, 0, sys.float_info.max)
    ):
        raise SetupError(
            f"{place!r} is no place: write latitude (-90 to 90) and longitude (-180 to 180) in degrees, "
            "and, if it matters, the accuracy in metres."
        )
    return latitude, longitude, accuracy


def _is_number(value: object, least: float, most: float) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most


def _fits(pattern: str, value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_timezone(name: str) -> bool:
    if not _fits(_TIMEZONE, name):
        return False
    from zoneinfo import available_timezones  # late: 3 ms, and few settings name a zone

    known = available_timezones()
    return not known or name in known  # without a tz database on this machine, Chrome has to check the name


def accept_language(locale: str) -> str:
    """The languages for a locale, in order of preference: "de-DE,de" for "de-DE". Chrome adds the weights."""
    language = locale.partition("-")[0]
    return locale if locale == language else f"{locale},{language}"
