"""The gate before variants, for the registry: a version's own file is the source, and its owner sets the bounds."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from inference.core.calls import Call
from inference.factory.golden import GoldenSet, of_samples
from inference.factory.measures.pairs import Kind
from inference.factory.measuring import USUAL, Conditions, generated_golden, measure_variant
from inference.factory.report import VariantReport
from inference.factory.samples import Feeds
from inference.factory.sessions import OpenSession, open_here, opened, opener_in, used_in_host
from inference.model_host import ModelHosts
from inference.registry.artifacts import local_path
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.samples import feeds_of
from tenants.core.progress import Progress

Sessions = tuple[OpenSession, Conditions]
"""The way in which files are opened, and the conditions of the measurement."""
MAX_SEED = 2**31
"""Each task draws its seed, so that no file can be fitted to the inputs that judge it. The report has the seed."""


def judge(
    version: ModelVersion, variant: Path, progress: Progress, call: Call, *, seed: int | None = None
) -> VariantReport:
    """Compare a file with the version's own and return the report with the verdict. `seed` repeats a comparison."""
    source = local_path(version.artifacts["weights"])
    with sessions_for(version) as sessions:
        golden = golden_set(source, feeds_of(version.served_model), sessions[0], call, seed=seed)
        return compared(source, variant, version.served_model, golden, sessions=sessions, progress=progress, call=call)


def compared(
    source: Path,
    variant: Path,
    served: ServedModel | None,
    golden: GoldenSet,
    *,
    sessions: Sessions,
    progress: Progress,
    call: Call,
) -> VariantReport:
    """Compare a file with its source by the kind and the bounds of the model, or by the defaults without a model."""
    open_session, conditions = sessions
    return measure_variant(
        source,
        variant,
        golden,
        served.bounds if served else {},
        Kind(served.kind) if served and served.kind else None,
        open_session=open_session,
        progress=lambda share, text: progress.within(f"{share:.0%} {text}"),
        call=call,
        conditions=conditions,
    )


def golden_set(
    source: Path, samples: Sequence[Feeds], open_session: OpenSession, call: Call, *, seed: int | None = None
) -> GoldenSet:
    """Return the owner's samples, or generated inputs without any. Raises SampleInvalid."""
    if samples:
        with opened(source, open_session) as session:
            return of_samples(samples, session.inputs)
    drawn = secrets.randbelow(MAX_SEED) if seed is None else seed
    return generated_golden(source, open_session=open_session, seed=drawn, call=call)


@contextmanager
def sessions_for(version: ModelVersion) -> Iterator[Sessions]:
    """Yield how files of the version are opened: isolated ones in hosts of their own, others in this process."""
    if not version.served_model.is_isolated:
        yield open_here, USUAL
        return
    hosts = ModelHosts()
    try:
        yield opener_in(hosts), Conditions(used_bytes=used_in_host)
    finally:
        hosts.close()
