"""Moments and days as pages write them: in one form, with UTC on hover."""

import re
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from django.template import engines

from tenants.dashboard_base.moments import Form
from tests.docs.product import PROJECT

AT = datetime(2026, 9, 7, 14, 5, 9, 123456, tzinfo=UTC)
TITLE = 'datetime="2026-09-07T14:05:09Z" title="7 Sep 2026, 14:05:09 UTC"'
# These dates belong to fields and addresses, which have a format of their own, or to months.
FOR_PROGRAMS = re.compile(r"""(?:value|datetime|href)="[^"]*\{\{ [\w.]+\|date:["']Y-m-d["'] \}\}|\|date:"M Y" """)


def shown(template: str, **context: object) -> str:
    return str(engines["django"].from_string(template).render(context))


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("day", "7 Sep 2026"),
        ("minute", "7 Sep 2026, 14:05 UTC"),
        ("second", "7 Sep 2026, 14:05:09 UTC"),
        ("clock", "14:05:09 UTC"),
    ],
)
def test_a_moment_has_one_form_and_utc_on_hover(form: Form, text: str) -> None:
    for at in (AT, AT.astimezone(timezone(timedelta(hours=9)))):
        made = shown("{% moment at form %}", at=at, form=form)
        assert made == f'<time {TITLE} data-moment="{form}">{text}</time>'


def test_an_age_keeps_its_words_and_is_escaped() -> None:
    made = shown('{% moment at text=text css="soon" %}', at=AT, text="<3 min ago")
    assert made == f'<time {TITLE} class="soon">&lt;3 min ago</time>'


def test_nothing_is_written_where_there_is_no_moment() -> None:
    assert shown("{% moment at %}{{ at|day }}", at=None) == ""


def test_a_day_of_the_calendar_is_the_same_in_every_zone() -> None:
    assert shown("{{ on|day }}", on=date(2026, 9, 7)) == "7 Sep 2026"


def test_no_page_has_a_form_of_its_own() -> None:
    pages = {path: path.read_text() for path in (PROJECT / "templates").rglob("*.html")}
    others = {path.name for path, text in pages.items() if "|date" in FOR_PROGRAMS.sub("", text)}
    assert others == set()
