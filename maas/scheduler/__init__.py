"""The scheduler: one leading process runs the due duties of every app."""
