"""Secrets: the model sees only placeholders; values are filled in only at their origins and masked wherever they recur.

A model writes `<secret:password>`; the value goes into a field of a page of the secret's origins, and nowhere else.
"""

from __future__ import annotations

import re
import time
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, TypeVar
from urllib.parse import urlsplit

import msgspec

from cdp_agent.errors import InvalidArguments, SetupError
from cdp_agent.patterns import pattern
from cdp_agent.security.origins import location_origin

if TYPE_CHECKING:
    from cdp_agent.security.masking import Mask
    from cdp_agent.security.totp import TotpKey

SHORTEST = 4
"""In characters. Shorter values could not be kept secret, and masking them would mask half of the page."""

USER_DATA = "<user data>"
"""The label that is shown instead of values that the user filled in."""

_PLACEHOLDER = pattern(r"<\s*secret\s*:\s*([\w.-]+)\s*>", re.IGNORECASE)
NAME = r"[A-Za-z][\w-]*(?:\.[\w-]+)*"
"""The names of secrets, as a regular expression."""
_NAME = pattern(NAME)

_T = TypeVar("_T")

Fields = Literal["any", "hidden"]


class _Unshown(msgspec.Struct, frozen=True):
    """Base of structs whose `repr` does not show the secret."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"


class Secret(_Unshown, frozen=True):
    """A text, such as a password, for pages of these origins (`https://shop.example`, no path, no wildcard).

    Without origins it is for the origin of the caller's start address. The origins of all frames around a field count,
    so a field that is embedded in another site's page needs both. `purpose` is shown to the model. `fields` "hidden":
    only for fields that hide their content (passwords, one-time codes, card data), so that no comment box of the same
    site can get it.
    """

    value: str
    origins: Collection[str] = ()
    purpose: str = ""
    fields: Fields = "any"


class Totp(_Unshown, frozen=True):
    """Time-based one-time codes (RFC 6238): `key` is in Base32, or an `otpauth://totp/…` address with all other
    parameters.

    `algorithm` is sha1, sha256 or sha512, `period` in seconds. For origins, purpose and fields see `Secret`.
    """

    key: str
    origins: Collection[str] = ()
    purpose: str = ""
    fields: Fields = "any"
    digits: int = 6
    period: int = 30
    algorithm: str = "sha1"

    def code(self, at: float | None = None) -> str:
        """The code for a time in Unix seconds, by default now. Raises SetupError for an invalid key."""
        from cdp_agent.security.totp import code_at  # late, see read

        return code_at(self.read(), time.time() if at is None else at)

    def read(self) -> TotpKey:
        """The decoded key. Raises SetupError for an invalid one."""
        from cdp_agent.security.totp import read_key  # late: hashlib and base64, for the few with such a key

        return read_key(self.key, self.digits, self.period, self.algorithm)


GivenSecret = str | Secret | Totp


class Revealed(_Unshown, frozen=True):
    """A text with its placeholders filled in, and the origins at which all of its secrets may be used.

    `names` are the secrets in it; empty for a value that the user gave for a field.
    """

    text: str
    names: list[str]
    origins: list[str]
    hidden_only: bool


class Secrets:
    """The secrets of one run. `start` is the address where the caller begins.

    Raises SetupError for an invalid name, value, origin or key.
    """

    def __init__(self, secrets: Mapping[str, GivenSecret] | None = None, start: str | None = None) -> None:
        self._secrets = {name: _checked(name, secret, start) for name, secret in (secrets or {}).items()}
        self._mask: Mask | None = None
        self._has_user_data = False
        _in_use.add(self)
        if self._secrets:
            self._mask = _new_mask()
            for name, secret in self._secrets.items():
                self._mask.add(secret.value if isinstance(secret, Secret) else secret.read().text, placeholder(name))

    def __bool__(self) -> bool:
        return bool(self._secrets) or self._has_user_data

    @property
    def names(self) -> list[str]:
        return list(self._secrets)

    def listed(self) -> list[str]:
        """A line for each secret: its placeholder, its purpose, and its origins."""
        return [_line(name, each) for name, each in self._secrets.items()]

    def named_in(self, text: str) -> list[str]:
        """The names in the placeholders of a text, whether or not there are such secrets."""
        return list(dict.fromkeys(match[1] for match in _PLACEHOLDER.finditer(text)))

    def reveal(self, text: str) -> Revealed:
        """The text with secrets in place of its placeholders. Raises InvalidArguments for an unknown placeholder."""
        names = self.named_in(text)
        if unknown := [name for name in names if name not in self._secrets]:
            there = ", ".join(map(placeholder, self._secrets)) or "none"
            raise InvalidArguments(f"There is no {placeholder(unknown[0])}. The secrets there are: {there}.")
        secrets = [self._secrets[name] for name in names]
        origins = (
            [each for each in secrets[0].origins if all(each in other.origins for other in secrets)] if secrets else []
        )
        values = {name: self._value(name) for name in names}
        return Revealed(
            text=_PLACEHOLDER.sub(lambda match: values[match[1]], text),
            names=names,
            origins=origins,
            hidden_only=any(each.fields == "hidden" for each in secrets),
        )

    def withhold(self, text: str) -> None:
        """Also masks this value, which the user gave for a field, from now on, if it is long enough."""
        if self._mask is None:
            self._mask = _new_mask()
        self._has_user_data = True
        if len(text.strip()) >= SHORTEST:
            self._mask.add(text.strip(), USER_DATA)

    def mask(self, text: str) -> str:
        """The text with secrets, and one-time codes that were used, replaced by their placeholders; see Mask."""
        return self._mask.hide(text) if self._mask else text

    def cover(self, text: str) -> str:
        """The text with secrets covered by dots, so that its length and the positions in it stay the same."""
        return self._mask.cover(text) if self._mask else text

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The spans of the text where secrets occur."""
        return [span for span, _ in self._mask.found(text)] if self._mask else []

    def masked(self, value: _T) -> _T:
        """The same data with every text in it masked, also inside structs, lists and dicts; bytes are unchanged.

        Numbers count as texts. A secret whose parts are in several texts is masked as well: see Mask.hide_in.
        """
        return value if self._mask is None else self._mask.hide_in(value)

    def _value(self, name: str) -> str:
        secret = self._secrets[name]
        if isinstance(secret, Secret):
            return secret.value
        code = secret.code()
        if self._mask:
            self._mask.add(code, placeholder(name))
        return code


