"""What is advised where Chrome lacks something, on systems that have this or that."""

from __future__ import annotations

import os
import shutil

import pytest

from cdp_agent.browser.launch import advice
from cdp_agent.browser.launch.advice import advice_on, install

NO_SANDBOX = "ERROR:zygote_host_impl_linux.cc:130] No usable sandbox! If this is a Debian system, …"
UNCONFIGURED = (
    "FATAL:setuid_sandbox_host.cc:172] The SUID sandbox helper binary was found, but is not configured correctly."
)
WITHOUT = "or, if you trust the pages, `cdp-agent config set args --no-sandbox` (in Python: args=['--no-sandbox'])."


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The programs of the system, on which somebody who is not root works."""
    names = {"apt-get", "sudo"}
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name in names else None)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    return names


def test_packages_are_installed_by_whoever_may(programs: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with_sudo = install("fontconfig")
    programs.remove("sudo")
    with_password = install("fontconfig")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    as_root = install("fontconfig")
    programs.remove("apt-get")
    elsewhere = install("fontconfig")

    assert with_sudo == "`sudo apt-get update && sudo apt-get install fontconfig`"
    assert with_password == "`su -c 'apt-get update && apt-get install fontconfig'`"
    assert as_root == "`apt-get update && apt-get install fontconfig`"
    assert elsewhere == "install fontconfig (Debian's names)"


def test_the_package_with_the_sandbox_of_debian_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_DEBIAN_HELPER", "/nowhere/chrome-sandbox")

    told = advice_on(NO_SANDBOX, "/usr/bin/chromium")

    assert told == f"`sudo apt-get update && sudo apt-get install chromium-sandbox`; {WITHOUT}"


def test_a_helper_without_its_rights_gets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_DEBIAN_HELPER", __file__)

    told = advice_on(UNCONFIGURED, "/usr/bin/chromium-headless-shell")

    assert told == f"`sudo chown root:root {__file__} && sudo chmod 4755 {__file__}`; {WITHOUT}"


def test_another_chrome_gets_no_package_of_debian() -> None:
    assert advice_on(NO_SANDBOX, "/opt/chrome/chrome") == f"allow user namespaces on this system; {WITHOUT}"


def test_nothing_is_advised_about_what_is_not_known() -> None:
    assert advice_on("Trace/breakpoint trap", "/usr/bin/chromium") == ""


def test_missing_libraries_come_with_the_package() -> None:
    told = advice_on("chrome: error while loading shared libraries: libnss3.so", "/opt/chrome/chrome")

    assert told == "`sudo apt-get update && sudo apt-get install chromium` brings all that it needs."
