"""Tests that the names in the guides are those on the screen."""

import re
from functools import cache

import pytest

from tests.docs.product import APPS, PROJECT, read

GUIDES = sorted(path.relative_to(PROJECT).as_posix() for path in (PROJECT / "docs" / "guides").glob("*.md"))
WRITTEN_IN = ("html", "js", "py")


@cache
def words_on_the_screen() -> str:
    folders = [PROJECT / name for name in (*APPS, "templates")]
    found = [path.read_text() for folder in folders for end in WRITTEN_IN for path in folder.rglob(f"*.{end}")]
    return " ".join(" ".join(found).split())


@pytest.mark.parametrize("guide", GUIDES)
def test_labels_are_those_of_the_screen(guide: str) -> None:
    for found in re.findall(r"(?<![*\w])\*([^*\s][^*]*)\*(?!\*)", read(guide)):
        label = re.escape(" ".join(found.split()))
        assert re.search(rf"""[>"“}}]{label}[<"”…{{ ]""", words_on_the_screen()), found


def test_every_guide_is_in_the_index() -> None:
    assert all(f"({guide.removeprefix('docs/')})" in read("docs/README.md") for guide in GUIDES)
