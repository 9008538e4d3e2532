"""Test that pages that were read with another one are kept until they are taken, within bounds."""

import threading
from uuid import UUID

from inference.core.contracts import TextLine
from jobs.documents.pages_ahead import MAX_AGE_S, PagesAhead
from jobs.documents.reader import PageContent

TENANT, OTHER, DOCUMENT = UUID(int=1), UUID(int=2), UUID(int=3)


def page(text: str) -> PageContent:
    return PageContent(0, 0, (TextLine(text, None, 1.0),), None, None, None)


def test_page_is_taken_once_and_only_by_its_tenant() -> None:
    ahead = PagesAhead()
    ahead.put((TENANT, DOCUMENT, 2), [page("two"), page("three")], 0)
    assert ahead.take((OTHER, DOCUMENT, 3), 1) is None
    assert ahead.take((TENANT, DOCUMENT, 3), 1) == page("three")
    assert ahead.take((TENANT, DOCUMENT, 3), 1) is None
    assert ahead.take((TENANT, DOCUMENT, 2), 1) == page("two")


def test_page_is_gone_after_its_time() -> None:
    ahead = PagesAhead()
    ahead.put((TENANT, DOCUMENT, 2), [page("two")], 0)
    ahead.put((TENANT, DOCUMENT, 3), [page("three")], 1)
    assert ahead.take((TENANT, DOCUMENT, 2), MAX_AGE_S) is None
    assert ahead.take((TENANT, DOCUMENT, 3), MAX_AGE_S) == page("three")


def test_oldest_pages_give_way_to_new_ones() -> None:
    by_number, by_size = PagesAhead(max_pages=2), PagesAhead(max_chars=10)
    for ahead in (by_number, by_size):
        ahead.put((TENANT, DOCUMENT, 1), [page("12345"), page("12345"), page("12345")], 0)
        assert ahead.take((TENANT, DOCUMENT, 1), 0) is None
        assert ahead.take((TENANT, DOCUMENT, 2), 0) is not None


def test_page_that_is_put_again_counts_once() -> None:
    ahead = PagesAhead(max_chars=10)
    for _ in range(5):
        ahead.put((TENANT, DOCUMENT, 1), [page("12345"), page("12345")], 0)
    assert ahead.take((TENANT, DOCUMENT, 1), 0) == page("12345")
    assert ahead.take((TENANT, DOCUMENT, 2), 0) == page("12345")


def test_second_thread_waits_and_takes_what_the_first_one_read() -> None:
    ahead, found = PagesAhead(), list[PageContent | None]()
    started = threading.Event()

    def second() -> None:
        started.set()
        with ahead.turn((TENANT, DOCUMENT, 2)):
            found.append(ahead.take((TENANT, DOCUMENT, 2), 0))

    with ahead.turn((TENANT, DOCUMENT, 1)):
        thread = threading.Thread(target=second)
        thread.start()
        started.wait()
        ahead.put((TENANT, DOCUMENT, 2), [page("two")], 0)
    thread.join()
    assert found == [page("two")]
