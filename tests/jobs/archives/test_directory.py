"""Tests of the directories of hostile and ordinary archives."""

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from jobs.archives.directory import EntryCorrupt, opened, read_members, unpack
from jobs.archives.errors import ArchiveRejected
from jobs.archives.members import Limits, Member, Plan, plan, shown_name

from .packing import long_directory, packed, quoted_overlap, with_entry

LIMITS = Limits(entries=10, entry_bytes=1000, total_bytes=2500, ratio=100)


def planned(content: bytes, path: Path, limits: Limits = LIMITS) -> list[Plan]:
    path.write_bytes(content)
    return plan(read_members(path, limits.entries), len(content), limits)


def rejection(content: bytes, path: Path, limits: Limits = LIMITS) -> ArchiveRejected:
    with pytest.raises(ArchiveRejected) as rejected:
        planned(content, path / "a.zip", limits)
    return rejected.value


def test_what_systems_put_beside_a_persons_files_is_skipped_and_counted(tmp_path: Path) -> None:
    names = ["scans/", "scans/a.pdf", "__MACOSX/scans/._a.pdf", "scans/.DS_Store", "Thumbs.db", "b.PDF"]
    plans = planned(packed([(name, b"") for name in names]), tmp_path / "a.zip")
    assert [one.skipped for one in plans] == [
        "folder",
        "",
        "made_by_system",
        "made_by_system",
        "made_by_system",
        "",
    ]
    assert [one.member.number for one in plans] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (with_entry("a.pdf", flag_bits=1), "entry_encrypted"),
        (with_entry("a.pdf", create_system=3, external_attr=0o120777 << 16), "entry_not_a_file"),
        (with_entry("a.pdf", create_system=3, external_attr=0o20666 << 16), "entry_not_a_file"),
        (packed([("a.pdf", b"x")], zipfile.ZIP_LZMA), "compression_not_supported"),
        (packed([("a.pdf", b"x")], zipfile.ZIP_BZIP2), "compression_not_supported"),
        (packed([("inner.ZIP", b"x")]), "nested_archive"),
        (packed([("a.tar.gz", b"x")]), "nested_archive"),
        (packed([("a.pdf", b"x" * 1001)]), "document_too_large"),
    ],
)
def test_an_entry_that_is_not_opened_says_why_and_the_others_are(tmp_path: Path, content: bytes, code: str) -> None:
    [one] = planned(content, tmp_path / "a.zip")
    assert one.fault is not None
    assert (one.fault.code, bool(one.fault.detail)) == (code, True)


def test_an_entry_that_grows_too_much_is_not_unpacked(tmp_path: Path) -> None:
    limits = Limits(entries=10, entry_bytes=2**30, total_bytes=2**31, ratio=100)
    content = packed([("a.txt", b"\0" * 20_000_000), ("b.txt", b"\0" * 1_000_000)])
    large, small = planned(content, tmp_path / "a.zip", limits)
    assert large.fault is not None
    assert (large.fault.code, small.fault) == ("entry_ratio", None)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (packed([(f"{n}.txt", b"x") for n in range(11)]), "archive_too_many_entries"),
        (packed([(f"{n}.txt", b"x" * 900) for n in range(3)]), "archive_too_large_unpacked"),
        (quoted_overlap(5, 100), "archive_overlapping"),
        (packed([]), "archive_empty"),
        (packed([("a.txt", b"x" * 500)])[:-30], "archive_corrupt"),
        (packed([("a.txt", b"x" * 500)])[200:], "archive_corrupt"),
        (b"%PDF-1.7", "archive_corrupt"),
        (b"", "archive_corrupt"),
        (b"PK\x05\x06" + b"\xff" * 18, "archive_corrupt"),
    ],
)
def test_an_archive_that_cannot_be_trusted_is_refused_as_a_whole(tmp_path: Path, content: bytes, code: str) -> None:
    error = rejection(content, tmp_path)
    assert error.code == code
    assert error.detail


def test_one_that_was_cut_off_one_with_odd_names_and_one_that_is_none_are_told_apart(tmp_path: Path) -> None:
    assert "Is it complete?" in rejection(packed([("a", b"x" * 500)])[:-30], tmp_path).detail
    odd = packed([("größe.pdf", b"x")]).replace("größe".encode(), b"gr\xff\xfe__e")
    assert rejection(odd, tmp_path).detail.startswith("The name of an entry is not valid UTF-8")
    assert "not a ZIP file" in rejection(b"%PDF-1.7", tmp_path).detail


def test_a_directory_of_millions_is_refused_before_it_is_in_memory(tmp_path: Path) -> None:
    content = long_directory(200_000)
    tracemalloc.start()
    error = rejection(content, tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert error.code == "archive_too_many_entries"
    assert peak < 3 * 2**20


def test_names_come_through_in_both_their_spellings_and_never_as_paths(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(packed([("größe.pdf", b"x"), ("../../etc/cron.d/x", b"x"), ("/abs\u202efdp.exe", b"x")]))
    old = packed([("gr__e.pdf", b"x")]).replace(b"gr__e", "größe".encode("cp437"))
    assert read_members(path, 10)[0].name == "größe.pdf"
    assert shown_name("/abs\u202efdp.exe\n") == "/absfdp.exe"
    assert len(shown_name("a/" * 500)) == 300
    path.write_bytes(old)
    assert [one.name for one in read_members(path, 10)] == ["größe.pdf"]


def test_zip64_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive, archive.open("a.txt", "w", force_zip64=True) as entry:
        entry.write(b"hello")
    [member] = read_members(path, 10)
    with opened(path, 10) as archive:
        assert b"".join(unpack(archive, member.number, 100)) == b"hello"


@pytest.mark.parametrize("cut", [40, 60])
def test_an_entry_that_does_not_unpack_to_what_was_said_is_corrupt(tmp_path: Path, cut: int) -> None:
    content = bytearray(packed([("a.txt", bytes(range(256)) * 4), ("b.txt", b"good")]))
    content[cut] ^= 0xFF
    (tmp_path / "a.zip").write_bytes(content)
    with opened(tmp_path / "a.zip", 10) as archive:
        with pytest.raises(EntryCorrupt):
            b"".join(unpack(archive, 1, 10_000))
        assert b"".join(unpack(archive, 2, 10)) == b"good"


def test_an_entry_behind_the_end_of_its_archive_is_refused() -> None:
    member = Member(number=1, name="a", packed_bytes=100, size_bytes=100, offset=50)
    with pytest.raises(ArchiveRejected, match="beyond the end"):
        plan([member], 120, LIMITS)
