"""What runs inside a sandboxed child, on the standard library alone so that a child starts fast."""
