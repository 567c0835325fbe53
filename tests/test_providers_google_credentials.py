"""Google's Application Default Credentials, from files and from the machine that we run on."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from cdp_agent.errors import AuthenticationError, ModelError, Overloaded, SetupError
from cdp_agent.extras import install_command
from cdp_agent.providers.google.google_credentials import AccessToken, DefaultCredentials

USER = {"type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r"}


class Google:
    """Answers requests for tokens with a new one each time, and keeps them."""

    def __init__(self, answer: Callable[[], httpx.Response] | None = None, lifetime_s: float = 3600) -> None:
        self.asked: list[httpx.Request] = []
        self._answer = answer
        self._lifetime_s = lifetime_s
        self.http = httpx.AsyncClient(transport=httpx.MockTransport(self._take))

    def _take(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        if self._answer is not None:
            return self._answer()
        return httpx.Response(200, json={"access_token": f"t{len(self.asked)}", "expires_in": self._lifetime_s})

    @property
    def form(self) -> dict[str, str]:
        """What the last request sent."""
        return {name: values[0] for name, values in parse_qs(self.asked[-1].content.decode()).items()}


def file_with(folder: Path, content: Any) -> dict[str, str]:
    path = folder / "credentials.json"
    path.write_text(json.dumps(content))
    return {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}


async def headers(google: Google, environment: dict[str, str]) -> dict[str, str]:
    return await DefaultCredentials("vertex", environment).headers(google.http)


async def test_a_users_own_credentials_are_exchanged_for_a_token(tmp_path: Path) -> None:
    google = Google()

    found = await headers(google, file_with(tmp_path, USER))

    assert found == {"Authorization": "Bearer t1"}
    assert str(google.asked[0].url) == "https://oauth2.googleapis.com/token"
    assert google.form == {
        "grant_type": "refresh_token",
        "client_id": "i",
        "client_secret": "s",
        "refresh_token": "r",
    }


async def test_gclouds_own_file_is_found(tmp_path: Path) -> None:
    (tmp_path / ".config" / "gcloud").mkdir(parents=True)
    (tmp_path / ".config" / "gcloud" / "application_default_credentials.json").write_text(json.dumps(USER))
    google = Google()

    await headers(google, {"HOME": str(tmp_path)})

    assert google.form["refresh_token"] == "r"


async def test_a_service_account_signs_who_it_is(tmp_path: Path) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    account = {
        "type": "service_account",
        "client_email": "a@p.iam.gserviceaccount.com",
        "private_key": pem,
        "private_key_id": "k1",
        "token_uri": "https://oauth2.example/token",
    }
    google = Google()

    found = await headers(google, file_with(tmp_path, account))

    assert found == {"Authorization": "Bearer t1"}
    assert str(google.asked[0].url) == "https://oauth2.example/token"
    assert google.form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
    head, claims, signature = (base64.urlsafe_b64decode(part + "==") for part in google.form["assertion"].split("."))
    signed = google.form["assertion"].rpartition(".")[0].encode()
    key.public_key().verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
    assert json.loads(head) == {"alg": "RS256", "typ": "JWT", "kid": "k1"}
    told = json.loads(claims)
    assert abs(told.pop("iat") - time.time()) < 60
    assert abs(told.pop("exp") - time.time() - 3600) < 60
    assert told == {
        "iss": "a@p.iam.gserviceaccount.com",
        "scope": "https://www.googleapis.com/auth/cloud-platform",
        "aud": "https://oauth2.example/token",
    }


async def test_without_cryptography_a_service_account_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography.hazmat.primitives", None)
    account = {"type": "service_account", "client_email": "a", "private_key": "k"}

    with pytest.raises(SetupError, match=re.escape(install_command("vertex"))):
        await headers(Google(), file_with(tmp_path, account))


async def test_a_machine_of_googles_is_asked_for_its_token(tmp_path: Path) -> None:
    google = Google()

    found = await headers(google, {"HOME": str(tmp_path)})

    assert found == {"Authorization": "Bearer t1"}
    assert google.asked[0].url.host == "metadata.google.internal"
    assert google.asked[0].headers["Metadata-Flavor"] == "Google"


async def test_a_token_is_kept_until_a_minute_before_it_expires(tmp_path: Path) -> None:
    lasting, expiring = Google(), Google(lifetime_s=59)
    environment = file_with(tmp_path, USER)

    for google in (lasting, expiring):
        credentials = DefaultCredentials("vertex", environment)
        await credentials.headers(google.http)
        await credentials.headers(google.http)

    assert (len(lasting.asked), len(expiring.asked)) == (1, 2)


async def test_a_token_of_the_callers_is_used_as_it_is() -> None:
    assert await AccessToken("t").headers(Google().http) == {"Authorization": "Bearer t"}


async def test_no_credentials_at_all_are_told_with_what_to_do(tmp_path: Path) -> None:
    def nobody() -> httpx.Response:
        raise httpx.ConnectError("no such host")

    with pytest.raises(ModelError, match="no credentials were found: run `gcloud auth application-default login`"):
        await headers(Google(nobody), {"HOME": str(tmp_path)})


async def test_what_google_refuses_is_an_authentication_error(tmp_path: Path) -> None:
    google = Google(lambda: httpx.Response(400, json={"error": "invalid_grant", "error_description": "Expired."}))

    with pytest.raises(AuthenticationError, match=r"invalid_grant: Expired\.") as caught:
        await headers(google, file_with(tmp_path, USER))

    assert caught.value.status == 400


async def test_a_token_server_that_is_busy_is_no_matter_of_the_key(tmp_path: Path) -> None:
    with pytest.raises(Overloaded, match="Google's token server answered with HTTP status 500") as caught:
        await headers(Google(lambda: httpx.Response(500)), file_with(tmp_path, USER))

    assert caught.value.status == 500


async def test_a_token_that_was_refused_is_renewed(tmp_path: Path) -> None:
    google, credentials = Google(), DefaultCredentials("vertex", file_with(tmp_path, USER))
    first = await credentials.headers(google.http)

    assert credentials.renew()
    assert (first, await credentials.headers(google.http)) == (
        {"Authorization": "Bearer t1"},
        {"Authorization": "Bearer t2"},
    )
    assert not AccessToken("t").renew()


async def test_an_answer_without_a_token_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds none"):
        await headers(Google(lambda: httpx.Response(200, json=[])), file_with(tmp_path, USER))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"type": "external_account"}, "are of the type 'external_account', which is not known here"),
        ({"type": "authorized_user"}, "cannot be read: KeyError"),
        ([], "cannot be read: TypeError"),
        (
            {"type": "service_account", "client_email": "a", "private_key": "nonsense"},
            "The private key in the Google credentials is not one.",
        ),
    ],
)
async def test_a_wrong_file_is_told(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        await headers(Google(), file_with(tmp_path, content))

    assert message in str(caught.value)


async def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        await headers(Google(), {"GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "none.json")})
