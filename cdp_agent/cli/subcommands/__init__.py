"""The commands of `cdp-agent`, one per file, each loaded when its command runs. Imports `cli` and `cli.terminal`."""
