"""The identity of a caller and its permissions. Pure."""
