"""Test that sharing never changes an answer: inputs of many tenants together and alone, byte by byte."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from inference.batching.limits import Sharing
from inference.batching.watch import BatchFigures
from inference.core.calls import Call
from inference.core.contracts import TensorInput, TextInput, VersionSpec, WorkInput
from inference.core.errors import CallCanceled, ModelFailed
from inference.engine.engine import Engine, local_engine
from inference.runtime.batched import EMBED_LIMITS, ONNX_LIMITS, Part
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.runtime.graphs import save_adder, save_graph, save_graph_text, save_scaler
from tests.inference.runtime.pictures import LETTER, draw_page, picture_page


@pytest.fixture(scope="module")
def engine() -> Engine:
    return local_engine()


def answer(engine: Engine, spec: VersionSpec, work: WorkInput, tenant: str = "") -> str:
    parameters = {"min_confidence": 0.0} if spec.runtime == "ocr" else {}
    return json.dumps(engine.run(spec, work, parameters, Call(tenant=tenant)).result, default=_plain)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value)


def all_at_once(engine: Engine, spec: VersionSpec, works: Sequence[WorkInput]) -> list[str]:
    """Return an answer or error code for every input, each in a thread of its own, all started together."""
    start = Barrier(len(works))

    def one(number: int) -> str:
        start.wait(30)
        try:
            return answer(engine, spec, works[number], f"tenant-{number % 7}")
        except ModelFailed as failure:
            return failure.code

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(one, range(len(works))))


def batches(engine: Engine) -> int:
    return sum(session.tally.runs for session in engine.batchers.sessions())


def test_texts_of_many_tenants(engine: Engine) -> None:
    spec = builtin_specs()["embed"]
    words = "the quick brown fox jumps over the lazy dog while rain falls on Hamburg".split()  # noqa: SIM905
    texts = [" ".join(words[(5 * length + i) % len(words)] for i in range(length)) for length in range(1, 21)]
    works = [TextInput((text,), single=True) for text in texts]
    alone = [answer(engine, spec, work) for work in works]
    before = batches(engine)
    assert all_at_once(engine, spec, works) == alone
    assert batches(engine) - before < len(works)


def test_lines_of_many_pages(engine: Engine) -> None:
    spec = builtin_specs()["read"]
    some = (LETTER[:3], LETTER[3:0:-1], LETTER[4:5])
    pages = [picture_page(draw_page(lines, width=620, height=620)) for lines in some]
    alone = [answer(engine, spec, page) for page in pages]
    assert all_at_once(engine, spec, pages) == alone


def test_tensors_of_many_tenants(engine: Engine, tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    weights = generator.standard_normal((64, 64)).astype(np.float32)
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    path = save_graph(tmp_path / "matrix.onnx", node, ["rows", 64], w=weights)
    spec = VersionSpec("matrix", 1, "digest", "onnx", {"weights": str(path)})
    works = [
        TensorInput({"x": generator.standard_normal((1 + number % 3, 64)).astype(np.float32)}) for number in range(40)
    ]
    alone = [answer(engine, spec, work) for work in works]
    assert all_at_once(engine, spec, works) == alone


def test_a_graph_that_mixes_its_rows_never_sees_two_callers(engine: Engine, tmp_path: Path) -> None:
    node = helper.make_node("Softmax", ["x"], ["y"], axis=0)
    path = save_graph(tmp_path / "mixing.onnx", node, ["rows", 4], TensorProto.FLOAT)
    spec = VersionSpec("mixing", 1, "digest", "onnx", {"weights": str(path)})
    works = [TensorInput({"x": np.full((2, 4), number, np.float32)}) for number in range(12)]
    assert set(all_at_once(engine, spec, works)) == {answer(engine, spec, works[0])}


def test_a_graph_that_mixes_rows_by_their_values_never_sees_two_callers(engine: Engine, tmp_path: Path) -> None:
    spec = VersionSpec("scaler", 1, "digest", "onnx", {"weights": str(save_scaler(tmp_path / "scaler.onnx"))})
    works = [TensorInput({"x": np.full((1, 64), 0.5 if number % 2 else 200, np.float32)}) for number in range(40)]
    alone = [answer(engine, spec, work) for work in works[:2]]
    assert all_at_once(engine, spec, works) == alone * 20


def batches_of(engine: Engine, spec: VersionSpec, sharing: Sharing | None, works: Sequence[WorkInput]) -> int:
    """Return how many runs these callers' inputs took, while another caller keeps the model busy."""
    own = EMBED_LIMITS if spec.runtime == "embed" else ONNX_LIMITS
    part = Part(spec.key, "weights")
    engine.batchers.limit({} if sharing is None else {part: replace(own, sharing=sharing)})
    try:
        answer(engine, spec, works[0])
        before = batches(engine)
        all_at_once(engine, spec, works)
        return batches(engine) - before
    finally:
        engine.batchers.limit({})


