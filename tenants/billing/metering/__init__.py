"""Metering of usage that has no row of its own when it happens. It is written to a durable stream first and copied from
there to the usage tables, once.
"""
