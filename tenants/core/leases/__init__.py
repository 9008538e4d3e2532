"""Leases of rows."""
