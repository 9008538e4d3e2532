"""What a tenant has that another must not see."""

from dataclasses import dataclass
from uuid import uuid4

from tests.flows.caller import Caller
from tests.samples.pdfs import scanned_pdf


@dataclass(frozen=True)
class Belongings:
    """By the names that the API gives to its parameters."""

    document_id: str
    job_id: str
    number: int = 1

    @classmethod
    def of_nobody(cls) -> "Belongings":
        return cls(str(uuid4()), str(uuid4()))

    @classmethod
    def made_by(cls, caller: Caller, words: str) -> "Belongings":
        job = caller.submit_file(scanned_pdf(words, dpi=400), wait_s=60).json()
        return cls(job["document"], job["id"])

    def values(self) -> dict[str, object]:
        return {"document_id": self.document_id, "job_id": self.job_id, "number": self.number}
