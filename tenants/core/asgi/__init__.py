"""The handling of a request before Django, and the work that waits and runs beside requests."""
