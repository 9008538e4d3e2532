from jobs.queue.claims import claim_page
from jobs.queue.storage_waits import is_of_document, put_off_for_storage
from tests.jobs.conftest import Desk


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
