from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inference.sandbox.isolation import find_bubblewrap
from jobs.documents.reader import DocumentLimits, DocumentReader

Store = Callable[[bytes], Path]

LIMITS = DocumentLimits(max_wall_s=5, max_memory_bytes=1 << 30, max_page_pixels=20_000_000)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a function that writes bytes to a file whose name says nothing about them."""

    def write(data: bytes) -> Path:
        path = tmp_path / "upload"
        path.write_bytes(data)
        return path

    return write


@pytest.fixture(scope="package")
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader(LIMITS, children=1)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["bubblewrap", "confined"])
def walled_reader(request: pytest.FixtureRequest) -> Iterator[DocumentReader]:
    """Yield a reader behind each sandbox that this machine has."""
    use_bubblewrap = request.param == "bubblewrap"
    if use_bubblewrap and find_bubblewrap() is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    made = DocumentReader(LIMITS, children=1, use_bubblewrap=use_bubblewrap)
    yield made
    made.close()
