"""Decides what is to become of each member of an archive, from what the directory says of it. This is pure code."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from jobs.archives.errors import ArchiveRejected

LONGEST_NAME = 300
FREE_BYTES = 10 * 2**20
"""The size up to which the compression ratio of a member does not matter."""
STORED, DEFLATED = 0, 8
_ENCRYPTED = 0x1 | 0x40
_SYMLINK, _REGULAR, _KIND = 0o120000, 0o100000, 0o170000
_UNIX = 3
_LOCAL_HEADER_BYTES = 30
_NESTED = (
    ".zip",
    ".7z",
    ".rar",
    ".tar",
    ".tgz",
    ".gz",
    ".bz2",
    ".xz",
    ".zst",
    ".tbz2",
    ".txz",
    ".cab",
    ".iso",
)
_NOT_A_PERSONS = frozenset({".ds_store", "thumbs.db", "desktop.ini"})


@dataclass(frozen=True, slots=True)
class Member:
    """A member as the directory describes it. None of this is verified yet."""

    number: int
    name: str
    packed_bytes: int
    size_bytes: int
    offset: int
    flags: int = 0
    method: int = DEFLATED
    made_by: int = 0
    attributes: int = 0

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


@dataclass(frozen=True, slots=True)
class Limits:
    entries: int
    entry_bytes: int
    total_bytes: int
    ratio: int


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why a member is not unpacked."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Plan:
    member: Member
    skipped: str = ""
    fault: Fault | None = None

    @property
    def unpacks(self) -> bool:
        return not self.skipped and self.fault is None


def plan(members: Sequence[Member], archive_bytes: int, limits: Limits) -> list[Plan]:
    """Return a plan for each member, in order. Raises ArchiveRejected if the whole archive cannot be trusted, or is too
    large.
    """
    if len(members) > limits.entries:
        raise ArchiveRejected(
            "archive_too_many_entries",
            f"The archive has {len(members)} entries, but at most {limits.entries} are allowed. Split the archive.",
            limit=limits.entries,
        )
    _check_overlaps(members, archive_bytes)
    plans = [_plan(member, limits) for member in members]
    total = sum(plan.member.size_bytes for plan in plans if plan.unpacks)
    if total > limits.total_bytes:
        raise ArchiveRejected(
            "archive_too_large_unpacked",
            f"The archive is {total} bytes unpacked, but at most {limits.total_bytes} are allowed. Split the archive.",
            limit_bytes=limits.total_bytes,
        )
    return plans


def shown_name(name: str) -> str:
    """Return the name with its folders, as people recognize it. It is never used as a path."""
    kept = "".join(char for char in name if unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"})
    return kept if len(kept) <= LONGEST_NAME else "…" + kept[1 - LONGEST_NAME :]


def _check_overlaps(members: Sequence[Member], archive_bytes: int) -> None:
    """Reject archives whose entries overlap. Newer archive bombs let many entries share the same bytes."""
    ordered = sorted(members, key=lambda member: member.offset)
    for member, following in pairwise(ordered):
        if member.offset + _LOCAL_HEADER_BYTES + member.packed_bytes > following.offset:
            raise ArchiveRejected(
                "archive_overlapping",
                f"Entries {member.number} and {following.number} of the archive share the same bytes. "
                "Create the archive again.",
            )
    if ordered and ordered[0].offset < 0:
        raise ArchiveRejected(
            "archive_corrupt", f"Entry {ordered[0].number} starts before the beginning of the archive."
        )
    if ordered and ordered[-1].offset + _LOCAL_HEADER_BYTES + ordered[-1].packed_bytes > archive_bytes:
        raise ArchiveRejected("archive_corrupt", f"Entry {ordered[-1].number} extends beyond the end of the archive.")


def _plan(member: Member, limits: Limits) -> Plan:
    skipped = _reason_to_skip(member)
    if skipped:
        return Plan(member, skipped=skipped)
    return Plan(member, fault=_fault_of_kind(member) or _fault_of_size(member, limits))


def _reason_to_skip(member: Member) -> str:
    parts = [part.lower() for part in member.name.replace("\\", "/").split("/") if part]
    if member.is_folder:
        return "folder"
    if "__macosx" in parts or (parts and (parts[-1] in _NOT_A_PERSONS or parts[-1].startswith("._"))):
        return "made_by_system"
    return ""


def _fault_of_kind(member: Member) -> Fault | None:
    if member.flags & _ENCRYPTED:
        return Fault(code="entry_encrypted", detail="The file is encrypted. Pack it without a password.")
    if _is_special(member):
        return Fault(code="entry_not_a_file", detail="This is a link or a device, not a file.")
    if member.method not in (STORED, DEFLATED):
        detail = f"Compression method {member.method} is not supported. Use stored or deflate."
        return Fault(code="compression_not_supported", detail=detail)
    return nested() if member.name.lower().endswith(_NESTED) else None


def nested(inside: str = "an archive") -> Fault:
    return Fault(
        code="nested_archive",
        detail=f"This is an archive in {inside}. Send it separately or pack its files directly.",
    )


def _fault_of_size(member: Member, limits: Limits) -> Fault | None:
    if member.size_bytes > limits.entry_bytes:
        detail = f"The file is {member.size_bytes} bytes unpacked, but at most {limits.entry_bytes} are allowed."
        return Fault(code="document_too_large", detail=detail)
    if member.size_bytes > FREE_BYTES and member.size_bytes > limits.ratio * max(1, member.packed_bytes):
        detail = f"The file unpacks to more than {limits.ratio} times its packed size."
        return Fault(code="entry_ratio", detail=detail)
    return None


def _is_special(member: Member) -> bool:
    kind = (member.attributes >> 16) & _KIND
    return member.made_by == _UNIX and kind not in (0, _REGULAR)
