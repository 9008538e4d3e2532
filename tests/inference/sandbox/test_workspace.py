"""Test the folder in which a child may create files, and that it may do so nowhere else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inference.sandbox.child import Child
from inference.sandbox.isolation import find_bubblewrap

from .asking import ANY_LIMITS
from .conftest import LIMITS, PROGRAM


@pytest.fixture(params=["bubblewrap", "confined"])
def bubblewrap(request: pytest.FixtureRequest) -> Path | None:
    found = find_bubblewrap()
    if request.param == "bubblewrap" and found is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    return found if request.param == "bubblewrap" else None


@contextmanager
def child_in(workspace: Path, bubblewrap: Path | None, *, may_write: bool = True) -> Iterator[Child]:
    child = Child(PROGRAM, LIMITS, bubblewrap, workspace, may_write=may_write)
    try:
        yield child
    finally:
        child.kill()


@pytest.fixture
def workspace() -> Iterator[Path]:
    """Return a folder that a child without rights can reach, as pytest's own folders cannot be."""
    with TemporaryDirectory(prefix="workspace-") as folder:
        yield Path(folder)


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """Return a folder that every user may write to."""
    with TemporaryDirectory(prefix="elsewhere-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def test_a_child_works_in_its_workspace_and_nowhere_else(
    workspace: Path, elsewhere: Path, bubblewrap: Path | None
) -> None:
    with child_in(workspace, bubblewrap) as child:
        answer = child.ask({"do": "use workspace", "elsewhere": str(elsewhere / "left")}, (), ANY_LIMITS)
    assert answer.pop("read") == "written"
    assert "done" not in answer.values()
    assert (workspace / "left").read_text() == "written"
    assert sorted(entry.name for entry in workspace.iterdir()) == ["large", "left"]
    assert (workspace / "large").stat().st_size == 0
    assert list(elsewhere.iterdir()) == []


def test_without_a_workspace_a_child_writes_not_even_its_working_folder(
    workspace: Path, bubblewrap: Path | None
) -> None:
    with child_in(workspace, bubblewrap, may_write=False) as child:
        answer = child.ask({"do": "escape", "path": "/etc/passwd", "parent": os.getpid()}, (0,), ANY_LIMITS)
    assert answer["write a file"] != "done"
