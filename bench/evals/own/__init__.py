"""Our own tasks, on applications that people use: each is had, started with fresh state, and asked what became of it."""

from __future__ import annotations

from bench.evals.own import books, flows, library, mail, notebooks, pages, runs, shop, stall, todos, wiki
from bench.evals.own.case import TASKS

__all__ = ["TASKS", "books", "flows", "library", "mail", "notebooks", "pages", "runs", "shop", "stall", "todos", "wiki"]
