"""Names of the streams of usage events in the durable Redis."""

STREAM = b"maas:meter"
ASIDE = b"maas:meter:aside"
"""Events that could not be counted, each with its reason. They stay until they can be counted."""
FIELD = b"event"
REASON = b"reason"
