"""Any ONNX file on its way into the registry: checked byte by byte, tried in a child process, then stored."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from inference.registry.admission import AdmissionLimits, ModelRefused, admit, trial_run
from inference.registry.models import ModelVersion
from inference.registry.selectors import NAME
from inference.registry.services import ModelCard, NewVersion, add_version
from tenants.billing.prices import Price


@dataclass(frozen=True)
class OnnxUpload:
    file: Path
    name: str
    title: str
    description: str
    price: Price
    reprice: bool = False
    """The price is meant for a model that is there already, too."""


def add_onnx_file(upload: OnnxUpload, *, make_current: bool = True) -> ModelVersion:
    if not NAME.fullmatch(upload.name):
        raise ModelRefused(
            "invalid_name", f"{upload.name[:60]!r} is not a name: use letters, digits, - and _"
        )
    with tempfile.TemporaryDirectory(prefix="maas-model-") as folder:
        # What is checked must be what is stored, whatever happens to the caller's file meanwhile.
        private = Path(folder) / "model.onnx"
        try:
            shutil.copyfile(upload.file, private)
        except OSError as error:
            raise ModelRefused(
                "model_unreadable", f"{upload.file} cannot be read: {error.strerror}"
            ) from error
        signature = admit(private, AdmissionLimits())
        trial = trial_run(private, signature)
        return add_version(
            card=ModelCard(
                name=upload.name,
                title=upload.title or upload.name,
                description=upload.description,
                accepts=("tensors",),
                price=upload.price,
            ),
            new=NewVersion(
                runtime="onnx",
                files={"weights": private},
                config={"load_s": round(trial.load_s, 3), "peak_memory_bytes": trial.peak_memory_bytes},
                signature=signature.to_json(),
            ),
            make_current=make_current,
            reprice=upload.reprice,
        )
