import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inference.core.calls import Call
from inference.core.contracts import (
    Json,
    PageInput,
    TensorInput,
    TextInput,
    TextLine,
    Units,
    VersionSpec,
    WorkInput,
    WorkOutput,
    WorkRefused,
)
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, StepFailed
from inference.engine.engine import Engine, local_engine
from inference.pipelines.page_run import SideBySide
from inference.pipelines.pipeline import GraphPipeline
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.pipelines.declarations import (
    CLASSIFIER,
    READER,
    changed,
    onnx_spec,
    pipeline_spec,
    save_colors,
)
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs
from tests.inference.runtime.pictures import draw_page, picture_page

TIMEOUT_S = 20
FANNED: Json = {
    "accepts": ["text"],
    "steps": [
        {"name": name, "kind": "model", "role": role, "inputs": {"text": "input"}}
        for name, role in (("a", "first"), ("b", "second"), ("c", "third"))
    ],
    "output": {"a": "a.tokens", "b": "b.tokens", "c": "c.tokens"},
}
"""A pipeline of three models that do not depend on each other."""


CHAINED: Json = {
    "accepts": ["text"],
    "steps": [
        {"name": "a", "kind": "model", "role": "first", "inputs": {"text": "input"}},
        {
            "name": "then",
            "kind": "branch",
            "if": {"value": "a.truncated", "is": False},
            "then": {
                "steps": [{"name": "b", "kind": "model", "role": "second", "inputs": {"text": "input"}}],
                "output": "b.tokens",
            },
            "else": {"output": "a.tokens"},
        },
    ],
    "output": {"tokens": "then"},
}
"""A pipeline of two models, of which the second waits for the output of the first."""


def text_spec(name: str) -> VersionSpec:
    return VersionSpec(name, 1, name, "embed", {})


FANNED_SPEC = pipeline_spec(FANNED, first=text_spec("one"), second=text_spec("two"), third=text_spec("three"))

CHAINED_SPEC = pipeline_spec(CHAINED, first=text_spec("one"), second=text_spec("two"))


@dataclass
class Recorder:
    """A stand-in for the engine that records which models were called, and how many at the same time."""

    each: Any = None
    asked: list[str] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    max_at_once: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput:
        with self.lock:
            self.asked.append(spec.model)
            self.threads.add(threading.get_ident())
            self.at_once += 1
            self.max_at_once = max(self.max_at_once, self.at_once)
        try:
            if self.each is not None:
                self.each(spec.model, call)
        finally:
            with self.lock:
                self.at_once -= 1
        return WorkOutput({"embedding": [1.0], "truncated": False, "tokens": 3, "dimensions": 1}, Units(tokens=3))


def run(pipeline: GraphPipeline, spec: VersionSpec = FANNED_SPEC, call: Call | None = None) -> WorkOutput:
    return pipeline.run(spec, TextInput(("hello",), single=True), {}, call or Call())


def solid(red: int, green: int, blue: int) -> PageInput:
    return picture_page(np.full((40, 30, 3), (red, green, blue), np.uint8))


@pytest.fixture(scope="module")
def colors(tmp_path_factory: pytest.TempPathFactory) -> VersionSpec:
    return onnx_spec(save_colors(tmp_path_factory.mktemp("colors") / "colors.onnx"))


def test_plain_onnx_file_classifies_the_pictures_of_pages(colors: VersionSpec) -> None:
    spec = pipeline_spec(CLASSIFIER, colors=colors)
    engine = local_engine()
    engine.load(spec)
    for color, page in {"red": solid(255, 0, 0), "blue": solid(10, 20, 250)}.items():
        answer = engine.run(spec, page, {})
        assert answer.result["label"] == color
        assert answer.result["score"] > 0.5
        assert answer.result["top"][0]["label"] == color
        assert len(answer.result["top"]) == 2
    assert (answer.units.pages, answer.units.tokens) == (1, 0)
    assert answer.units.device_us, "of its member"


def test_branch_leaves_out_recognition_where_the_page_has_text() -> None:
    spec = pipeline_spec(READER, reader=builtin_specs()["read"])
    written = PageInput(1, 10, 10, (TextLine("of its own", None, 1.0),), None)
    answer = builtin_engine().run(spec, written, {})
    assert answer.result == {"text": "of its own"}
    assert "ocr" not in answer.steps
    scanned = builtin_engine().run(spec, picture_page(draw_page(["Seen on the page"])), {})
    assert scanned.result == {"text": "Seen on the page"}
    assert scanned.steps["ocr"] > 0


