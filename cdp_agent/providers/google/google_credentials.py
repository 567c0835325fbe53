"""Google's Application Default Credentials: https://cloud.google.com/docs/authentication/application-default-credentials.

A user's credentials (`gcloud auth application-default login`) and those of a machine in Google's cloud need only HTTP.
A service account's key signs with RSA, for which the extra `vertex` installs `cryptography`.
"""

from __future__ import annotations

import base64
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from cdp_agent.errors import AuthenticationError, BadReply, ModelError, Overloaded, SetupError
from cdp_agent.extras import missing_extra
from cdp_agent.providers.shared.json_reading import decode

if TYPE_CHECKING:
    import httpx

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_TOKENS = "https://oauth2.googleapis.com/token"
_METADATA_HOST = "metadata.google.internal"
_METADATA_PATH = "/computeMetadata/v1/instance/service-accounts/default/token"
_METADATA_TIMEOUT_S = 3
_EARLY_S = 60
_LIFETIME_S = 3600
_LATER = (408, 429)


class AccessToken:
    """A token that the caller has obtained."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def headers(self, http: httpx.AsyncClient) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"}

    def renew(self) -> bool:
        return False


class DefaultCredentials:
    """Application Default Credentials: the file that GOOGLE_APPLICATION_CREDENTIALS names, else gcloud's, else the
    machine's.

    A token is fetched when it is first needed, and again a minute before it expires.
    """

    def __init__(self, provider: str, environment: Mapping[str, str]) -> None:
        self._provider = provider
        self._metadata_host = environment.get("GCE_METADATA_HOST") or _METADATA_HOST
        self._file = _file(environment)
        self._token = ""
        self._expires = -math.inf
        """In the time of `time.monotonic`."""

    async def headers(self, http: httpx.AsyncClient) -> dict[str, str]:
        """The headers.

        Raises AuthenticationError, another ModelError when no server could be reached, SetupError for an invalid file.
        """
        if time.monotonic() > self._expires - _EARLY_S:
            await self._fetch(http)
        return {"Authorization": f"Bearer {self._token}"}

    def renew(self) -> bool:
        """Forgets the token, which may have been revoked early."""
        self._expires = -math.inf
        return True

    async def _fetch(self, http: httpx.AsyncClient) -> None:
        import httpx  # late: takes long to import

        try:
            if self._file is None:
                response = await http.get(
                    f"http://{self._metadata_host}{_METADATA_PATH}",
                    headers={"Metadata-Flavor": "Google"},
                    timeout=_METADATA_TIMEOUT_S,
                )
            else:
                address, form = self._exchange(self._file)
                response = await http.post(address, data=form)
        except httpx.TransportError as error:
            raise ModelError(self._provider, self._unreachable(error)) from error
        if response.status_code >= 500 or response.status_code in _LATER:
            words = f"Google's token server answered with HTTP status {response.status_code}."
            raise Overloaded(self._provider, words, response.status_code)
        if response.status_code != 200:
            raise AuthenticationError(self._provider, _refusal(response.content), response.status_code)
        try:
            found = decode(response.content)
            self._token, self._expires = str(found["access_token"]), time.monotonic() + float(found["expires_in"])
        except (KeyError, TypeError, ValueError) as error:  # msgspec.DecodeError is one
            raise BadReply(self._provider, "Google's answer to a request for a token holds none.") from error

    def _unreachable(self, error: Exception) -> str:
        if self._file is not None:
            return f"Google could not be asked for a token: {error or type(error).__name__}."
        return (
            "no credentials were found: run `gcloud auth application-default login`, name a file in "
            "GOOGLE_APPLICATION_CREDENTIALS, or set GOOGLE_VERTEX_API_KEY or GOOGLE_VERTEX_ACCESS_TOKEN."
        )

    def _exchange(self, path: Path) -> tuple[str, dict[str, str]]:
        """The address where the file's credentials are exchanged for a token, and the form to send there."""
        try:
            credentials = msgspec.json.decode(path.read_bytes())
            if credentials["type"] == "authorized_user":
                names = ("client_id", "client_secret", "refresh_token")
                return _TOKENS, {"grant_type": "refresh_token", **{name: credentials[name] for name in names}}
            if credentials["type"] == "service_account":
                address = credentials.get("token_uri") or _TOKENS
                grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
                return address, {"grant_type": grant, "assertion": _assertion(credentials, address)}
        except (OSError, msgspec.DecodeError, KeyError, TypeError) as error:
            raise SetupError(f"The Google credentials in {path} cannot be read: {error!r}.") from error
        raise SetupError(
            f"The Google credentials in {path} are of the type {credentials['type']!r}, which is not known here: "
            "set GOOGLE_VERTEX_ACCESS_TOKEN to what `gcloud auth print-access-token` prints."
        )


def _file(environment: Mapping[str, str]) -> Path | None:
    if named := environment.get("GOOGLE_APPLICATION_CREDENTIALS"):
        return Path(named)
    folder = environment.get("CLOUDSDK_CONFIG")
    home = environment.get("APPDATA") or (Path(environment["HOME"]) / ".config" if environment.get("HOME") else None)
    if folder is None and home is None:
        return None
    path = Path(folder or Path(str(home)) / "gcloud") / "application_default_credentials.json"
    return path if path.is_file() else None


def _assertion(account: dict[str, Any], audience: str) -> str:
    """The signed assertion of a service account:
    https://developers.google.com/identity/protocols/oauth2/service-account.
    """
    try:
        from cryptography.hazmat.primitives import hashes, serialization  # late: an extra
        from cryptography.hazmat.primitives.asymmetric import padding, rsa
    except ImportError as error:
        raise missing_extra("A Google service account's key file needs cryptography", "vertex") from error
    now = int(time.time())
    header = {"alg": "RS256", "typ": "JWT", "kid": account.get("private_key_id")}
    claims = {
        "iss": account["client_email"],
        "scope": _SCOPE,
        "aud": audience,
        "iat": now,
        "exp": now + _LIFETIME_S,
    }
    signed = f"{_base64url(msgspec.json.encode(header))}.{_base64url(msgspec.json.encode(claims))}"
    try:
        key = serialization.load_pem_private_key(account["private_key"].encode(), password=None)
    except ValueError as error:
        raise SetupError("The private key in the Google credentials is not one.") from error
    if not isinstance(key, rsa.RSAPrivateKey):
        raise SetupError("The private key in the Google credentials is not of the kind RSA.")
    return f"{signed}.{_base64url(key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _refusal(body: bytes) -> str:
    """The error message of Google's token server, which never contains a secret:
    https://www.rfc-editor.org/rfc/rfc6749#section-5.2.
    """
    try:
        found = decode(body)
        words = f"{found['error']}: {found.get('error_description') or 'no more was said'}"
    except (ValueError, KeyError, TypeError, AttributeError):
        words = " ".join(body.decode(errors="replace").split())[:200]
    return f"Google gave no token ({words}): run `gcloud auth application-default login` again, or renew the key file."
