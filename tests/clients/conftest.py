"""Provide the product as programs of others see it: an address and a key."""

from tests.flows.accounts import account, product

__all__ = ["account", "product"]
