"""Writes the attachments of an email into the arena, one after another, and says where each is and what is wrong."""

import os
from typing import Any, BinaryIO

from .arena import write
from .detection import EML, FileType
from .formats.eml import Attached, attached_parts
from .limits import Rejected, corrupt, too_large

Json = Any


def count_attachments(document: BinaryIO) -> int:
    """Return the number of attachments that can become documents."""
    return sum(not attached.skipped for attached in attached_parts(_whole(document)))


def write_attachments(document: BinaryIO, file_type: FileType, arena: int) -> list[Json]:
    """Write all attachments. One that cannot be taken out of the email is listed with the reason."""
    if file_type != EML:
        raise corrupt("The file is no email.")
    room = os.fstat(arena).st_size
    offset, found = 0, []
    for attached in attached_parts(_whole(document)):
        entry = {"name": attached.name, "skipped": attached.skipped, "offset": offset, "size_bytes": 0}
        try:
            content = b"" if attached.skipped else _content(attached, room - offset)
        except Rejected as rejected:
            found.append({**entry, "rejected": rejected.code, "detail": rejected.detail})
            continue
        write(arena, content, offset)
        offset += len(content)
        found.append({**entry, "size_bytes": len(content)})
    return found


def _content(attached: Attached, room: int) -> bytes:
    content = attached.content()
    if len(content) > room:
        raise too_large("The attachments of the email take too much space together.")
    return content


def _whole(document: BinaryIO) -> bytes:
    document.seek(0)
    return document.read()
