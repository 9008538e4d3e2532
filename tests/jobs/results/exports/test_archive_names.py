"""Tests of the names in an archive."""

from hypothesis import given
from hypothesis import strategies as st

from jobs.results.exports.archive_names import distinct_names


def test_names_stay_as_they_are_where_any_system_takes_them() -> None:
    assert list(distinct_names(["Invoice 7.pdf", "عقد.pdf"])) == ["Invoice 7.pdf", "عقد.pdf"]


def test_what_a_system_would_take_for_a_path_or_a_device_is_changed() -> None:
    given_names = ["../../etc/passwd", "a:b?.pdf", "CON.txt", "...", "x" * 300]
    assert list(distinct_names(given_names)) == ["_.._etc_passwd", "a_b_.pdf", "_CON.txt", "document", "x" * 80]


def test_the_same_name_twice_is_numbered_whatever_its_case() -> None:
    assert list(distinct_names(["a.pdf", "A.pdf", "a.pdf"])) == ["a.pdf", "A (2).pdf", "a (3).pdf"]


def test_two_spellings_of_an_accent_are_one_name() -> None:
    assert list(distinct_names(["\u00e9.pdf", "e\u0301.pdf"])) == ["\u00e9.pdf", "\u00e9 (2).pdf"]


def test_letters_of_many_bytes_make_no_name_that_a_disk_refuses() -> None:
    made = list(distinct_names(["\U0001f4c4" * 100] * 12))
    assert max(len(name.encode()) for name in made) <= 255


@given(st.lists(st.text(max_size=100), max_size=20))
def test_no_two_folders_are_alike_and_none_leaves_the_archive(names: list[str]) -> None:
    made = list(distinct_names(names))
    assert len({name.casefold() for name in made}) == len(names)
    assert not any("/" in name or "\\" in name or name in {"", ".", ".."} for name in made)
