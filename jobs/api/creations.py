"""Creates everything except jobs and models for requests that may be repeated under an Idempotency-Key."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from jobs.archives.selectors import get_archive
from jobs.archives.services import ArchiveRequest, accept_archive
from jobs.attachments.services import OUTERMOST, Nesting, take_attachments
from jobs.batches.ids import BATCH, FILE, shown
from jobs.batches.models import Batch, StoredFile
from jobs.batches.selectors import get_batch, get_file
from jobs.batches.services import BatchRequest, create_batch, store_file
from jobs.core.models import Document, Job
from jobs.core.models.archives import Archive
from jobs.documents.job_selectors import get_job
from jobs.documents.selectors import get_document
from jobs.documents.services import StoredDocument, store_document
from jobs.documents.uploads import Address, Upload
from jobs.idempotency.holds import Hold
from jobs.idempotency.idempotent_requests import (
    Answered,
    Keep,
    count_once,
    hold,
    made_before,
    make_in_steps,
    make_once,
)
from jobs.idempotency.keys import Operation, Sent, fingerprint_of
from jobs.submission.retries import retry_job
from jobs.uploads.models import ResumableUpload
from jobs.uploads.protocol import Announced
from jobs.uploads.selectors import get_upload
from jobs.uploads.services import create_upload
from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint, WebhookSecret
from jobs.webhooks.secrets import lasting
from jobs.webhooks.selectors import get_delivery, get_endpoint
from jobs.webhooks.services import (
    create_endpoint,
    replay_delivery,
    replay_range,
    rotate_own_secret,
    rotate_secret,
    send_test,
)
from tenants.billing.payments.models import Payment
from tenants.billing.payments.providers import provider_names
from tenants.billing.payments.services import TopUp, begin_invoice_payment, begin_top_up
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity

OK, CREATED, ACCEPTED = 200, 201, 202


def upload_document_once(
    *,
    identity: Identity,
    upload: Upload,
    key: str | None,
    address: Address | None = None,
    attachments: Nesting | None = OUTERMOST,
) -> Answered[Document]:
    """Store the document once, with status 200 if these bytes existed. `address` is the URL they were fetched from."""

    def store(keep: Keep[Document]) -> Answered[Document]:
        made: list[Answered[Document]] = []

        def answer(stored: StoredDocument) -> None:
            if stored.created:
                take_attachments(identity, stored.document, attachments)
            made.append(Answered(stored.document, CREATED if stored.created else OK))
            keep(made[-1])

        store_document(identity=identity, upload=upload, along=answer)
        return made[-1]

    hold_id = upload.hold_id
    sent = _sent_from(identity, address, key, hold_id) if address else _sent_bytes(identity, upload, key)
    return make_in_steps(sent, make=store, look=get_document)


def uploaded_before(*, identity: Identity, address: Address, key: str | None) -> Answered[Document] | None:
    """Return the document of an earlier request with this key, so that nothing is fetched a second time."""
    return made_before(_sent_from(identity, address, key), get_document)


def hold_upload(*, identity: Identity, address: Address, key: str | None) -> Hold | None:
    return hold(_sent_from(identity, address, key))


def _sent_bytes(identity: Identity, upload: Upload, key: str | None) -> Sent | None:
    return sent_with(identity, "upload_document", key, content_sha256=upload.sha256)


def _sent_from(identity: Identity, address: Address, key: str | None, hold_id: UUID | None = None) -> Sent | None:
    sent = sent_with(identity, "upload_document", key, url=address.url, name=address.name)
    return None if sent is None else replace(sent, hold_id=hold_id)


def upload_file_once(
    *, identity: Identity, upload: Upload, lives_s: int | None, key: str | None
) -> Answered[StoredFile]:
    def store(keep: Keep[StoredFile]) -> Answered[StoredFile]:
        stored = store_file(identity=identity, upload=upload, lives_s=lives_s, also=lambda it: keep(Answered(it, OK)))
        return Answered(stored, OK)

    sent = sent_with(identity, "upload_file", key, content_sha256=upload.sha256, lives_s=lives_s)
    return make_in_steps(sent, make=store, look=lambda file_id: get_file(shown(FILE, file_id)))


def create_upload_once(*, identity: Identity, announced: Announced, key: str | None) -> Answered[ResumableUpload]:
    sent = sent_with(
        identity,
        "create_upload",
        key,
        size_bytes=announced.size_bytes,
        name=announced.name,
        metadata=announced.metadata,
    )
    return make_once(
        sent,
        make=lambda: Answered(create_upload(identity=identity, announced=announced), CREATED),
        look=get_upload,
    )


def create_archive_once(
    *, identity: Identity, upload: Upload, request: ArchiveRequest, key: str | None
) -> Answered[Archive]:
    def accept(keep: Keep[Archive]) -> Answered[Archive]:
        archive = accept_archive(
            identity=identity, upload=upload, request=request, also=lambda it: keep(Answered(it, ACCEPTED))
        )
        return Answered(archive, ACCEPTED)

    values = asdict(request)
    del values["request_id"]
    if request.class_set is None:
        del values["class_set"]
    sent = sent_with(identity, "create_archive", key, content_sha256=upload.sha256, **values)
    return make_in_steps(sent, make=accept, look=get_archive)


def create_batch_once(*, identity: Identity, request: BatchRequest, key: str | None) -> Answered[Batch]:
    sent = sent_with(
        identity,
        "create_batch",
        key,
        input_file_id=request.input_file_id,
        endpoint=request.endpoint,
        metadata=request.metadata,
        output_lives_s=request.output_lives_s,
    )
    return make_once(
        sent,
        make=lambda: Answered(create_batch(identity=identity, request=request), OK),
        look=lambda batch_id: get_batch(shown(BATCH, batch_id)),
    )


def retry_once(*, identity: Identity, job_id: str, key: str | None, request_id: str = "") -> Answered[Job]:
    return make_once(
        sent_with(identity, "retry_job", key, job=str(as_uuid(job_id) or job_id)),
        make=lambda: Answered(retry_job(identity=identity, job_id=job_id, request_id=request_id), ACCEPTED),
        look=get_job,
    )


def create_endpoint_once(*, identity: Identity, values: Mapping[str, Any], key: str | None) -> Answered[WebhookSecret]:
    """Create an endpoint and return its first secret. A repeated request returns the same secret, even if the secret
    was replaced since.
    """
    return make_once(
        sent_with(identity, "create_webhook_endpoint", key, **values),
        make=lambda: Answered(_new_of(create_endpoint(identity=identity, **values).endpoint), CREATED),
        look=_endpoints_secret,
    )


def rotate_once(*, identity: Identity, endpoint_id: str, key: str | None) -> Answered[WebhookSecret]:
    return make_once(
        sent_with(identity, "rotate_webhook_secret", key, endpoint=str(as_uuid(endpoint_id) or endpoint_id)),
        make=lambda: Answered(_new_of(rotate_secret(identity=identity, endpoint_id=endpoint_id).endpoint), OK),
        look=_endpoints_secret,
    )


def _new_of(endpoint: WebhookEndpoint) -> WebhookSecret:
    with unit_of_work(endpoint.tenant_id):
        return lasting(endpoint.tenant_id, endpoint.id)


def _endpoints_secret(secret_id: UUID) -> WebhookSecret:
    secret = _own_secret(secret_id)
    get_endpoint(secret.endpoint_id)
    return secret


def rotate_own_once(*, identity: Identity, key: str | None) -> Answered[WebhookSecret]:
    return make_once(
        sent_with(identity, "rotate_own_webhook_secret", key),
        make=lambda: Answered(rotate_own_secret(identity=identity), OK),
        look=_own_secret,
    )


def _own_secret(secret_id: UUID) -> WebhookSecret:
    """Return a secret as long as it signs. A secret that was rotated out and signs no more is not shown to anybody."""
    secret = WebhookSecret.objects.filter(Q(ends_at=None) | Q(ends_at__gt=Now()), id=secret_id).first()
    if secret is None:
        raise NotFound("This secret no longer exists.")
    return secret


def send_test_once(*, identity: Identity, endpoint_id: str, key: str | None) -> Answered[WebhookDelivery]:
    return make_once(
        sent_with(identity, "test_webhook_endpoint", key, endpoint=str(as_uuid(endpoint_id) or endpoint_id)),
        make=lambda: Answered(send_test(identity=identity, endpoint_id=endpoint_id), ACCEPTED),
        look=get_delivery,
    )


def replay_once(*, identity: Identity, delivery_id: str, key: str | None) -> Answered[WebhookDelivery]:
    return make_once(
        sent_with(identity, "replay_webhook_delivery", key, delivery=str(as_uuid(delivery_id) or delivery_id)),
        make=lambda: Answered(replay_delivery(identity=identity, delivery_id=delivery_id), ACCEPTED),
        look=get_delivery,
    )


def replay_range_once(
    *,
    identity: Identity,
    endpoint_id: str,
    since: datetime,
    until: datetime,
    only_failed: bool,
    key: str | None,
) -> Answered[int]:
    sent = sent_with(
        identity,
        "replay_webhook_deliveries",
        key,
        endpoint=str(as_uuid(endpoint_id) or endpoint_id),
        since=since.astimezone(UTC).isoformat(),
        until=until.astimezone(UTC).isoformat(),
        only_failed=only_failed,
    )

    def replay() -> Answered[int]:
        replayed = replay_range(
            identity=identity, endpoint_id=endpoint_id, since=since, until=until, only_failed=only_failed
        )
        return Answered(replayed, ACCEPTED)

    return count_once(sent, make=replay)


def begin_payment_once(*, identity: Identity, values: Mapping[str, Any], key: str | None) -> Answered[Payment]:
    """Store the payment with its key. No provider is called yet."""
    provider = values.get("provider") or provider_names()[0]
    made_by = f"key {identity.key_id}" if identity.key_id else f"person {identity.user_id}"

    def begin(keep: Keep[Payment]) -> Answered[Payment]:
        if invoice_id := values.get("invoice"):
            made = begin_invoice_payment(
                tenant_id=identity.tenant_id,
                provider=provider,
                invoice_id=invoice_id,
                made_by=made_by,
                also=lambda it: keep(Answered(it, CREATED)),
            )
        else:
            made = begin_top_up(
                tenant_id=identity.tenant_id,
                provider=provider,
                wanted=TopUp(values["currency"], values["amount_micros"]),
                made_by=made_by,
                also=lambda it: keep(Answered(it, CREATED)),
            )
        return Answered(made, CREATED)

    texts = {name: str(value) for name, value in values.items()}
    return make_in_steps(sent_with(identity, "create_payment", key, **texts), make=begin, look=_payment)


def _payment(payment_id: UUID) -> Payment:
    return Payment.objects.get(id=payment_id)


def sent_with(identity: Identity, operation: Operation, key: str | None, **values: object) -> Sent | None:
    """Return the request by its values, or None without a key."""
    if key is None:
        return None
    fingerprint = fingerprint_of({**values, "livemode": identity.livemode})
    return Sent(identity.tenant_id, operation, key, fingerprint, identity.livemode)
