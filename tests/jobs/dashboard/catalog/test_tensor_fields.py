"""Tests of the fields in which people write small tensors."""

from typing import Any

from jobs.dashboard.catalog.tensor_fields import tensor_fields


def fields_of(*inputs: tuple[str, str, list[int]]) -> Any:
    signature = {"inputs": [{"name": name, "datatype": kind, "shape": shape} for name, kind, shape in inputs]}
    return tensor_fields(signature)


def test_a_table_of_numbers_has_a_line_for_each_row() -> None:
    (free,) = fields_of(("x", "FP32", [-1, 4]))
    assert (free.text, free.rank, free.shape) == ("0.0, 0.1, 0.2, 0.3", 2, "any × 4")
    (fixed,) = fields_of(("x", "INT64", [2, 3]))
    assert fixed.text == "0, 0, 0\n0, 0, 0"


def test_single_values_truths_and_texts_have_fields_too() -> None:
    one, truth, text = fields_of(("one", "FP64", []), ("truth", "BOOL", [1, 2]), ("text", "BYTES", [-1, 1]))
    assert (one.text, one.rank) == ("0.0", 0)
    assert truth.text == "true, true"
    assert (text.text, text.lines) == ("text", 2)


def test_what_is_no_small_table_is_written_as_json_alone() -> None:
    assert fields_of(("image", "FP32", [1, 3, 8, 8])) == ()
    assert fields_of(("x", "FP32", [1, 4]), ("long", "FP32", [1, 5000])) == ()
    assert fields_of(("texts", "BYTES", [-1, 2])) == ()
    assert fields_of() == ()
