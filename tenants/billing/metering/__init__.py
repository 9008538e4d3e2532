"""Metering of usage without a row of its own: a durable stream first, copied from there to the tables, once."""
