"""Policies for WebGames: what they do is in the view, but for what only a picture shows."""

from __future__ import annotations

from bench.evals.task import Policy

POLICIES: dict[str, Policy] = {}
