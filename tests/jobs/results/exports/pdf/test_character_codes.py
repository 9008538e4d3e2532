"""Tests of how a file's characters are numbered."""

from jobs.results.exports.pdf import character_codes
from jobs.results.exports.pdf.character_codes import MAX_CODES, REPLACEMENT, CharacterCodes

FIRST_CHARACTER = 0x4E00


def test_characters_are_numbered_in_the_order_in_which_they_come() -> None:
    codes = CharacterCodes()
    assert [codes.code(char) for char in "aba"] == [1, 2, 1]
    assert codes.characters == ["a", "b"]


def test_beyond_the_most_every_further_character_is_the_replacement() -> None:
    codes = CharacterCodes()
    for place in range(MAX_CODES):
        codes.code(chr(FIRST_CHARACTER + place) if FIRST_CHARACTER + place < 0xD800 else chr(0x10000 + place))
    further = [codes.code(char) for char in "xyz"]
    assert further == [MAX_CODES + 1] * 3
    assert codes.characters[-1] == REPLACEMENT
    assert character_codes.MAX_CODES + 1 < 1 << 16
