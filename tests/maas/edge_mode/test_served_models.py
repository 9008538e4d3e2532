import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from inference.registry.artifacts import sha256_of
from maas.edge_mode.errors import CannotServe
from maas.edge_mode.options import EdgeOptions
from maas.edge_mode.served_models import fill_shelf
from tests.inference.pipelines.declarations import CLASSIFIER, changed, save_colors
from tests.inference.runtime.graphs import save_adder
from tests.kept_cluster import PROJECT

NOTHING = EdgeOptions((), {}, {}, {}, "127.0.0.1", 8000, "", 60.0, 4)


@pytest.fixture(scope="module")
def adder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_adder(tmp_path_factory.mktemp("adder") / "adder.onnx", floats=2)


def test_added_file_is_served_from_a_copy_that_its_owner_cannot_change(adder: Path, tmp_path: Path) -> None:
    (model,) = fill_shelf(replace(NOTHING, onnx={"mine": adder}), tmp_path).values()
    kept = Path(model.spec.artifacts["weights"])
    assert kept.is_relative_to(tmp_path / "edge" / "added" / sha256_of(adder))
    assert model.accepts == ("tensors",)
    assert kept.parent.stat().st_mode & 0o077 == 0


def test_damaged_copy_is_replaced(adder: Path, tmp_path: Path) -> None:
    options = replace(NOTHING, onnx={"mine": adder})
    kept = Path(fill_shelf(options, tmp_path)["mine"].spec.artifacts["weights"])
    kept.write_bytes(b"torn")
    fill_shelf(options, tmp_path)
    assert kept.read_bytes() == adder.read_bytes()


def test_damaged_part_of_a_built_in_model_is_built_again(tmp_path: Path) -> None:
    options = replace(NOTHING, models=("read",))
    first = fill_shelf(options, tmp_path)["read"]
    torn = Path(first.spec.artifacts["detection"])
    whole = torn.read_bytes()
    torn.write_bytes(whole[:-1])
    assert fill_shelf(options, tmp_path)["read"].spec == first.spec
    assert torn.read_bytes() == whole


def test_declared_pipeline_is_made_of_what_is_served(tmp_path: Path) -> None:
    colors = save_colors(tmp_path / "colors.onnx")
    graph = tmp_path / "graph.json"
    graph.write_text(json.dumps(CLASSIFIER))
    options = replace(
        NOTHING,
        onnx={"colors": colors},
        graphs={"classify": graph},
        members={"classify": {"colors": "colors"}},
    )
    model = fill_shelf(options, tmp_path)["classify"]
    assert model.accepts == ("document",)
    assert [one["name"] for one in model.signature["outputs"]] == ["label", "score", "top"]
    graph.write_text(json.dumps(changed(CLASSIFIER, lambda declared: declared.update(output="chances"))))
    with pytest.raises(CannotServe, match="an answer is an object"):
        fill_shelf(options, tmp_path)
    with pytest.raises(CannotServe, match="classify: its member 'nobody' is not served here"):
        fill_shelf(replace(options, members={"classify": {"colors": "nobody"}}), tmp_path)


def test_declared_pipeline_may_be_a_member_of_the_next(tmp_path: Path) -> None:
    colors = save_colors(tmp_path / "colors.onnx")
    inner, outer = tmp_path / "inner.json", tmp_path / "outer.json"
    inner.write_text(json.dumps(CLASSIFIER))
    step = {"name": "best", "kind": "model", "role": "classify", "inputs": {"page": "input"}}
    outer.write_text(json.dumps({"accepts": ["document"], "steps": [step], "output": {"found": "best.label"}}))
    options = replace(
        NOTHING,
        onnx={"colors": colors},
        graphs={"inner": inner, "outer": outer},
        members={"inner": {"colors": "colors"}, "outer": {"classify": "inner"}},
    )
    model = fill_shelf(options, tmp_path)["outer"]
    assert [(one["name"], one["datatype"]) for one in model.signature["outputs"]] == [("found", "BYTES")]
    assert model.spec.steps["classify"].steps["colors"].runtime == "onnx"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            replace(NOTHING, models=("whisper",)),
            "there is no built-in model 'whisper'; there are orient, read, ocr, embed, parse",
        ),
        (replace(NOTHING, onnx={"a": Path("nowhere.onnx")}), "a: nowhere.onnx cannot be read: No such file"),
        (replace(NOTHING, onnx={"a": PROJECT / "manage.py"}), "manage.py is refused, model_corrupt"),
        (replace(NOTHING, onnx={"a b": Path("x")}), "'a b' is not a name for a model"),
        (replace(NOTHING, models=("ocr",), onnx={"ocr": Path("x")}), "two models would be called 'ocr'"),
        (replace(NOTHING, graphs={"a": Path("nowhere.json")}), "a: nowhere.json cannot be read"),
        (replace(NOTHING, graphs={"a": PROJECT / "README.md"}), "README.md is not JSON"),
        (
            replace(NOTHING, members={"a": {"b": "c"}}),
            "--member names the pipeline 'a', which no --graph declares",
        ),
    ],
)
def test_what_cannot_be_served_is_said(options: EdgeOptions, words: str, tmp_path: Path) -> None:
    with pytest.raises(CannotServe) as refusal:
        fill_shelf(options, tmp_path)
    assert words in str(refusal.value)
    assert not list(tmp_path.rglob(".part-*"))


def test_only_what_nobody_works_on_any_more_is_removed(adder: Path, tmp_path: Path) -> None:
    old, young = tmp_path / "edge" / "builtin" / ".part-old", tmp_path / "edge" / ".part-young"
    old.mkdir(parents=True)
    young.mkdir()
    os.utime(old, (0, time.time() - 7200))
    fill_shelf(replace(NOTHING, onnx={"mine": adder}), tmp_path)
    assert not old.exists()
    assert young.exists()
