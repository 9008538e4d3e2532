"""Documents about contracts, read page by page, and a field that is learned from one of them."""

from collections.abc import Mapping
from typing import Any

import pytest

from inference.registry.models import ModelVersion
from jobs.core.models import Job
from jobs.own_fields.models import OwnField
from jobs.own_fields.services import create_field
from jobs.own_fields.settings import checked_settings
from jobs.own_fields.spots import Spot
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.jobs.results.exports.conftest import HEIGHT, WIDTH, ReadingDesk, box, line

VALUE_BOX = (320.0, 200.0, 520.0, 240.0)
"""The place of the contract number."""


def page(number: str, label: str = "Contract number", **more: object) -> dict[str, Any]:
    lines = [
        line("Agreement", box(100, 80, 240)),
        line(label, box(100, 200, 200)),
        line(number, box(320, 200, 200)),
        line("Signed by both parties", box(100, 400, 400)),
    ]
    text = "\n".join(str(each["text"]) for each in lines)
    return {"text": text, "lines": lines, "width": WIDTH, "height": HEIGHT, **more}


def listed(number: str) -> dict[str, Any]:
    """Return a page with the number below its label, as in a column of a list."""
    lines = [line("Contract number", box(320, 140, 200)), line(number, box(320, 200, 200))]
    return {"text": f"Contract number\n{number}", "lines": lines, "width": WIDTH, "height": HEIGHT}


class ContractDesk(ReadingDesk):
    def contract(self, number: str, *others: Mapping[str, Any], **more: object) -> Job:
        """Return a job that has read a contract with this number, and other pages behind it."""
        job = self.submit_document(self.document(1 + len(others), f"{unique('contract')}.pdf"))
        for position, result in enumerate((page(number, **more), *others), 1):  # type: ignore[arg-type]
            self.answer(job, position, dict(result))
        return self.again(job)

    def spot(self, job: Job, number: int = 1) -> Spot:
        return Spot(job.id, number, VALUE_BOX)

    def field(self, job: Job, name: str = "contract_number", **settings: Any) -> OwnField:
        checked = checked_settings(name=name, **settings)
        return create_field(identity=self.identity, settings=checked, spots=[self.spot(job)])


def own(job: Job) -> list[dict[str, Any]]:
    return [field for field in (job.fields or {"fields": ()})["fields"] if field.get("own")]


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> ContractDesk:
    return ContractDesk(identity, version)


@pytest.fixture
def rival(other_identity: Identity, version: ModelVersion) -> ContractDesk:
    return ContractDesk(other_identity, version)
