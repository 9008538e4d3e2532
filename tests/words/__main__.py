"""Refuse docstrings that open with a fragment, and words that are no longer used: `python -m tests.words`."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.words.prose import prose_of

PROJECT = Path(__file__).resolve().parents[2]
MAX_FRAGMENTS_PERCENT = 1.0
"""The share of docstrings that may open with one of the words below; lower it as the share falls."""
FRAGMENT = re.compile(
    r"\W*(of|what|as|by|whoever|where|who|whose|which|that|for|with|in|at|from|to|without|whether|how|when|inside|only|none"
    r"|those|these|so|if|but|and|or|not|on|else|everything|until|before|after|while|beside|because|since|once|than"
    r"|nobody|somebody|others|it|its|their|more|most|less|longer|under|over|about|never|twice|too|also|such|whichever"
    r"|whatever|wherever|however|till)\b",
    re.IGNORECASE,
)
OLD_NAMES = {
    r"patience": "timeout",
    r"whoever": "who, or the noun",
    r"most_(?!common|first|in\b)\w+": "max_…",
    r"doorman": "authorizer",
    r"wake_again_at": "renotify_at",
    r"(?:price_)?holds_from": "valid_from",
    r"rests_until": "paused_until",
}
"""The names and words that are refused everywhere, as regular expressions, and what to write."""
OLD_WORDS = {
    r"beats?": "heartbeat",
    r"bells?": "notification",
    r"deeds?": "action",
    r"desks?": "limiter",
    r"doors?": "admission",
    r"guests?": "session",
    r"heard": "received",
    r"hefts?": "relative cost",
    r"journals?": "request log, or ledger entries",
    r"known (?:page|result)s?": "cached page, cache hit",
    r"lanes?": "RPC",
    r"last words": "final event",
    r"pulses?": "heartbeat",
    r"rests": "is paused",
    r"rooms?": "capacity, headroom, space",
    r"said": "stated, or the noun",
    r"seats?": "slot",
    r"strangers?": "unauthenticated caller",
    r"telling": "describing, notifying",
    r"till": "until; call holds",
    r"told(?! to\b)": "notified, serialized",
    r"(?<!round )trips?": "Redis call, round trip",
    r"wakes?": "notify",
    r"wish(?:es)?": "option",
    r"woken": "notified",
    r"\w*(?:behavi|col|fav|hon|lab|neighb)our\w*": "American spelling: -or",
    r"\w+(?:al|an|ar|il|im|ogn|or|ron|ter)is(?:e[sd]?|ing|ation)": "American spelling: -ize",
    r"\w*analys(?:e[sd]?|ing)": "American spelling: analyze",
    r"(?:cancell|labell|modell|travell|tunnell)(?:ed|ing)": "American spelling: one l",
    r"(?:def|lic|off)ences?": "American spelling: -ense",
    r"e-mails?": "email",
}
"""The words that are refused in docstrings, comments, templates and documents, and what to write."""
PRODUCT = (
    "tenants",
    "inference",
    "jobs",
    "maas",
    "client",
    "templates",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
)
ALLOWED = re.compile(r"migrations/|tests/words/|tests/benchmarks/printed_invoices/")
"""The files that people do not read as ours, such as invoices of invented firms."""
EXEMPT = re.compile(r"inference/(gateway|rpc|cache|batching)/|tenants/limits/rates/|maas/web/guard/")
"""The folders whose comments may still have old words."""


def main() -> int:
    faults = [*too_many_fragments(), *old_names(), *old_words()]
    print(*faults, sep="\n", end="\n" if faults else "")
    return int(bool(faults))


def too_many_fragments() -> Iterator[str]:
    """Yield one complaint if too many docstrings open with a fragment, with the first of them."""
    places, count = [], 0
    for path in files("*.py"):
        for line, text in docstrings(path):
            count += 1
            if FRAGMENT.match(text):
                places.append(f"  {path}:{line}: {text.splitlines()[0]}")
    percent = 100 * len(places) / max(count, 1)
    if percent > MAX_FRAGMENTS_PERCENT:
        yield f"{percent:.1f} % of {count} docstrings open with a fragment; {MAX_FRAGMENTS_PERCENT} % may."
        yield from places[:50]


def docstrings(path: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each string that stands alone as a statement."""
    for node in ast.walk(ast.parse((PROJECT / path).read_text())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            value = node.value.value
            if isinstance(value, str) and value.strip():
                yield node.lineno, value.strip()


def old_names() -> Iterator[str]:
    """Yield a complaint for each place in code or text that uses an old name."""
    wanted = alternatives(OLD_NAMES, end="")
    for path in readable(PRODUCT):
        lines = enumerate((PROJECT / path).read_text().splitlines(), 1)
        yield from complaints(wanted, list(OLD_NAMES.values()), path, lines)


def old_words() -> Iterator[str]:
    """Yield a complaint for each place in prose that uses an old word."""
    wanted = alternatives(OLD_WORDS, end=r"(?!\w)")
    for path in readable((*PRODUCT, "tests")):
        text = (PROJECT / path).read_text()
        if not EXEMPT.search(path) and wanted.search(text):
            yield from complaints(wanted, list(OLD_WORDS.values()), path, prose_of(path, text))


def alternatives(words: Iterable[str], end: str) -> re.Pattern[str]:
    """Return a pattern that matches each of the words as a numbered group."""
    return re.compile("|".join(rf"((?<!\w){word}{end})" for word in words), re.IGNORECASE)


def complaints(
    wanted: re.Pattern[str], instead: list[str], path: str, lines: Iterable[tuple[int, str]]
) -> Iterator[str]:
    for number, line in lines:
        for match in wanted.finditer(line):
            yield f"{path}:{number}: {match.group()!r}: write {instead[(match.lastindex or 1) - 1]}"


def readable(places: tuple[str, ...]) -> list[str]:
    """Return the paths of the files in these folders that people read."""
    suffixes = ("*.py", "*.html", "*.md", "*.js", "*.sql")
    return [path for path in files(*suffixes) if path.startswith(places)]


def files(*patterns: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for path in listed.stdout.splitlines() if not ALLOWED.search(path) and (PROJECT / path).exists()]


if __name__ == "__main__":
    sys.exit(main())
