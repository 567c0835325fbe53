"""The options that the operator of the server sets for all callers."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec

from cdp_agent.errors import SetupError
from cdp_agent.page.policy.rules import Pattern, pattern
from cdp_agent.security.origins import origin_of, scheme_of


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options. Every caller must send `token`, unless it is None. `hosts` and `origins`: see `HttpGuard`.

    `models` are patterns of models that callers may name besides the configured one, such as "openai/*"; only with
    `caller_keys` may they also give a key and an address. `webhooks` are the origins to which results may be sent
    (patterns, see page/policy/rules.py), signed with `webhook_secret`. A finished run is kept for `keep_finished_s`;
    an unused session is closed after `session_idle_s`.
    """

    token: str | None = None
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    max_runs: int = 4
    max_sessions: int = 16
    models: Sequence[str] = ()
    caller_keys: bool = False
    webhooks: Sequence[str] = ()
    webhook_secret: str | None = None
    keep_finished_s: float = 3600.0
    session_idle_s: float = 1800.0
    leave_grace_s: float = 5.0
    """How long a run that stops without watchers waits for one to come back."""

    def __post_init__(self) -> None:
        self.webhook_patterns  # noqa: B018 (raises SetupError)
        if self.webhooks and not self.webhook_secret:
            raise SetupError("Webhooks are signed: set webhook_secret, too.")

    @property
    def webhook_patterns(self) -> list[Pattern]:
        return [pattern(each) for each in self.webhooks]

    def admits_model(self, model: str) -> bool:
        """Whether a caller may choose this model."""
        return any(fnmatchcase(model, each) for each in self.models)

    def admits_webhook(self, url: str) -> bool:
        """Whether results may be sent to this address."""
        scheme, origin = scheme_of(url), origin_of(url)
        return scheme in ("http", "https") and any(each.matches(scheme, origin) for each in self.webhook_patterns)
