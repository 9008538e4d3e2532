"""Another cell as the caller of the API. It may read what cells give to each other, and nothing else."""

import time
from dataclasses import dataclass

from django.conf import settings
from rest_framework import authentication, permissions
from rest_framework.request import Request

from tenants.cells.reads import SCHEME, NotACell, reading_cell
from tenants.core.errors import InvalidKey, NotPermitted, NotSignedIn

PATHS = "/v1/operator/cells/"


@dataclass(frozen=True, slots=True)
class ReadingCell:
    name: str
    is_authenticated: bool = True


class CellAuthentication(authentication.BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[ReadingCell, None] | None:
        cells = settings.MAAS_CELLS
        scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
        if not cells or scheme != SCHEME:
            if request._request.user.is_authenticated:
                raise NotPermitted("Only other cells may read this.")
            return None
        try:
            return ReadingCell(reading_cell(cells, credentials, request.path, time.time())), None
        except NotACell as error:
            raise InvalidKey(str(error)) from error

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


class IsCell(permissions.BasePermission):
    def has_permission(self, request: Request, view: object) -> bool:
        if not isinstance(request.user, ReadingCell):
            raise NotSignedIn("Only other cells may read this. They sign their requests.")
        return True
