"""Errors of the simulator."""


class SimulationRefused(Exception):
    """The scenario, trace or price list cannot be simulated. The text says why."""
