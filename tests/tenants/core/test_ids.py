import time
from datetime import UTC, datetime, timedelta

from tenants.core.ids import first_id_at, uuid7


def test_identifiers_sort_in_the_order_they_were_made() -> None:
    made = [uuid7() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_identifier_is_a_version_7_uuid_of_this_moment() -> None:
    made = uuid7()
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert abs((made.int >> 80) / 1000 - time.time()) < 5


def test_a_moment_divides_what_was_made_before_it_from_what_was_made_after() -> None:
    before = uuid7()
    moment = datetime.now(UTC)
    assert first_id_at(moment - timedelta(seconds=1)) < before < first_id_at(moment + timedelta(milliseconds=1))
    assert first_id_at(moment) <= uuid7()
