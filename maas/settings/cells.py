"""Converts the variables about cells into Django's settings."""

from django.core.exceptions import ImproperlyConfigured

from tenants.cells.cells import Cells
from tenants.cells.reading import WrongCells, read_cells


def cells_of(*, own: str, urls: str, keys: str, secret: str, control: str, redirect: bool) -> Cells:
    try:
        return read_cells(own=own, urls=urls, keys=keys, secret=secret, control=control, redirect=redirect)
    except WrongCells as error:
        raise ImproperlyConfigured(f"{error}.") from error
