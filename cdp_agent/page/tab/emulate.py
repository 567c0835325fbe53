"""The commands that put settings in force on a session, and the identity that belongs to a user agent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from cdp_agent.cdp import digital_credentials, emulation, network, web_authn
from cdp_agent.cdp.connection import Session
from cdp_agent.cdp.known_errors import is_in_effect_already, is_not_known
from cdp_agent.cdp.types import Command, Empty
from cdp_agent.errors import ProtocolError, SetupError

from .settings import PageSettings, accept_language

_NOT_A_BRAND = emulation.BrandVersion(brand="Not=A?Brand", version="24")


def emulate(
    settings: PageSettings, session: Session, *, is_tab: bool, in_own_chrome: bool = False
) -> list[asyncio.Future[Empty]]:
    """Puts settings in force on the session of a tab or a frame; to be called before anything may run there.

    `in_own_chrome`: nobody sits there, so Chrome must ask nobody for a passkey. The returned futures raise SetupError
    if Chrome does not know a locale or time zone.
    """
    if in_own_chrome:
        _refuse_credentials(session)
    answers = [session.post(command) for command in _of_tab(settings)] if is_tab else []
    if settings.viewport is not None and settings.viewport.touch:
        answers.append(session.post(emulation.SetTouchEmulationEnabled(enabled=True, max_touch_points=5)))
    if settings.user_agent is not None or settings.locale is not None:
        answers.append(session.post(identity(settings.user_agent or "", settings.locale)))
    if settings.locale is not None:
        locale = emulation.SetLocaleOverride(locale=settings.locale.replace("-", "_"))
        answers.append(_set(session, locale, f"Chrome knows no locale {settings.locale!r}."))
    if settings.timezone is not None:
        zone = emulation.SetTimezoneOverride(timezone_id=settings.timezone)
        answers.append(_set(session, zone, f"Chrome knows no time zone {settings.timezone!r}."))
    if settings.color_scheme is not None:
        scheme = emulation.MediaFeature(name="prefers-color-scheme", value=settings.color_scheme)
        answers.append(session.post(emulation.SetEmulatedMedia(features=[scheme])))
    if settings.headers:
        answers.append(session.post(network.SetExtraHTTPHeaders(headers=dict(settings.headers))))
    return answers


def _refuse_credentials(session: Session) -> None:
    """Keeps Chrome from asking its user for a passkey, or for a wallet: the tab would get no input meanwhile.

    Without an authenticator, a page that asks for a passkey waits until its own limit.
    """
    session.tell(web_authn.Enable())
    session.tell(digital_credentials.SetVirtualWalletBehavior(action="decline"))


def _of_tab(settings: PageSettings) -> Iterator[Command[Empty]]:
    """The commands that are sent to the tab alone and apply to all of its frames."""
    if (viewport := settings.viewport) is not None:
        yield emulation.SetDeviceMetricsOverride(
            width=viewport.width, height=viewport.height, device_scale_factor=viewport.scale, mobile=viewport.mobile
        )
    if settings.geolocation is not None:
        latitude, longitude, accuracy = settings.geolocation
        yield emulation.SetGeolocationOverride(latitude=latitude, longitude=longitude, accuracy=accuracy)


def identity(user_agent: str, locale: str | None) -> emulation.SetUserAgentOverride:
    """The user agent with the platform and the client hints of such a browser; no hints for Firefox, Safari and others.

    https://wicg.github.io/ua-client-hints/, https://www.chromium.org/updates/ua-reduction/
    """
    platform, hints = _platform(user_agent) if user_agent else (None, None)
    chrome = re.search(r"Chrome/((\d+)[\d.]*)", user_agent)
    metadata = None
    if chrome is not None and hints is not None:
        edge = re.search(r"Edg/((\d+)[\d.]*)", user_agent)
        named = ("Microsoft Edge", edge) if edge else ("Google Chrome", chrome)
        versions = [("Chromium", chrome), named]
        name, version, architecture, bitness, model = hints
        metadata = emulation.UserAgentMetadata(
            brands=[_NOT_A_BRAND, *(emulation.BrandVersion(brand=who, version=found[2]) for who, found in versions)],
            full_version_list=[
                emulation.BrandVersion(brand=_NOT_A_BRAND.brand, version="24.0.0.0"),
                *(emulation.BrandVersion(brand=who, version=found[1]) for who, found in versions),
            ],
            full_version=named[1][1],
            platform=name,
            platform_version=version,
            architecture=architecture,
            bitness=bitness,
            model=model,
            mobile="Mobile" in user_agent,
        )
    return emulation.SetUserAgentOverride(
        user_agent=user_agent,
        accept_language=None if locale is None else accept_language(locale),
        platform=platform,
        user_agent_metadata=metadata,
    )


Hints = tuple[str, str, str, str, str]
"""Platform, its version, architecture, bitness, model."""


def _platform(user_agent: str) -> tuple[str | None, Hints | None]:
    """navigator.platform and the client hints of a Chrome on the machine that the user agent names."""
    if found := re.search(r"iPhone|iPad", user_agent):
        return found[0], None
    if "Windows" in user_agent:
        return "Win32", ("Windows", "10.0.0", "x86", "64", "")
    if mac := re.search(r"Mac OS X (\d+(?:[._]\d+)*)", user_agent):
        return "MacIntel", ("macOS", mac[1].replace("_", "."), "x86", "64", "")
    if android := re.search(r"Android (\d+(?:\.\d+)*)(?:; ([^;)]*))?", user_agent):
        version = ".".join([*android[1].split("."), "0", "0"][:3])
        return "Linux armv81", ("Android", version, "", "", (android[2] or "").strip())
    if "CrOS" in user_agent:
        return "Linux x86_64", ("Chrome OS", "14541.0.0", "x86", "64", "")
    if "Linux" in user_agent:
        return "Linux x86_64", ("Linux", "", "x86", "64", "")
    return None, None


def _set(session: Session, command: Command[Empty], refusal: str) -> asyncio.Future[Empty]:
    """Sends a setting that applies to a whole process. It is not an error if another tab has set it there already."""
    sent = session.post(command)

    async def answer() -> Empty:
        try:
            return await sent
        except ProtocolError as error:
            if is_not_known(error):
                raise SetupError(refusal) from error
            if not is_in_effect_already(error):
                raise
            return Empty()

    return asyncio.ensure_future(answer())
