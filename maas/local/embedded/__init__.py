"""PostgreSQL and Redis servers from Python wheels, for a machine where none are installed."""
