"""Tests of request IDs."""

import pytest

from maas.web.guard.request_ids import request_id


@pytest.mark.parametrize("offered", ["a", "req_1.2-3", "A" * 64])
def test_a_sane_id_of_the_caller_is_kept(offered: str) -> None:
    assert request_id(offered) == offered


@pytest.mark.parametrize("offered", [None, "", "A" * 65, "a b", "a\nb", "ä", "<script>", "a;b"])
def test_any_other_gets_a_new_one(offered: str | None) -> None:
    made = request_id(offered)
    assert made != offered
    assert request_id(made) == made


def test_new_ids_differ() -> None:
    assert request_id(None) != request_id(None)
