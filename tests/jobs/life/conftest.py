"""The `desk` of the reuse tests, whose model has a cache."""

from tests.jobs.results.reuse.conftest import bench, make_bench

__all__ = ["bench", "make_bench"]
