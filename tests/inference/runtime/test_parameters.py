import numpy as np
import pytest

from inference.core.contracts import Json, PageInput, TensorInput, TextInput, WorkInput, WorkRefused
from inference.pipelines.parse import PARSE
from inference.runtime.parameters import validate_parameters, validate_work_kind, work_kind

PARSES = {"graph": PARSE}


def test_defaults_are_filled_in() -> None:
    assert validate_parameters("ocr", {}) == {"min_confidence": 0.5}
    assert validate_parameters("graph", {"min_confidence": 0.7}, PARSES) == {
        "min_confidence": 0.7,
        "include_embedding": False,
    }


@pytest.mark.parametrize(
    ("runtime", "parameters", "detail"),
    [
        ("orient", {"min_confidence": 0.5}, "unknown parameter 'min_confidence'; allowed: none"),
        ("ocr", {"language": "de"}, "unknown parameter 'language'; allowed: 'min_confidence'"),
        ("embed", {"dimensions": 2}, "unknown parameter 'dimensions'; allowed: 'truncate'"),
        ("onnx", {"truncate": True}, "unknown parameter 'truncate'; allowed: none"),
        ("ocr", {"min_confidence": 1.5}, "'min_confidence' must be a number from 0 to 1, not 1.5"),
        ("ocr", {"min_confidence": float("nan")}, "'min_confidence' must be a number from 0 to 1, not NaN"),
        ("ocr", {"min_confidence": "0.5"}, "'min_confidence' must be a number from 0 to 1, not '0.5'"),
        ("ocr", {"min_confidence": True}, "'min_confidence' must be a number from 0 to 1, not true"),
        ("embed", {"truncate": 1}, "'truncate' must be a boolean, not 1"),
        ("graph", {"include_embedding": 1}, "'include_embedding' must be a boolean, not 1"),
    ],
)
def test_wrong_parameter_is_named_with_what_is_allowed(runtime: str, parameters: dict[str, Json], detail: str) -> None:
    with pytest.raises(WorkRefused) as refusal:
        validate_parameters(runtime, parameters, PARSES)
    assert (refusal.value.code, refusal.value.detail) == ("invalid_parameter", detail)


@pytest.mark.parametrize(
    ("runtime", "accepted"),
    [
        ("ocr", {"document"}),
        ("orient", {"document"}),
        ("embed", {"document", "text", "texts"}),
        ("graph", {"document", "text"}),
        ("onnx", {"tensors"}),
    ],
)
def test_each_runtime_accepts_its_kinds_of_work_alone(runtime: str, accepted: set[str]) -> None:
    for kind in ("document", "text", "texts", "tensors"):
        if kind in accepted:
            validate_work_kind(runtime, kind, PARSES)
        else:
            with pytest.raises(WorkRefused, match="input_not_accepted"):
                validate_work_kind(runtime, kind, PARSES)


def test_unknown_runtime_is_named_with_those_there_are() -> None:
    with pytest.raises(WorkRefused, match="unknown runtime 'whisper'; use one of embed, graph, ocr, onnx, orient"):
        validate_parameters("whisper", {})


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        (PageInput(1, 1, 1, (), None), "document"),
        (TextInput(("a",), single=True), "text"),
        (TextInput(("a",), single=False), "texts"),
        (TensorInput({"x": np.zeros(1)}), "tensors"),
    ],
)
def test_work_knows_its_kind(work: WorkInput, kind: str) -> None:
    assert work_kind(work) == kind
