"""Batches: many tasks, several at a time, each in its own browser context, on this machine or on a cluster.

Tasks and results are lines of JSON (`tasks.py`, `results.py`). `running.py` decides when each task begins, using what
`journal.py` recorded in an earlier process, and `working.py` carries out one attempt at one task. May import every
layer below `server`.
"""

from cdp_agent.jobs.progress import JobProgress as JobProgress
from cdp_agent.jobs.progress import ReportedProgress as ReportedProgress
from cdp_agent.jobs.progress import read_progress as read_progress
from cdp_agent.jobs.results import JobResult as JobResult
from cdp_agent.jobs.running import JobRun as JobRun
from cdp_agent.jobs.running import run as run
from cdp_agent.jobs.tasks import Job as Job
from cdp_agent.jobs.tasks import JobOptions as JobOptions
from cdp_agent.jobs.tasks import read_jobs as read_jobs
