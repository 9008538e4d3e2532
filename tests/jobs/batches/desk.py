"""A tenant's files and batches, created and processed through the same services that the product uses."""

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connections

from inference.registry.models import ModelVersion
from jobs.batches import blobs, states
from jobs.batches.checks import check_file
from jobs.batches.claims import TaskClaim, claim_task
from jobs.batches.ids import FILE, shown
from jobs.batches.merges import merge_files
from jobs.batches.models import Batch, BatchTask, StoredFile
from jobs.batches.services import BatchRequest, create_batch, store_file
from jobs.documents.uploads import Upload
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.identity.identity import Identity

EMBEDDINGS = "/v1/embeddings"


@dataclass(frozen=True)
class BatchDesk:
    identity: Identity
    version: ModelVersion

    def file(self, content: bytes) -> StoredFile:
        descriptor, path = tempfile.mkstemp()
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        try:
            digest = hashlib.sha256(content).hexdigest()
            upload = Upload(Path(path), digest, len(content), "calls.jsonl", "application/jsonl")
            return store_file(identity=self.identity, upload=upload)
        finally:
            Path(path).unlink()

    def lines(self, count: int) -> bytes:
        model = self.version.served_model.name
        return b"".join(
            json.dumps(
                {
                    "custom_id": f"{number}",
                    "method": "POST",
                    "url": EMBEDDINGS,
                    "body": {"model": model, "input": f"text {number}"},
                }
            ).encode()
            + b"\n"
            for number in range(count)
        )

    def batch(self, content: bytes | None = None, endpoint: str = EMBEDDINGS) -> Batch:
        return self.batch_of(self.file(self.lines(3) if content is None else content), endpoint)

    def batch_of(self, given: StoredFile, endpoint: str = EMBEDDINGS) -> Batch:
        request = BatchRequest(input_file_id=shown(FILE, given.id), endpoint=endpoint)
        return create_batch(identity=self.identity, request=request)

    def checked(self, count: int = 3) -> Batch:
        """Return a batch whose lines are cut into slices."""
        batch = self.batch(self.lines(count))
        check_file(self.claimed(batch))
        return self.again(batch)

    def again(self, batch: Batch) -> Batch:
        with unit_of_work(self.identity.tenant_id):
            return Batch.objects.select_related("model_version__served_model").get(id=batch.id)

    def tasks(self, batch: Batch) -> list[BatchTask]:
        with unit_of_work(self.identity.tenant_id):
            return list(BatchTask.objects.filter(batch=batch).order_by("number"))

    def claimed(self, batch: Batch, worker: str = "one") -> TaskClaim:
        claim = claim_task(worker)
        assert claim is not None
        assert claim.batch_id == batch.id
        return claim

    def merge(self, batch: Batch) -> Batch:
        claim = self.claimed(batch)
        assert claim.kind == states.MERGE
        merge_files(claim)
        return self.again(batch)

    def made(self, file_id: UUID | None) -> list[dict[str, Any]]:
        if file_id is None:
            return []
        with unit_of_work(self.identity.tenant_id):
            name = StoredFile.objects.get(id=file_id).file
        with blobs.opened(name) as stream:
            return [json.loads(line) for line in stream]

    def expire_lease(self, claim: TaskClaim) -> None:
        self.sql(
            "UPDATE jobs_batchtask SET lease_until = clock_timestamp() - interval '1 second' WHERE id = %s",
            claim.task_id,
        )

    def sql(self, statement: str, *values: UUID) -> None:
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(statement, values)


def no_batches() -> None:
    """Delete all batches, because those of other tests would be claimed first."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute("DELETE FROM jobs_batch")
