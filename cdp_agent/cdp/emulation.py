"""https://chromedevtools.github.io/devtools-protocol/tot/Emulation/"""

from __future__ import annotations

from .types import Command, Empty, Part


class BrandVersion(Part, frozen=True):
    brand: str
    version: str


class UserAgentMetadata(Part, frozen=True):
    """The client hints that a user agent implies. https://wicg.github.io/ua-client-hints/"""

    platform: str
    platform_version: str
    architecture: str
    model: str
    mobile: bool
    brands: list[BrandVersion] | None = None
    full_version_list: list[BrandVersion] | None = None
    full_version: str | None = None
    bitness: str | None = None


class MediaFeature(Part, frozen=True):
    name: str
    value: str


class SetFocusEmulationEnabled(Command[Empty], frozen=True):
    enabled: bool


class SetDeviceMetricsOverride(Command[Empty], frozen=True):
    width: int
    height: int
    device_scale_factor: float
    mobile: bool


class SetTouchEmulationEnabled(Command[Empty], frozen=True):
    enabled: bool
    max_touch_points: int | None = None


class SetUserAgentOverride(Command[Empty], frozen=True):
    """An empty user agent keeps Chrome's own."""

    user_agent: str
    accept_language: str | None = None
    platform: str | None = None
    user_agent_metadata: UserAgentMetadata | None = None


class SetLocaleOverride(Command[Empty], frozen=True):
    locale: str | None = None


class SetTimezoneOverride(Command[Empty], frozen=True):
    timezone_id: str


class SetGeolocationOverride(Command[Empty], frozen=True):
    latitude: float | None = None
    longitude: float | None = None
    accuracy: float | None = None


class SetEmulatedMedia(Command[Empty], frozen=True):
    media: str | None = None
    features: list[MediaFeature] | None = None


class SetScriptExecutionDisabled(Command[Empty], frozen=True):
    value: bool
