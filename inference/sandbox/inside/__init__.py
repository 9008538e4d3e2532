"""The code that runs inside a sandboxed child. It uses only the standard library, so that a child starts fast."""
