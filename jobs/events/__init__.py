"""The event log of jobs, and the notifications that something has changed."""
