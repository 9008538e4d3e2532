"""The admission of model files from outside to the registry, with a reason for each refusal."""

from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import AdmissionLimits, TrialLimits
from inference.registry.admission.model_file import admit
from inference.registry.admission.signature import Signature, TensorSpec
from inference.registry.admission.trial import TrialResult, trial_run

__all__ = [
    "AdmissionLimits",
    "ModelRefused",
    "Signature",
    "TensorSpec",
    "TrialLimits",
    "TrialResult",
    "admit",
    "trial_run",
]
