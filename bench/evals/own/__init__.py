"""Our own tasks, on applications that people use: each starts with fresh state, and is asked what became of it."""

from __future__ import annotations

from bench.evals.own import books, flows, library, mail, notebooks, pages, runs, shop, stall, todos, wiki
from bench.evals.own.case import TASKS
from bench.evals.task import Task

__all__ = ["books", "flows", "library", "mail", "notebooks", "pages", "runs", "shop", "stall", "todos", "wiki"]


def tasks() -> list[Task]:
    """All of them, application by application."""
    return TASKS
