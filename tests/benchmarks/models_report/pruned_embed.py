"""Prune `embed` until its vectors have a cosine of 0.98 to those of the whole model, and measure what that gains."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inference.core.calls import Call
from inference.factory.golden import GoldenSet, golden_of
from inference.factory.measures.pairs import Kind
from inference.factory.measuring import Conditions, measure_variant
from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.variant import prune_variant
from inference.factory.samples import Feeds
from inference.factory.sessions import open_here
from inference.registry.builtin.catalog import EMBED
from inference.runtime.machine import processor
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.models_report.embed import TEXTS, TIMED_TEXTS, feeds_of, gain_of, held_out_texts, sample
from tests.benchmarks.models_report.writing import Design, Figure, ModelReport

NAME = "embed-pruned"
CALIBRATION_TEXTS = 600
MUST_GAIN, MUST_COSINE = 1.15, 0.98
BOUNDS = {"cosine_mean": MUST_COSINE, "cosine_min": 0.5, "recall_at_10": 0.5, "relative_error_mean": 1.0}
"""The goal is the mean cosine alone. The other bounds are wide enough not to decide."""
LONGEST_S = 3600.0


def report(folder: Path) -> ModelReport:
    files = EMBED.build(folder)
    source = files["weights"]
    calibration = feeds_of(held_out_texts(CALIBRATION_TEXTS, "texts to calibrate on"), files["tokenizer"])
    judged = [sample(number, feeds) for number, feeds in enumerate(feeds_of(held_out_texts(), files["tokenizer"]))]
    method = (
        f"{CALIBRATION_TEXTS} texts to calibrate on and {TEXTS:,} others to judge on. Heads and feed-forward columns "
        f"are taken out until the mean cosine is {MUST_COSINE}, and the weights that stay are adapted in closed form."
    )
    design, figures = _pruned(source, folder / "pruned.onnx", calibration, GoldenSet((), tuple(judged), False, 0, ""))
    title = f"Text embeddings, pruned: `{NAME}`"
    return ModelReport(NAME, title, method, circumstances(), processor(), figures, [design])


def _pruned(source: Path, into: Path, calibration: list[Feeds], judged: GoldenSet) -> tuple[Design, list[Figure]]:
    try:
        made = prune_variant(
            source,
            _calibration_set(source, calibration),
            BOUNDS,
            Kind.EMBEDDING,
            into=into,
            open_session=open_here,
            progress=lambda share, text: print(f"  {share:.0%} {text}", flush=True),
            call=Call(),
            time_limit_s=LONGEST_S,
        )
    except PruningImpossible as refused:
        return Design(NAME, {}, {}), [Figure(NAME, "made", str(refused), "a file", False)]
    found = measure_variant(
        source,
        made.path,
        judged,
        BOUNDS,
        Kind.EMBEDDING,
        open_session=open_here,
        progress=lambda _share, _text: None,
        call=Call(),
        conditions=Conditions(compare_s=1800, performance_s=0),
    )
    values = {measure.name: measure.value for measure in found.measured.measures}
    faster = gain_of(source, made.path, [each.feeds for each in judged.held_out[:TIMED_TEXTS]])
    cosine, recall = values["cosine_mean"], values["recall_at_10"]
    figures = [
        Figure(NAME, "processor time of a text alone", f"{faster:.2f}x less", f">= {MUST_GAIN}x", faster >= MUST_GAIN),
        Figure(NAME, "cosine to the whole model, mean", f"{cosine:.4f}", f">= {MUST_COSINE}", cosine >= MUST_COSINE),
        Figure(NAME, f"recall@10 among {TEXTS:,} texts", f"{recall:.4f}", ">= 0.95", recall >= 0.95),
    ]
    return Design(NAME, _as_told(made.lineage()), values), figures


def _calibration_set(source: Path, feeds: list[Feeds]) -> GoldenSet:
    session = open_here(source)
    try:
        parts = golden_of({"texts": feeds}, session.inputs)
    finally:
        session.close()
    return GoldenSet((*parts.calibration, *parts.held_out), (), False, 0, parts.digest)


def _as_told(lineage: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the file was made, as the other reports tell it."""
    groups = lineage["groups"].items()
    return {
        "transformation": lineage["transformation"],
        "parameters": {
            "bound": lineage["bound"],
            "calibration_inputs": lineage["calibration_inputs"],
            "relative_work": round(lineage["relative_work"], 3),
            **{name: f"{group['kept']} of {group['of']}" for name, group in groups},
        },
        "tools": lineage["tools"],
        "source_digest": lineage["source_sha256"],
    }
