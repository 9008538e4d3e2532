from pathlib import Path

import pytest
from pytest_django import Settings

from inference.registry import artifacts
from maas.settings.env import storage_backend

CONTENT = b"weights" * 1000


@pytest.fixture
def weights(settings: Settings, tmp_path: Path) -> Path:
    """Return the path of a model file, with an empty folder as storage."""
    settings.STORAGES = {
        **settings.STORAGES,
        "default": storage_backend(f"file://{tmp_path / 'files'}", tmp_path),
    }
    path = tmp_path / "weights.onnx"
    path.write_bytes(CONTENT)
    return path


def test_model_file_is_stored_once_under_its_digest(weights: Path) -> None:
    artifact = artifacts.store(weights)
    stored = artifacts.local_path(artifact)
    before = stored.stat().st_ino
    assert artifacts.store(weights) == artifact
    assert (stored.stat().st_ino, stored.read_bytes()) == (before, CONTENT)


@pytest.mark.parametrize("damaged", [CONTENT[:100], b"W" + CONTENT[1:]], ids=["cut short", "altered"])
def test_stored_model_file_that_is_damaged_is_replaced(weights: Path, damaged: bytes) -> None:
    artifact = artifacts.store(weights)
    stored = artifacts.local_path(artifact)
    stored.write_bytes(damaged)
    artifacts.store(weights)
    assert artifacts.local_path(artifact).read_bytes() == CONTENT
