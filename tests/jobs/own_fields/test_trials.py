"""Test that a field is tried on the last documents without a trace, and that fields are written when that is wanted."""

import pytest

from inference.core.contracts import WorkOutput
from jobs.own_fields import applying, services, trials
from jobs.own_fields.applying import apply_fields
from jobs.own_fields.drafts import Draft, draft, saved
from jobs.own_fields.trials import Tried, tried
from jobs.queue.settlement import finish_page
from jobs.results.corrections.fields import correct_field
from jobs.retention.erasing import erase_job
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tests.jobs.own_fields.conftest import ContractDesk, own, page


def tried_draft(wanted: Draft, **options: int) -> list[Tried]:
    return tried([wanted.field], livemode=wanted.livemode, **options)


def test_a_draft_is_tried_on_the_last_documents_without_a_trace(desk: ContractDesk, rival: ContractDesk) -> None:
    rival.contract("ZZ-0000")
    job, other = desk.contract("AB-1234"), desk.contract("XY-9876")
    without = desk.contract("nothing", label="Hello")
    with unit_of_work(desk.identity):
        found = tried_draft(draft({}, [desk.spot(job)]))
    values = [[value["value"] for value in each.values] for each in found]
    assert [each.job.id for each in found] == [without.id, other.id, job.id]
    assert values == [[], ["XY-9876"], ["AB-1234"]]
    assert not own(desk.again(other))


def test_changes_of_a_saved_field_are_tried_with_its_examples(desk: ContractDesk) -> None:
    field = desk.field(desk.contract("AB-1234"))
    with unit_of_work(desk.identity):
        changed = draft({"classes": ["letter"], "title": None}, [], saved(field.name))
        (document,) = tried_draft(changed)
        assert (changed.field.classes, len(changed.field.traces)) == (("letter",), 1)
        assert not document.in_class
        with pytest.raises(NotFound):
            saved("unknown")
        with pytest.raises(InvalidRequest):
            draft({"labels": []}, [])


def test_each_document_is_tried_once_and_those_without_text_are_left_out(desk: ContractDesk) -> None:
    document = desk.document(1)
    job, again = desk.submit_document(document), desk.submit_document(document)
    desk.answer(job, 1, page("AB-1234"))
    desk.answer(again, 1, page("AB-1234"))
    embedded = desk.submit_document(desk.document(1))
    finish_page(desk.claimed(desk.pages(embedded)[0]), WorkOutput({"text": "no lines"}))
    with unit_of_work(desk.identity):
        assert [each.job.id for each in tried_draft(draft({}, [desk.spot(job)]))] == [again.id]


def test_a_trial_is_bounded(desk: ContractDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    job = desk.contract("AB-1234")
    for number in range(3):
        desk.contract(f"AB-{number}", page("AB-0"))
    with unit_of_work(desk.identity):
        field = draft({}, [desk.spot(job)])
        assert len(tried_draft(field, documents=2)) == 2
        monkeypatch.setattr(trials, "MAX_PAGES_READ", 3)
        assert len(tried_draft(field)) == 2


def test_fields_are_written_piece_by_piece_and_only_once(desk: ContractDesk, rival: ContractDesk) -> None:
    other = rival.contract("ZZ-0000")
    jobs = [desk.contract(f"AB-123{number}") for number in range(3)]
    desk.field(jobs[0])
    first = apply_fields(identity=desk.identity, jobs=2)
    assert (first.jobs, first.changed, first.cursor) == (2, 2, jobs[1].id)
    last = apply_fields(identity=desk.identity, after=first.cursor, jobs=2)
    assert (last.jobs, last.changed, last.cursor) == (1, 1, None)
    assert [own(desk.again(job))[0]["value"] for job in jobs] == ["AB-1230", "AB-1231", "AB-1232"]
    assert apply_fields(identity=desk.identity).changed == 0
    assert rival.again(other).fields is None
    with unit_of_work(desk.identity):
        notes = AuditEntry.objects.filter(action="own_field.applied").order_by("id").values_list("note", flat=True)
        assert list(notes) == ["2 of 2 jobs changed", "1 of 1 jobs changed"]


def test_a_deleted_field_is_removed_from_documents(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    field = desk.field(job)
    later = desk.contract("AB-1235")
    services.delete_field(identity=desk.identity, name=field.name)
    assert own(desk.again(later))
    assert apply_fields(identity=desk.identity).changed == 1
    assert not own(desk.again(later))


def test_long_documents_make_shorter_pieces(desk: ContractDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [desk.contract("AB-1234", page("AB-1235")) for _ in range(3)]
    desk.field(jobs[0])
    monkeypatch.setattr(applying, "MAX_PAGES_READ", 2)
    piece = apply_fields(identity=desk.identity)
    assert (piece.jobs, piece.cursor) == (1, jobs[2].id)


def test_an_erased_job_is_passed_over(desk: ContractDesk) -> None:
    jobs = [desk.contract("AB-1234") for _ in range(2)]
    desk.field(jobs[0])
    erase_job(identity=desk.identity, job_id=jobs[1].id)
    assert apply_fields(identity=desk.identity).jobs == 1
    assert desk.again(jobs[1]).fields is None


def test_a_corrected_field_stays_corrected(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    desk.field(job)
    apply_fields(identity=desk.identity)
    correct_field(identity=desk.identity, job_id=job.id, name="contract_number", value="AB-1235")
    desk.field(job, "again")
    apply_fields(identity=desk.identity)
    assert {field["name"]: field["value"] for field in own(desk.again(job))} == {
        "contract_number": "AB-1235",
        "again": "AB-1234",
    }
