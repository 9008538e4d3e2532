from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from inference.core.calls import Call
from inference.factory.measuring import Conditions, generated_golden, measure_variant
from inference.factory.report import VariantReport
from inference.factory.sessions import opener_in, used_in_host
from inference.model_host import HostLimits, ModelHosts
from tests.inference.runtime.graphs import save_adder, save_graph, save_graph_text


@pytest.fixture(scope="module")
def hosts() -> Iterator[ModelHosts]:
    made = ModelHosts(replace(HostLimits(), memory_bytes=1 << 30), use_bubblewrap=False)
    yield made
    made.close()


def report(source: Path, variant: Path, hosts: ModelHosts) -> VariantReport:
    open_session, call = opener_in(hosts), Call()
    return measure_variant(
        source,
        variant,
        generated_golden(source, open_session=open_session, seed=5, call=call, max_rows=2_000),
        {},
        open_session=open_session,
        progress=lambda _share, _text: None,
        call=call,
        conditions=Conditions(used_bytes=used_in_host, compare_s=5, performance_s=0.2),
    )


def test_files_that_may_be_hostile_are_measured_in_their_own_processes(hosts: ModelHosts, tmp_path: Path) -> None:
    source = save_adder(tmp_path / "adder.onnx")
    found = report(source, source, hosts)
    assert found.verdict.admitted
    assert found.variant is not None
    assert found.variant.memory_bytes > 0
    add = helper.make_node("Add", ["x", "one"], ["y"])
    broken = save_graph(tmp_path / "two.onnx", add, ["rows", 4], one=np.full(4, 2, np.float32))
    assert not report(source, broken, hosts).verdict.admitted


def test_a_variant_that_exhausts_its_process_is_refused(hosts: ModelHosts, tmp_path: Path) -> None:
    source = save_adder(tmp_path / "adder.onnx")
    greedy = save_graph_text(
        tmp_path / "greedy.onnx",
        "g (float[rows,4] x) => (float[rows,4] y) <int64[1] many={8000000000}, int64[1] last={1}, float one={1.0}>"
        " { z=ConstantOfShape(many) m=ReduceMax<keepdims=0>(z) s=Add(x,one) y=Add(s,m) }",
    )
    found = report(source, greedy, hosts).verdict
    assert {reason.code for reason in found.reasons} <= {"does_not_load", "does_not_run"}
    assert not found.admitted
