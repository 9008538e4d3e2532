from inference.core.breaker import MAX_FAILURES
from jobs.core.errors import FileMissing, StorageUnavailable
from jobs.queue.claims import claim_page
from jobs.worker.storage_pause import LONGEST_PAUSE_S, StoragePause, is_of_document, put_off_for_storage
from tests.inference.workers.placement.clocks import Clock
from tests.jobs.conftest import Desk


def full() -> StorageUnavailable:
    return StorageUnavailable("full", code="storage_full")


def paused(clock: Clock) -> StoragePause:
    pause = StoragePause(clock)
    assert [pause.failed(full()) for _ in range(MAX_FAILURES)] == [False, False, True]
    return pause


def test_a_full_storage_keeps_documents_from_being_taken() -> None:
    pause = paused(Clock())
    assert not pause.takes_documents()


def test_one_page_in_a_pause_finds_out_whether_it_is_over() -> None:
    clock = Clock()
    pause = paused(clock)
    clock.now_s += 1.1
    assert [pause.takes_documents() for _ in range(3)] == [True, False, False]
    assert pause.opened()
    assert [pause.takes_documents() for _ in range(3)] == [True, True, True]


def test_pauses_stay_short_however_long_the_disk_is_full() -> None:
    clock = Clock()
    pause = paused(clock)
    for _ in range(20):
        clock.now_s += LONGEST_PAUSE_S
        assert pause.takes_documents()
        pause.failed(full())
    assert not pause.takes_documents()


def test_a_single_file_that_is_missing_says_nothing_about_the_storage() -> None:
    pause = StoragePause(Clock())
    for _ in range(10):
        assert not pause.failed(FileMissing("gone"))
    assert pause.takes_documents()


def test_a_page_that_is_put_off_leaves_its_place_to_those_that_need_no_storage(desk: Desk) -> None:
    job, text = desk.submit(pages=2), desk.pages(desk.submit())[0]
    page, tenant_id = desk.pages(job)[0], desk.identity.tenant_id
    desk.sql("UPDATE jobs_page SET renotify_at = now() + interval '10 s' WHERE id = %s", page.id)
    assert (is_of_document(tenant_id, page.id), is_of_document(tenant_id, text.id)) == (True, False)
    put_off_for_storage(tenant_id, page.id)
    page = desk.pages(job)[0]
    assert (page.renotify_at, page.attempt) == (None, 0)
    assert claim_page(tenant_id, page.id, "one") is None
    desk.sql("UPDATE jobs_page SET run_after = now() WHERE id = %s", page.id)
    assert claim_page(tenant_id, page.id, "one") is not None
