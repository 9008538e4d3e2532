"""Refuse docstrings that open with a fragment, and words that the product no longer uses: `python -m tests.words`."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
MAX_FRAGMENTS_PERCENT = 3.0
"""The share of docstrings that may open with one of the words below; lower it as the share falls."""
FRAGMENT = re.compile(
    r"\W*(of|what|as|by|whoever|where|who|whose|which|that|for|with|in|at|from|to|without|whether|how|when|inside|only|none"
    r"|those|these|so|if|but|and|or|not|on|else|everything|until|before|after|while|beside|because|since|once|than"
    r"|nobody|somebody|others|it|its|their|more|most|less|longer|under|over|about|never|twice|too|also|such|whichever"
    r"|whatever|wherever|however|till)\b",
    re.IGNORECASE,
)
OLD_WORDS = {
    r"patience": "timeout",
    r"whoever": "who, or the noun",
    r"most_(?!common|first|in\b)\w+": "max_…",
}
"""What is not written any more, as a regular expression, and what to write."""
LOOKED_AT = ("tenants", "inference", "jobs", "maas", "client", "templates", "docs")
ALLOWED = re.compile(r"migrations/|docs/decisions/|tests/words/")


def main() -> int:
    faults = [*too_many_fragments(), *old_words()]
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


def old_words() -> Iterator[str]:
    """Yield a complaint for each place that uses an old word."""
    wanted = re.compile(
        "|".join(rf"(?P<w{n}>(?<!\w){word})" for n, word in enumerate(OLD_WORDS)), re.IGNORECASE
    )
    instead = list(OLD_WORDS.values())
    for path in files("*.py", "*.html", "*.md"):
        if not path.startswith(LOOKED_AT):
            continue
        for number, line in enumerate((PROJECT / path).read_text().splitlines(), 1):
            for match in wanted.finditer(line):
                word = instead[int((match.lastgroup or "w0")[1:])]
                yield f"{path}:{number}: {match.group()!r}: write {word}"


def files(*patterns: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        path for path in listed.stdout.splitlines() if not ALLOWED.search(path) and (PROJECT / path).exists()
    ]


if __name__ == "__main__":
    sys.exit(main())
