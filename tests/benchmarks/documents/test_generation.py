"""Test that generated pages are true: boxes lie on ink, and indexes on what they name."""

import numpy as np
import pytest

from tests.benchmarks.documents import GeneratedPage, degrade, generate, photograph
from tests.benchmarks.documents.fonts import BUILT_IN
from tests.benchmarks.documents.generation import KINDS
from tests.benchmarks.documents.truth import Quad

DPI = 72


def page_of(kind: str, seed: int = 1, language: str = "en") -> GeneratedPage:
    return generate(seed, kind, language=language, dpi=DPI, font=BUILT_IN)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_word_has_ink_in_its_box(kind: str, language: str) -> None:
    page = page_of(kind, language=language)
    gray = page.picture.min(axis=2)
    assert len(page.words) > 15
    for word in page.words:
        (left, top), _, (right, bottom), _ = word.box
        inside = gray[int(top) : int(bottom), int(left) : int(right)]
        assert inside.size
        assert inside.min() < inside.max() or inside.size < 4


@pytest.mark.parametrize("kind", KINDS)
def test_words_lines_and_blocks_agree(kind: str) -> None:
    page = page_of(kind)
    for number, line in enumerate(page.lines):
        words = [word for word in page.words if word.line == number]
        assert " ".join(word.text for word in words) == line.text
        assert {word.block for word in words} == {line.block}
    assert [number for block in page.blocks for number in block.lines] == list(range(len(page.lines)))


def test_the_same_seed_gives_the_same_page() -> None:
    one, other = page_of("columns", 4), page_of("columns", 4)
    assert one.words == other.words
    assert np.array_equal(one.picture, other.picture)
    assert page_of("columns", 5).words != one.words


def test_hyphens_at_line_ends_are_mended_in_blocks_and_kept_in_lines() -> None:
    pages = [generate(seed, columns=4, dpi=DPI, font=BUILT_IN) for seed in range(6)]
    broken = [
        (page.lines[one].text, page.lines[two].text, block.text)
        for page in pages
        for block in page.blocks
        for one, two in zip(block.lines, block.lines[1:], strict=False)
        if block.type == "paragraph" and page.lines[one].text.endswith("-")
    ]
    assert broken
    for first, second, text in broken:
        assert first.split()[-1].removesuffix("-") + second.split()[0] in text


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_move_with_the_turned_picture(rotation: int) -> None:
    page = page_of("letter")
    turned = degrade(page, 1, rotation=rotation, skew=3, dpi=100)
    assert turned.rotation == rotation
    assert_ink(turned, turned.words[len(turned.words) // 2].box)
    assert_ink(turned, turned.words[-1].box)


def test_boxes_move_with_the_photographed_sheet() -> None:
    shot = photograph(page_of("letter"), 2)
    assert shot.sheet
    assert_ink(shot, shot.words[0].box)
    assert_ink(shot, shot.words[-1].box)


def assert_ink(page: GeneratedPage, box: Quad) -> None:
    """Check that a box has darker dots than the paper just above it."""
    across, down = [x for x, _ in box], [y for _, y in box]
    inside = page.picture[int(min(down)) : int(max(down)) + 1, int(min(across)) : int(max(across)) + 1].min(axis=2)
    assert inside.size
    assert int(inside.min()) < int(np.percentile(inside, 98)) - 60
