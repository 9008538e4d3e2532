"""Jobs on short papers that are read, and class sets of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from inference.core.contracts import WorkOutput
from jobs.class_sets.models import ClassSetVersion
from jobs.class_sets.services import add_examples, create_class_set
from jobs.class_sets.training import train_class_set
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.results.result_json import result_json
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import unit_of_work
from tests.inference.class_sets.papers import KINDS, later_page, result
from tests.jobs.conftest import Desk

NAME = "letters"


@dataclass(frozen=True)
class Office:
    """A tenant who has papers read."""

    desk: Desk

    def read(self, pages: Sequence[dict[str, Any]], class_set: str | None = None) -> Job:
        document = self.desk.document(len(pages))
        request = JobRequest(model=self.desk.version.served_model.name, document_id=document.id, class_set=class_set)
        job = submit_job(identity=self.desk.identity, request=request)
        for page, found in zip(self.desk.pages(job), pages, strict=True):
            finish_page(self.desk.claimed(page), WorkOutput(found))
        return self.desk.again(job)

    def paper(self, kind: str, seed: int, class_set: str | None = None) -> Job:
        return self.read([result(kind, seed)], class_set)

    def examples(self, kinds: Sequence[str] = tuple(KINDS), count: int = 5) -> dict[str, list[str]]:
        """Create a set with papers of each kind, and return their jobs."""
        return self.examples_of(NAME, kinds, count)

    def examples_of(self, name: str, kinds: Sequence[str] = tuple(KINDS), count: int = 5) -> dict[str, list[str]]:
        create_class_set(identity=self.desk.identity, name=name)
        return {kind: self.more(kind, range(count), name) for kind in kinds}

    def more(self, kind: str, seeds: Sequence[int], name: str = NAME) -> list[str]:
        jobs = [str(self.paper(kind, seed).id) for seed in seeds]
        add_examples(identity=self.desk.identity, name=name, label=kind, job_ids=jobs)
        return jobs

    def train(self, name: str = NAME) -> ClassSetVersion:
        return train_class_set(identity=self.desk.identity, name=name)

    def result(self, job: Job) -> dict[str, Any]:
        with unit_of_work(self.desk.identity):
            return result_json(job)


def stack() -> list[dict[str, Any]]:
    """Return the pages of two invoices and an offer in one file."""
    return [
        result("invoice", 71, number="Page 1 of 2"),
        later_page(71, number="Page 2 of 2"),
        result("offer", 72, number="Page 1 of 1"),
        result("invoice", 73, number="Page 1 of 1"),
    ]


@pytest.fixture
def office(desk: Desk) -> Office:
    return Office(desk)
