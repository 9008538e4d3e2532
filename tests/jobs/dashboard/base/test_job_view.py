"""Tests of how the input of jobs without a document is named."""

import pytest

from jobs.core.models import Job
from jobs.dashboard.base.job_view import first_words, with_first_words
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.conftest import Desk


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ({"text": "one  text\nof two lines"}, "“one text of two lines”"),
        ({"text": "a" * 200}, f"“{'a' * 80} …”"),
        ({"texts": ["a", "b", "c"]}, "3 texts"),
        (
            {"tensors": [{"name": "x", "datatype": "FP32", "shape": [1, 2], "data": [1, 2]}]},
            "Tensors x [1,2]",
        ),
    ],
    ids=["text", "long", "texts", "tensors"],
)
def test_a_job_is_named_by_the_beginning_of_its_input(desk: Desk, stored: object, words: str) -> None:
    job = desk.submit()
    with unit_of_work(desk.identity.tenant_id):
        Job.objects.filter(id=job.id).update(input=stored)
        assert first_words(with_first_words(Job.objects.all()).get(id=job.id)) == words
