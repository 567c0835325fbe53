"""The environment variables that a Chrome of ours gets: those that it may need, and no keys of other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

# CHROME_ and GOOGLE_ are no families here: the keys of a model and of the web store have such names.
_FAMILIES = ("LC_", "XDG_", "FONTCONFIG_", "GTK_", "GDK_", "MESA_", "LIBGL_", "LIBVA_", "VK_", "PULSE_", "PIPEWIRE_")
_NAMES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL PWD LANG LANGUAGE TZ TZDIR TMPDIR TEMP TMP
    LD_LIBRARY_PATH LD_PRELOAD DYLD_LIBRARY_PATH __CF_USER_TEXT_ENCODING
    DISPLAY WAYLAND_DISPLAY XAUTHORITY XCURSOR_SIZE XCURSOR_THEME XMODIFIERS
    DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS AT_SPI_BUS_ADDRESS NO_AT_BRIDGE
    DESKTOP_SESSION KDE_FULL_SESSION KDE_SESSION_VERSION GNOME_DESKTOP_SESSION_ID
    HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY AUTO_PROXY SOCKS_SERVER SOCKS_VERSION
    SSL_CERT_FILE SSL_CERT_DIR SSL_DIR SSLKEYLOGFILE NSS_DEFAULT_DB_TYPE KRB5CCNAME KRB5_CONFIG
    CHROME_DEVEL_SANDBOX CHROME_CONFIG_HOME CHROME_USER_DATA_DIR CHROME_LOG_FILE CHROMIUM_FLAGS CHROMIUM_USER_FLAGS
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT OS USERPROFILE USERNAME USERDOMAIN COMPUTERNAME HOMEDRIVE HOMEPATH
    APPDATA LOCALAPPDATA PROGRAMDATA ALLUSERSPROFILE PUBLIC PROGRAMFILES PROGRAMFILES(X86) PROGRAMW6432
    COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
    """.split()  # noqa: SIM905 (a list of words is easier to read as one text)
)
_PROGRAMS = Path(__file__).parent / "programs"
"""What Chrome finds before the programs of the system. On Linux it runs `xdg-settings` to learn whether it handles the
addresses of an app (zoommtg:, mailto:) itself. Then it opens nothing; else it asks, and the tab gets no input until
somebody answers."""


def chrome_environment(more: Mapping[str, str]) -> dict[str, str]:
    """The part of our environment that Chrome may need, and what the caller adds to it.

    Its supervisor gets the same, and passes it on.
    """
    # Chrome reads proxies by names in either case.
    passed = {name: value for name, value in os.environ.items() if name.upper() in _NAMES or name.startswith(_FAMILIES)}
    environment = {**passed, **more}
    if sys.platform == "linux":
        environment["PATH"] = os.pathsep.join([str(_PROGRAMS), environment.get("PATH", os.defpath)])
    return environment