def test_tensors_go_in_as_declared(colors: VersionSpec) -> None:
    declared = {
        "accepts": ["tensors"],
        "tensors": [{"name": "pixels", "datatype": "FP32", "shape": [1, 3, 8, 8]}],
        "steps": [{"name": "scores", "kind": "model", "role": "colors", "inputs": {"pixels": "input.pixels"}}],
        "output": {"logits": "scores.logits"},
    }
    spec = pipeline_spec(declared, colors=colors)
    work = TensorInput({"pixels": np.ones((1, 3, 8, 8), np.float32)})
    logits = builtin_engine().run(spec, work, {}).result["logits"]
    assert (logits["shape"], logits["datatype"], logits["data"]) == ([1, 3], "FP32", [4.0, 4.0, 4.0])
    with pytest.raises(WorkRefused, match="expected the tensors"):
        builtin_engine().run(spec, TensorInput({"x": np.ones(1, np.float32)}), {})


def test_declared_parameters_are_checked_and_reach_their_step() -> None:
    declared = changed(
        READER,
        lambda d: (
            d.update(parameters=[{"name": "sure", "type": "number", "default": 0.5, "minimum": 0, "maximum": 1}]),
            d["steps"][0]["else"]["steps"][0].update(parameters={"min_confidence": "parameters.sure"}),
        ),
    )
    spec = pipeline_spec(declared, "sure", reader=builtin_specs()["read"])
    page = picture_page(draw_page(["Seen on the page"]))
    assert builtin_engine().run(spec, page, {"sure": 1.0}).result == {"text": ""}
    with pytest.raises(WorkRefused, match="'sure' must be a number from 0 to 1, not 2"):
        builtin_engine().run(spec, page, {"sure": 2})
    with pytest.raises(WorkRefused, match="this model accepts document, not text"):
        builtin_engine().run(spec, TextInput(("a",), single=True), {})


def test_steps_that_need_nothing_of_one_another_run_side_by_side() -> None:
    together = threading.Barrier(3)
    runner = Recorder(each=lambda model, call: together.wait(TIMEOUT_S))
    answer = run(GraphPipeline(runner, beside=SideBySide(2)))
    assert answer.result == {"a": 3, "b": 3, "c": 3}
    assert answer.units.tokens == 9
    assert len(runner.threads) == 3
    assert set(answer.steps) == {"a", "b", "c"}


def test_process_bounds_what_runs_beside() -> None:
    beside = SideBySide(1)
    runner = Recorder()
    pipeline = GraphPipeline(runner, beside=beside)
    release = threading.Event()
    busy = beside.start(lambda: release.wait(TIMEOUT_S))
    assert busy is not None
    run(pipeline)
    assert runner.threads == {threading.get_ident()}
    assert runner.max_at_once == 1
    release.set()
    busy.result()


def test_many_pages_at_once_never_wait_for_one_anothers_threads() -> None:
    runner = Recorder(each=lambda model, call: None)
    pipeline = GraphPipeline(runner, beside=SideBySide(2))
    pages = [threading.Thread(target=run, args=(pipeline,)) for _ in range(20)]
    for page in pages:
        page.start()
    for page in pages:
        page.join(TIMEOUT_S)
    assert not any(page.is_alive() for page in pages)
    assert len(runner.asked) == 60
    assert runner.max_at_once <= 22


def test_steps_stay_in_this_process_and_their_sessions_in_one_host(colors: VersionSpec) -> None:
    """A page is not sent to another process: every step runs in the engine that received the page."""
    specs = builtin_specs()
    engine = local_engine()
    pipeline = pipeline_spec(READER, reader=specs["read"])
    engine.load(pipeline)
    assert engine.session_paths(pipeline) == engine.session_paths(specs["read"])
    held = {session.path for session in engine.host.resident()}
    assert engine.session_paths(pipeline) <= held
    runs = {session.path: session.runs for session in engine.host.resident()}
    engine.run(pipeline, picture_page(draw_page(["Seen on the page"])), {})
    assert all(session.runs > runs[session.path] for session in engine.host.resident())


