from typing import Any

import pytest

from inference.batching.limits import BatchLimits


def test_what_is_not_said_has_a_sound_value() -> None:
    assert BatchLimits() == BatchLimits(max_rows=64, max_padded=16_384, max_waiting=4096, max_wait_ms=5.0)


def test_padding_may_be_unbounded() -> None:
    assert BatchLimits(max_padded=None).max_padded is None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"max_rows": 0}, "max_rows is 0; give a whole number from 1 to 4096"),
        ({"max_rows": 2.5}, "max_rows is 2.5; give a whole number from 1 to 4096"),
        ({"max_rows": True}, "max_rows is true; give a whole number from 1 to 4096"),
        ({"max_padded": 0}, "max_padded is 0; give a whole number from 1 to 2147483648"),
        ({"max_waiting": 10**6}, "max_waiting is 1000000; give a whole number from 1 to 65536"),
        (
            {"max_rows": 8, "max_waiting": 7},
            "max_waiting is 7, less than max_rows (8); a batch could never fill; raise max_waiting or lower max_rows",
        ),
        ({"max_wait_ms": -1}, "max_wait_ms is -1; give milliseconds from 0 (never hold back) to 1000"),
        (
            {"max_wait_ms": float("nan")},
            "max_wait_ms is NaN; give milliseconds from 0 (never hold back) to 1000",
        ),
        ({"max_wait_ms": "5"}, "max_wait_ms is '5'; give milliseconds from 0 (never hold back) to 1000"),
    ],
)
def test_a_wrong_limit_is_named_with_what_is_right(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match="is") as refused:
        BatchLimits(**wrong)
    assert str(refused.value) == says


def test_a_tenant_may_take_as_much_as_it_leaves() -> None:
    limits = BatchLimits(max_rows=10, max_waiting=100)
    assert limits.admits(50, waiting=0, of_tenant=0)
    assert limits.admits(100, waiting=0, of_tenant=0)
    assert not limits.admits(101, waiting=0, of_tenant=0)
    assert limits.admits(49, waiting=1, of_tenant=1)
    assert not limits.admits(50, waiting=1, of_tenant=1)
    assert not limits.admits(1, waiting=50, of_tenant=50)
    assert limits.admits(25, waiting=50, of_tenant=0)
