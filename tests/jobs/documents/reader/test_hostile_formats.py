"""Test that each hostile Office document, web page and email gets its answer, and that this process goes on."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from jobs.documents.reader import DocumentReader, DocumentRejected
from tests.samples.hostile_answers import answer_to, fault_of, fault_of_text, listener
from tests.samples.hostile_damage import ODD, damaged_documents
from tests.samples.hostile_office import BOMB_MIB, HOSTILE_OFFICE, READ
from tests.samples.hostile_remote import remote_documents

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
    answer = answer_to(reader, path)
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


DAMAGED = damaged_documents()
SOME = list(DAMAGED)[::6] + list(ODD)
"""A part of the damaged documents. The benchmark `bench_hostile_formats` reads all of them."""


@pytest.mark.parametrize("name", SOME)
def test_damaged_document_gets_its_answer(small_reader: DocumentReader, store: Store, name: str) -> None:
    make, answers = DAMAGED[name]
    assert fault_of(answer_to(small_reader, store(make())), answers) == ""


def test_nothing_that_documents_refer_to_is_fetched(small_reader: DocumentReader, store: Store) -> None:
    with listener() as (url, callers):
        faults = {
            name: fault_of_text(answer_to(small_reader, store(make()))) for name, make in remote_documents(url).items()
        }
    assert {name: fault for name, fault in faults.items() if fault} == {}
    assert callers == []
