"""Tests that docs/metrics.md lists every metric of the product, with its labels."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.docs.product import first_column, table_rows, trees

DOCUMENT = "docs/metrics.md"
KINDS = {"Counter", "Gauge", "Histogram", "Summary", "Info", "Enum"}


@dataclass(frozen=True)
class Metric:
    name: str
    kind: str
    labels: tuple[str, ...]


@cache
def metrics() -> tuple[Metric, ...]:
    return tuple(_metrics())


def _metrics() -> Iterator[Metric]:
    for tree in trees("prometheus_client"):
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id=kind), args=[ast.Constant(value=str(name)), _, *rest]) if (
                    kind in KINDS and name.startswith("maas_")
                ):
                    yield Metric(name, kind.lower(), tuple(ast.literal_eval(rest[0])) if rest else ())


def test_every_metric_is_described_and_no_other() -> None:
    assert sorted(first_column(DOCUMENT)) == sorted(metric.name for metric in metrics())


def test_labels_and_types_are_as_described() -> None:
    rows = table_rows(DOCUMENT)
    for metric in metrics():
        kind, labels = rows[metric.name][:2]
        assert (kind, labels) == (metric.kind, ", ".join(f"`{label}`" for label in metric.labels)), metric


def test_no_label_names_a_tenant() -> None:
    assert not [metric for metric in metrics() if "tenant" in " ".join(metric.labels)]
