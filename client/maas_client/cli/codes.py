"""Exit codes of the command."""

DONE, JOB_FAILED, USAGE, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130
