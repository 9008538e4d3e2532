"""Test that fields are made, changed and deleted, and that what was learned outlives the document."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from jobs.core.errors import NotRead
from jobs.own_fields import services
from jobs.own_fields.definitions import definitions_of
from jobs.own_fields.models import OwnField, OwnFieldExample
from jobs.own_fields.selectors import get_own_field
from jobs.own_fields.settings import checked_settings
from jobs.own_fields.spots import Spot
from jobs.retention.documents import erase_document_and_jobs
from jobs.retention.erasing import erase_job
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tests.jobs.own_fields.conftest import ContractDesk


def test_a_field_is_learned_from_an_example(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    field = desk.field(job)
    assert (field.name, field.title, field.classes) == ("contract_number", "Contract number", [])
    assert field.labels == ["Contract number"]
    (example,) = field.examples.all()
    assert (example.job_id, example.page) == (job.id, 1)
    assert "AB-1234" not in str(example.trace)


def test_settings_that_are_given_win_over_the_example(desk: ContractDesk) -> None:
    field = desk.field(
        desk.contract("AB-1234"), type="text", labels=["Our contract"], place="below", classes=["letter"]
    )
    assert (field.type, field.labels, field.place, field.classes) == ("text", ["Our contract"], "below", ["letter"])


@pytest.mark.parametrize("name", ["", "1st", "Total", "a" * 41, "a b", "total", "invoice_number", "try", "ä"])
def test_a_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(InvalidRequest, match="`name`"):
        checked_settings(name=name)


@pytest.mark.parametrize(
    "settings",
    [
        {"type": "money"},
        {"place": "left"},
        {"labels": ["a\nb"]},
        {"labels": [""]},
        {"labels": [f"label {number}" for number in range(21)]},
        {"labels": ["a" * 121]},
        {"classes": ["\x00"]},
        {"title": "\u202e"},
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match=f"`{next(iter(settings))}`"):
        checked_settings(name="one", **settings)


def test_a_field_needs_something_to_look_for(desk: ContractDesk) -> None:
    with pytest.raises(InvalidRequest, match="labels"):
        services.create_field(identity=desk.identity, settings=checked_settings(name="one"))
    by_position = checked_settings(name="one", labels=["No."], place="position")
    with pytest.raises(InvalidRequest, match="needs an example"):
        services.create_field(identity=desk.identity, settings=by_position)
    field = desk.field(desk.contract("AB-1234"))
    services.change_field(identity=desk.identity, name=field.name, labels=[])
    with pytest.raises(InvalidRequest, match="labels"):
        services.delete_example(identity=desk.identity, name=field.name, example_id=field.examples.all()[0].id)


def test_a_name_and_the_number_of_fields_are_bounded(desk: ContractDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    job = desk.contract("AB-1234")
    desk.field(job)
    with pytest.raises(InvalidRequest, match="there is a field 'contract_number'"):
        desk.field(job)
    monkeypatch.setattr(services, "MAX_FIELDS", 1)
    with pytest.raises(InvalidRequest, match="has 1 own fields, the maximum"):
        desk.field(job, "another")
    monkeypatch.setattr(services, "MAX_EXAMPLES", 1)
    with pytest.raises(InvalidRequest, match="has 1 examples, the maximum"):
        services.add_example(identity=desk.identity, name="contract_number", spot=desk.spot(desk.contract("CD-99")))


def test_the_same_value_is_an_example_once(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    field = desk.field(job)
    again = services.add_example(identity=desk.identity, name=field.name, spot=desk.spot(job))
    with unit_of_work(desk.identity):
        assert [example.id for example in field.examples.all()] == [again.id]


def test_only_text_of_a_page_that_was_read_can_be_pointed_at(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    with pytest.raises(InvalidRequest, match="no text was read there"):
        services.create_field(
            identity=desk.identity, settings=checked_settings(name="one"), spots=[Spot(job.id, 1, (1, 900, 9, 909))]
        )
    with pytest.raises(NotFound, match="no page 2"):
        services.create_field(
            identity=desk.identity, settings=checked_settings(name="one"), spots=[Spot(job.id, 2, (1, 1, 2, 2))]
        )
    waiting = desk.submit_document(desk.document(1))
    with pytest.raises(NotRead):
        desk.field(waiting)


def test_another_tenants_field_and_job_do_not_exist(desk: ContractDesk, rival: ContractDesk) -> None:
    field = desk.field(desk.contract("AB-1234"))
    with pytest.raises(NotFound):
        services.change_field(identity=rival.identity, name=field.name, title="Mine")
    with pytest.raises(NotFound):
        services.delete_field(identity=rival.identity, name=field.name)
    with pytest.raises(NotFound):
        rival.field(desk.contract("AB-1235"))
    rival.field(rival.contract("CD-1"))
    with unit_of_work(rival.identity):
        (found,) = definitions_of(rival.identity.tenant_id, livemode=True)
        assert len(found.traces) == OwnField.objects.count() == 1


def test_fields_of_tests_and_of_live_documents_are_apart(desk: ContractDesk) -> None:
    live = desk.field(desk.contract("AB-1234"))
    tests = ContractDesk(replace(desk.identity, livemode=False), desk.version)
    with pytest.raises(NotFound):
        services.change_field(identity=tests.identity, name=live.name, title="Changed")
    with pytest.raises(NotFound):
        services.change_field(identity=tests.identity, name=str(live.id), title="Changed")
    test = tests.field(tests.contract("AB-1235"))
    assert (test.name, test.livemode) == (live.name, False)
    person = replace(desk.identity, key_id=None, user_id=uuid4())
    with unit_of_work(person):
        assert get_own_field(live.name).id == live.id
        assert get_own_field(str(test.id)).id == test.id
    spot = tests.spot(tests.contract("AB-1236"))
    with pytest.raises(InvalidRequest, match="Test documents"):
        services.add_example(identity=person, name=live.name, spot=spot)


def test_writes_are_logged_without_what_was_read(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    field = desk.field(job)
    services.change_field(identity=desk.identity, name=field.name, title="Contract", labels=["No."], classes=["letter"])
    services.change_field(identity=desk.identity, name=field.name, title="Contract")
    example = services.add_example(identity=desk.identity, name=field.name, spot=desk.spot(desk.contract("CD-99")))
    services.delete_example(identity=desk.identity, name=field.name, example_id=example.id)
    services.delete_field(identity=desk.identity, name=field.name)
    with unit_of_work(desk.identity):
        entries = AuditEntry.objects.filter(action__startswith="own_field.").order_by("id")
        assert [entry.action.partition(".")[2] for entry in entries] == ["created", *["changed"] * 3, "deleted"]
        assert entries[1].changes["labels"] == {"before": ["Contract number"], "after": ["No."]}
        assert all("AB-1234" not in str(entry.changes) + entry.note for entry in entries)
        assert not OwnFieldExample.objects.exists()


@pytest.mark.parametrize("with_document", [False, True])
def test_what_was_learned_outlives_the_document(desk: ContractDesk, with_document: bool) -> None:
    job, other = desk.contract("AB-1234"), desk.contract("AB-1235")
    field = desk.field(job)
    services.add_example(identity=desk.identity, name=field.name, spot=desk.spot(other))
    if with_document:
        erase_document_and_jobs(identity=desk.identity, document_id=job.document_id)
    else:
        erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        erased, kept = OwnFieldExample.objects.order_by("id")
        assert (erased.job_id, erased.page, erased.box) == (None, None, None)
        assert kept.job_id == other.id
        (found,) = definitions_of(desk.identity.tenant_id, livemode=True)
        assert len(found.traces) == 2
