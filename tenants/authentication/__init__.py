"""The authentication of callers: by a key, a session, another service, or as an operator in a tenant."""