def test_footprint_of_a_pipeline_is_the_union_of_its_members(colors: VersionSpec, tmp_path: Path) -> None:
    other = onnx_spec(save_colors(tmp_path / "other.onnx"), "other")
    spec = pipeline_spec(CLASSIFIER, colors=colors, other=other)
    engine = local_engine()
    paths = engine.session_paths(spec)
    assert paths == {str(Path(one.artifacts["weights"]).resolve()) for one in (colors, other)}


def test_failing_step_names_itself(colors: VersionSpec) -> None:
    def fail(model: str, call: Call) -> None:
        if model == "two":
            raise ModelFailed("model_run_failed", "out of memory")

    with pytest.raises(StepFailed, match="model_run_failed: step 'b': out of memory") as failure:
        run(GraphPipeline(Recorder(each=fail)))
    assert failure.value.step == "b"


def test_failing_step_ends_those_beside_it_and_is_the_one_that_is_told() -> None:
    ended = threading.Event()

    def one_fails(model: str, call: Call) -> None:
        if model == "two":
            raise ModelFailed("model_run_failed", "out of memory")
        call.on_cancel(ended.set)
        assert ended.wait(TIMEOUT_S)
        raise CallCanceled

    with pytest.raises(StepFailed, match="step 'b': out of memory"):
        run(GraphPipeline(Recorder(each=one_fails), beside=SideBySide(2)))


def test_nothing_of_a_failed_page_still_runs_when_that_is_told() -> None:
    runner = Recorder()

    def one_fails(model: str, call: Call) -> None:
        if model == "one":
            raise ModelFailed("model_run_failed", "out of memory")
        waiting = threading.Event()
        call.on_cancel(waiting.set)
        assert waiting.wait(TIMEOUT_S)

    runner.each = one_fails
    with pytest.raises(StepFailed):
        run(GraphPipeline(runner, beside=SideBySide(2)))
    assert runner.at_once == 0


def test_cancel_is_felt_between_steps() -> None:
    call = Call()
    runner = Recorder(each=lambda model, asked: call.cancel())
    with pytest.raises(CallCanceled):
        run(GraphPipeline(runner), CHAINED_SPEC, call)
    assert runner.asked == ["one"]


def test_cancel_of_the_page_reaches_every_step_that_runs() -> None:
    call, running = Call(), threading.Barrier(3)

    def wait_for_the_end(model: str, asked: Call) -> None:
        ended = threading.Event()
        asked.on_cancel(ended.set)
        if running.wait(TIMEOUT_S) == 0:
            call.cancel()
        assert ended.wait(TIMEOUT_S)
        asked.check()

    with pytest.raises(CallCanceled):
        run(GraphPipeline(Recorder(each=wait_for_the_end), beside=SideBySide(2)), FANNED_SPEC, call)


def test_deadline_of_the_page_is_that_of_its_steps() -> None:
    with pytest.raises(DeadlinePassed):
        run(GraphPipeline(Recorder()), FANNED_SPEC, Call(deadline_s=0.0))


def test_settled_steps_are_asked_once_for_all_pages() -> None:
    declared = changed(FANNED, lambda d: d["steps"][1].update(inputs={"text": {"constant": "always the same"}}))
    spec = pipeline_spec(declared, "settled", **FANNED_SPEC.steps)
    runner = Recorder()
    pipeline = GraphPipeline(runner)
    pipeline.load(spec)
    assert runner.asked == ["two"]
    answers = [run(pipeline, spec) for _ in range(3)]
    assert runner.asked.count("two") == 1
    assert {answer.units.tokens for answer in answers} == {6}


def test_who_needs_a_settled_step_first_does_not_pay_for_its_time() -> None:
    declared = changed(CHAINED, lambda d: d["steps"][0].update(inputs={"text": {"constant": "always"}}))
    spec, call = pipeline_spec(declared, "settled", **CHAINED_SPEC.steps), Call()
    runner = Recorder(each=lambda model, asked: asked.spent.add(device_us=5))
    run(GraphPipeline(runner), spec, call)
    assert call.spent.device_us == 5 * (len(runner.asked) - 1) > 0


