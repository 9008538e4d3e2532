"""Test the training of class sets, on request and after corrections, and what refuses it."""

import pytest
from django.db import ProgrammingError

from inference.class_sets.stored_pages import is_current, pages_from_json
from inference.class_sets.training import MAX_EXAMPLES
from jobs.class_sets.errors import ClassSetExists, ClassSetUntrainable, ExampleNotUsable
from jobs.class_sets.models import ClassExample, ClassSetVersion
from jobs.class_sets.reading import page_features
from jobs.class_sets.selectors import counted_labels, get_class_set, labels_of_job
from jobs.class_sets.serialized import class_set_json, evaluation_json, version_json
from jobs.class_sets.services import add_examples, create_class_set, delete_class_set, remove_example
from jobs.class_sets.training import learn_class, unlearn_class
from jobs.core.models import Job, Page
from jobs.results.corrections.services import correct_class
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.inference.class_sets.papers import KINDS, result

from .conftest import NAME, Office


def counts(office: Office) -> dict[str, int]:
    with unit_of_work(office.desk.identity):
        return dict(counted_labels(get_class_set(office.desk.identity, NAME)))


def corrected(office: Office, job: Job, label: str) -> str:
    identity = office.desk.identity
    correct_class(identity=identity, job_id=job.id, number=0, label=label)
    learned = learn_class(identity=identity, job_id=job.id, number=0, label=label)
    assert learned is not None
    return learned.version or learned.reason


def test_training_is_measured_and_serves_at_once(office: Office) -> None:
    jobs = office.examples()
    made = office.train()
    with unit_of_work(office.desk.identity):
        shown = class_set_json(get_class_set(office.desk.identity, NAME))
        version = version_json(get_class_set(office.desk.identity, NAME), made)
    assert shown["version"] == version["class_set"] == "letters@1"
    assert shown["classes"] == [{"label": kind, "examples": 5} for kind in sorted(KINDS)]
    found = version["evaluation"]
    assert sum(found["confusion"]["offer"].values()) == 5
    assert list(found["confusion"]["offer"]) == [*sorted(KINDS), "unsure"]
    assert {one["job"] for one in found["examples"]} == {job for each in jobs.values() for job in each}


def test_pages_are_read_when_an_example_is_added_and_not_again(office: Office) -> None:
    jobs = office.examples()
    with unit_of_work(office.desk.identity):
        Page.objects.filter(job_id__in=[job for each in jobs.values() for job in each]).delete()
    assert office.train().evaluation["accuracy"] == 1.0


@pytest.mark.parametrize("stored", [None, {"version": 1, "pages": []}])
def test_examples_of_an_earlier_release_are_read_by_the_next_training(office: Office, stored: object) -> None:
    office.examples()
    with unit_of_work(office.desk.identity):
        ClassExample.objects.update(pages=stored)
    assert office.train().evaluation["accuracy"] == 1.0
    with unit_of_work(office.desk.identity):
        assert all(is_current(pages) for pages in ClassExample.objects.values_list("pages", flat=True))


def test_only_the_first_three_pages_with_text_are_learned(office: Office) -> None:
    create_class_set(identity=office.desk.identity, name=NAME)
    pages = [result("offer", 1), {"text": " "}, result("offer", 2), result("offer", 3), result("invoice", 4)]
    job = office.read(pages)
    add_examples(identity=office.desk.identity, name=NAME, label="offer", job_ids=[str(job.id)])
    with unit_of_work(office.desk.identity):
        stored = pages_from_json(ClassExample.objects.get().pages)
    assert len(stored) == 3
    expected = [page_features(result("offer", seed)) for seed in (1, 2, 3)]
    assert [page.words.keys() for page in stored] == [page.words.keys() for page in expected]


def test_what_is_wrong_with_the_examples_is_said_exactly(office: Office) -> None:
    office.examples(kinds=("invoice",))
    with pytest.raises(ClassSetUntrainable, match="at least 2 classes, not only 'invoice'") as refusal:
        office.train()
    assert refusal.value.extra["reason"] == "too_few_classes"
    office.more("offer", range(4))
    with pytest.raises(ClassSetUntrainable, match="Each class needs at least 5 examples: 'offer' has 4"):
        office.train()


def test_examples_are_added_all_or_none(office: Office, other_identity: Identity) -> None:
    create_class_set(identity=office.desk.identity, name=NAME)
    good = str(office.paper("offer", 1).id)
    empty = str(office.read([{"text": " "}]).id)
    waiting = str(office.desk.submit_document(office.desk.document(1)).id)
    inline = str(office.desk.submit().id)
    for bad, what in ((empty, "no text"), (waiting, "not been read"), (inline, "no document")):
        with pytest.raises(ExampleNotUsable, match=what):
            add_examples(identity=office.desk.identity, name=NAME, label="offer", job_ids=[good, bad])
    other = Office(type(office.desk)(other_identity, office.desk.version))
    theirs = str(other.paper("offer", 2).id)
    with pytest.raises(NotFound):
        add_examples(identity=office.desk.identity, name=NAME, label="offer", job_ids=[good, theirs])
    assert counts(office) == {}


