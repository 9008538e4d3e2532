"""Test what counts as prose, and that old words are found in it."""

import pytest

from tests.words.__main__ import OLD_NAMES, OLD_WORDS, alternatives, complaints
from tests.words.prose import prose_of


@pytest.mark.parametrize(
    ("path", "text", "prose"),
    [
        ("a.py", '"""Open `lane`.\n\nTwice."""\nlane = "lane"  # a note\n', ["Open .", "Twice.", "# a note"]),
        ("a.md", "Text.\n```sh\nlane\n```\nSee [this](lane.md) and `lane`.\n", ["Text.", "See [this and ."]),
        ("a.html", '<p class="lane" title="Help">{{ lane }}Text{# A note #}</p>', ["Help Text{# A note #}"]),
        ("a.html", '{% if lane %}<b>{% translate "Read" %}</b>{% endif %}', ["Read"]),
        ("a.js", 'const lane = "https://lane"; // A note\n/** Reads. */\n', ["// A note", "/** Reads. */"]),
        ("a.sql", "SELECT lane -- a note\nFROM lane;\n", ["-- a note"]),
    ],
)
def test_prose_is_what_people_read(path: str, text: str, prose: list[str]) -> None:
    found = [" ".join(line.replace('"""', "").split()) for _, line in prose_of(path, text)]
    assert found == prose


def test_lines_keep_their_numbers() -> None:
    text = 'x = 1\n\n"""First.\n\nSecond."""\n# Third.\n'
    assert [number for number, _ in prose_of("a.py", text)] == [3, 5, 6]


@pytest.mark.parametrize("old", ["the heft of", "a wish", "it was told", "the colour", "organised", "an e-mail"])
def test_old_word_is_refused(old: str) -> None:
    wanted = alternatives(OLD_WORDS, end=r"(?!\w)")
    assert list(complaints(wanted, list(OLD_WORDS.values()), "a.md", [(7, old)]))


@pytest.mark.parametrize(
    "plain", ["a round trip", "told to stop", "promise", "the four hours", "headroom", "comprised"]
)
def test_plain_word_is_not_refused(plain: str) -> None:
    wanted = alternatives([*OLD_WORDS, *OLD_NAMES], end=r"(?!\w)")
    assert not list(complaints(wanted, [""] * 99, "a.md", [(7, plain)]))
