"""Write the report of a built-in model as Markdown for people and as JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Figure:
    variant: str
    what: str
    value: str
    goal: str
    held: bool

    @property
    def state(self) -> str:
        return "held" if self.held else "MISSED"


@dataclass(frozen=True)
class Design:
    """A variant that was tried: how it was made, and what was found."""

    name: str
    lineage: Mapping[str, Any]
    measured: Mapping[str, Any]


@dataclass(frozen=True)
class ModelReport:
    name: str
    title: str
    method: str
    """What was measured on what, in sentences."""
    circumstances: str
    processor: str
    figures: Sequence[Figure]
    designs: Sequence[Design]

    @property
    def admitted(self) -> tuple[str, ...]:
        """Return the variants that hold every goal."""
        names = dict.fromkeys(figure.variant for figure in self.figures)
        return tuple(name for name in names if all(figure.held for figure in self.figures if figure.variant == name))

    @property
    def verdict(self) -> str:
        return f"admitted: {', '.join(self.admitted)}" if self.admitted else "refused"


def write(report: ModelReport, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    content = {**asdict(report), "admitted": report.admitted}
    (folder / f"{report.name}.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    (folder / f"{report.name}.md").write_text(as_markdown(report))


def as_markdown(report: ModelReport) -> str:
    rows = [
        f"| {figure.variant} | {figure.what} | {figure.value} | {figure.goal} | {figure.state} |"
        for figure in report.figures
    ]
    designs = [f"- **{design.name}**: {_in_words(design.lineage)}" for design in report.designs]
    return "\n".join([
        f"# {report.title}",
        "",
        f"Verdict on this processor: **{report.verdict}**.",
        "",
        report.method,
        "",
        f"{report.circumstances} · {report.processor}. `make models-report` repeats it.",
        "",
        "| variant | what | measured | goal | |",
        "|---|---|---|---|---|",
        *rows,
        "",
        "## Variants",
        "",
        *designs,
        "",
    ])  # fmt: skip


def _in_words(lineage: Mapping[str, Any]) -> str:
    parameters = ", ".join(f"{key} {json.dumps(value)}" for key, value in lineage["parameters"].items())
    tools = ", ".join(f"{name} {version}" for name, version in lineage["tools"].items())
    return f"`{lineage['transformation']}` ({parameters}); {tools}; source {lineage['source_digest'][:12]}"
