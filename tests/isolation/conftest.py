"""The same two tenants that the flows have, and something that belongs to each."""

import pytest

from tests.flows.accounts import account, caller, other_account, other_caller, product
from tests.flows.caller import Caller

from .belongings import Belongings

__all__ = ["account", "caller", "other_account", "other_caller", "product"]


@pytest.fixture(scope="session")
def mine(caller: Caller) -> Belongings:
    return Belongings.made_by(caller, "This is Alpha's")


@pytest.fixture(scope="session")
def theirs(other_caller: Caller) -> Belongings:
    return Belongings.made_by(other_caller, "This is Beta's secret")
