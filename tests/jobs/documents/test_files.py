import pytest
from django.core.files.storage import DefaultStorage

from jobs.core.errors import FileMissing, StorageUnavailable
from jobs.documents import files
from tests.jobs.documents.conftest import Folder

NAME = "tenants/some/documents/one"


def test_file_is_opened_where_it_lies(folder: Folder) -> None:
    files.save_bytes(NAME, b"content")
    with files.open_file(NAME) as opened:
        assert opened.read() == b"content"
    with files.local_file(NAME) as path:
        assert path == folder.path / NAME


def test_opening_while_the_storage_is_away_says_so(folder: Folder) -> None:
    files.save_bytes(NAME, b"content")
    with folder.away():
        for error in (_error_of_opening(NAME), _error_of_reading(NAME)):
            assert error.code == "storage_unavailable"


def test_file_that_is_not_where_it_should_be_is_an_error_of_its_own(folder: Folder) -> None:
    files.save_bytes(NAME, b"content")
    for error in (_error_of_opening(NAME + "x"), _error_of_reading(NAME + "x")):
        assert isinstance(error, FileMissing)
        assert error.code == "file_missing"


def _error_of_opening(name: str) -> StorageUnavailable:
    with pytest.raises(StorageUnavailable) as raised:
        files.open_file(name)
    return raised.value


def _error_of_reading(name: str) -> StorageUnavailable:
    with pytest.raises(StorageUnavailable) as raised, files.local_file(name):
        pass
    return raised.value


def test_first_file_of_a_new_process_is_opened(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Test a process that has not used the storage: Django sets it up when it is first asked for something."""
    files.save_bytes(NAME, b"content")
    monkeypatch.setattr(files, "default_storage", DefaultStorage())
    with files.open_stream(NAME, 3) as opened:
        assert opened.read() == b"tent"
