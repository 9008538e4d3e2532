import json

import pytest

from inference.core.contracts import Json, WorkRefused
from inference.runtime.tensor_requests import read_tensor


def tensor(datatype: str, data: list[Json]) -> dict[str, Json]:
    return {"name": "x", "datatype": datatype, "shape": [len(data)], "data": data}


@pytest.mark.parametrize(
    ("datatype", "value"),
    [
        ("FP16", 70000.0),
        ("FP16", -1e6),
        ("FP32", 1e300),
        ("FP32", -1e39),
        ("FP32", 10**50),
        ("FP64", float("inf")),
    ],
)
def test_a_number_beyond_its_datatype_is_refused_and_named(datatype: str, value: float) -> None:
    with pytest.raises(WorkRefused) as refusal:
        read_tensor(tensor(datatype, [0.5, value, 1]), "tensors[0]")
    assert refusal.value.code == "invalid_tensor"
    assert (
        refusal.value.detail
        == f"'x' holds {json.dumps(value)}, which is out of range for {datatype}; send smaller numbers"
    )


@pytest.mark.parametrize(
    ("datatype", "value"), [("FP16", 65504.0), ("FP32", 3.4e38), ("FP32", 1e-300), ("FP64", 1e300)]
)
def test_a_number_within_its_datatype_is_taken(datatype: str, value: float) -> None:
    name, array = read_tensor(tensor(datatype, [value, 1]), "tensors[0]")
    assert (name, array.shape) == ("x", (2,))
    assert float(array[0]) == pytest.approx(value, rel=1e-3, abs=1e-300)
