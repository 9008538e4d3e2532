"""What a tenant has that another must not see."""

import json
from dataclasses import asdict, dataclass
from uuid import uuid4

from tests.flows.caller import Caller
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

EMBEDDINGS = "/v1/embeddings"


@dataclass(frozen=True)
class Belongings:
    """By the names that the API gives to its parameters."""

    document_id: str
    job_id: str
    file_id: str
    batch_id: str
    number: int = 1

    @classmethod
    def of_nobody(cls) -> "Belongings":
        return cls(str(uuid4()), str(uuid4()), f"file-{uuid4().hex}", f"batch_{uuid4().hex}")

    @classmethod
    def made_by(cls, caller: Caller, words: str) -> "Belongings":
        job = caller.submit_file(scanned_pdf(words, dpi=400), wait_s=60).json()
        call = {
            "custom_id": words,
            "method": "POST",
            "url": EMBEDDINGS,
            "body": {"model": "embed", "input": words},
        }
        lines = {"file": ("calls.jsonl", json.dumps(call).encode())}
        stored = caller.http.post("/v1/files", data={"purpose": "batch"}, files=lines).json()
        asked = {"input_file_id": stored["id"], "endpoint": EMBEDDINGS, "completion_window": "24h"}
        batch = caller.http.post("/v1/batches", json=asked).json()
        eventually(
            lambda: caller.get(f"/v1/batches/{batch['id']}")["status"] == "completed", "the batch's end"
        )
        return cls(job["document"], job["id"], stored["id"], batch["id"])

    @property
    def ids(self) -> tuple[str, ...]:
        return (self.document_id, self.job_id, self.file_id, self.batch_id)

    def values(self) -> dict[str, object]:
        return asdict(self)
