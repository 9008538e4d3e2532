"""The scheduler: one leader that does what is due, for every app."""
