"""Tests of the pages that are read from a folder on the operator's machine."""

import os
from pathlib import Path

import pytest
from PIL import Image

from jobs.documents.page_folder import FolderInvalid, FolderPage, distinct_pages
from jobs.documents.reader import DocumentRejected
from tenants.core.progress import Progress
from tests.samples.office import word_document
from tests.samples.pdfs import small_scans, text_pdf


def found_in(folder: Path, limit: int = 100) -> tuple[list[FolderPage], list[str]]:
    """Return the pages, and what was left out."""
    texts: list[str] = []
    pages = distinct_pages(folder, limit=limit, progress=Progress(texts.append))
    return list(pages.values()), [text for text in texts if text.startswith("left out")]


def picture(path: Path, color: str) -> None:
    Image.new("RGB", (60, 40), color).save(path)


def test_documents_take_turns_page_by_page(tmp_path: Path) -> None:
    (tmp_path / "b.pdf").write_bytes(small_scans("one", "two", "three"))
    (tmp_path / "more").mkdir()
    picture(tmp_path / "more" / "c.png", "red")
    picture(tmp_path / "a.png", "blue")
    pages, left_out = found_in(tmp_path)
    assert [(page.path.name, page.number) for page in pages] == [
        ("a.png", 1),
        ("b.pdf", 1),
        ("c.png", 1),
        ("b.pdf", 2),
        ("b.pdf", 3),
    ]
    assert left_out == []
    assert pages[0].pixels()[0, 0].tolist() == [0, 0, 255]


def test_no_more_pages_are_read_than_wanted(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(small_scans("one", "two", "three"))
    assert [page.number for page in found_in(tmp_path, limit=2)[0]] == [1, 2]


def test_a_page_with_text_of_its_own_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf("a text of its own"))
    pages, _ = found_in(tmp_path)
    assert pages[0].pixels().min() < 100


def test_what_cannot_be_read_is_left_out_with_the_reason(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", "red")
    picture(tmp_path / "b.png", "red")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.7 broken")
    (tmp_path / "d.txt").write_text("text")
    (tmp_path / "e.docx").write_bytes(word_document())
    (tmp_path / "f.png").write_bytes(b"")
    (tmp_path / ".hidden").write_text("hidden")
    pages, left_out = found_in(tmp_path)
    assert [page.path.name for page in pages] == ["a.png"]
    assert [text.split(":")[0] for text in left_out] == [
        "left out c.pdf",
        "left out d.txt",
        "left out e.docx",
        "left out f.png",
        "left out b.png, page 1",
    ]
    assert left_out[1].endswith(": it is neither a PDF nor a picture.")
    assert left_out[-1].endswith(": the same as a.png, page 1.")


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FolderInvalid, match=r"^There is no folder .*none\.$"):
        found_in(tmp_path / "none")
    with pytest.raises(FolderInvalid, match=r"file is a file\. Give the folder of the pictures and PDFs\.$"):
        found_in(tmp_path / "file")
    with pytest.raises(FolderInvalid, match=r"empty is empty\. Put pictures and PDFs of pages into it\.$"):
        found_in(tmp_path / "empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads every folder")
def test_a_folder_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0)
    with pytest.raises(FolderInvalid, match=r"locked cannot be read: Permission denied\.$"):
        found_in(tmp_path / "locked")


def test_a_page_that_was_damaged_since_is_rejected(tmp_path: Path) -> None:
    picture(tmp_path / "a.png", "red")
    pages, _ = found_in(tmp_path)
    pages[0].path.write_bytes(b"\x89PNG\r\n\x1a\n damaged")
    with pytest.raises(DocumentRejected):
        pages[0].pixels()
