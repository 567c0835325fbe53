"""MLflow's server in one process, without what runs jobs, on a port of its own, printed as the first line.

Run in an environment with mlflow. Arguments: a folder for its database and files, and the port.
"""

import os
import sys

folder, port = sys.argv[1:]
os.environ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"
os.environ["_MLFLOW_SERVER_FILE_STORE"] = f"sqlite:///{folder}/mlflow.db"
os.environ["_MLFLOW_SERVER_ARTIFACT_ROOT"] = f"{folder}/files"

from mlflow.server import app  # noqa: E402  (it reads the environment when it is imported)
from werkzeug.serving import run_simple  # noqa: E402

print(f"http://127.0.0.1:{port}", flush=True)
run_simple("127.0.0.1", int(port), app, threaded=True)
