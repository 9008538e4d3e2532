"""Tests of the attachments of emails: each becomes a document of its own, tied to its email, and is read like it."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from inference.registry.models import ModelVersion
from jobs.api.creations import upload_document_once
from jobs.archives.claims import claim_archive
from jobs.archives.selectors import archives_newest_first
from jobs.archives.unpacking import Lease
from jobs.attachments.selectors import attachments_of, mails_with
from jobs.attachments.services import MAX_ATTACHMENTS, OUTERMOST, Nesting
from jobs.core.models import Document, Job
from jobs.core.models.archives import Archive, ArchiveEntry
from jobs.documents.reading import reader
from jobs.documents.uploads import Upload
from jobs.retention.documents import delete_document, erase_document_and_jobs
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.samples.emails import email_with, nested_emails
from tests.samples.pdfs import text_pdf


@dataclass
class Post:
    """An account that is sent emails."""

    identity: Identity
    folder: Path
    model: str

    def upload(self, content: bytes, name: str = "mail.eml") -> Upload:
        path = self.folder / hashlib.sha256(content).hexdigest()
        path.write_bytes(content)
        return Upload(path, path.name, len(content), name, "message/rfc822", inspection=reader().inspect(path))

    def store(self, content: bytes, attachments: Nesting | None = OUTERMOST, key: str | None = None) -> Document:
        upload = self.upload(content)
        return upload_document_once(identity=self.identity, upload=upload, key=key, attachments=attachments).made

    def read(self, content: bytes, attachments: Nesting | None = OUTERMOST, key: str | None = None) -> Job:
        request = JobRequest(model=self.model, attachments=attachments)
        return submit_once(identity=self.identity, request=request, key=key, upload=self.upload(content)).made

    def take(self) -> int:
        """Take all attachments that are ordered, and return how many emails were opened.

        What other tests left is claimed and left alone.
        """
        opened = set()
        while (claim := claim_archive("test")) is not None:
            if claim.tenant_id != self.identity.tenant_id:
                continue
            assert Lease(claim, reader, lambda: True).take() in {"done", "time_slice_ended"}
            opened.add(claim.archive_id)
        return len(opened)

    def entries(self, mail_id: object) -> list[tuple[str, str, str]]:
        with unit_of_work(self.identity):
            return [(one.name, one.state, one.error_code) for one in attachments_of(mail_id)]  # type: ignore[arg-type]

    def names(self) -> list[str]:
        with unit_of_work(self.identity):
            return sorted(Document.objects.filter(deleted_at=None).values_list("name", flat=True))

    def document(self, name: str) -> Document:
        with unit_of_work(self.identity):
            return Document.objects.get(name=name, deleted_at=None)

    def jobs(self) -> int:
        with unit_of_work(self.identity):
            return Job.objects.filter(erased_at=None).count()


@pytest.fixture
def post(identity: Identity, version: ModelVersion, tmp_path: Path) -> Post:
    return Post(identity, tmp_path, version.served_model.name)


MAIL = email_with(("bill.pdf", text_pdf("bill")), ("notes.txt", b"two pears"))


def test_attachments_become_documents_that_name_their_email(post: Post) -> None:
    mail = post.store(MAIL)
    assert (mail.attachments_total, post.take(), post.jobs()) == (2, 1, 0)
    assert post.entries(mail.id) == [("bill.pdf", "done", ""), ("notes.txt", "done", "")]
    assert post.names() == ["bill.pdf", "mail.eml", "notes.txt"]
    with unit_of_work(post.identity):
        bill = Document.objects.get(name="bill.pdf")
        assert [found.id for found in mails_with(bill.id)] == [mail.id]
        assert (bill.mail_id, bill.kind) == (mail.id, "pdf")


def test_they_are_read_with_the_email_by_jobs_of_their_own(post: Post) -> None:
    job = post.read(MAIL)
    assert (post.take(), post.jobs()) == (1, 3)
    with unit_of_work(post.identity):
        entries = ArchiveEntry.objects.filter(archive__mail_job_id=job.id)
        read = Job.objects.filter(id__in=[entry.job_id for entry in entries if entry.job_id])
        models = set(read.values_list("model_version_id", flat=True))
    assert models == {job.model_version_id}


def test_they_are_left_out_on_request(post: Post) -> None:
    post.read(MAIL, attachments=None)
    post.store(email_with(("other.txt", b"other"), subject="Other"), attachments=None)
    assert (post.take(), post.names(), post.jobs()) == (0, ["mail.eml", "mail.eml"], 1)


def test_an_email_without_attachments_orders_nothing(post: Post) -> None:
    assert post.store(email_with()).attachments_total == 0
    assert post.take() == 0


def test_the_same_email_under_its_key_makes_them_once(post: Post) -> None:
    first, again = (post.read(MAIL, key="the same") for _ in range(2))
    assert (first.id, post.take(), post.jobs()) == (again.id, 1, 3)
    stored, twin = (post.store(MAIL, key="upload") for _ in range(2))
    assert (stored.id, post.take(), len(post.names())) == (twin.id, 0, 3)


def test_each_unreadable_attachment_says_why(post: Post) -> None:
    mail = post.store(
        email_with(
            ("zeros.pdf", b"\0\1"),
            ("files.zip", b"PK\x03\x04" + bytes(40)),
            ("empty.txt", b""),
        )
    )
    post.take()
    assert post.entries(mail.id) == [
        ("zeros.pdf", "failed", "unsupported_type"),
        ("files.zip", "failed", "nested_archive"),
        ("empty.txt", "failed", "document_empty"),
    ]


def test_attached_emails_are_opened_to_a_depth(post: Post) -> None:
    post.store(nested_emails(5, email_with(("deep.txt", b"deep"), subject="Innermost")))
    assert post.take() == 4
    with unit_of_work(post.identity):
        last = Archive.objects.order_by("-depth").first()
        assert last is not None
        assert last.depth == 3
        [entry] = last.entries.all()
    assert (entry.state, entry.error_code) == ("failed", "too_many_attachments")
    assert "deep.txt" not in post.names()


def test_an_email_in_an_email_that_is_not_too_deep_is_opened(post: Post) -> None:
    post.read(nested_emails(2, email_with(("deep.txt", b"deep"), subject="Innermost")))
    assert (post.take(), post.jobs()) == (3, 4)
    assert post.names() == ["Innermost (email)", "Level 0 (email)", "deep.txt", "mail.eml"]


def test_no_more_than_a_number_of_attachments_are_opened(post: Post) -> None:
    many = [(f"{number}.txt", f"text {number}".encode()) for number in range(MAX_ATTACHMENTS + 3)]
    mail = post.store(email_with(*many))
    post.take()
    assert [code for _, _, code in post.entries(mail.id)] == [""] * MAX_ATTACHMENTS + ["too_many_attachments"] * 3


def test_signatures_and_pictures_in_the_text_are_skipped(post: Post) -> None:
    parts = (
        'Content-Type: text/html\r\n\r\n<p>Hello <img src="cid:logo@x"></p>',
        "Content-Type: image/png; name=logo.png\r\nContent-ID: <logo@x>\r\n\r\nnot read",
        "Content-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nnot read",
    )
    body = "".join(f"--e\r\n{part}\r\n" for part in parts)
    fields = "From: a@x\r\nMessage-ID: <1@x>\r\nContent-Type: multipart/mixed; boundary=e\r\n\r\n"
    mail = post.store(f"{fields}{body}--e\r\nContent-Type: text/csv; name=a.csv\r\n\r\n1,2\r\n--e--\r\n".encode())
    assert (mail.attachments_total, post.take()) == (1, 1)
    assert post.entries(mail.id) == [
        ("logo.png", "skipped", "inline_picture"),
        ("smime.p7s", "skipped", "signature"),
        ("a.csv", "done", ""),
    ]


def test_erasing_the_email_erases_its_attachments_in_all_emails_in_it(post: Post) -> None:
    job = post.read(nested_emails(1, MAIL))
    post.take()
    assert (len(post.names()), post.jobs()) == (4, 4)
    assert erase_document_and_jobs(identity=post.identity, document_id=job.document_id) == 4
    assert (post.names(), post.jobs()) == ([], 0)
    with unit_of_work(post.identity):
        assert not Archive.objects.exists()
        assert not ArchiveEntry.objects.exists()


def test_an_attachment_that_was_sent_by_itself_too_stays(post: Post) -> None:
    mail = post.store(MAIL)
    post.take()
    post.store(b"two pears")
    delete_document(identity=post.identity, document_id=mail.id)
    assert post.names() == ["notes.txt"]


def test_an_attachment_of_two_emails_stays_until_both_are_erased(post: Post) -> None:
    first, second = post.store(MAIL), post.store(email_with(("copy.txt", b"two pears"), subject="Again"))
    post.take()
    delete_document(identity=post.identity, document_id=first.id)
    assert post.names() == ["mail.eml", "notes.txt"]
    delete_document(identity=post.identity, document_id=second.id)
    assert post.names() == []


def test_an_email_that_is_erased_before_its_attachments_are_taken_leaves_nothing(post: Post) -> None:
    mail = post.store(MAIL)
    claim = claim_archive("test")
    assert claim is not None
    delete_document(identity=post.identity, document_id=mail.id)
    assert Lease(claim, reader, lambda: True).take() == "lease_lost"
    assert post.names() == []


def test_emails_are_not_listed_as_archives(post: Post) -> None:
    post.store(MAIL)
    with unit_of_work(post.identity):
        assert not archives_newest_first().exists()
