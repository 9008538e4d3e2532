"""Requests to URLs that tenants name. None of them reaches an address that is not public."""
