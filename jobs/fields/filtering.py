"""Restricts queries of jobs to those whose fields match filters. Call these functions inside a unit of work."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Lower

from jobs.core.models import Job
from jobs.fields.filters import CONTAINS, FROM, MAX, MIN, TO, FieldFilter
from jobs.fields.models import FieldValue

UNITS = 10_000
"""The units of a number in its column."""


def with_fields(jobs: "QuerySet[Job]", filters: Sequence[FieldFilter]) -> "QuerySet[Job]":
    """Return the jobs that match all filters. Those for the same field match the same value of it."""
    for name, same in groupby(sorted(filters, key=lambda each: each.name), key=lambda each: each.name):
        condition = Q(name=name)
        for each in same:
            condition &= _condition(each)
        jobs = jobs.filter(Exists(FieldValue.objects.filter(condition, job_id=OuterRef("id"))))
    return jobs


def _condition(wanted: FieldFilter) -> Q:
    if wanted.way == CONTAINS:
        return Q(text__contains=Lower(Value(wanted.value)))
    if wanted.way in (FROM, TO):
        return Q(day__gte=wanted.day) if wanted.way == FROM else Q(day__lte=wanted.day)
    number = wanted.number
    if wanted.way in (MIN, MAX) and number is not None:
        return Q(number__gte=_units(number)) if wanted.way == MIN else Q(number__lte=_units(number))
    # A number is found as it is written, and whatever its zeros are.
    equal = Q(text=Lower(Value(wanted.value)))
    return equal if number is None else equal | Q(number=_units(number))


def _units(number: Decimal) -> int:
    return round(number * UNITS)
