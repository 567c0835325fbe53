"""`python -m cdp_agent` is the command `cdp-agent`."""

import sys

from cdp_agent.cli import main

sys.exit(main())
