import time

from tenants.ids import uuid7


def test_identifiers_sort_in_the_order_they_were_made() -> None:
    made = [uuid7() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_identifier_is_a_version_7_uuid_of_this_moment() -> None:
    made = uuid7()
    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert abs((made.int >> 80) / 1000 - time.time()) < 5
