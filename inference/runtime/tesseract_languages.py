"""The languages that Tesseract can read beside the built-in text recognition, by script."""

from collections.abc import Iterable, Mapping

LANGUAGES_OF_SCRIPT: Mapping[str, tuple[str, ...]] = {
    "cyrillic": ("rus", "ukr", "bel", "bul", "srp", "mkd", "kaz", "mon"),
    "arabic": ("ara", "fas", "urd"),
    "hebrew": ("heb", "yid"),
    "devanagari": ("hin", "mar", "nep"),
    "greek": ("ell",),
    "thai": ("tha",),
    "hangul": ("kor",),
    "bengali": ("ben",),
    "tamil": ("tam",),
    "georgian": ("kat",),
    "armenian": ("hye",),
}
"""Tesseract's names of languages (ISO 639-3) by the Unicode name of their script in lowercase."""

KNOWN_LANGUAGES = frozenset(language for languages in LANGUAGES_OF_SCRIPT.values() for language in languages)
_EXAMPLES = ("rus", "ukr", "ara", "heb", "hin", "tha", "kor", "ell")


def languages_of(script: str, wanted: Iterable[str]) -> tuple[str, ...]:
    """Return the wanted languages that are written in the script, in the operator's order."""
    of_script = LANGUAGES_OF_SCRIPT.get(script.lower(), ())
    return tuple(dict.fromkeys(language for language in wanted if language in of_script))


def script_of(language: str) -> str:
    """Return the script of a known language."""
    return next(script for script, languages in LANGUAGES_OF_SCRIPT.items() if language in languages)


def unknown_language(languages: Iterable[str]) -> str:
    """Return a message on the first unknown language, or an empty text if all are known."""
    unknown = next((language for language in languages if language not in KNOWN_LANGUAGES), None)
    if unknown is None:
        return ""
    return (
        f"MAAS_OCR_LANGUAGES names {unknown[:40]!r}, which is no known language: use codes such as "
        f"{', '.join(_EXAMPLES)}, separated by commas (docs/settings.md lists all)"
    )


def listed_languages(text: str) -> tuple[str, ...]:
    """Return the languages of a list with commas, in order, each once."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
