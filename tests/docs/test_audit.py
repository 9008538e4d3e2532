"""Tests that every action of the audit log is described, and no other."""

import re

from tenants.audit.actions import ACTIONS, KINDS, kind_of
from tests.docs.product import read


def test_every_action_is_described_and_no_other() -> None:
    assert set(re.findall(r"^\| `([a-z_]+\.[a-z_]+)` \|", read("docs/audit.md"), re.MULTILINE)) == set(ACTIONS)


def test_every_action_is_of_a_kind_that_can_be_asked_for() -> None:
    assert {kind_of(action) for action in ACTIONS} == set(KINDS)
