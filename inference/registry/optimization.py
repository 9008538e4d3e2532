"""The factory's work on a version: variants are made one by one, measured by the gate, and offered to the owner."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from inference.core.calls import Call
from inference.core.errors import ModelFailed
from inference.factory.golden import GoldenSet
from inference.factory.measures.pairs import Kind
from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.variant import prune_variant
from inference.factory.report import VariantReport
from inference.factory.sessions import Session, open_with
from inference.factory.setting_runs import measure_settings
from inference.factory.settings import chosen_setting
from inference.factory.transforms.catalog import CPU, Offer, transformations
from inference.factory.transforms.errors import TransformRefused
from inference.factory.transforms.facts import facts_of
from inference.factory.transforms.options import Options
from inference.factory.transforms.processor import int8_support
from inference.factory.transforms.sandboxed import transform
from inference.registry import artifacts
from inference.registry.admission import ModelRefused
from inference.registry.gating import Sessions, compared, golden_set, sessions_for
from inference.registry.models import ModelTask, ModelVariant, ModelVersion
from inference.registry.onnx_files import admission_for, check_file
from inference.registry.orders import PRUNE, SETTINGS
from inference.registry.samples import feeds_of
from inference.registry.tasks.claims import TaskClaim, ending, note_progress
from inference.registry.uploads import file_name
from inference.runtime.machine import this_machine
from inference.runtime.precision import FP32
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.progress import SILENT, Progress

PRUNE_S = 900.0
"""The longest time for which pruned files are searched."""


@dataclass(frozen=True)
class _Made:
    path: Path
    precision: str
    lineage: Mapping[str, Any]


class _Factory:
    """The work on one version. Its files live as long as the task."""

    def __init__(
        self,
        claim: TaskClaim,
        version: ModelVersion,
        folder: Path,
        sessions: Sessions,
        call: Call,
    ) -> None:
        self.claim = claim
        self.version = version
        self.source = artifacts.local_path(version.artifacts["weights"])
        self.folder = folder
        self.open_session, self.conditions = sessions
        self.call = call
        self.golden: GoldenSet = golden_set(self.source, feeds_of(version.served_model), self.open_session, call)
        self.outcomes: list[dict[str, Any]] = []
        self._done = self._total = 0

    def run(self, wanted: "list[str] | None") -> None:
        offers = [offer for offer in self._offers() if wanted is None or offer[0] in wanted]
        self._total = len(offers)
        for number, (name, make, why_not) in enumerate(offers):
            self.call.check()
            self._done = number
            self.note(name)
            if make is None:
                self.outcomes.append({"transformation": name, "state": "not offered", "reason": why_not})
            else:
                self._try(name, make)
        if wanted is None or SETTINGS in wanted:
            self._measure_settings()

    def _measure_settings(self) -> None:
        """Measure the version's own file with several threads and sizes of batches. It makes no variant."""
        self.note(SETTINGS)
        isolated = self.version.served_model.is_isolated
        measured = measure_settings(
            self.source,
            self.golden.held_out,
            open_with=self._open_isolated if isolated else open_with,
            cores=1 if isolated else this_machine().threads,
            call=self.call,
        )
        chosen = chosen_setting(measured)
        self.outcomes.append(
            {
                "transformation": SETTINGS,
                "state": "measured",
                "measured": [each.to_json() for each in measured],
                "chosen": chosen.to_json() if chosen else None,
            }
        )

    def _open_isolated(self, _threads: int, path: Path) -> Session:
        """Open a file in a host, whose runs have one thread."""
        return self.open_session(path)

    def note(self, text: str) -> None:
        note_progress(self.claim, text, self._done, self._total)

    def _offers(self) -> "list[tuple[str, Callable[[Path], _Made] | None, str]]":
        found: list[tuple[str, Callable[[Path], _Made] | None, str]] = []
        offer: Offer
        for offer in transformations(facts_of(self.source), CPU, int8_support()):
            make = None if offer.options is None else partial(self._transformed, offer.options)
            found.append((offer.name, make, offer.why_not))
        return [*found, (PRUNE, self._pruned, "")]

    def _try(self, name: str, make: Callable[[Path], _Made]) -> None:
        """Make, check and measure a variant, and keep it with its verdict."""
        try:
            made = make(self.folder / f"{name}.onnx")
            checked = check_file(made.path, admission_for(self.version.tenant_id), SILENT, self.call)
            if not checked.fits(self.version.signature):
                raise TransformRefused("variant_differs", "its inputs or outputs differ from those of the version")
            report = self._judged(name, made)
        except (TransformRefused, PruningImpossible) as error:
            self.outcomes.append({"transformation": name, "state": "not made", "reason": str(error)})
            return
        except (ModelRefused, ModelFailed) as error:
            # The others are worth a try, although this file is refused, crashes or takes too long.
            self.outcomes.append({"transformation": name, "state": "not made", "reason": error.detail})
            return
        variant = self._kept(name, made, report)
        self.outcomes.append({"transformation": name, "state": variant.state, "variant": str(variant.pk)})

    def _transformed(self, options: Options, into: Path) -> _Made:
        samples = [sample.feeds for sample in self.golden.calibration]
        made = transform(
            self.source, options, into=into, samples=samples, call=self.call, needs=settings.MAAS_SANDBOX_NEEDS
        )
        return _Made(made.path, made.precision, made.lineage.as_json())

    def _pruned(self, into: Path) -> _Made:
        pruned = prune_variant(
            self.source,
            self.golden,
            self.version.served_model.bounds,
            self._kind,
            into=into,
            open_session=self.open_session,
            progress=lambda share, text: self.note(f"{PRUNE}: {share:.0%} {text}"),
            call=self.call,
            conditions=self.conditions,
            time_limit_s=PRUNE_S,
        )
        return _Made(pruned.path, FP32, pruned.lineage())

    @property
    def _kind(self) -> Kind | None:
        kind = self.version.served_model.kind
        return Kind(kind) if kind else None

    def _judged(self, name: str, made: _Made) -> VariantReport:
        progress = Progress(lambda text: self.note(f"{name}: {text}"))
        served, sessions = self.version.served_model, (self.open_session, self.conditions)
        return compared(
            self.source, made.path, served, self.golden, sessions=sessions, progress=progress, call=self.call
        )

    def _kept(self, name: str, made: _Made, report: VariantReport) -> ModelVariant:
        artifact = artifacts.store(made.path, name=file_name(self.version.tenant_id, name))
        state = ModelVariant.State.ADMITTED if report.verdict.admitted else ModelVariant.State.REFUSED
        with operator_work(), transaction.atomic(using=OPERATOR):
            artifacts.hold(artifact, made.path)
            # A new run replaces what an earlier one made and nobody used.
            self.version.variants.filter(author="factory", transformation=name, used_as=None).delete()
            return ModelVariant.objects.create(
                tenant_id=self.version.tenant_id,
                version=self.version,
                precision=made.precision,
                transformation=name,
                artifact=artifact,
                lineage={"source": self.version.key, **made.lineage},
                report=report.to_json(),
                state=state,
                author="factory",
            )


def optimize(claim: TaskClaim, call: Call) -> None:
    """Make and measure the variants, and end the task with what came of each transformation."""
    with operator_work():
        version = ModelVersion.objects.select_related("served_model").get(pk=claim.version_id)
        # A worker that died in the middle has left variants. They are made again, so that the report is of one run.
        version.variants.filter(author="factory", used_as=None, created_at__gte=_since(claim)).delete()
    note_progress(claim, "choosing inputs for the comparison")
    with tempfile.TemporaryDirectory(prefix="factory-") as folder, sessions_for(version) as sessions:
        factory = _Factory(claim, version, Path(folder), sessions, call)
        factory.run(claim.params.get("transformations"))
    with ending(claim, {"transformations": factory.outcomes}):
        pass


def _since(claim: TaskClaim) -> Any:
    return ModelTask.objects.values_list("created_at", flat=True).get(pk=claim.task_id)
