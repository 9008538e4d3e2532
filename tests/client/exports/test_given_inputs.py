"""Test the inputs that a person gives as a file."""

from pathlib import Path

import numpy as np
import pytest

from maas_client.exports.errors import CannotExport
from maas_client.exports.given_inputs import arrays, table


def test_a_table_has_columns_of_numbers_and_of_texts(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age,city\n20,Ulm\n30.5,Bonn\n")
    found = table(tmp_path / "rows.csv")
    assert found.columns["age"].tolist() == [20.0, 30.5]
    assert found.columns["city"].tolist() == ["Ulm", "Bonn"]
    assert found.taken == "2 rows of 2 columns, names from the first row"
    np.save(tmp_path / "rows.npy", np.arange(6).reshape(3, 2))
    assert table(tmp_path / "rows.npy").columns["1"].tolist() == [1, 3, 5]


def test_a_first_row_of_numbers_is_data(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("5.1,3.5\n4.9,3\n")
    found = table(tmp_path / "rows.csv")
    assert {name: column.tolist() for name, column in found.columns.items()} == {"0": [5.1, 4.9], "1": [3.5, 3.0]}
    assert found.taken == "2 rows of 2 columns, no names: the first row has only numbers, so it is data"


@pytest.mark.parametrize("head", ["0,1", "5.1,width", "5.1,nan", "5.1,"])
def test_a_first_row_with_names_or_counted_columns_is_no_data(tmp_path: Path, head: str) -> None:
    (tmp_path / "rows.csv").write_text(f"{head}\n5.1,3.5\n")
    assert table(tmp_path / "rows.csv").taken == "1 row of 2 columns, names from the first row"


def test_columns_without_names_get_those_of_the_estimator_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("5.1,3.5\n")
    found = table(tmp_path / "rows.csv")
    assert {name: column.tolist() for name, column in found.named(["a", "b"]).columns.items()} == {
        "a": [5.1],
        "b": [3.5],
    }
    assert found.named(["a"]) is found
    (tmp_path / "named.csv").write_text("x,y\n5.1,3.5\n")
    assert list(table(tmp_path / "named.csv").named(["a", "b"]).columns) == ["x", "y"]


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
