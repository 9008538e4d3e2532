"""Limits on what an account, a key and a model may do."""
