"""Test that each hostile Office document, web page and email gets its answer, and that this process goes on."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.documents.reader import DocumentReader, DocumentRejected, PageContent
from tests.samples.hostile_office import BOMB_MIB, HOSTILE_OFFICE, READ

from .conftest import LIMITS, Store


@pytest.fixture(scope="module")
def small_reader() -> Iterator[DocumentReader]:
    """Yield a reader that unpacks little, so that bombs for it are made fast."""
    made = DocumentReader(replace(LIMITS, max_unpacked_bytes=(BOMB_MIB // 2) << 20), children=1)
    yield made
    made.close()


@pytest.mark.parametrize(("make", "answers"), HOSTILE_OFFICE.values(), ids=HOSTILE_OFFICE)
def test_hostile_document_gets_its_answer(
    small_reader: DocumentReader, store: Store, make: Callable[[], bytes], answers: str
) -> None:
    reader = small_reader
    pid, path = os.getpid(), store(make())
    answer = _answer_to(reader, path)
    if isinstance(answer, DocumentRejected):
        assert answer.code in answers.split(), answer.detail
        assert not answer.detail.startswith("The document is damaged or not valid"), "the child had no answer"
    else:
        assert READ in answers.split()
        for page in answer:
            assert page.items is not None
            assert sum(item.rows * item.columns for item in page.items) <= LIMITS.max_table_places
    assert os.getpid() == pid
    assert reader.wait_until_warm(10)


def _answer_to(reader: DocumentReader, path: Path) -> DocumentRejected | list[PageContent]:
    try:
        inspection = reader.inspect(path)
        return [reader.read_page(path, inspection.kind, number) for number in (1, inspection.pages_total)]
    except DocumentRejected as rejected:
        return rejected
