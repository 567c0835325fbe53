"""Many tasks: carried out several at a time, each in a browser context of its own, here or over a cluster.

Tasks and results are lines of JSON (`tasks.py`, `results.py`). `running.py` decides which task is begun when, also by
what `journal.py` has recorded of an earlier process, and `working.py` carries out one attempt at one task. May import
every layer below `server`.
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