_in_use: weakref.WeakSet[Secrets] = weakref.WeakSet()


_of_call: ContextVar[Secrets | None] = ContextVar("_of_call", default=None)


@contextmanager
def used_in_call(secrets: Secrets) -> Iterator[None]:
    """Inside the block, `masked_in_call` masks these secrets."""
    reset = _of_call.set(secrets)
    try:
        yield
    finally:
        _of_call.reset(reset)


def masked_in_call(value: _T) -> _T:
    """The value without the secrets of the present tool call: to be used before it is shortened, or alike lines joined.

    What is left of a secret then could not be recognized.
    """
    secrets = _of_call.get()
    return value if secrets is None else secrets.masked(value)


def mask_all(value: _T) -> _T:
    """The data without the secrets of any run or session of this process: for logs that all of them share."""
    for secrets in list(_in_use):
        value = secrets.masked(value)
    return value


def _new_mask() -> Mask:
    from cdp_agent.security.masking import Mask  # late: slow to import, and most programs have no secrets

    return Mask()


def placeholder(name: str) -> str:
    return f"<secret:{name}>"


def _checked(name: str, value: GivenSecret, start: str | None) -> Secret | Totp:
    if not _NAME.fullmatch(name):
        raise SetupError(f"{name!r} is no name for a secret: use letters, digits, - and _, a letter first.")
    secret = Secret(value) if isinstance(value, str) else value
    if isinstance(secret, Secret) and len(secret.value.strip()) < SHORTEST:
        raise SetupError(f"The secret {name!r} is shorter than {SHORTEST} characters: it could not be kept secret.")
    if isinstance(secret, Totp):
        secret.read()
    if isinstance(secret.origins, str):
        raise SetupError(f"The origins of the secret {name!r} are a list.")
    return msgspec.structs.replace(secret, origins=tuple(_origins(name, secret.origins, start)))


def _origins(name: str, addresses: Collection[str], start: str | None) -> Iterable[str]:
    if not addresses:
        if (begun := location_origin(start or "")) is None:
            raise SetupError(
                f"Say where the secret {name!r} may be filled in, with origins=[…], or begin at an address (url=)."
            )
        return [begun]
    origins = []
    for address in addresses:
        origin = location_origin(address)
        if origin is None:
            raise SetupError(f"{address!r} is no origin: give one such as https://shop.example.")
        parts = urlsplit(address)
        if parts.path.strip("/") or parts.query or parts.fragment or parts.username is not None or "*" in address:
            raise SetupError(
                f"{address!r} is more than an origin: give one such as {origin}, without path or wildcard."
            )
        origins.append(origin)
    return origins


def _line(name: str, secret: Secret | Totp) -> str:
    kind = "a one-time code, made when it is filled in" if isinstance(secret, Totp) else ""
    hidden = "only into fields that hide their text" if secret.fields == "hidden" else ""
    words = "; ".join(filter(None, (secret.purpose.strip(), kind, hidden, f"for {', '.join(secret.origins)}")))
    return f"- {placeholder(name)}: {words}"
