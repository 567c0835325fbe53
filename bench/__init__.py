"""What we claim, measured: each file is run as `python -m bench.<name>` and prints a table."""
