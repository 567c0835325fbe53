"""The flow of ten steps by command line, beside others: `python -m bench.shell`."""
