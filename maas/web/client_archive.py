"""The Python client as an archive that pip can install from this service's own address."""

import hashlib
import io
from dataclasses import dataclass
from functools import cache
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import condition, require_safe

FOLDER = "maas-client"
"""The folder that contains all files. The first file in it is the one that pip looks for."""
LAID_OUT = ("pyproject.toml", "README.md")
PACKAGE = "maas_client"


@dataclass(frozen=True)
class Built:
    content: bytes
    etag: str


def _etag(request: HttpRequest) -> str:
    return _built().etag


@require_safe
@condition(etag_func=_etag)
def client_archive(request: HttpRequest) -> HttpResponse:
    """Serve the archive without authentication: it has no secret, and is installed before a person signs in."""
    return HttpResponse(
        _built().content,
        content_type="application/zip",
        headers={
            "Content-Disposition": 'attachment; filename="maas-client.zip"',
            "Cache-Control": "no-cache",
        },
    )


@cache
def _built() -> Built:
    source = settings.BASE_DIR / "client"
    if not (source / LAID_OUT[0]).is_file():
        raise Http404("The Python client is not part of this installation.")
    names = [*LAID_OUT, *sorted(str(path.relative_to(source)) for path in (source / PACKAGE).rglob("*.py"))]
    names.append(f"{PACKAGE}/py.typed")
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name in names:
            # The date is ZipInfo's default, so that every process builds the same bytes.
            entry = ZipInfo(f"{FOLDER}/{name}")
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, (source / name).read_bytes(), ZIP_DEFLATED)
    content = file.getvalue()
    return Built(content, f'"{hashlib.sha256(content).hexdigest()[:32]}"')
