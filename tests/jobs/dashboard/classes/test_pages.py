"""Test the pages of class sets, and what the list and a job's page offer for them."""

import re

import pytest
from django.test import Client

from jobs.class_sets.services import add_examples, create_class_set
from jobs.core.models import Job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.class_sets.conftest import NAME, Office, office, stack

__all__ = ["office"]


@pytest.fixture
def browser(tenant: CreatedTenant) -> Client:
    client = Client()
    client.force_login(tenant.owner)
    return client


def page(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def test_the_empty_list_says_how_to_begin_and_makes_a_set(browser: Client) -> None:
    assert "Create a class set below" in page(browser, "/classes")
    assert browser.post("/classes", {"name": "Not Good"}).status_code == 400
    made = browser.post("/classes", {"name": "letters", "title": "Incoming mail"})
    assert made["Location"] == "/classes/letters"
    assert "Incoming mail letters — 0 not trained" in page(browser, "/classes")


def test_documents_are_added_trained_and_tried(browser: Client, office: Office) -> None:
    create_class_set(identity=office.desk.identity, name=NAME)
    for kind in ("invoice", "offer"):
        jobs = [str(office.paper(kind, seed).id) for seed in range(5)]
        answer = browser.post("/jobs/bulk/add-to-class", {"job": jobs, "class_set": NAME, "label": kind})
        assert answer.json()["words"] == f"5 added to “{kind}” of letters."
    shown = page(browser, "/classes/letters")
    assert "not trained" in shown
    assert browser.post("/classes/letters/train")["Location"] == "/classes/letters"
    shown = page(browser, "/classes/letters?try=1")
    assert "Trained as letters@1" in shown
    assert "% of the examples are known from the others" in shown
    assert "What letters@1 says about the latest documents" in shown
    assert "letters@1" in page(browser, "/classes")


def test_training_too_few_examples_says_what_is_missing(browser: Client, office: Office) -> None:
    office.examples(kinds=("invoice",))
    office.more("offer", range(3))
    assert "offer: 2 more" in page(browser, "/classes/letters")
    refused = browser.post("/classes/letters/train")
    assert refused.status_code == 409
    assert "&#x27;offer&#x27; has 3" in refused.content.decode()


def test_an_example_that_is_taken_for_another_class_is_named(browser: Client, office: Office) -> None:
    office.examples()
    wrong = office.paper("invoice", 60)
    add_examples(identity=office.desk.identity, name=NAME, label="offer", job_ids=[str(wrong.id)])
    office.train()
    shown = page(browser, "/classes/letters")
    assert "Examples to look at" in shown
    assert "taken for invoice" in shown
    assert browser.post("/classes/letters/remove", {"job": str(wrong.id)}).status_code == 302
    assert "The examples have changed since the last training." in page(browser, "/classes/letters")


def test_an_earlier_version_can_be_used_again_and_a_set_be_deleted(browser: Client, office: Office) -> None:
    office.examples()
    office.train()
    office.train()
    browser.post("/classes/letters/serve", {"version": "1"})
    assert "letters@1 is used now." in page(browser, "/classes/letters")
    assert browser.post("/classes/letters/serve", {"version": "77"}).status_code == 409
    assert browser.post("/classes/letters/delete")["Location"] == "/classes"
    assert browser.get("/classes/letters").status_code == 404


def test_a_jobs_page_shows_the_class_with_its_set_and_the_documents_in_a_stack(browser: Client, office: Office) -> None:
    office.examples()
    office.train()
    job = office.read(stack(), NAME)
    shown = page(browser, f"/jobs/{job.id}")
    assert "letters@1" in shown
    assert "Documents in this file: Invoice 1–2 · Offer 3 · Invoice 4" in shown
    labels = re.findall(
        r'data-correct-class="([^"]+)" data-at="/v1/jobs/', browser.get(f"/jobs/{job.id}").content.decode()
    )
    assert labels == ["delivery note", "invoice", "offer"]


def test_a_corrected_class_is_shown_on_the_jobs_page(browser: Client, office: Office) -> None:
    office.examples()
    office.train()
    job = office.paper("offer", 50, NAME)
    answer = browser.put(f"/v1/jobs/{job.id}/class", {"label": "invoice"}, content_type="application/json")
    assert answer.json()["learned"] == {"class_set": "letters", "version": "letters@2", "reason": None}
    assert "Invoice letters@1" in page(browser, f"/jobs/{job.id}")
    with unit_of_work(office.desk.identity):
        assert Job.objects.get(id=job.id).class_label == "invoice"
    assert browser.delete(f"/v1/jobs/{job.id}/class").status_code == 204
    assert "Offer · " in page(browser, f"/jobs/{job.id}")


def test_a_document_is_added_from_its_own_page(browser: Client, office: Office) -> None:
    create_class_set(identity=office.desk.identity, name=NAME)
    job = str(office.paper("offer", 1).id)
    given = {"job": job, "class_set": NAME, "label": "offer", "from": "page"}
    assert browser.post("/jobs/bulk/add-to-class", given)["Location"] == "/classes/letters"
    assert "added to “offer” of letters" in page(browser, "/classes/letters")


def test_the_upload_form_offers_trained_sets(browser: Client, office: Office) -> None:
    def offered() -> bool:
        form = browser.get("/jobs").content.decode().split('id="upload"')[1].split("</form>")[0]
        return '<option value="letters">' in form

    office.examples()
    assert not offered()
    office.train()
    assert offered()


def test_a_set_is_used_for_all_new_uploads_and_not_any_more(browser: Client, office: Office) -> None:
    def chosen() -> bool:
        return '<option value="letters" selected>' in browser.get("/jobs").content.decode()

    office.examples()
    assert browser.post("/classes/letters/default", {"default": "true"}).status_code == 409
    office.train()
    assert not chosen()
    browser.post("/classes/letters/default", {"default": "true"})
    assert "New uploads are sorted by this set." in page(browser, "/classes/letters")
    assert "letters@1 for new uploads" in page(browser, "/classes")
    assert chosen()
    browser.post("/classes/letters/default", {"default": "false"})
    assert "New uploads are not sorted by this set." in page(browser, "/classes/letters")
    assert not chosen()


def test_another_tenants_set_does_not_exist(browser: Client, other_tenant: CreatedTenant, office: Office) -> None:
    office.examples()
    stranger = Client()
    stranger.force_login(other_tenant.owner)
    assert stranger.get("/classes/letters").status_code == 404
    assert stranger.post("/classes/letters/delete").status_code == 404
    assert "letters" not in page(stranger, "/classes")
