"""Registers `read-int8`, which is `read` with 8-bit networks, and the pipeline `ocr-int8`, which is `ocr` with it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inference.cache.terms import CacheTerms
from inference.core.contracts import VersionSpec
from inference.factory.page_samples import DETECTION, RECOGNITION
from inference.pipelines.ocr import ORIENT, READ
from inference.registry import artifacts
from inference.registry.digests import version_digest
from inference.registry.errors import InvalidVariant
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.owners import owner_work
from inference.registry.selectors import find_version, spec_of
from inference.registry.services import ModelCard, NewVersion, add_version
from tenants.core.db.unit_of_work import operator_work

OCR = "ocr"
READ_INT8, OCR_INT8 = "read-int8", "ocr-int8"
NETWORKS = (DETECTION, RECOGNITION)
TITLES = {READ_INT8: "Lines of text, 8-bit", OCR_INT8: "Text recognition, 8-bit"}
DESCRIPTIONS = {
    READ_INT8: "Finds and reads the lines on the picture of an upright page like `read`, with 8-bit networks: they "
    "take less processor time and read almost the same.",
    OCR_INT8: "Reads the picture of a page like `ocr`, with 8-bit networks: they take less processor time and read "
    "almost the same. The operator has compared both on pages of this installation.",
}


@dataclass(frozen=True, slots=True)
class ExactReading:
    """The versions whose networks are exact: the current `ocr`, and the members by which it reads."""

    ocr: ModelVersion
    orient: ModelVersion
    read: ModelVersion

    @property
    def orient_spec(self) -> VersionSpec:
        return spec_of(self.orient)

    @property
    def read_spec(self) -> VersionSpec:
        return spec_of(self.read)

    def variant_spec(self, files: Mapping[str, Path]) -> VersionSpec:
        """Return `read` with these networks, as the engine runs it before it is registered."""
        exact = self.read_spec
        return replace(exact, model=READ_INT8, artifacts={**exact.artifacts, **_as_texts(files)})

    def digest_with(self, files: Mapping[str, Path]) -> str:
        """Return the digest of the version of `read` with these networks."""
        stored = {role: str(artifact["sha256"]) for role, artifact in self.read.artifacts.items()}
        return version_digest(
            runtime=self.read.runtime,
            artifacts={**stored, **{role: artifacts.sha256_of(path) for role, path in files.items()}},
            config=self.read.config,
            steps={},
        )


@dataclass(frozen=True, slots=True)
class Registered:
    read: ModelVersion
    ocr: ModelVersion
    is_new: bool
    """False if both were in the registry before, with the same networks."""


def exact_reading(pipeline: str = OCR) -> ExactReading:
    """Return the versions to start from. Raises ModelNotFound, or InvalidVariant if the pipeline reads otherwise."""
    with operator_work():
        ocr = find_version(pipeline, tenant_id=None)
        steps = {step.role: step.member for step in ocr.steps.select_related("member__served_model")}
    read = steps.get(READ)
    if read is None or ORIENT not in steps or not set(NETWORKS) <= set(read.artifacts):
        raise InvalidVariant(f"{ocr.key} does not read with the built-in networks, so 8-bit ones cannot be made of it.")
    return ExactReading(ocr, steps[ORIENT], read)


def register(
    exact: ExactReading,
    files: Mapping[str, Path],
    *,
    lineage: Mapping[str, Any],
    report: Mapping[str, Any],
    processor_time: Mapping[str, Any],
) -> Registered:
    """Register both versions in one transaction, and make them current. The same networks are registered once."""
    read_files = {role: artifacts.local_path(artifact) for role, artifact in exact.read.artifacts.items()}
    evaluation = {"gate": report, "processor_time": processor_time}
    with owner_work(None):
        known = set(ModelVersion.objects.filter(served_model__tenant=None).values_list("pk", flat=True))
        read = add_version(
            card=_card(READ_INT8, exact.read.served_model),
            new=NewVersion(
                runtime=exact.read.runtime,
                files={**read_files, **files},
                config=exact.read.config,
                signature=exact.read.signature,
                license=exact.read.license,
                evaluation=evaluation,
                source=exact.read,
                lineage={"source": exact.read.key, **lineage},
                report=report,
            ),
        )
        ocr = add_version(
            card=_card(OCR_INT8, exact.ocr.served_model),
            new=NewVersion(
                runtime=exact.ocr.runtime,
                files={},
                config=exact.ocr.config,
                signature=exact.ocr.signature,
                steps={ORIENT: exact.orient, READ: read},
                license=exact.ocr.license,
                evaluation=evaluation,
                source=exact.ocr,
                lineage={"source": exact.ocr.key, "members": {ORIENT: exact.orient.key, READ: read.key}},
                report=report,
            ),
        )
    return Registered(read, ocr, not {read.pk, ocr.pk} <= known)


def _card(name: str, exact: ServedModel) -> ModelCard:
    """Describe a new model. It costs what the exact one costs now; the operator may change that."""
    return ModelCard(
        name=name,
        title=TITLES[name],
        description=DESCRIPTIONS[name],
        accepts=tuple(exact.accepts),
        price=exact.price,
        parameters=tuple(exact.parameters),
        cached=CacheTerms(exact.cached_price_micros, exact.cache_ttl_s),
        review_price_micros=exact.review_price_micros,
    )


def _as_texts(files: Mapping[str, Path]) -> dict[str, str]:
    return {role: str(path) for role, path in files.items()}
