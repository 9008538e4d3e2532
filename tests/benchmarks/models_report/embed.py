"""Compare `embed-int8` with `embed` on texts that no transformation saw."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from inference.core.calls import Call
from inference.factory.golden import GoldenSet
from inference.factory.measures.pairs import Kind
from inference.factory.measuring import Conditions, measure_variant
from inference.factory.samples import Feeds, Sample, digest
from inference.factory.sessions import open_here
from inference.factory.transforms import DynamicInt8, transform
from inference.factory.transforms.processor import int8_support
from inference.registry.builtin.catalog import EMBED
from inference.runtime.hosted_session import HostedSession
from inference.runtime.machine import processor
from inference.runtime.native import read_tokenizer
from inference.runtime.providers import CPU, ExecutionPlan, Provider
from inference.runtime.texts import WINDOW_TOKENS
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents.generation import CLASSES
from tests.benchmarks.documents.wording.sentences import Wording
from tests.benchmarks.models_report.timing import gain
from tests.benchmarks.models_report.writing import Design, Figure, ModelReport

NAME = "embed-int8"
TEXTS = 2000
SUBJECTS = ("prose", *CLASSES)
MUST_GAIN, MUST_COSINE, MUST_RECALL = 1.6, 0.99, 0.95
TIMED_TEXTS = 60


def report(folder: Path) -> ModelReport:
    files = EMBED.build(folder)
    options = DynamicInt8(reduce_range=int8_support().reduce_range)
    made = transform(files["weights"], options, into=folder / "int8.onnx")
    samples = [sample(number, feeds) for number, feeds in enumerate(feeds_of(held_out_texts(), files["tokenizer"]))]
    golden = GoldenSet(
        (), tuple(samples), False, 0, "".join(sorted(digest(each.feeds).hex()[:8] for each in samples))[:64]
    )
    found = measure_variant(
        files["weights"],
        made.path,
        golden,
        EMBED_BOUNDS,
        Kind.EMBEDDING,
        open_session=open_here,
        progress=lambda share, text: None,
        call=Call(),
        conditions=Conditions(compare_s=1800, performance_s=0),
    )
    values = {measure.name: measure.value for measure in found.measured.measures}
    faster = gain_of(files["weights"], made.path, [each.feeds for each in samples[:TIMED_TEXTS]])
    figures = [
        Figure(
            NAME,
            "processor time of a text alone, fp32 over int8",
            f"{faster:.2f}x",
            f">= {MUST_GAIN}x",
            faster >= MUST_GAIN,
        ),
        _at_least("cosine to fp32, mean", values["cosine_mean"], MUST_COSINE),
        _at_least("cosine to fp32, lowest", values["cosine_min"], found.bounds["cosine_min"]),
        _at_least(f"recall@10 among {len(samples):,} texts", values["recall_at_10"], MUST_RECALL),
        Figure(
            NAME,
            "verdict of the gate",
            "; ".join(r.detail for r in found.verdict.reasons) or "no reason against it",
            "admitted",
            found.verdict.admitted,
        ),
    ]
    return ModelReport(
        NAME,
        "Text embeddings, 8-bit: `embed-int8`",
        f"{len(samples):,} different English texts of one to eight sentences, generated from the wording of letters, "
        f"invoices, contracts, forms, reports and prose. Each runs alone, as the model serves it. The gain is a median "
        f"over {TIMED_TEXTS} of them, each the best of several runs by turns on one thread.",
        circumstances(),
        processor(),
        figures,
        [Design(NAME, made.lineage.as_json(), values | {"bytes": made.size_bytes})],
    )


EMBED_BOUNDS = {"cosine_mean": MUST_COSINE, "recall_at_10": MUST_RECALL}


def _at_least(what: str, value: float, goal: float) -> Figure:
    return Figure(NAME, what, f"{value:.4f}", f">= {goal:g}", value >= goal)


def held_out_texts(count: int = TEXTS, seed: str = "held out texts") -> list[str]:
    """Return different texts. Their words are drawn anew, so that few sentences occur twice."""
    chance = random.Random(seed)
    wordings = [Wording("en", chance, subject) for subject in SUBJECTS]
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[chance.choice(wordings).paragraph(chance.randint(1, 8))] = None
    return list(texts)


def feeds_of(texts: Sequence[str], tokenizer_file: Path) -> list[Feeds]:
    """Return the tokens of each text alone, without padding, as the model serves them."""
    tokenizer = read_tokenizer(str(tokenizer_file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW_TOKENS)
    rows = [tokenizer.encode(text).ids for text in texts]
    return [
        {"input_ids": np.array([row], np.int64), "attention_mask": np.ones((1, len(row)), np.int64)} for row in rows
    ]


def sample(number: int, feeds: Feeds) -> Sample:
    return Sample(f"text {number + 1}", "texts", feeds, 1)


def gain_of(source: Path, variant: Path, inputs: Sequence[Feeds]) -> float:
    plan = ExecutionPlan((Provider(CPU),), 1)
    plain, fast = HostedSession(source, plan), HostedSession(variant, plan)
    return gain(plain.run, fast.run, inputs, rounds=7)
