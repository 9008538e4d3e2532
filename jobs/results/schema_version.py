"""The version of the schema of results, `schemas/result-1.json`."""

SCHEMA_VERSION = 1
"""A field that is removed or changes its meaning makes a new version."""
