"""Tests that a time is written in one form, whichever way it takes to the caller."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from rest_framework.serializers import DateTimeField

from tenants.api.rendering import TimedJSONRenderer
from tenants.core.times import rfc3339


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (datetime(2026, 11, 20, 11, 6, 21, 700217, UTC), "2026-11-20T11:06:21.700217Z"),
        (datetime(2026, 11, 20, 11, 6, 21, 0, UTC), "2026-11-20T11:06:21.000000Z"),
        (datetime(2026, 11, 20, 12, 6, 21, 5, timezone(timedelta(hours=1))), "2026-11-20T11:06:21.000005Z"),
    ],
)
def test_serializers_and_raw_answers_give_the_same_form(moment: datetime, told: str) -> None:
    assert rfc3339(moment) == told
    assert DateTimeField().to_representation(moment) == told
    assert json.loads(TimedJSONRenderer().render({"at": moment})) == {"at": told}
