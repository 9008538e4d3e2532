"""The command `maas`."""
