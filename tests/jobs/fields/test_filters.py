"""Test how filters by fields are written in addresses."""

import pytest

from jobs.fields.filters import MAX_FILTERS, FieldFilter, NotAFieldFilter, field_filters, sorted_filters


def test_parameters_are_filters_and_come_back() -> None:
    given = {
        "field.total.min": "100",
        "field.invoice_number": " R-17 ",
        "field.issue_date.from": "2026-01-01",
        "q": "x",
    }
    found = field_filters({**given, "q": "x"})
    assert [(one.name, one.way, one.value) for one in found] == [
        ("total", "min", "100"),
        ("invoice_number", "", "R-17"),
        ("issue_date", "from", "2026-01-01"),
    ]
    assert [one.parameter for one in found] == list(given)[:3]


@pytest.mark.parametrize(
    ("parameter", "value", "reason"),
    [
        ("field.", "1", "names no field"),
        ("field.Total", "1", "names no field"),
        ("field.total.over", "1", "Use field.total, or with .contains, .from, .to, .min, .max"),
        ("field.total.min", "much", "must be a number"),
        ("field.total.min", "1e9", "must be a number"),
        ("field.total.min", "NaN", "must be a number"),
        ("field.issue_date.from", "1.1.2026", "must be a day"),
        ("field.issue_date.to", "2026-02-30", "must be a day"),
        ("field.supplier.contains", " ", "must have 1 to 200 characters"),
        ("field.supplier", "a\0b", "must have 1 to 200 characters"),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused_by_programs_and_left_out_for_people(
    parameter: str, value: str, reason: str
) -> None:
    with pytest.raises(NotAFieldFilter, match=reason):
        field_filters({parameter: value})
    found, (fault,) = sorted_filters({parameter: value, "field.total.max": "1"})
    assert found == [FieldFilter("total", "max", "1")]
    assert reason in fault.message
    assert (fault.wanted is not None) == reason.startswith("must") == fault.message.endswith(fault.reason or "\0")


def test_too_many_filters_are_refused() -> None:
    many = {f"field.f{number}": "1" for number in range(MAX_FILTERS + 1)}
    with pytest.raises(NotAFieldFilter, match="at most 10"):
        field_filters(many)
    found, (fault,) = sorted_filters(many)
    assert len(found) == MAX_FILTERS
    assert "11 filters" in fault.message
