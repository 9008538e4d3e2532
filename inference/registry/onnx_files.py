"""Registration of ONNX files: a file is checked byte by byte, tried in a child process and then stored."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from inference.cache.terms import USUAL_TERMS, CacheTerms
from inference.core.calls import Call
from inference.core.errors import ModelFailed
from inference.factory.measuring import Conditions
from inference.factory.samples import SampleInvalid
from inference.factory.sessions import open_here
from inference.registry.admission import (
    AdmissionLimits,
    ModelRefused,
    Signature,
    TrialLimits,
    TrialResult,
    admit,
    trial_run,
)
from inference.registry.gating import compared, golden_set
from inference.registry.model_limits import limits_of
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.references import NAME
from inference.registry.samples import feeds_of
from inference.registry.services import ModelCard, NewVersion, add_version
from inference.runtime.precision import FP32, PRECISIONS, chosen_role, variant_role
from tenants.core.db.unit_of_work import operator_work
from tenants.core.own_folder import own_folder
from tenants.core.progress import SILENT, Progress
from tenants.limits.quota.wording import size
from tenants.plans.prices import Price

UNTIMED = Conditions(performance_s=0)
Precision = str | Mapping[str, str]
"""The name of a precision, or one name each for `cpu` and `gpu`."""


@dataclass(frozen=True)
class OnnxUpload:
    file: Path
    name: str
    title: str
    description: str
    price: Price
    cached: CacheTerms = USUAL_TERMS
    review_price_micros: int | None = None
    reprice: bool = False
    retime: bool = False
    """`reprice` and `retime` apply the price and the retention of results to a model that already exists, too."""
    variants: Mapping[str, Path] = field(default_factory=dict)
    """Files with the same graph in other precisions."""
    license: str = ""
    precision: Precision | None = None
    """The precision in which the model runs. The default is fp32, the file itself."""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    path: Path
    declared: Signature
    """The signature that the file declares."""
    trial: TrialResult

    @property
    def signature(self) -> Signature:
        return self.trial.signature

    def fits(self, signature: Mapping[str, Any]) -> bool:
        """Return whether a version with this signature may use the file. Older releases stored what files declare."""
        return signature in (self.signature.to_json(), self.declared.to_json())


def add_onnx_file(upload: OnnxUpload, *, make_current: bool = True, progress: Progress = SILENT) -> ModelVersion:
    if not NAME.fullmatch(upload.name):
        raise ModelRefused("invalid_name", f"invalid name {upload.name[:60]!r}: use letters, digits, - and _")
    sources = {FP32: upload.file, **upload.variants}
    settings: dict[str, Precision] = {} if upload.precision is None else {"precision": upload.precision}
    _check_precisions(sources, settings)
    with tempfile.TemporaryDirectory(dir=own_folder(), prefix="maas-model-") as folder:
        checked = {
            precision: _checked(source, Path(folder), precision, progress) for precision, source in sources.items()
        }
        _check_alike(checked)
        reports = _judge_variants(upload.name, checked, progress)
        progress.stage("storing what was checked")
        trial = checked[FP32].trial
        return add_version(
            card=ModelCard(
                name=upload.name,
                title=upload.title or upload.name,
                description=upload.description,
                accepts=("tensors",),
                price=upload.price,
                cached=upload.cached,
                review_price_micros=upload.review_price_micros,
            ),
            new=NewVersion(
                runtime="onnx",
                files={variant_role("weights", precision): file.path for precision, file in checked.items()},
                config=settings,
                measured={"load_s": round(trial.load_s, 3), "peak_memory_bytes": trial.peak_memory_bytes},
                signature=checked[FP32].signature.to_json(),
                license=upload.license,
                evaluation={"variants": reports} if reports else {},
            ),
            make_current=make_current,
            reprice=upload.reprice,
            retime=upload.retime,
        )


def _check_precisions(sources: Mapping[str, Path], wanted: Mapping[str, Precision]) -> None:
    """Refuse a version that would fail at its first load."""
    for precision in sources:
        if precision not in PRECISIONS:
            raise ModelRefused(
                "model_precision_unknown",
                f"unknown precision {precision!r}; use one of {', '.join(PRECISIONS)}",
            )
    roles = [variant_role("weights", precision) for precision in sources]
    for on_gpu in (False, True):
        try:
            chosen_role(roles, "weights", wanted, on_gpu=on_gpu)
        except ModelFailed as error:
            raise ModelRefused(error.code, error.detail) from error


def admission_for(owner: UUID | None) -> AdmissionLimits:
    """Return the limits of a file that the owner uploads."""
    usual, file_bytes = AdmissionLimits(), limits_of(owner).file_bytes
    weight_bytes = max(usual.max_initializer_bytes, 2 * file_bytes)
    return replace(usual, max_file_bytes=file_bytes, max_initializer_bytes=weight_bytes)


def check_file(path: Path, limits: AdmissionLimits, progress: Progress, call: Call | None = None) -> CheckedFile:
    """Check a file that nobody changes meanwhile, byte by byte and in a trial. Raises ModelRefused and CallCanceled."""
    progress.stage(f"checking {size(path.stat().st_size)}, node by node")
    declared = admit(path, limits)
    trial_limits = TrialLimits.for_file(path.stat().st_size)
    progress.stage(f"running it once in a sandbox, for {trial_limits.wall_s:g} s at most")
    trial = trial_run(path, declared, limits=trial_limits, needs=settings.MAAS_SANDBOX_NEEDS, call=call)
    return CheckedFile(path, declared, trial)


def _checked(source: Path, folder: Path, precision: str, progress: Progress) -> CheckedFile:
    # The checked content must be the stored content, even if the caller's file changes meanwhile.
    private = folder / ("model.onnx" if precision == FP32 else f"model.{precision}.onnx")
    progress.stage(f"copying {source}")
    try:
        shutil.copyfile(source, private)
    except OSError as error:
        raise ModelRefused("model_unreadable", f"{source} cannot be read: {error.strerror}") from error
    try:
        return check_file(private, AdmissionLimits(), progress)
    except ModelRefused as error:
        if precision == FP32:
            raise
        raise ModelRefused(error.code, f"the {precision} variant: {error.detail}", node=error.node) from error


def _judge_variants(name: str, checked: Mapping[str, CheckedFile], progress: Progress) -> dict[str, Any]:
    """Return the report of each variant by its precision. A variant outside its bounds is refused."""
    with operator_work():
        served = ServedModel.objects.filter(tenant=None, name=name).first()
    source = checked[FP32].path
    reports = {}
    for precision, file in checked.items():
        if precision != FP32:
            progress.stage(f"comparing the {precision} variant with the file")
            reports[precision] = _report(source, file.path, served, precision, progress)
    return reports


def _report(
    source: Path, variant: Path, served: ServedModel | None, precision: str, progress: Progress
) -> dict[str, Any]:
    call = Call()
    try:
        golden = golden_set(source, feeds_of(served) if served else [], open_here, call)
        report = compared(source, variant, served, golden, sessions=(open_here, UNTIMED), progress=progress, call=call)
    except SampleInvalid as error:
        raise ModelRefused("not_comparable", f"the {precision} variant: {error}") from error
    if not report.verdict.admitted:
        reasons = "; ".join(reason.detail for reason in report.verdict.reasons)
        raise ModelRefused("variant_out_of_bounds", f"the {precision} variant: {reasons}")
    return report.to_json()


def _check_alike(checked: Mapping[str, CheckedFile]) -> None:
    """Refuse variants with other signatures: callers do not choose the precision and must not notice it."""
    for precision, file in checked.items():
        if file.signature != checked[FP32].signature:
            raise ModelRefused(
                "variant_differs",
                f"the {precision} variant has other inputs or outputs than the fp32 file:"
                f" {file.signature.to_json()} and not {checked[FP32].signature.to_json()}",
            )
