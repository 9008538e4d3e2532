"""Create what a tenant has and another must not see."""

import io
import json
import re
import tempfile
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.flows.caller import Caller
from tests.inference.runtime.graphs import save_adder
from tests.samples.pdfs import scanned_pdf
from tests.waiting import eventually

EMBEDDINGS = "/v1/embeddings"
NOBODYS = str(uuid4())
"""An id that belongs to no tenant. It stands for an invoice, which no caller can make, and for a payment of a
test key.
"""


def zipped(words: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(f"{words}.txt", f"packed {words}")
    return written.getvalue()


def made_field(caller: Caller, job_id: str, name: str) -> dict[str, Any]:
    """Make a field from the first line of a job."""
    (page, *_) = caller.get(f"/v1/jobs/{job_id}/result")["pages"]
    spot = {"job": job_id, "page": 1, "box": page["lines"][0]["box"]}
    made = caller.http.post("/v1/fields", json={"name": name, "examples": [spot]})
    assert made.status_code == 201, made.text
    field: dict[str, Any] = made.json()
    return field


def made_model(caller: Caller, words: str) -> tuple[str, str, str]:
    """Upload a model with an alias and a variant. Return its name, the id of a task and that of the variant."""
    name = f"{words.split(maxsplit=1)[0].lower()}-{uuid4().hex[:8]}"
    with tempfile.TemporaryDirectory() as folder:
        content = save_adder(Path(folder, "adder.onnx")).read_bytes()
    made = caller.http.post("/v1/models", data={"name": name, "license": "MIT"}, files={"file": content})
    assert made.status_code == 202, made.text
    at = f"/v1/models/{name}"
    eventually(lambda: caller.get(f"{at}/versions/1")["state"] == "ready", "the model's checks")
    caller.http.put(f"{at}/aliases/champion", json={"version": 1}).raise_for_status()
    sample = {"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [1, 2, 3, 4]}
    caller.http.put(f"{at}/samples", json={"samples": [{"inputs": [sample]}]}).raise_for_status()
    measured = caller.http.post(f"{at}/versions/1/variants", data={"precision": "int8"}, files={"file": content})
    task: dict[str, Any] = measured.json()
    return name, task["id"], task["variant"]


@dataclass(frozen=True)
class Belongings:
    """The ids of what a tenant has, by the names of the API's parameters."""

    document_id: str
    job_id: str
    file_id: str
    batch_id: str
    endpoint_id: str
    delivery_id: str
    upload_id: str
    archive_id: str
    invoice_id: str
    payment_id: str
    field_name: str
    example_id: str
    class_set: str
    model: str
    task_id: str
    variant_id: str
    alias: str = "champion"
    number: int = 1
    index: int = 0
    table: int = 0

    @classmethod
    def of_nobody(cls) -> "Belongings":
        ids = [str(uuid4()) for _ in range(12)]
        file_id, batch_id = f"file-{uuid4().hex}", f"batch_{uuid4().hex}"
        return cls(
            *(ids[0], ids[1], file_id, batch_id, ids[2], ids[3], ids[4], ids[5], ids[6], ids[7]),
            field_name=ids[8],
            example_id=ids[9],
            class_set=f"none-{ids[9][:8]}",
            model=f"none-{ids[9][9:17]}",
            task_id=ids[10],
            variant_id=ids[11],
        )

    @classmethod
    def made_by(cls, caller: Caller, words: str, invoice_id: str = NOBODYS) -> "Belongings":
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
        eventually(lambda: caller.get(f"/v1/batches/{batch['id']}")["status"] == "completed", "the batch's end")
        hook = {"url": "https://example.com/hook", "description": words}
        endpoint = caller.http.post("/v1/webhooks/endpoints", json=hook).json()
        delivery = caller.http.post(f"/v1/webhooks/endpoints/{endpoint['id']}/test").json()
        announced = {"Tus-Resumable": "1.0.0", "Upload-Length": "10"}
        upload = caller.http.post("/v1/uploads", headers=announced).json()
        packed = {"file": ("packed.zip", zipped(words))}
        archive = caller.http.post("/v1/archives", files=packed).json()
        eventually(lambda: caller.get(f"/v1/archives/{archive['id']}")["state"] == "done", "the archive's end")
        class_set = f"{words.split(maxsplit=1)[0].lower()}-{uuid4().hex[:8]}"
        caller.http.post("/v1/class-sets", json={"name": class_set}).raise_for_status()
        example = {"label": words, "jobs": [job["id"]]}
        caller.http.post(f"/v1/class-sets/{class_set}/examples", json=example).raise_for_status()
        credit = {"amount_micros": 5_000_000, "currency": "EUR"}
        payment = caller.http.post("/v1/payments", json=credit).json()
        field = made_field(caller, job["id"], "field_of_" + re.sub(r"\W", "_", words.lower())[:30])
        model, task_id, variant_id = made_model(caller, words)
        return cls(
            job["document"],
            job["id"],
            stored["id"],
            batch["id"],
            endpoint["id"],
            delivery["id"],
            upload["id"],
            archive["id"],
            invoice_id,
            payment.get("id", NOBODYS),
            field["id"],
            field["examples"][0]["id"],
            class_set,
            model,
            task_id,
            variant_id,
        )

    @property
    def ids(self) -> tuple[str, ...]:
        return (
            self.document_id,
            self.job_id,
            self.file_id,
            self.batch_id,
            self.endpoint_id,
            self.delivery_id,
            self.upload_id,
            self.archive_id,
            self.invoice_id,
            self.payment_id,
            self.field_name,
            self.example_id,
            self.class_set,
            self.model,
            self.task_id,
            self.variant_id,
        )

    def values(self) -> dict[str, object]:
        return asdict(self)