def test_settled_step_is_asked_for_the_page_that_needs_it_first() -> None:
    """The caller's cancellation and deadline apply there too, and the step gets its tenant's fair share."""
    declared = changed(CHAINED, lambda d: d["steps"][0].update(inputs={"text": {"constant": "always"}}))
    spec = pipeline_spec(declared, "settled", **CHAINED_SPEC.steps)
    call = Call(tenant="alpha", deadline_s=time.monotonic() + 3600)
    seen: list[Call] = []

    def leave(model: str, asked: Call) -> None:
        seen.append(asked)
        call.cancel()
        asked.check()

    runner = Recorder(each=leave)
    with pytest.raises(CallCanceled):
        run(GraphPipeline(runner), spec, call)
    assert runner.asked == ["one"]
    assert (seen[0].tenant, seen[0].deadline_s) == ("alpha", call.deadline_s)


def test_settled_step_that_fails_is_named_and_tried_again() -> None:
    failures = iter([True, False])

    def fail_once(model: str, call: Call) -> None:
        if model == "two" and next(failures):
            raise ModelFailed("model_memory_busy", "all in use", retryable=True)

    declared = changed(FANNED, lambda d: d["steps"][1].update(inputs={"text": {"constant": "always"}}))
    spec = pipeline_spec(declared, "settled", **FANNED_SPEC.steps)
    pipeline = GraphPipeline(Recorder(each=fail_once))
    with pytest.raises(StepFailed, match="step 'b': all in use"):
        run(pipeline, spec)
    assert run(pipeline, spec).result["b"] == 3


class StorageAway(Exception):
    """An error that only the caller of the pipeline knows."""


@pytest.mark.parametrize("reading", ["an operation", "a model", "a pipeline in a pipeline"])
def test_page_that_cannot_be_read_is_no_steps_failure(colors: VersionSpec, reading: str) -> None:
    """The caller must distinguish unavailable storage, and wait, from a broken document, and refuse it."""
    error = StorageAway("no answer")

    def load() -> Any:
        raise error

    specs = builtin_specs()
    spec = {
        "an operation": pipeline_spec(CLASSIFIER, colors=colors),
        "a model": pipeline_spec(READER, reader=specs["read"]),
        "a pipeline in a pipeline": pipeline_spec(READER, "outer", reader=specs["parse"]),
    }[reading]
    with pytest.raises(StorageAway) as failure:
        builtin_engine().run(spec, PageInput(1, 30, 40, None, load), {})
    assert failure.value is error


def test_version_without_a_declaration_fails_and_says_so() -> None:
    spec = VersionSpec("empty", 1, "empty", "graph", {})
    with pytest.raises(ModelFailed, match="pipeline_invalid: empty@1: the declaration must be an object"):
        run(GraphPipeline(Recorder()), spec)


HEAVY_BYTES = 40 << 20


def tight_engine(room_bytes: int) -> Engine:
    plan = plan_execution([CPU], threads=1, has_nvidia_gpu=False)
    return Engine(SessionHost(plan, budget_bytes=room_bytes))


def two_classifiers(folder: Path) -> VersionSpec:
    declared = changed(
        CLASSIFIER,
        lambda d: (
            d["steps"].insert(2, {"name": "again", "kind": "model", "role": "other", "inputs": {"pixels": "picture"}}),
            d["output"].update(again="again.logits"),
        ),
    )
    members = {
        role: onnx_spec(save_colors(folder / f"{role}.onnx", ballast_bytes=HEAVY_BYTES), role)
        for role in ("colors", "other")
    }
    return pipeline_spec(declared, str(folder), **members)


def test_members_that_do_not_fit_together_take_turns_in_memory(tmp_path: Path) -> None:
    spec = two_classifiers(tmp_path)
    engine = tight_engine(HEAVY_BYTES * 3 // 2)
    for _ in range(2):
        answer = engine.run(spec, solid(255, 0, 0), {})
        assert answer.result["label"] == "red"
        assert answer.result["again"]["data"] == pytest.approx([4.0, 0.0, 0.0])
    assert len(engine.host.resident()) == 1


def test_member_that_never_fits_is_named_with_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(
        StepFailed, match=r"model_exceeds_memory: step '(scores|again)': (colors|other)@1 needs \d+ bytes"
    ):
        tight_engine(HEAVY_BYTES // 2).run(two_classifiers(tmp_path), solid(1, 2, 3), {})
