"""The commands of `cdp-agent`, a file each, which is loaded when its command runs. Imports `cli` and `cli.terminal`."""
