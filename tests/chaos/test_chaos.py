"""Runs the harness for a short time. `make chaos` runs it for longer."""

import os
import subprocess
import sys

import pytest

from tests.kept_cluster import PROJECT
from tests.services import without_product

pytestmark = pytest.mark.xdist_group("chaos")
TIMEOUT_S = 400.0


def chaos(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.chaos", *words],
        cwd=PROJECT,
        env=without_product(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_whatever_is_killed_frozen_cut_broken_wiped_or_replaced_every_accepted_job_ends_and_is_charged_once() -> None:
    words = "--plain --seed 53 --jobs 80 --kills 4 --freezes 1 --cuts 1 --wipes 1 --breaks 2 --promotes 1 --lease 2"
    ended = chaos(*words.split())
    assert ended.returncode == 0, ended.stdout
    assert "promote the standby of postgres" in ended.stdout
    assert "0 lost, 0 doubled, 0 charged twice, 0 not charged; otherwise broken: nothing" in ended.stdout


def test_without_the_outbox_the_harness_finds_lost_jobs() -> None:
    words = "--control --plain --seed 6 --jobs 60 --kills 0 --freezes 0 --cuts 0 --wipes 5 --settle 8"
    ended = chaos(*words.split())
    assert ended.returncode == 1, ended.stdout
    assert "BROKEN lost: " in ended.stdout
    assert "*** wipe redis" in ended.stdout
