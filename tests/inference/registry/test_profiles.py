import pytest
from django.db import connections
from django.db.utils import ProgrammingError

from inference.registry.models import SessionProfile
from inference.registry.profiles import PostgresProfiles
from inference.runtime.profiles import Profile
from tenants.core.db.unit_of_work import APP, OPERATOR

ARTIFACT = "5" * 64
PROFILE = Profile(100, 200, True, 300, 1.5, 0.25, {"fixed_s": 0.1, "seen": [[1, 2]]}, {"min_rows": 1})


def test_profile_is_kept_for_each_file_and_device() -> None:
    store = PostgresProfiles()
    assert store.get(ARTIFACT, "cpu") is None
    store.put(ARTIFACT, "cpu", Profile(1))
    store.put(ARTIFACT, "cpu", PROFILE)
    store.put(ARTIFACT, "gpu", Profile(2))
    assert store.get(ARTIFACT, "cpu") == PROFILE
    assert store.get(ARTIFACT, "gpu") == Profile(2)
    assert SessionProfile.objects.using(OPERATOR).filter(artifact=ARTIFACT).count() == 2


def test_no_connection_is_left_behind_by_a_thread_that_asked() -> None:
    PostgresProfiles().get(ARTIFACT, "nothing")
    assert connections[OPERATOR].connection is None


def test_tenants_requests_neither_read_nor_write_them() -> None:
    with pytest.raises(ProgrammingError, match="permission denied"):
        SessionProfile.objects.using(APP).exists()
