"""What the durable Redis calls the uses that it keeps."""

STREAM = b"maas:meter"
ASIDE = b"maas:meter:aside"
"""Uses that could not be counted, each with its reason; they stay until they can be counted after all."""
FIELD = b"event"
REASON = b"reason"
