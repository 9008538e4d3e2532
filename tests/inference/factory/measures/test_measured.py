from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.factory.bounds import bounds_for
from inference.factory.gate import Verdict, verdict
from inference.factory.measures.measured import Measured, measure
from inference.factory.measures.pairs import Answers, Kind, Pair
from inference.runtime.tensors import Array

SIZES = (1, 1, 1, 2, 3, 8, 33, 200)


def softmax(values: Array) -> Array:
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def pairs(
    reference: Callable[[Array], Answers], variant: Callable[[Array], Answers], *, seed: int = 0, width: int = 4
) -> Sequence[Pair]:
    generator = np.random.default_rng(seed)
    inputs = [generator.standard_normal((size, width)).astype(np.float32) for size in SIZES]
    return [Pair(f"sample {number}", "normal", len(x), reference(x), variant(x)) for number, x in enumerate(inputs, 1)]


def judged(measured: Measured) -> Verdict:
    return verdict(measured, bounds_for(measured.kind, {}))


def reasons(measured: Measured) -> set[str]:
    return {reason.code for reason in judged(measured).reasons}


def adder(by: float) -> Callable[[Array], Answers]:
    return lambda x: {"y": x + np.float32(by)}


def classifier(x: Array) -> Answers:
    return {"label": x.argmax(axis=1), "probabilities": softmax(2 * x).astype(np.float32)}


def embedder(x: Array) -> Answers:
    wide = np.tile(x, 4)
    return {"vectors": wide / np.linalg.norm(wide, axis=1, keepdims=True)}


MODELS = (adder(1), classifier, embedder, lambda x: {"text": np.array([f"{v:.2f}" for v in x[:, 0]], object)})


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_as_good_as_itself(model: Callable[[Array], Answers]) -> None:
    assert judged(measure(pairs(model, model))) == Verdict(True)


@pytest.mark.parametrize(
    ("model", "kind"), [*zip(MODELS, (Kind.TENSOR, Kind.CLASSIFIER, Kind.EMBEDDING, Kind.TEXT), strict=True)]
)
def test_the_kind_is_found_from_the_answers(model: Callable[[Array], Answers], kind: Kind) -> None:
    assert measure(pairs(model, model)).kind is kind


def test_logits_with_a_label_are_those_of_a_classifier() -> None:
    def model(x: Array) -> Answers:
        return {"logits": x, "label": x.argmax(axis=1)}

    assert measure(pairs(model, model)).kind is Kind.CLASSIFIER


@given(seed=st.integers(0, 2**32 - 1))
def test_a_variant_that_adds_two_for_one_is_refused(seed: int) -> None:
    assert not judged(measure(pairs(adder(1), adder(2), seed=seed))).admitted


def nan_in_one_row(x: Array) -> Answers:
    y = x + np.float32(1)
    if len(y) == 200:
        y[137, 2] = np.nan
    return {"y": y}


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (nan_in_one_row, "not_finite"),
        (lambda x: {"y": (x + np.float32(1))[:-1]}, "rows_differ"),
        (lambda x: {"y": (x + np.float32(1))[:, :-1]}, "shape_differs"),
        (lambda x: {"y": (x + np.float32(1)).astype(np.float64)}, "type_differs"),
        (lambda x: {"z": x + np.float32(1)}, "outputs_differ"),
        (lambda x: {"y": (x + np.float32(1))[::-1]}, "relative_error_mean"),
        (lambda x: {"y": np.ones_like(x)}, "relative_error_mean"),
        (lambda x: {"y": x + np.float32(1) if len(x) == 1 else x * 0}, "relative_error_mean"),
        (lambda x: {"y": x + np.float32(1) if len(x) > 1 else x * 0}, "relative_error_max"),
        (lambda x: {"y": np.where(np.arange(4) == 3, 1, x + 1).astype(np.float32)}, "column_error_max"),
    ],
)
def test_every_fault_is_named(broken: Callable[[Array], Answers], code: str) -> None:
    assert code in reasons(measure(pairs(adder(1), broken)))


