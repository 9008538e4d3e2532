"""Tests of the choice of threads and batches from measurements."""

from pathlib import Path

import numpy as np

from inference.core.calls import Call
from inference.factory.samples import Sample
from inference.factory.sessions import open_with
from inference.factory.setting_runs import measure_settings
from inference.factory.settings import Measured, Setting, chosen_setting, settings_to_try
from tests.inference.runtime.graphs import save_adder


def measured(threads: int, batch: int, rows_per_s: float, p99_ms: float = 1.0) -> Measured:
    return Measured(Setting(threads, batch), rows_per_s, p99_ms)


def test_threads_go_up_to_all_cores() -> None:
    assert {each.threads for each in settings_to_try(6, may_batch=False)} == {1, 2, 4, 6}
    assert {each.batch for each in settings_to_try(1, may_batch=False)} == {1}
    assert sorted({each.batch for each in settings_to_try(1, may_batch=True)}) == [1, 2, 4, 8, 16, 32]


def test_more_threads_and_larger_batches_must_gain_for_what_they_take() -> None:
    alone, together = measured(1, 1, 100), measured(1, 8, 300)
    assert chosen_setting([together, alone]) == together
    assert chosen_setting([alone, measured(1, 8, 105)]) == alone
    assert chosen_setting([alone, together, measured(2, 8, 310)]) == together
    assert chosen_setting([alone, together, measured(2, 8, 500)]) == measured(2, 8, 500)


def test_a_setting_over_the_latency_is_not_chosen() -> None:
    slow = measured(1, 32, 1000, p99_ms=80)
    assert chosen_setting([measured(1, 1, 100), slow], max_p99_ms=50) == measured(1, 1, 100)
    assert chosen_setting([slow], max_p99_ms=50) is None
    assert chosen_setting([]) is None


def test_each_setting_is_measured(tmp_path: Path) -> None:
    rows = Sample("rows", "rows", {"x": np.ones((3, 4), np.float32)}, 3)
    found = measure_settings(save_adder(tmp_path / "adder.onnx"), [rows], open_with=open_with, cores=2, call=Call())
    assert {(each.setting.threads, each.setting.batch) for each in found} == {
        (threads, batch) for threads in (1, 2) for batch in (1, 2, 4, 8, 16, 32)
    }
    assert all(each.rows_per_s > 0 and each.p99_ms > 0 for each in found)
