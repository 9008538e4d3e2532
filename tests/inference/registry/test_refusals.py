"""Test what the owner of a refused file is told to do, for files as exporters write them."""

from pathlib import Path

import pytest

from inference.registry.admission import AdmissionLimits, ModelRefused, admit
from inference.registry.refusals import refusal_json
from tests.samples.exports import LIST_OF_TENSORS, TEXTS, ZIPMAP


@pytest.mark.parametrize(
    ("path", "detail", "what_to_do"),
    [
        (ZIPMAP, "'output_probability' is a list of dictionaries", 'options={id(model): {"zipmap": False}}'),
        (ZIPMAP, "not a tensor", "maas models export-sklearn"),
        (LIST_OF_TENSORS, "'probabilities' is a list of tensors", "each of its estimators_"),
        (TEXTS, "'com.microsoft.Tokenizer' is not in the ONNX standard", "export the part after the vectorizer"),
    ],
)
def test_the_advice_names_what_the_exporter_must_do(path: Path, detail: str, what_to_do: str) -> None:
    with pytest.raises(ModelRefused) as refused:
        admit(path, AdmissionLimits())
    told = refusal_json(refused.value)
    assert detail in told["detail"]
    assert what_to_do in told["what_to_do"]
