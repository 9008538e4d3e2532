"""Who may stay."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.live.doorman import good_still
from jobs.live.passes import Pass
from tenants.context import operator_work
from tenants.identity import Identity
from tenants.models import ApiKey


@pytest.mark.parametrize(
    ("lifetime", "good"), [(timedelta(minutes=30), True), (-timedelta(minutes=30), False)]
)
@pytest.mark.parametrize("wrong_by", [-timedelta(hours=1), timedelta(hours=1)])
def test_a_key_expires_by_the_databases_clock_however_wrong_this_machines_is(
    identity: Identity, monkeypatch: pytest.MonkeyPatch, lifetime: timedelta, good: bool, wrong_by: timedelta
) -> None:
    now = timezone.now()
    assert identity.key_id is not None
    with operator_work():
        ApiKey.objects.filter(id=identity.key_id).update(expires_at=now + lifetime)
    monkeypatch.setattr(timezone, "now", lambda: now + wrong_by)
    assert good_still(Pass(identity)) is good
