"""Opens hostile documents. This runs in a sandboxed child, so it imports nothing of the rest of the product."""

from .requests import handle

__all__ = ["handle"]
