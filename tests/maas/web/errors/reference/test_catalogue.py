"""The tables of docs/api.md say what each code means."""

from maas.web.errors.api_errors import STATUS
from maas.web.errors.reference.views import Meaning, meanings, read_meanings

TABLES = """
## Before

| `not_this` | 400 | x |

## Errors

| `nor_this` | 400 | It stands under no heading of its own. |

### Of requests

| code | status | when |
|---|---|---|
| `bad` | 400 | Of [two](#two) | or one. |
| `within` | | In an answer. |

### Outside

| code | when |
|---|---|
| `bad` | Elsewhere. |

## After

| `later` | 400 | x |
"""


def test_rows_are_read_with_their_section_and_status() -> None:
    assert read_meanings(TABLES) == {
        "bad": (
            Meaning("Of requests", 400, "Of [two](#two) | or one."),
            Meaning("Outside", None, "Elsewhere."),
        ),
        "within": (Meaning("Of requests", None, "In an answer."),),
    }


def test_every_code_with_a_status_has_a_meaning_and_that_status() -> None:
    told = {code: {one.status for one in found} - {None} for code, found in meanings().items()}
    assert {code: told.get(code) for code in STATUS} == {code: {status} for code, status in STATUS.items()}
    assert all(one.text for found in meanings().values() for one in found)
