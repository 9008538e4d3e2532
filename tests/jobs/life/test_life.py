"""Test that no job is lost or stays open and each page that succeeds is charged once, whatever happens in any order."""

import os

import pytest
from django.test import override_settings
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.jobs.life.machine import Life
from tests.jobs.results.reuse.conftest import Bench

FEW = 3
MANY = int(os.environ.get("MAAS_TEST_LIFE_EXAMPLES", "60"))
STEPS = 40
LEASE_S = 3600
"""The duration of a lease. A lease ends when the machine says so, and never because a step took long."""


@override_settings(MAAS_LEASE_S=LEASE_S)
@pytest.mark.parametrize("examples", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
def test_nothing_is_lost_charged_twice_or_left_open(bench: Bench, examples: int) -> None:
    profile = settings(max_examples=examples, stateful_step_count=STEPS)
    run_state_machine_as_test(lambda: Life(bench), settings=profile)  # type: ignore[arg-type]  # whatever makes one will do
