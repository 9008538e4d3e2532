"""Tests that docs/operating.md names log events and metrics as the product has them, and counts its connections
correctly.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.docs.product import read, trees
from tests.docs.test_metrics import metrics

DOCUMENT = "docs/operating.md"
TROUBLE = {"warning", "error", "exception"}
OF_HISTOGRAMS = ("_bucket", "_sum", "_count")


@dataclass(frozen=True)
class LogLine:
    level: str
    event: str


@cache
def log_lines() -> frozenset[LogLine]:
    return frozenset(_log_lines())


def _log_lines() -> Iterator[LogLine]:
    for tree in trees("log."):
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="log"), attr=level),
                    args=[ast.Constant(value=str(event)), *_],
                ):
                    yield LogLine(level, event)


def section(title: str) -> str:
    return read(DOCUMENT).partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def named_lines() -> set[str]:
    """In the first column of the table, and in the sentence below it."""
    table, _, below = section("Log lines").partition("These lines need no action")
    cells = re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE)
    return {name for cell in [*cells, below] for name in re.findall(r"`([^`]+)`", cell)}


def test_every_log_line_that_tells_of_trouble_is_explained() -> None:
    missing = {line.event for line in log_lines() if line.level in TROUBLE} - named_lines()
    assert not missing, f"say in {DOCUMENT}, under Log lines, what they mean and what to do"


def test_no_log_line_is_explained_that_does_not_exist() -> None:
    assert named_lines() <= {line.event for line in log_lines()} | {"request"}


def test_alerts_ask_for_metrics_and_labels_that_exist() -> None:
    known = {metric.name: metric for metric in metrics()}
    for name, labels in re.findall(r"\b(maas_\w+)(?:\{([^}]*)\})?", section("Alerts")):
        stem = next((name.removesuffix(end) for end in OF_HISTOGRAMS if name.endswith(end)), name)
        assert stem in known, name
        assert set(re.findall(r"(\w+)=", labels)) <= set(known[stem].labels), labels


def test_connections_are_counted_with_the_defaults() -> None:
    rows = dict(re.findall(r"^\| ([\w ]+) \| .* \| (\d+) \|$", section("Scaling"), re.MULTILINE))
    assert int(rows["each web process"]) == 2 * 8 + 26
    assert int(rows["worker"]) == 2 * 16 + 7
