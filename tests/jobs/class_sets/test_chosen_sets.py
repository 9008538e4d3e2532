"""Test which class set a job gets: the one it names, the default one, or that of the job or file it comes from."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client

from jobs.api.jobs import job_body
from jobs.archives.claims import claim_archive
from jobs.archives.services import ArchiveRequest, accept_archive
from jobs.archives.unpacking import Lease
from jobs.class_sets.errors import ClassSetNotFound, ClassSetNotTrained
from jobs.class_sets.models import ClassSet
from jobs.class_sets.selectors import chosen_key
from jobs.class_sets.services import change_class_set, create_class_set, delete_class_set
from jobs.core.models import Job
from jobs.core.models.archives import Archive
from jobs.documents.reading import reader
from jobs.documents.uploads import Upload
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.jobs.api.conftest import form_of, send_job
from tests.jobs.archives.packing import packed
from tests.samples.emails import email_with
from tests.samples.pdfs import text_pdf

from .conftest import NAME, Office

MAIL = email_with(("bill.pdf", text_pdf("bill")), ("inner.eml", email_with(("deep.pdf", text_pdf("deep")))))
ZIP = packed([("apples.pdf", text_pdf("apples")), ("mail.eml", MAIL)])


@pytest.fixture
def trained(office: Office) -> Office:
    office.examples()
    office.train()
    return office


def make_default(office: Office, name: str = NAME, *, default: bool = True) -> None:
    change_class_set(identity=office.desk.identity, name=name, default=default)


def submitted(office: Office, class_set: str | None = None) -> Job:
    document = office.desk.document(1)
    model = office.desk.version.served_model.name
    request = JobRequest(model=model, document_id=document.id, class_set=class_set)
    return submit_job(identity=office.desk.identity, request=request)


def upload(folder: Path, content: bytes, name: str) -> Upload:
    path = folder / name
    path.write_bytes(content)
    inspection = None if name.endswith(".zip") else reader().inspect(path)
    return Upload(path, unique("sha"), len(content), name, "", inspection=inspection)


def unpack_all(office: Office) -> None:
    while (claim := claim_archive("test")) is not None:
        if claim.tenant_id == office.desk.identity.tenant_id:
            assert Lease(claim, reader, lambda: True).take() in {"done", "time_slice_ended"}


def sets_of_documents(office: Office) -> dict[str, str]:
    """Return the class set of the newest job of each document, by the document's name."""
    with unit_of_work(office.desk.identity):
        jobs = Job.objects.exclude(document=None).select_related("document").order_by("id")
        return {job.document.name: job.class_set for job in jobs if job.document}


def accepted_zip(office: Office, folder: Path, class_set: str | None, model: str | None = None) -> Archive:
    named = office.desk.version.served_model.name if model is None else model
    request = ArchiveRequest(model=named, class_set=class_set)
    return accept_archive(identity=office.desk.identity, upload=upload(folder, ZIP, "scans.zip"), request=request)


def test_a_job_that_names_no_set_gets_the_default_one(trained: Office) -> None:
    assert submitted(trained).class_set == ""
    make_default(trained)
    assert submitted(trained).class_set == "letters@1"
    assert submitted(trained, "").class_set == ""
    trained.train()
    assert submitted(trained).class_set == "letters@2"
    make_default(trained, default=False)
    assert submitted(trained).class_set == ""


def test_null_turns_the_default_set_off_in_json_and_an_empty_field_in_a_form(trained: Office, tmp_path: Path) -> None:
    make_default(trained)
    desk = trained.desk
    document: dict[str, Any] = {"input": None, "document": str(desk.document(1).id)}

    def sent(**fields: Any) -> str:
        answer = send_job(desk, {}, **document, **fields)
        assert answer.status_code == 202, answer.json()
        with unit_of_work(desk.identity):
            return Job.objects.get(id=answer.json()["id"]).class_set

    assert (sent(), sent(class_set=None), sent(class_set="letters@1")) == ("letters@1", "", "letters@1")
    for fields, expected in (({}, "letters@1"), ({"class_set": ""}, "")):
        answer = send_job(desk, {}, form_of(desk, tmp_path, **fields))
        with unit_of_work(desk.identity):
            assert Job.objects.get(id=answer.json()["id"]).class_set == expected


def test_text_that_is_sent_is_not_classed_by_the_default_set(trained: Office) -> None:
    make_default(trained)
    request = JobRequest(model=trained.desk.version.served_model.name, input={"text": "hello"})
    assert submit_job(identity=trained.desk.identity, request=request).class_set == ""


def test_only_one_set_of_a_mode_is_the_default_one(trained: Office) -> None:
    make_default(trained)
    trained.examples_of("mail")
    trained.train("mail")
    make_default(trained, "mail")
    with unit_of_work(trained.desk.identity):
        assert list(ClassSet.objects.filter(default=True).values_list("name", flat=True)) == ["mail"]
        with pytest.raises(IntegrityError):
            ClassSet.objects.update(default=True)


def test_a_set_must_be_trained_to_be_the_default_one(office: Office) -> None:
    create_class_set(identity=office.desk.identity, name=NAME)
    with pytest.raises(ClassSetNotTrained):
        make_default(office)


def test_a_deleted_set_is_the_default_one_no_more_even_if_it_is_made_anew(trained: Office) -> None:
    make_default(trained)
    delete_class_set(identity=trained.desk.identity, name=NAME)
    assert submitted(trained).class_set == ""
    trained.examples()
    trained.train()
    assert submitted(trained).class_set == ""


