from datetime import UTC, datetime

from tenants.api_keys.format import new_key
from tenants.audit.changes import HIDDEN, LONGEST, changes_between


def test_only_what_differs_is_told() -> None:
    before, after = {"name": "one", "weight": 1}, {"name": "two", "weight": 1}
    assert changes_between(before, after) == {"name": {"before": "one", "after": "two"}}


def test_what_was_not_there_was_nothing() -> None:
    assert changes_between({}, {"role": "owner"}) == {"role": {"before": None, "after": "owner"}}
    assert changes_between({"role": "owner"}, {}) == {"role": {"before": "owner", "after": None}}


def test_a_secret_is_never_told() -> None:
    told = changes_between({"secret_hash": "abc"}, {"secret_hash": "def", "password": "xyz"})
    assert told == {
        "secret_hash": {"before": HIDDEN, "after": HIDDEN},
        "password": {"before": None, "after": HIDDEN},
    }


def test_a_key_in_a_text_keeps_its_prefix_alone() -> None:
    key = new_key(livemode=True)
    told = changes_between({}, {"description": f"uses {key.text} until May"})
    assert told["description"]["after"] == f"uses {key.prefix}_… until May"


def test_moments_lists_and_what_no_database_holds_are_written_as_they_can_be() -> None:
    after = {
        "ends": datetime(2027, 1, 31, tzinfo=UTC),
        "scopes": ("a", "b"),
        "name": "a\0b\ud800",
        "note": "x" * 900,
    }
    told = {name: change["after"] for name, change in changes_between({}, after).items()}
    assert told == {
        "ends": "2027-01-31T00:00:00+00:00",
        "scopes": ["a", "b"],
        "name": "ab?",
        "note": "x" * LONGEST,
    }
