"""Test which transformations suit which models and devices, and the reasons for the others."""

from dataclasses import replace
from pathlib import Path

import pytest

from inference.factory.transforms import (
    CPU,
    GPU,
    Int8Support,
    ModelFacts,
    Offer,
    TransformRefused,
    facts_of,
    transform,
    transformations,
)
from inference.factory.transforms.catalog import MIN_WEIGHTS
from inference.factory.transforms.options import DynamicInt8, Half, Optimize, StaticInt8

from .graphs import perceptron, saved

AVX2, VNNI, ARM = Int8Support(()), Int8Support(("avx512_vnni",)), Int8Support(("asimddp",), is_arm=True)
TRANSFORMER = ModelFacts(
    operators={"MatMul": 30, "Softmax": 6, "Add": 20},
    weighted={"MatMul": 10 * MIN_WEIGHTS},
    opset=17,
    size_bytes=1 << 20,
    is_quantized=False,
    has_functions=False,
)


def offered(facts: ModelFacts, device: str = CPU, int8: Int8Support = AVX2) -> dict[str, Offer]:
    return {offer.name: offer for offer in transformations(facts, device, int8)}


def test_each_transformation_is_offered_or_has_a_reason() -> None:
    for device in (CPU, GPU):
        offers = transformations(TRANSFORMER, device, AVX2)
        assert [offer.name for offer in offers] == [
            "optimize",
            "slim",
            "fuse",
            "half",
            "bf16",
            "dynamic-int8",
            "static-int8",
        ]
        assert all((offer.options is None) == bool(offer.why_not) for offer in offers)


def test_fp16_is_for_gpus_and_int8_for_cpus() -> None:
    assert offered(TRANSFORMER, CPU)["half"].why_not.startswith("a CPU computes in fp32")
    assert offered(TRANSFORMER, GPU)["half"].options == Half()
    assert isinstance(offered(TRANSFORMER, CPU)["dynamic-int8"].options, DynamicInt8)
    assert "for CPUs" in offered(TRANSFORMER, GPU)["dynamic-int8"].why_not
    assert offered(TRANSFORMER, GPU)["optimize"].options == Optimize("basic")


@pytest.mark.parametrize(
    ("int8", "reduce_range", "activations"),
    [(AVX2, True, "uint8"), (VNNI, False, "uint8"), (ARM, False, "int8")],
    ids=["avx2", "vnni", "arm"],
)
def test_int8_is_made_for_the_processor(int8: Int8Support, reduce_range: bool, activations: str) -> None:
    options = offered(TRANSFORMER, int8=int8)["static-int8"].options
    assert isinstance(options, StaticInt8)
    assert (options.reduce_range, options.activations) == (reduce_range, activations)


def test_what_would_not_gain_is_not_offered() -> None:
    small = offered(replace(TRANSFORMER, weighted={"MatMul": MIN_WEIGHTS - 1}))
    assert "fewer than 100,000 weights" in small["dynamic-int8"].why_not
    assert "fewer than 100,000 weights" in small["static-int8"].why_not
    assert offered(replace(TRANSFORMER, is_quantized=True))["static-int8"].why_not == "it is quantized already"
    assert "functions of its own" in offered(replace(TRANSFORMER, has_functions=True))["dynamic-int8"].why_not
    assert offered(replace(TRANSFORMER, operators={"MatMul": 3}))["fuse"].why_not.startswith("it has no attention")
    assert offered(replace(TRANSFORMER, operators={"Attention": 6}))["fuse"].why_not == "its attention is fused already"


def test_facts_are_read_from_the_file(tmp_path: Path) -> None:
    path = saved(perceptron(), tmp_path)
    found = facts_of(path)
    assert found.operators == {"Identity": 1, "MatMul": 2, "Relu": 1}
    assert found.weights("MatMul") == 2 * 64 * 256
    assert (found.opset, found.is_quantized) == (17, False)
    made = transform(path, DynamicInt8(), into=tmp_path / "made.onnx")
    assert facts_of(made.path).is_quantized


def test_a_file_that_is_no_model_has_no_facts(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("not a model")
    with pytest.raises(TransformRefused, match="model_invalid"):
        facts_of(path)
