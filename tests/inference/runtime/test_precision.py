import pytest

from inference.core.contracts import VersionSpec
from inference.core.errors import ModelFailed
from inference.runtime.precision import artifact, chosen_role

VARIANTS = ("weights", "weights.fp16", "weights.int8", "tokenizer")


@pytest.mark.parametrize(
    ("config", "on_gpu", "chosen"),
    [
        ({}, False, "weights"),
        ({}, True, "weights"),
        ({"precision": "int8"}, False, "weights.int8"),
        ({"precision": "int8"}, True, "weights.int8"),
        ({"precision": "fp32"}, True, "weights"),
        ({"precision": {"cpu": "int8", "gpu": "fp16"}}, False, "weights.int8"),
        ({"precision": {"cpu": "int8", "gpu": "fp16"}}, True, "weights.fp16"),
        ({"precision": {"gpu": "fp16"}}, False, "weights"),
    ],
)
def test_version_says_in_which_precision_it_runs_on_which_device(
    config: dict[str, object], on_gpu: bool, chosen: str
) -> None:
    assert chosen_role(VARIANTS, "weights", config, on_gpu=on_gpu) == chosen


def test_what_comes_in_one_form_only_is_itself_in_every_precision() -> None:
    assert chosen_role(VARIANTS, "tokenizer", {"precision": "int8"}, on_gpu=False) == "tokenizer"


@pytest.mark.parametrize(
    ("config", "code", "words"),
    [
        ({"precision": "bf16"}, "model_artifact_missing", "no artifact 'weights.bf16'"),
        ({"precision": "int4"}, "model_precision_unknown", "'int4' is none of fp32, fp16, bf16, int8"),
        ({"precision": {"tpu": "int8"}}, "model_precision_unknown", "set for 'tpu'; devices are cpu and gpu"),
        ({"precision": None}, "model_precision_unknown", "None is none of"),
    ],
)
def test_precision_that_is_not_there_is_named(config: dict[str, object], code: str, words: str) -> None:
    spec = VersionSpec("m", 1, "d", "onnx", {role: f"/{role}" for role in VARIANTS}, config)
    with pytest.raises(ModelFailed) as failure:
        artifact(spec, "weights")
    assert failure.value.code == code
    assert "m@1: " in failure.value.detail
    assert words in failure.value.detail


def test_precision_that_no_file_has_is_missed_even_where_there_are_no_variants() -> None:
    with pytest.raises(ModelFailed, match="model_artifact_missing"):
        chosen_role(("weights", "tokenizer"), "weights", {"precision": "int8"}, on_gpu=False)


def test_artifact_is_the_path_of_the_variant() -> None:
    spec = VersionSpec("m", 1, "d", "onnx", {"weights": "/a", "weights.fp16": "/b"}, {"precision": {"gpu": "fp16"}})
    assert (artifact(spec, "weights"), artifact(spec, "weights", on_gpu=True)) == ("/a", "/b")
