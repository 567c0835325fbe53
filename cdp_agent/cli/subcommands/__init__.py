"""What `cdp-agent` can be told to do, a file each. Imports `cli` and `cli.terminal`; loaded when its command runs."""
