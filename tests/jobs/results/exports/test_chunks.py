"""Test where a document is cut into chunks."""

from hypothesis import given
from hypothesis import strategies as st

from jobs.results.exports.chunks import MAX_WORDS, MIN_WORDS, Chunk, ChunkPage, ChunkPart, chunks_of, word_count
from jobs.results.exports.page_blocks import TYPES, TextBlock

PAGE = ChunkPage(1)


def words(count: int, word: str = "word") -> str:
    return " ".join([word] * count)


def cut(*blocks: TextBlock) -> list[Chunk]:
    return list(chunks_of(ChunkPart(PAGE, block) for block in blocks))


def paragraph(count: int, word: str = "word") -> TextBlock:
    return TextBlock("paragraph", words(count, word))


def heading(text: str, level: int = 1) -> TextBlock:
    return TextBlock("heading", text, level)


def test_short_blocks_share_a_chunk() -> None:
    (chunk,) = cut(heading("Title"), paragraph(100), TextBlock("list_item", "• a"), TextBlock("list_item", "• b"))
    assert chunk.text == f"Title\n\n{words(100)}\n\n• a\n• b"
    assert chunk.words == 105


def test_a_block_that_no_longer_fits_begins_a_chunk() -> None:
    assert [chunk.words for chunk in cut(paragraph(150), paragraph(251), paragraph(10))] == [150, 261]


def test_a_heading_begins_a_chunk_once_there_are_enough_words() -> None:
    chunks = cut(paragraph(MIN_WORDS - 1), heading("Here"), paragraph(1), heading("There"), paragraph(5))
    assert [chunk.parts[0].block.text.split()[0] for chunk in chunks] == ["word", "There"]


def test_headings_go_with_what_follows_them() -> None:
    chunks = cut(paragraph(190), heading("A"), heading("B", 2), paragraph(300))
    assert [len(chunk.parts) for chunk in chunks] == [1, 3]


def test_a_chunk_names_the_headings_above_it() -> None:
    chunks = cut(
        heading("A"), heading("B", 2), paragraph(390), paragraph(390), heading("C", 2), paragraph(300), heading("D")
    )
    assert [chunk.headings for chunk in chunks] == [(), ("A", "B"), ("A",), ()]


def test_a_long_block_is_cut_after_a_sentence() -> None:
    chunks = cut(TextBlock("paragraph", f"{words(299)} end. {words(200)}"))
    assert [chunk.words for chunk in chunks] == [300, 200]


def test_a_long_block_without_sentences_is_cut_between_words() -> None:
    assert [chunk.words for chunk in cut(paragraph(900))] == [400, 400, 100]


def test_text_without_spaces_is_cut_too() -> None:
    assert [chunk.words for chunk in cut(TextBlock("paragraph", "漢" * 1_000))] == [400, 100]
    assert [chunk.words for chunk in cut(TextBlock("paragraph", "x" * 40_000))] == [400, 400, 200]


BLOCKS = st.builds(
    TextBlock,
    st.sampled_from(sorted(TYPES)),
    st.builds(words, st.integers(1, 900), st.sampled_from(["word", "end.", "漢字", "ไทย"])),
    st.integers(1, 3),
)


@given(st.lists(BLOCKS, max_size=8))
def test_all_words_are_in_chunks_in_their_order(blocks: list[TextBlock]) -> None:
    chunks = cut(*blocks)
    found = " ".join(chunk.text for chunk in chunks).split()
    assert found == " ".join(block.text for block in blocks).split()
    for chunk in chunks:
        below = [part for part in chunk.parts if part.block.type != "heading"]
        assert sum(word_count(part.block.text) for part in below) <= MAX_WORDS
