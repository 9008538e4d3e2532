"""Tests of fetching language data. Real data is downloaded only where apt-get can reach a mirror."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from inference.runtime.tesseract_languages import KNOWN_LANGUAGES
from maas.local.languages import placement
from maas.local.languages.__main__ import sentences
from maas.local.languages.digests import DIGESTS
from maas.local.languages.errors import NotToBeHad, WrongData
from maas.local.languages.fetching import fetch_missing
from maas.local.languages.placement import is_placed, place
from maas.local.languages.sources import downloaded_file, installed_files

SMALLEST = "fas"


@pytest.fixture
def without_apt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))


@pytest.fixture
def rus_digest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make the digest of a small file the known one, so that the file can stand for the data."""
    file = tmp_path / "known"
    file.write_bytes(b"data")
    known: Mapping[str, str] = {**DIGESTS, "rus": placement.digest(file)}
    monkeypatch.setattr(placement, "DIGESTS", known)


def installed(root: Path, content: bytes) -> Path:
    folder = root / "usr/share/tesseract-ocr/5/tessdata"
    folder.mkdir(parents=True)
    (folder / "rus.traineddata").write_bytes(content)
    return folder


def test_every_known_language_has_a_digest() -> None:
    assert set(DIGESTS) == KNOWN_LANGUAGES
    assert all(len(digest) == 64 for digest in DIGESTS.values())


@pytest.mark.usefixtures("rus_digest")
def test_installed_data_is_taken_and_not_taken_again(tmp_path: Path) -> None:
    folder = installed(tmp_path / "root", b"data")
    home = tmp_path / "tessdata"
    assert list(fetch_missing(["rus"], home, tmp_path / "root")) == [f"rus: language data taken from {folder}"]
    assert (home / "rus.traineddata").read_bytes() == b"data"
    assert list(fetch_missing(["rus"], home, tmp_path / "root")) == []


@pytest.mark.usefixtures("without_apt")
def test_data_that_cannot_be_had_is_named_with_what_to_do(tmp_path: Path) -> None:
    installed(tmp_path / "root", b"another version")
    assert list(fetch_missing(["rus"], tmp_path / "tessdata", tmp_path / "root")) == [
        "rus: no language data, so texts in it are not read: there is no apt-get on this machine to download it with. "
        "Install it (Debian, Ubuntu: apt-get install tesseract-ocr-rus) and set MAAS_TESSDATA to its folder."
    ]
    assert not list((tmp_path / "tessdata").iterdir())


def test_file_with_another_digest_is_not_placed(tmp_path: Path) -> None:
    source = tmp_path / "rus.traineddata"
    source.write_bytes(b"changed")
    with pytest.raises(WrongData, match=r"rus\.traineddata has the SHA-256 .*, not e16e5e036cce… as expected"):
        place(source, tmp_path / "tessdata", "rus")
    assert not list((tmp_path / "tessdata").iterdir())


@pytest.mark.usefixtures("rus_digest")
def test_changed_file_is_replaced(tmp_path: Path) -> None:
    installed(tmp_path / "root", b"data")
    (tmp_path / "tessdata").mkdir()
    (tmp_path / "tessdata" / "rus.traineddata").write_bytes(b"changed")
    assert len(list(fetch_missing(["rus"], tmp_path / "tessdata", tmp_path / "root"))) == 1
    assert is_placed(tmp_path / "tessdata", "rus")


def test_newest_installed_version_comes_first(tmp_path: Path) -> None:
    for version in ("4.00", "5"):
        folder = tmp_path / "usr/share/tesseract-ocr" / version / "tessdata"
        folder.mkdir(parents=True)
        (folder / "rus.traineddata").touch()
    assert [file.parent.parent.name for file in installed_files("rus", tmp_path)] == ["5", "4.00"]


def test_own_folder_is_not_written_to(tmp_path: Path) -> None:
    assert list(sentences({"MAAS_OCR_LANGUAGES": "heb", "MAAS_TESSDATA": str(tmp_path)})) == [
        f"heb: no language data, so texts in it are not read: MAAS_TESSDATA={tmp_path} has no heb.traineddata."
    ]
    assert not list(tmp_path.iterdir())


def test_nothing_is_fetched_without_languages(tmp_path: Path) -> None:
    assert list(sentences({"MAAS_HOME": str(tmp_path)})) == []


def test_downloaded_package_has_the_known_data(tmp_path: Path) -> None:
    if shutil.which("apt-get") is None:
        pytest.skip("there is no apt-get on this machine")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    try:
        file = downloaded_file(SMALLEST, scratch)
    except NotToBeHad as error:
        pytest.skip(f"the package cannot be downloaded here: {error}")
    place(file, tmp_path / "tessdata", SMALLEST)
    assert is_placed(tmp_path / "tessdata", SMALLEST)
