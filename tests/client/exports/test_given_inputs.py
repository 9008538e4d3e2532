"""Test the inputs that a person gives as a file."""

from pathlib import Path

import numpy as np
import pytest

from maas_client.exports.errors import CannotExport
from maas_client.exports.given_inputs import arrays, table


def test_a_table_has_columns_of_numbers_and_of_texts(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age,city\n20,Ulm\n30.5,Bonn\n")
    found = table(tmp_path / "rows.csv")
    assert found["age"].tolist() == [20.0, 30.5]
    assert found["city"].tolist() == ["Ulm", "Bonn"]
    np.save(tmp_path / "rows.npy", np.arange(6).reshape(3, 2))
    assert table(tmp_path / "rows.npy")["1"].tolist() == [1, 3, 5]


def test_arrays_have_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "some.npz", ids=np.ones((2, 3)), mask=np.zeros(2))
    assert {name: array.shape for name, array in arrays(tmp_path / "some.npz").items()} == {"ids": (2, 3), "mask": (2,)}


def test_a_file_that_holds_no_inputs_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "pickled.npy", np.array([{}], dtype=object))
    (tmp_path / "ragged.csv").write_text("a,b\n1\n")
    (tmp_path / "words.txt").write_text("a")
    for name, why in (
        ("pickled.npy", "cannot be read"),
        ("ragged.csv", "different lengths"),
        ("words.txt", "no table"),
    ):
        with pytest.raises(CannotExport, match=why):
            table(tmp_path / name)
    with pytest.raises(CannotExport, match="holds no arrays"):
        arrays(tmp_path / "words.txt")
