"""Test that no more is charged than was reserved."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.charging import charged, charged_beside
from inference.core.contracts import Units
from tenants.plans.prices import METERS_OF_WORK

MAX_MS = 10_000
TIMES_US = st.integers(0, 50_000_000)


@given(TIMES_US, TIMES_US)
def test_what_runs_and_what_is_known_together_are_no_more_than_the_most(ran_us: int, known_us: int) -> None:
    ran = charged(Units(device_us=ran_us), "gpu_second")
    known = charged_beside(Units(device_us=known_us), "gpu_second", ran)
    assert 0 <= known <= MAX_MS - ran


def test_the_most_is_a_setting_and_bounds_no_other_meter(settings: Any) -> None:
    settings.MAAS_HOLD_GPU_MS_PER_PAGE = 7
    units = Units(pages=20, tokens=30, calls=40, device_us=50_000)
    assert [charged(units, meter) for meter in METERS_OF_WORK] == [20, 30, 40, 7]
    assert charged_beside(units, "token", 25) == 30


@pytest.mark.parametrize(("device_us", "ms"), [(9_999_499, 9_999), (10_000_001, 10_000), (90_000_000, 10_000)])
def test_what_a_long_run_takes_beyond_it_is_the_operators(device_us: int, ms: int) -> None:
    assert charged(Units(device_us=device_us), "gpu_second") == ms
