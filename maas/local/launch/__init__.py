"""Brings the whole product up on one machine: services, steps, processes, and what to do next."""
