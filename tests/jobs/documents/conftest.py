"""A storage folder of the test's own, which can go away and come back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings

from maas.settings.env import storage_backend


@dataclass(frozen=True)
class Folder:
    path: Path

    def files(self) -> list[str]:
        return [str(found.relative_to(self.path)) for found in self.path.rglob("*") if found.is_file()]

    @contextmanager
    def away(self) -> Iterator[None]:
        """Move the folder away, as if its disk was not mounted. Nothing can be written in its place."""
        elsewhere = self.path.with_name("elsewhere")
        self.path.rename(elsewhere)
        self.path.touch()
        try:
            yield
        finally:
            self.path.unlink()
            elsewhere.rename(self.path)


@pytest.fixture
def folder(settings: Settings, tmp_path: Path) -> Folder:
    path = tmp_path / "files"
    settings.STORAGES = {**settings.STORAGES, "default": storage_backend(f"file://{path}", tmp_path)}
    return Folder(path)
