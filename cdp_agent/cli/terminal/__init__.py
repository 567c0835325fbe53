"""What the command line writes and asks: texts, live lines, events, logs, approvals. Imports no command."""
