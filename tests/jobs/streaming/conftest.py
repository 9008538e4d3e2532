"""A signed-in session, and events of a job, for streams and sockets."""

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY

from jobs.core.models import Job
from jobs.events.log import append_event
from tenants.accounts.session_store import SessionStore
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant


def append(job: Job, *types: str) -> None:
    for event_type in types:
        with unit_of_work(job.tenant_id):
            append_event(job.id, event_type, {"n": event_type})


@pytest.fixture
def session(tenant: CreatedTenant) -> SessionStore:
    """Return a session in which the tenant's owner is signed in."""
    session = SessionStore()
    session[SESSION_KEY] = str(tenant.owner.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = tenant.owner.get_session_auth_hash()
    session.create()
    return session
