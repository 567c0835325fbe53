"""Time-based one-time codes: RFC 6238 (https://www.rfc-editor.org/rfc/rfc6238), on the HOTP of RFC 4226."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from cdp_agent.errors import SetupError

_ALGORITHMS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha512": hashlib.sha512}


@dataclass(frozen=True)
class TotpKey:
    """The parameters of one-time codes; `text` is the given key in Base32, without separators."""

    secret: bytes = field(repr=False)
    text: str = field(repr=False)
    digits: int
    period: int
    algorithm: str


def read_key(key: str, digits: int = 6, period: int = 30, algorithm: str = "sha1") -> TotpKey:
    """Reads a key in Base32 (spaces, lower case and missing padding are fine) or in an otpauth:// address.

    Parameters in the address override the other arguments. Raises SetupError; the key is not quoted.
    https://github.com/google/google-authenticator/wiki/Key-Uri-Format
    """
    if key.strip().lower().startswith("otpauth:"):
        parts = urlsplit(key.strip())
        query = {name.lower(): values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.netloc.lower() != "totp" or "secret" not in query:
            raise SetupError(
                "Of otpauth: addresses only those with a secret that begin with otpauth://totp/ are taken."
            )
        key, algorithm = query["secret"], query.get("algorithm", algorithm)
        try:
            digits, period = int(query.get("digits", digits)), int(query.get("period", period))
        except ValueError as error:
            raise SetupError("digits and period of the otpauth: address are not whole numbers.") from error
    algorithm = algorithm.lower().replace("-", "").removeprefix("hmac")
    if algorithm not in _ALGORITHMS or not 6 <= digits <= 10 or not 1 <= period <= 3600:
        raise SetupError("A TOTP has 6 to 10 digits, a period of 1 to 3600 s, and sha1, sha256 or sha512.")
    text = re.sub(r"[\s=-]", "", key)
    try:
        secret = base64.b32decode(text.upper() + "=" * (-len(text) % 8))
    except (binascii.Error, ValueError):
        raise SetupError("The key of a TOTP is not Base32 (A to Z and 2 to 7).") from None  # it may quote the key
    if len(secret) < 4:
        raise SetupError("The key of a TOTP is too short.")
    return TotpKey(secret, text, digits, period, algorithm)


def code_at(key: TotpKey, at: float) -> str:
    """The code for a time in Unix seconds: https://www.rfc-editor.org/rfc/rfc4226#section-5.3."""
    counter = int(at // key.period)
    digest = hmac.new(key.secret, counter.to_bytes(8, "big"), _ALGORITHMS[key.algorithm]).digest()
    start = digest[-1] & 0xF
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**key.digits).zfill(key.digits)
