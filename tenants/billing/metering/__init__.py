"""Use that has no row of its own when it happens: written to a durable stream first, and from there to usage, once."""
