from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone

from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant


def test_the_owner_of_the_tables_takes_away_what_is_old_and_nothing_else(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        old = AuditEntry.objects.create(
            tenant=tenant.tenant, action="results.erased", at=timezone.now() - timedelta(days=41)
        )
    said = StringIO()
    call_command("forget_audit", days=40, stdout=said)
    assert "1 entries older than 40 days are gone." in said.getvalue()
    with unit_of_work(tenant.tenant.id):
        assert AuditEntry.objects.count() == 3
        assert not AuditEntry.objects.filter(id=old.id).exists()


def test_the_wall_stands_again_afterwards() -> None:
    call_command("forget_audit", days=4000, stdout=StringIO())
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT relforcerowsecurity FROM pg_class WHERE relname = 'tenants_auditentry'")
        assert cursor.fetchone() == (True,)


def test_what_is_recent_is_not_taken_away() -> None:
    with pytest.raises(CommandError, match="at least"):
        call_command("forget_audit", days=29)