def test_an_operator_may_forbid_that_callers_share_runs(engine: Engine) -> None:
    spec = builtin_specs()["embed"]
    works = [TextInput(("rain falls on Hamburg",), single=True) for _ in range(24)]
    assert batches_of(engine, spec, Sharing.NEVER, works) == len(works)
    assert batches_of(engine, spec, None, works) < len(works)


def test_a_callers_own_texts_still_run_together_where_callers_share_nothing(engine: Engine) -> None:
    spec = builtin_specs()["embed"]
    works = [TextInput(("rain falls on Hamburg", "rain falls on Hamburg"), single=False) for _ in range(4)]
    assert batches_of(engine, spec, Sharing.NEVER, works) == len(works)


def test_rows_that_only_trials_keep_apart_are_shared_at_the_operators_word(engine: Engine, tmp_path: Path) -> None:
    """The graph mixes its rows only for values that are larger than those of any trial."""
    path = save_graph_text(
        tmp_path / "sneaking.onnx",
        """sneaking (float[n, 256] x) => (float[n, 256] y) <float most = {1e9}>
        { m = ReduceMax<keepdims = 0>(x) b = Sub(m, most) r = Relu(b) y = Add(x, r) }""",
    )
    spec = VersionSpec("sneaking", 1, "digest", "onnx", {"weights": str(path)})
    works = [TensorInput({"x": np.full((1, 256), number, np.float32)}) for number in range(40)]
    assert batches_of(engine, spec, None, works) == len(works)
    assert batches_of(engine, spec, Sharing.TRIED, works) < len(works)


def test_one_callers_input_that_widens_the_answer_fails_alone(engine: Engine, tmp_path: Path) -> None:
    """The graph declares rows of two, and widens the whole batch if a value is larger than any trial's."""
    path = save_graph_text(
        tmp_path / "widening.onnx",
        """widening (float[n, 2] x) => (float[n, 2] y)
        <float far = {1000000.0}, int64 least = {1}, int64[1] one = {1}, int64[1] zero = {0}>
        { m = ReduceMax<keepdims = 0>(x) b = Sub(m, far) r = Relu(b) i = Cast<to = 7>(r) t = Add(i, least)
          v = Unsqueeze(t, zero) times = Concat<axis = 0>(one, v) y = Tile(x, times) }""",
    )
    spec = VersionSpec("widening", 1, "digest", "onnx", {"weights": str(path)})
    works = [
        TensorInput({"x": np.full((1, 2), 1_000_003 if number == 5 else number, np.float32)}) for number in range(24)
    ]
    alone = [answer(engine, spec, work) for work in (*works[:5], *works[6:])]
    engine.batchers.limit({Part(spec.key, "weights"): replace(ONNX_LIMITS, sharing=Sharing.TRIED)})
    before = batches(engine)
    answers = all_at_once(engine, spec, works)
    engine.batchers.limit({})
    assert answers.pop(5) == "model_output_invalid"
    assert answers == alone
    assert batches(engine) - before < len(works)


def test_one_callers_nan_reaches_nobody_else(engine: Engine, tmp_path: Path) -> None:
    path = save_adder(tmp_path / "adder.onnx", floats=4)
    spec = VersionSpec("adder", 1, "digest", "onnx", {"weights": str(path)})
    works = [TensorInput({"x": np.full((1, 4), np.nan if number == 5 else number, np.float32)}) for number in range(12)]
    answers = all_at_once(engine, spec, works)
    assert answers[5] == "model_output_not_finite"
    assert [json.loads(got)["outputs"][0]["data"] for got in answers[:5]] == [[number + 1.0] * 4 for number in range(5)]


def test_a_call_canceled_before_its_run_costs_none(engine: Engine) -> None:
    call = Call()
    call.cancel()
    with pytest.raises(CallCanceled):
        engine.run(builtin_specs()["embed"], TextInput(("a",), single=True), {}, call)


def test_batches_follow_limits_that_change_while_callers_run(engine: Engine) -> None:
    spec = builtin_specs()["embed"]
    part = Part(spec.key, "weights")
    works = [TextInput(("rain falls on Hamburg",), single=True) for _ in range(24)]
    expected = [answer(engine, spec, works[0])] * len(works)

    def rows_per_batch() -> float:
        before = engine_figures(engine, part)
        assert all_at_once(engine, spec, works) == expected
        after = engine_figures(engine, part)
        return (after.rows - before.rows) / (after.batches - before.batches)

    stop = Event()

    def go_on() -> None:
        while not stop.is_set():
            answer(engine, spec, works[0], "a tenant who never stops")

    with ThreadPoolExecutor(2) as pool:
        others = [pool.submit(go_on) for _ in range(2)]
        try:
            engine.batchers.limit({part: replace(EMBED_LIMITS, max_rows=1)})
            # Batches that were put together earlier have run when this is answered.
            answer(engine, spec, works[0])
            assert rows_per_batch() == 1
            engine.batchers.limit({})
            assert rows_per_batch() > 1
        finally:
            stop.set()
    for other in others:
        other.result()


def engine_figures(engine: Engine, part: Part) -> BatchFigures:
    return next(figures.batches for figures in engine.batchers.figures() if figures.part == part)
