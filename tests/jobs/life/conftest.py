"""The desk, whose model's results are kept. It is the one of the reuse tests."""

from tests.jobs.results.reuse.conftest import bench, make_bench

__all__ = ["bench", "make_bench"]
