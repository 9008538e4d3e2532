"""Takes files in while they arrive, so that no thread of Django ever waits for a sender's next byte."""

from collections.abc import Mapping
from dataclasses import replace

from django.conf import settings

from jobs.documents.uploads import FORM, Upload
from jobs.intake.inner_requests import replayed
from jobs.intake.inspections import Inspections
from jobs.intake.intake import Intake
from jobs.intake.model_paths import takes_models
from jobs.intake.multipart import Form, FormLimits, FormReader, InvalidForm, boundary_of
from jobs.intake.spool import Spool, SpoolFile
from jobs.queue.admission import refuse_known
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import (
    MEMBER,
    UPLOAD,
    App,
    Receive,
    Scope,
    Send,
    body_chunks,
    header,
    without_headers,
)
from tenants.core.errors import NotSignedIn
from tenants.identity.identity import Identity
from tenants.identity.identity import Scope as KeyScope

JOBS = "/v1/jobs"
DOCUMENTS = "/v1/documents"
FILES = "/v1/files"
"""The path for the text lines of a batch, which are checked when the batch is created."""
ESTIMATE = "/v1/estimate"
"""The path for a file that is inspected and is kept no longer than the response takes."""
ARCHIVES = "/v1/archives"
"""The path for packed documents, inspected when they are unpacked. The other paths take documents."""
SCOPE_FOR_PATH: Mapping[str, KeyScope] = {
    DOCUMENTS: "documents:write",
    JOBS: "jobs:write",
    FILES: "documents:write",
    ARCHIVES: "documents:write",
    ESTIMATE: "models:read",
}
PASSWORD = "password"  # noqa: S105  # the name of a field
LONGEST_PASSWORD = 1000
_ABOUT_THE_BODY = frozenset({b"content-type", b"content-length", b"transfer-encoding", b"content-encoding"})


def is_upload(scope: Scope) -> bool:
    """Return whether the request is a form with a file for one of the paths that accept files."""
    if scope["method"] != "POST" or scope_for(scope["path"]) is None:
        return False
    return boundary_of(header(scope, b"content-type") or "") is not None


def scope_for(path: str) -> KeyScope | None:
    """Return the scope that a caller needs to send a file here, or None if the path takes no file."""
    return "models:write" if takes_models(path) else SCOPE_FOR_PATH.get(path)


def is_document(scope: Scope) -> bool:
    """Return whether the file is inspected here. Files with text lines and archives are not."""
    return scope["path"] in (JOBS, DOCUMENTS, ESTIMATE)


def form_limits(scope: Scope) -> FormLimits:
    """Return the limits of the caller for this path."""
    if scope["path"] == FILES:
        return FormLimits(settings.MAAS_MAX_FILE_BYTES)
    if scope["path"] == ARCHIVES:
        return FormLimits(settings.MAAS_MAX_ARCHIVE_BYTES)
    if takes_models(scope["path"]):
        return FormLimits(caller(scope).limits.own_model_bytes, needs_file=False)
    return FormLimits(caller(scope).limits.upload_bytes)


def checked_password(password: str) -> str:
    if len(password) > LONGEST_PASSWORD:
        raise InvalidForm(f"The field `password` is longer than {LONGEST_PASSWORD} characters.")
    return password


def caller(scope: Scope) -> Identity:
    """Return the caller that sends the body, by key or by session. It is known before the first byte is read."""
    found = scope.get(IDENTITY) or scope.get(MEMBER)
    if not isinstance(found, Identity):
        raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
    return found


class Uploads:
    """The ASGI app that reads uploaded files itself. It stores a file on local disk and inspects it, and passes Django
    the request with an empty body.
    """

    def __init__(self, inner: App, spool: Spool, inspections: Inspections, intake: Intake) -> None:
        self._inner = inner
        self._intake = intake
        self._spool = spool
        self._inspections = inspections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_upload(scope):
            await self._inner(scope, receive, send)
            return
        identity = caller(scope)
        needed = scope_for(scope["path"])
        assert needed is not None, "is_upload has looked"
        identity.require(needed)
        self._intake.check_upload(scope, self._inspections.waiting_of(identity.tenant_id))
        with self._spool.file() as file, self._spool.file() as copy:
            form = await self._receive_form(scope, receive, file, identity)
            if form.filename is None:
                found: dict[str, object] = {FORM: form.fields}
            else:
                found = {UPLOAD: await self._looked_at(scope, identity, await self._upload(scope, form, file), copy)}
            headers = [*without_headers(scope, _ABOUT_THE_BODY), (b"content-length", b"0")]
            await self._inner({**scope, "headers": headers, **found}, replayed(b"", receive), send)

    async def _looked_at(self, scope: Scope, identity: Identity, upload: Upload, copy: SpoolFile) -> Upload:
        if is_document(scope) and PASSWORD in upload.fields:
            upload = await self._unlocked(identity, upload, copy)
        if is_document(scope) and upload.inspection is None:
            upload = await self._inspections.look_further(identity.tenant_id, upload)
        return upload

    async def _unlocked(self, identity: Identity, upload: Upload, copy: SpoolFile) -> Upload:
        """Use the password up: nothing behind this sees it."""
        password = checked_password(upload.fields[PASSWORD])
        upload = replace(upload, fields={name: text for name, text in upload.fields.items() if name != PASSWORD})
        if upload.inspection is not None or not password:  # A short text, or nothing was given.
            return upload
        return await self._inspections.unlock(identity.tenant_id, upload, password, copy)

    async def _receive_form(self, scope: Scope, receive: Receive, file: SpoolFile, identity: Identity) -> Form:
        reader = FormReader(boundary_of(header(scope, b"content-type") or "") or b"", form_limits(scope), file.add)
        # A request with a key gets the job that was accepted earlier, however long the queue is by now. Django looks
        # for it.
        if scope["path"] == JOBS and header(scope, b"idempotency-key") is None:
            reader.before_file = lambda fields: refuse_known(identity.tenant_id, fields)
        async for chunk in body_chunks(receive):
            reader.write(chunk)
            await file.write_full_batch()
        return reader.finish()

    async def _upload(self, scope: Scope, form: Form, file: SpoolFile) -> Upload:
        sha256, found = await file.finish_and(self._inspections.inspect_short if is_document(scope) else lambda _: None)
        return Upload(
            path=file.path,
            sha256=sha256,
            size_bytes=file.size_bytes,
            filename=form.filename or "",
            content_type=form.content_type,
            fields=form.fields,
            inspection=found,
        )
