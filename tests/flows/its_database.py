"""Work on a running product's own rows from the tests' process, where each command would be a process to start."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections
from django.test import override_settings

from maas.env import DatabaseUrl

_PARTS = ("NAME", "USER", "PASSWORD", "HOST", "PORT")


@contextmanager
def its_database(url: str, key_pepper: str) -> Iterator[None]:
    """Let services of this thread write to the database of this URL, with its pepper of keys.

    Nothing else is the product's: not its Redis, nor its files.
    """
    before = {alias: connections[alias] for alias in settings.DATABASES}
    place = {name: part for name, part in DatabaseUrl.parse(url).django(None).items() if name in _PARTS}
    for alias, connection in before.items():
        connections[alias] = connection.copy()
        connections[alias].settings_dict.update(place)
    try:
        with override_settings(MAAS_KEY_PEPPER=key_pepper):
            yield
    finally:
        for alias, connection in before.items():
            connections[alias].close()
            connections[alias] = connection
