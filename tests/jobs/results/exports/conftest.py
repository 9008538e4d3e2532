"""Jobs whose pages have been read, with pictures in storage."""

import io
from typing import Any

import pytest
from PIL import Image

from inference.core.contracts import WorkOutput
from inference.registry.models import ModelVersion
from jobs.core.models import DocumentPage, Job
from jobs.documents import files
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.results.exports.services import Format, export_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

WIDTH, HEIGHT = 800, 1000
LINE_HEIGHT = 40


def box(left: float, top: float, width: float, height: float = LINE_HEIGHT) -> list[list[float]]:
    right, bottom = left + width, top + height
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def line(text: str, corners: list[list[float]] | None, confidence: float = 0.9) -> dict[str, object]:
    return {"text": text, "box": corners, "confidence": confidence}


class ReadingDesk(Desk):
    """A `desk` that finishes pages with the given text lines."""

    def read(self, job: Job, number: int, *lines: dict[str, object]) -> None:
        text = "\n".join(str(found["text"]) for found in lines)
        self.answer(job, number, {"text": text, "lines": list(lines), "width": WIDTH, "height": HEIGHT})

    def answer(self, job: Job, number: int, result: dict[str, Any]) -> None:
        """Finish a page with any result."""
        finish_page(self.claimed(self.pages(job)[number - 1]), WorkOutput(result))

    def draw(self, job: Job, number: int, codec: str = "JPEG", mode: str = "RGB") -> bytes:
        out = io.BytesIO()
        Image.effect_noise((WIDTH, HEIGHT), 20).convert(mode).save(out, codec)
        kind = f"image/{codec.lower()}"
        assert job.document_id is not None
        name = files.picture_name(self.identity.tenant_id, job.document_id, number, kind)
        files.save_bytes(name, out.getvalue())
        with unit_of_work(self.identity.tenant_id):
            DocumentPage.objects.create(
                tenant_id=self.identity.tenant_id,
                document_id=job.document_id,
                number=number,
                width_px=WIDTH,
                height_px=HEIGHT,
                picture=name,
                picture_type=kind,
            )
        return out.getvalue()

    def exported(self, job: Job, format_: Format, pages: str | None = None) -> bytes:
        made = export_job(whose=self.identity, job_id=job.id, format_=format_, pages=pages)
        with made.file as file:
            return file.read()


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> ReadingDesk:
    return ReadingDesk(identity, version)


@pytest.fixture
def partial_job(desk: ReadingDesk) -> Job:
    """Make a job with four pages: read, failed, read, still waiting."""
    job = desk.submit(pages=4)
    desk.read(job, 1, line("Dear *Anna*,", box(0, 0, 200)), line("1. hello", box(0, 200, 600)))
    fail_page(desk.claimed(desk.pages(job)[1]), Failure("page_unreadable", "Ink."), may_retry=False)
    desk.read(job, 3, line("Bye", box(0, 0, 200)))
    return job
