"""Tests of what a child does with a request. It is called in this process, with files that are known to be good."""

import os
from dataclasses import asdict
from pathlib import Path

from jobs.documents.reader import DocumentLimits
from jobs.documents.reader.opening.requests import handle
from tests.samples.pdfs import scanned_pdf


def test_a_file_that_another_child_began_to_read_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(scanned_pdf("one", "two"))
    document = os.open(path, os.O_RDONLY)
    try:
        os.lseek(document, 1000, os.SEEK_SET)
        answer = handle({"do": "inspect", "limits": asdict(DocumentLimits())}, [document])
    finally:
        os.close(document)
    assert answer["content_type"] == "application/pdf"
    assert len(answer["page_sizes"]) == 2