def test_a_default_set_of_live_jobs_is_not_used_by_tests(trained: Office) -> None:
    make_default(trained)
    with unit_of_work(trained.desk.identity.tenant_id):
        assert chosen_key(None, livemode=False) == ""


def test_the_same_key_with_and_without_the_default_set_is_another_request(trained: Office) -> None:
    desk = trained.desk
    document: dict[str, Any] = {"input": None, "document": str(desk.document(1).id)}
    headers = {"Idempotency-Key": unique("key")}
    assert send_job(desk, headers, **document).status_code == 202
    assert send_job(desk, headers, **document, class_set=None).json()["code"] == "idempotency_key_reused"


def test_documents_of_a_zip_file_and_attachments_are_classed_like_it(trained: Office, tmp_path: Path) -> None:
    archive = accepted_zip(trained, tmp_path, NAME)
    assert archive.class_set == "letters@1"
    trained.train()
    unpack_all(trained)
    found = sets_of_documents(trained)
    assert {found[name] for name in ("apples.pdf", "mail.eml", "bill.pdf", "deep.pdf")} == {"letters@1"}


def test_attachments_of_an_email_are_classed_by_the_set_of_its_job(trained: Office, tmp_path: Path) -> None:
    request = JobRequest(model=trained.desk.version.served_model.name, class_set=NAME)
    sent = upload(tmp_path, MAIL, "mail.eml")
    submit_once(identity=trained.desk.identity, request=request, key=None, upload=sent)
    unpack_all(trained)
    found = sets_of_documents(trained)
    assert {found[name] for name in ("mail.eml", "bill.pdf", "deep.pdf")} == {"letters@1"}


def test_an_archive_gets_the_default_set_unless_that_is_turned_off(trained: Office, tmp_path: Path) -> None:
    make_default(trained)
    assert accepted_zip(trained, tmp_path, None).class_set == "letters@1"
    off = accepted_zip(trained, tmp_path, "")
    assert off.class_set == ""
    assert accepted_zip(trained, tmp_path, None, model="").class_set == ""


def test_attachments_of_an_email_without_a_set_do_not_get_the_default_one(trained: Office, tmp_path: Path) -> None:
    make_default(trained)
    request = JobRequest(model=trained.desk.version.served_model.name, class_set="")
    submit_once(identity=trained.desk.identity, request=request, key=None, upload=upload(tmp_path, MAIL, "mail.eml"))
    unpack_all(trained)
    found = sets_of_documents(trained)
    assert {found[name] for name in ("mail.eml", "bill.pdf", "deep.pdf")} == {""}


def test_an_archive_that_names_an_unknown_set_is_refused_at_once(trained: Office, tmp_path: Path) -> None:
    with pytest.raises(ClassSetNotFound):
        accepted_zip(trained, tmp_path, "mail")
    with unit_of_work(trained.desk.identity):
        assert not Archive.objects.exists()


def test_an_archive_whose_set_is_deleted_meanwhile_is_unpacked_without_it(trained: Office, tmp_path: Path) -> None:
    accepted_zip(trained, tmp_path, NAME)
    delete_class_set(identity=trained.desk.identity, name=NAME)
    unpack_all(trained)
    assert sets_of_documents(trained)["apples.pdf"] == ""


def test_a_retry_keeps_the_version_and_goes_without_it_when_it_was_deleted(trained: Office) -> None:
    jobs = [submitted(trained, NAME) for _ in range(2)]
    for job in jobs:
        cancel_job(identity=trained.desk.identity, job_id=job.id)
    trained.train()
    assert retry_job(identity=trained.desk.identity, job_id=jobs[0].id).class_set == "letters@1"
    delete_class_set(identity=trained.desk.identity, name=NAME)
    assert retry_job(identity=trained.desk.identity, job_id=jobs[1].id).class_set == ""


@pytest.fixture
def read_again(trained: Office, tenant: CreatedTenant) -> Callable[[Job], Job]:
    browser = Client()
    browser.force_login(tenant.owner)

    def again(job: Job) -> Job:
        cancel_job(identity=trained.desk.identity, job_id=job.id)
        model = trained.desk.version.served_model.name
        answer = browser.post(f"/jobs/{job.id}/read-again", {"model": model})
        with unit_of_work(trained.desk.identity):
            return Job.objects.get(id=answer["Location"].rpartition("/")[2])

    return again


def test_a_document_that_is_read_again_keeps_its_set(trained: Office, read_again: Callable[[Job], Job]) -> None:
    job, other = submitted(trained, NAME), submitted(trained)
    trained.train()
    assert read_again(job).class_set == "letters@2"
    assert read_again(other).class_set == ""
    make_default(trained)
    assert read_again(submitted(trained, "")).class_set == "letters@2"


def test_a_document_is_read_again_after_its_set_was_deleted(trained: Office, read_again: Callable[[Job], Job]) -> None:
    job = submitted(trained, NAME)
    delete_class_set(identity=trained.desk.identity, name=NAME)
    assert read_again(job).class_set == ""


def test_a_model_without_text_keeps_its_own_class(trained: Office) -> None:
    make_default(trained)
    own = {"class": {"label": "cat", "probabilities": {"cat": 1.0}}}
    job = trained.read([own])
    assert job_body(job)["class"] == {"label": "cat", "probabilities": {"cat": 1.0}, "corrected": False}
