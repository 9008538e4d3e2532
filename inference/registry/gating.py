"""The gate before variants, for the registry: a version's own file is the source, and its owner sets the bounds."""

from pathlib import Path

from inference.core.calls import Call
from inference.factory.golden import GoldenSet
from inference.factory.measures.pairs import Kind
from inference.factory.measuring import USUAL, Conditions, generated_golden, measure_variant
from inference.factory.report import VariantReport
from inference.factory.sessions import OpenSession, open_here
from inference.registry.artifacts import local_path
from inference.registry.models import ModelVersion
from tenants.core.progress import Progress

SEED = 30


def judge(
    version: ModelVersion, variant: Path, progress: Progress, call: Call, *, conditions: Conditions = USUAL
) -> VariantReport:
    """Compare a file with the version's own and return the report with the verdict."""
    served, source = version.served_model, local_path(version.artifacts["weights"])
    open_session = session_opener(version)
    return measure_variant(
        source,
        variant,
        golden_set(version, source, open_session, call),
        served.bounds,
        Kind(served.kind) if served.kind else None,
        open_session=open_session,
        progress=lambda share, text: progress.within(f"{share:.0%} {text}"),
        call=call,
        conditions=conditions,
    )


def golden_set(version: ModelVersion, source: Path, open_session: OpenSession, call: Call) -> GoldenSet:
    """Return the owner's samples, or generated inputs if there are none."""
    return generated_golden(source, open_session=open_session, seed=SEED, call=call)


def session_opener(version: ModelVersion) -> OpenSession:
    return open_here
