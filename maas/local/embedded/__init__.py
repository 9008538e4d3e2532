"""PostgreSQL and Redis out of Python wheels, for a machine where nothing is installed."""
