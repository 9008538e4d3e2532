"""The product as strangers' programs find it: one address, and a key."""

from tests.flows.accounts import account, product

__all__ = ["account", "product"]
