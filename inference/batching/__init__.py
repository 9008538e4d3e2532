"""Batching: the inputs of several callers for the same model, run together."""
