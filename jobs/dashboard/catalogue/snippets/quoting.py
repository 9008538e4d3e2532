"""Strings as literals of each language. The literals are exact for every text and have no invisible characters."""

import json


def json_text(text: str) -> str:
    """Return a string literal for JSON and JavaScript."""
    return '"' + "".join(_json_character(character) for character in text) + '"'


def _json_character(character: str) -> str:
    return json.dumps(character, ensure_ascii=not character.isprintable())[1:-1]


def python_text(text: str) -> str:
    literal = repr(text)
    # Python itself chooses single quotes. If double quotes work as well, the product's programs use them.
    return f'"{literal[1:-1]}"' if literal.startswith("'") and '"' not in text else literal


def shell_text(text: str) -> str:
    """Return the text as one word of a bash command line."""
    if all(character.isprintable() or character == "\n" for character in text):
        return "'" + text.replace("'", r"'\''") + "'"
    return "$'" + "".join(_shell_character(character) for character in text) + "'"


def _shell_character(character: str) -> str:
    if character.isprintable():
        return "\\" + character if character in "\\'" else character
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="replace"))
