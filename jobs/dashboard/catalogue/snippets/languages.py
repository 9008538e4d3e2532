"""A call in every language that the model page shows."""

from collections.abc import Callable
from dataclasses import dataclass

from jobs.dashboard.catalogue.snippets.call import Call
from jobs.dashboard.catalogue.snippets.colours import Part, parts_of
from jobs.dashboard.catalogue.snippets.curl import curl_code
from jobs.dashboard.catalogue.snippets.javascript import javascript_code
from jobs.dashboard.catalogue.snippets.python import python_code


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
