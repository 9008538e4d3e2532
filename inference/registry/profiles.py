"""Profiles of model files in PostgreSQL, so that every worker and every restart can use earlier measurements."""

from django.db import connections
from django.utils import timezone

from inference.registry.models import SessionProfile
from inference.runtime.profiles import Profile
from tenants.core.db.unit_of_work import OPERATOR, operator_work


class PostgresProfiles:
    """The store of profiles. Short-lived threads call it, so it closes their connections after use."""

    def get(self, artifact: str, device: str) -> Profile | None:
        try:
            with operator_work():
                found = SessionProfile.objects.filter(artifact=artifact, device=device).values().first()
        finally:
            _let_go()
        return None if found is None else Profile.from_json(found)

    def put(self, artifact: str, device: str, profile: Profile) -> None:
        """Store a profile. The last one wins, because two workers with the same device measure alike."""
        try:
            with operator_work():
                SessionProfile.objects.update_or_create(
                    artifact=artifact,
                    device=device,
                    defaults={**profile.as_json(), "updated_at": timezone.now()},
                )
        finally:
            _let_go()


def _let_go() -> None:
    connection = connections[OPERATOR]
    if not connection.in_atomic_block:
        connection.close()
