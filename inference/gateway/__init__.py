"""Synchronous inference over HTTP: calls that machines make by the million, answered ahead of Django."""