def test_a_document_is_an_example_of_one_class(office: Office) -> None:
    jobs = office.examples(kinds=("invoice",))
    add_examples(identity=office.desk.identity, name=NAME, label="offer", job_ids=jobs["invoice"][:2])
    assert counts(office) == {"invoice": 3, "offer": 2}
    remove_example(identity=office.desk.identity, name=NAME, job_id=jobs["invoice"][0])
    assert counts(office) == {"invoice": 3, "offer": 1}
    with pytest.raises(NotFound):
        remove_example(identity=office.desk.identity, name=NAME, job_id=jobs["invoice"][0])


def test_a_class_takes_no_more_examples_than_can_be_trained(office: Office) -> None:
    office.examples(kinds=("offer",), count=MAX_EXAMPLES)
    with pytest.raises(ExampleNotUsable, match="at most 20 examples: 'offer' would have 21"):
        office.more("offer", [100])


@pytest.mark.parametrize("label", ["", " ", "x" * 61, "two\nlines", "Unsure"])
def test_a_label_that_cannot_be_used_is_refused(office: Office, label: str) -> None:
    create_class_set(identity=office.desk.identity, name=NAME)
    job = str(office.paper("offer", 1).id)
    with pytest.raises(InvalidRequest):
        add_examples(identity=office.desk.identity, name=NAME, label=label, job_ids=[job])


@pytest.mark.parametrize("name", ["", "Letters", "a b", "-a", "a@1", "x" * 41, "é"])
def test_a_name_that_cannot_be_used_is_refused(identity: Identity, name: str) -> None:
    with pytest.raises(InvalidRequest, match="Use 1 to 40"):
        create_class_set(identity=identity, name=name)


def test_a_corrected_document_becomes_an_example_and_the_set_is_trained_again(office: Office) -> None:
    office.examples()
    office.train()
    job = office.paper("delivery note", 50, NAME)
    assert corrected(office, job, "offer") == "letters@2"
    assert counts(office) == {"delivery note": 5, "invoice": 5, "offer": 6}
    assert unlearn_class(identity=office.desk.identity, job_id=job.id, number=0) is not None
    assert counts(office)["offer"] == 5
    with unit_of_work(office.desk.identity):
        trained = AuditEntry.objects.filter(action="class_set.trained").order_by("id")
        assert [(one.subject_name, one.note) for one in trained] == [
            ("letters@1", ""),
            ("letters@2", "after a correction"),
            ("letters@3", "after a correction"),
        ]


def test_a_full_class_gives_up_its_oldest_example(office: Office) -> None:
    jobs = office.examples(kinds=("invoice",))
    full = office.more("offer", range(MAX_EXAMPLES))
    office.train()
    job = office.paper("invoice", 50, NAME)
    assert corrected(office, job, "offer") == "letters@2"
    with unit_of_work(office.desk.identity):
        kept = {str(one) for one in ClassSetVersion.objects.get(number=2).examples}
    assert full[0] not in kept
    assert {str(job.id), *full[1:], *jobs["invoice"]} == kept


def test_a_correction_that_leaves_too_few_examples_says_so_and_changes_no_version(office: Office) -> None:
    office.examples()
    office.train()
    with unit_of_work(office.desk.identity):
        found = get_class_set(office.desk.identity, NAME)
        document = found.examples.filter(label="offer").first()
        assert document is not None
    again = office.read([result("offer", 0)], NAME)
    with unit_of_work(office.desk.identity):
        found.examples.filter(id=document.id).update(document_id=again.document_id)
    assert "'offer' has 4" in corrected(office, again, "invoice")
    assert counts(office) == {"delivery note": 5, "invoice": 5, "offer": 5}


def test_the_classes_of_the_set_are_those_to_choose_from(office: Office) -> None:
    office.examples()
    office.train()
    job = office.paper("offer", 50, NAME)
    with unit_of_work(office.desk.identity):
        assert labels_of_job(job) == sorted(KINDS)
    with pytest.raises(InvalidRequest, match="delivery note, invoice, offer"):
        correct_class(identity=office.desk.identity, job_id=job.id, number=0, label="letter")


def test_a_version_cannot_be_changed(office: Office) -> None:
    office.examples()
    office.train()
    with pytest.raises(ProgrammingError), unit_of_work(office.desk.identity):
        ClassSetVersion.objects.update(evaluation={})


def test_the_name_of_a_version_is_never_used_for_another(office: Office) -> None:
    office.examples()
    office.train()
    delete_class_set(identity=office.desk.identity, name=NAME)
    with pytest.raises(NotFound), unit_of_work(office.desk.identity):
        get_class_set(office.desk.identity, NAME)
    office.examples()
    assert office.train().number == 2
    with pytest.raises(ClassSetExists):
        create_class_set(identity=office.desk.identity, name=NAME)


def test_the_evaluation_names_examples_that_are_taken_for_another_class(office: Office) -> None:
    office.examples()
    wrong = str(office.paper("invoice", 60).id)
    add_examples(identity=office.desk.identity, name=NAME, label="offer", job_ids=[wrong])
    found = evaluation_json(office.train())
    assert wrong in [one["job"] for one in found["mistakes"]]
    assert {one["job"]: one["predicted"] for one in found["examples"]}[wrong] == "invoice"
