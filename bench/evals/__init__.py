"""Evaluations that anybody can run: tasks with a start for each seed, judged by the application's own state.

`python -m bench.evals` plays them, with a model or with scripted policies; see README.md.
"""
