"""Output and questions of the command line: texts, live lines, events, logs, approvals. Imports no command."""
