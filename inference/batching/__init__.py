"""What several callers want from one model at the same time, run as one."""
