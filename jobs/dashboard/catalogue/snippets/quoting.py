"""Strings as literals of each language: exact for every text, and with nothing in them that cannot be seen."""

import json


def json_text(text: str) -> str:
    """For JSON and for JavaScript alike."""
    return '"' + "".join(_json_character(character) for character in text) + '"'


def _json_character(character: str) -> str:
    return json.dumps(character, ensure_ascii=not character.isprintable())[1:-1]


def python_text(text: str) -> str:
    literal = repr(text)
    # Python's own choice is single quotes; where both do, the product's programs have double ones.
    return f'"{literal[1:-1]}"' if literal.startswith("'") and '"' not in text else literal


def shell_text(text: str) -> str:
    """One word of a command line of bash."""
    if all(character.isprintable() or character == "\n" for character in text):
        return "'" + text.replace("'", r"'\''") + "'"
    return "$'" + "".join(_shell_character(character) for character in text) + "'"


def _shell_character(character: str) -> str:
    if character.isprintable():
        return "\\" + character if character in "\\'" else character
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="replace"))
