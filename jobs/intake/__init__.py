"""Bytes on their way in, read before Django is asked."""
