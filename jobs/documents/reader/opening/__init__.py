"""Opens untrusted documents in a sandboxed child process, so it imports nothing from the rest of the product."""

from .requests import handle

__all__ = ["handle"]
