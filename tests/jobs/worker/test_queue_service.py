"""Test that workers leave their queues under load without a failed call, a cold call or a counted attempt."""

from pathlib import Path

import pytest

from tenants.identity.identity import Identity
from tests.inference.workers.placement.models import pool_of_models
from tests.jobs.worker.scale_in import Drains, Load

DRAINS = 8
"""The workers that are given up here. The benchmark `bench_scale_in` gives up hundreds."""


@pytest.mark.xdist_group("drains")
def test_workers_that_leave_under_load_fail_no_call_and_count_no_attempt(identity: Identity, tmp_path: Path) -> None:
    pool = pool_of_models(2, tmp_path)
    load = Load(identity, pool.keys)
    with Drains(pool) as drains:
        with load.running():
            for _ in range(DRAINS):
                drains.replace_worker()
        load.wait_for_jobs()
    assert load.calls > DRAINS
    assert (load.failures, load.cold_calls, load.counted_attempts(), load.failed_jobs()) == ([], 0, 0, 0)
