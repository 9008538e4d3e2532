"""The authentication of callers: by a key, by a signed-in session, through another service, or as an operator in a
tenant.
"""