def test_the_fault_says_which_output_and_sample() -> None:
    found = judged(measure(pairs(adder(1), nan_in_one_row))).reasons
    assert [(reason.output, reason.sample) for reason in found] == [("y", "sample 8")]
    assert found[0].detail == (
        "1 of 249 rows hold NaN or infinity where the source has numbers (output 'y'; sample sample 8)"
    )


def test_infinity_where_the_source_has_it_is_no_fault() -> None:
    def model(x: Array) -> Answers:
        return {"y": np.where(x > 2, np.inf, x)}

    assert judged(measure(pairs(model, model))).admitted


def test_a_large_offset_does_not_hide_a_constant_answer() -> None:
    def model(x: Array) -> Answers:
        return {"y": 1e4 + x}

    assert "relative_error_mean" in reasons(measure(pairs(model, lambda x: {"y": np.full_like(x, 1e4)})))


@pytest.mark.parametrize(
    "broken",
    [
        lambda x: {**classifier(x), "label": np.zeros(len(x), np.int64)},
        lambda x: {**classifier(x), "label": classifier(x)["label"].astype(np.int64)[::-1]},
        lambda x: {**classifier(x), "probabilities": np.full((len(x), 4), 0.25, np.float32)},
        lambda x: {**classifier(x), "probabilities": softmax(20 * x).astype(np.float32)},
        lambda x: {**classifier(x), "probabilities": np.roll(classifier(x)["probabilities"], 1, axis=1)},
    ],
)
def test_a_classifier_with_other_classes_or_confidence_is_refused(broken: Callable[[Array], Answers]) -> None:
    assert not judged(measure(pairs(classifier, broken))).admitted


def test_the_temperature_of_a_classifier_shows_in_its_calibration() -> None:
    def warmer(x: Array) -> Answers:
        return {**classifier(x), "probabilities": softmax(1.5 * x).astype(np.float32)}

    assert "calibration_difference" in reasons(measure(pairs(classifier, warmer)))


@pytest.mark.parametrize(
    "broken",
    [
        lambda x: {"vectors": embedder(np.ones_like(x))["vectors"]},
        lambda x: {"vectors": np.ascontiguousarray(embedder(x)["vectors"][::-1])},
        lambda x: {"vectors": embedder(x + 0.3)["vectors"]},
        lambda x: {"vectors": -embedder(x)["vectors"]},
    ],
)
def test_vectors_that_mean_something_else_are_refused(broken: Callable[[Array], Answers]) -> None:
    assert not judged(measure(pairs(embedder, broken))).admitted


def test_nearly_parallel_vectors_do_not_hide_a_constant_answer() -> None:
    def model(x: Array) -> Answers:
        return {"vectors": embedder(x * 0.01 + 1)["vectors"]}

    found = reasons(measure(pairs(model, lambda x: {"vectors": embedder(np.ones_like(x))["vectors"]})))
    assert {"recall_at_10", "relative_error_mean"} <= found


@pytest.mark.parametrize("generated", [True, False])
def test_outputs_that_never_change_are_not_comparable_on_generated_inputs(generated: bool) -> None:
    def model(x: Array) -> Answers:
        return {"y": np.ones_like(x)}

    found = judged(measure(pairs(model, model), generated=generated))
    assert found.admitted is not generated
    if generated:
        assert found.reasons[0].detail == "not comparable: outputs do not depend on the inputs (output 'y')"


def test_a_kind_that_does_not_fit_is_a_fault() -> None:
    assert reasons(measure(pairs(adder(1), adder(1)), Kind.TEXT)) == {"kind_does_not_fit"}


@given(error=st.floats(0, 0.02, allow_subnormal=False), seed=st.integers(0, 1000))
def test_small_errors_are_admitted(error: float, seed: int) -> None:
    generator = np.random.default_rng(seed)

    def variant(x: Array) -> Answers:
        return {"y": x + np.float32(1) + (error * generator.standard_normal(x.shape)).astype(np.float32)}

    assert judged(measure(pairs(adder(1), variant))).admitted
