"""A call in every language that the model page shows."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jobs.dashboard.catalog.snippets.call import Call
from jobs.dashboard.catalog.snippets.curl import curl_code
from jobs.dashboard.catalog.snippets.javascript import javascript_code
from jobs.dashboard.catalog.snippets.python import python_code

_STRING = r'"(?:\\.|[^"\\])*"' + r"|'(?:\\.|[^'\\])*'"
_NUMBER = r"(?<![\w.])-?\d[\d.]*(?:e[+-]?\d+)?\b"

_PARTS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "curl": re.compile(
            r"(?P<comment>^#[^\n]*)"
            r"""|(?P<string>\$'(?:\\.|[^'\\])*'|'[^']*'|"[^"]*")"""
            r"|(?P<keyword>^curl|(?<=\s)--?[a-zA-Z-]+)",
            re.MULTILINE,
        ),
        "python": re.compile(
            rf"(?P<comment>^\#[^\n]*)|(?P<string>{_STRING})|(?P<number>{_NUMBER})"
            r"|(?P<keyword>\b(?:from|import|for|in|print|True|False|None)\b)",
            re.MULTILINE,
        ),
        "javascript": re.compile(
            rf"(?P<comment>^//[^\n]*)|(?P<string>{_STRING}|`[^`]*`)|(?P<number>{_NUMBER})"
            r"|(?P<keyword>\b(?:import|from|const|let|await|new|while|if|throw|for|of|true|false|null)\b)",
            re.MULTILINE,
        ),
    }
)


@dataclass(frozen=True)
class Part:
    kind: str
    """The kind of the part: comment, string, number, keyword, or empty."""
    text: str


def parts_of(code: str, language: str) -> Iterator[Part]:
    end = 0
    for match in _PARTS[language].finditer(code):
        yield Part("", code[end : match.start()])
        yield Part(match.lastgroup or "", match[0])
        end = match.end()
    yield Part("", code[end:])


@dataclass(frozen=True)
class Snippet:
    language: str
    title: str
    code: str

    @property
    def parts(self) -> list[Part]:
        return list(parts_of(self.code, self.language))


_WRITERS: tuple[tuple[str, str, Callable[[Call, str], str]], ...] = (
    ("curl", "curl", curl_code),
    ("python", "Python", python_code),
    ("javascript", "JavaScript", javascript_code),
)


def snippets_of(call: Call, base_url: str) -> list[Snippet]:
    return [Snippet(language, title, write(call, base_url)) for language, title, write in _WRITERS]
