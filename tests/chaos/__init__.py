"""Runs the whole product under load while its processes are killed: no accepted job may be lost or charged twice."""
