"""Codes by time, held against appendix B of RFC 6238 (https://www.rfc-editor.org/rfc/rfc6238#appendix-B)."""

import base64

import pytest

from cdp_agent.errors import SetupError
from cdp_agent.security.secrets import Totp
from tests.tables import table

SEEDS = {
    "sha1": b"12345678901234567890",
    "sha256": b"12345678901234567890123456789012",
    "sha512": b"1234567890123456789012345678901234567890123456789012345678901234",
}
VECTORS = [
    (59, "94287082", "46119246", "90693936"),
    (1111111109, "07081804", "68084774", "25091201"),
    (1111111111, "14050471", "67062674", "99943326"),
    (1234567890, "89005924", "91819424", "93441116"),
    (2000000000, "69279037", "90698825", "38618901"),
    (20000000000, "65353130", "77737706", "47863826"),
]
KEY = "JBSWY3DPEHPK3PXP"


@table(("at", "sha1", "sha256", "sha512"), VECTORS)
def test_the_codes_are_those_of_the_standard(at: int, sha1: str, sha256: str, sha512: str) -> None:
    codes = {
        name: Totp(base64.b32encode(seed).decode(), digits=8, algorithm=name).code(at) for name, seed in SEEDS.items()
    }

    assert codes == {"sha1": sha1, "sha256": sha256, "sha512": sha512}


@pytest.mark.parametrize("key", ["jbsw y3dp ehpk 3pxp", "JBSWY3DPEHPK3PXP====", "JBSW-Y3DP-EHPK-3PXP"])
def test_a_key_is_read_as_sites_write_it(key: str) -> None:
    assert Totp(key).code(0) == Totp(KEY).code(0)


def test_an_otpauth_address_says_everything() -> None:
    address = f"otpauth://totp/Shop:anna?secret={KEY}&issuer=Shop&algorithm=SHA256&digits=8&period=60"

    assert Totp(address).code(90) == Totp(KEY, algorithm="sha256", digits=8, period=60).code(90)


def test_a_code_changes_with_the_period() -> None:
    codes = [Totp(KEY, period=60).code(at) for at in (0, 59, 60)]

    assert codes[0] == codes[1] != codes[2]


@table(
    "totp",
    [
        Totp("not base32!"),
        Totp(""),
        Totp(KEY, digits=5),
        Totp(KEY, period=0),
        Totp(KEY, algorithm="md5"),
        Totp(f"otpauth://hotp/x?secret={KEY}&counter=1"),
        Totp(f"otpauth://totp/x?secret={KEY}&digits=many"),
        Totp("otpauth://totp/x"),
    ],
)
def test_what_is_no_key_is_refused_without_quoting_it(totp: Totp) -> None:
    with pytest.raises(SetupError) as refused:
        totp.code()

    assert totp.key == "" or totp.key not in str(refused.value)


def test_a_key_is_not_shown() -> None:
    assert KEY not in repr(Totp(KEY))
